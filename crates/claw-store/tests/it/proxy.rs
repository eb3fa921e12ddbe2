//! What can happen between a store and its server.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What happens once the store has sent what commits: the commit of a transaction, a script, or a request for an object to
/// be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// All goes on.
    None,
    /// The commit arrives, and its answer never comes.
    HoldAnswer,
    /// The commit arrives, and the connection ends instead of the answer.
    CutAnswer,
    /// The connection ends before the commit arrives.
    CutCommit,
    /// What begins with the commit waits for [`Proxy::go_on`], as if the store's host were stopped.
    HoldCommit,
}

/// A way to a server on which one fault can happen.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

/// Where the fault happens.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// At the first commit since whose predecessor a word was sent.
    Commit {
        /// A word of what commits.
        commit: &'static str,
        /// A word that stands there or before it.
        word: &'static str,
    },
    /// At the first HTTP request for an object to be written whose name has a word.
    Put(&'static str),
}

struct State {
    fault: Mutex<Fault>,
    place: Place,
    /// A header of HTTP that does not arrive.
    hidden: Option<&'static str>,
    happened: Notify,
    go_on: Notify,
    arrived: Notify,
}

/// What both directions of a connection know.
#[derive(Default)]
struct Way {
    /// No answer goes on.
    silent: AtomicBool,
    /// The connection ends at the next answer.
    end: AtomicBool,
    answered: Notify,
}

impl Proxy {
    /// Of a fault that happens once.
    pub(crate) async fn start(server: SocketAddr, place: Place, fault: Fault) -> Self {
        Self::with(server, place, fault, None).await
    }

    /// To a server that does not know a header of HTTP.
    pub(crate) async fn without(server: SocketAddr, header: &'static str) -> Self {
        Self::with(server, Place::Put(""), Fault::None, Some(header)).await
    }

    async fn with(
        server: SocketAddr,
        place: Place,
        fault: Fault,
        hidden: Option<&'static str>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(State {
            fault: Mutex::new(fault),
            place,
            hidden,
            happened: Notify::new(),
            go_on: Notify::new(),
            arrived: Notify::new(),
        });
        let ways = state.clone();
        tokio::spawn(async move {
            while let Ok((from, _)) = listener.accept().await {
                let Ok(to) = TcpStream::connect(server).await else {
                    continue;
                };
                pipe(from, to, &ways);
            }
        });
        Self { address, state }
    }

    /// Sets the fault that happens next.
    pub(crate) fn next(&self, fault: Fault) {
        *self.state.fault() = fault;
    }

    /// Waits for the fault.
    pub(crate) async fn happened(&self) {
        self.state.happened.notified().await;
    }

    /// Lets the commit go on that is held.
    pub(crate) fn go_on(&self) {
        self.state.go_on.notify_one();
    }

    /// Waits until the server has answered the commit that was held.
    pub(crate) async fn arrived(&self) {
        self.state.arrived.notified().await;
    }
}

impl State {
    fn fault(&self) -> MutexGuard<'_, Fault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether these bytes are the place of the fault. `sent` has what was sent since the last commit.
    fn is_place(&self, sent: &mut Vec<u8>, bytes: &[u8]) -> bool {
        match self.place {
            Place::Commit { commit, word } => {
                sent.extend_from_slice(bytes);
                let is_commit = has(sent, commit);
                let is_place = is_commit && has(sent, word);
                if is_commit {
                    sent.clear();
                }
                is_place
            }
            // The client writes the head of a request at once.
            Place::Put(word) => {
                let line = bytes.split(|byte| *byte == b'\r').next();
                line.is_some_and(|line| line.starts_with(b"PUT ") && has(line, word))
            }
        }
    }
}

fn pipe(from: TcpStream, to: TcpStream, state: &Arc<State>) {
    let (from_read, from_write) = from.into_split();
    let (to_read, to_write) = to.into_split();
    let way = Arc::new(Way::default());
    let answers = tokio::spawn(answers(to_read, from_write, way.clone()));
    tokio::spawn(requests(from_read, to_write, way, answers, state.clone()));
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    way: Arc<Way>,
    answers: tokio::task::JoinHandle<()>,
    state: Arc<State>,
) {
    let mut buffer = vec![0; 64 << 10];
    let mut sent = Vec::new();
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        let bytes = &mut buffer[..count];
        if let Some(header) = state.hidden {
            hide(bytes, header);
        }
        let mut fault = Fault::None;
        if state.is_place(&mut sent, bytes) {
            fault = std::mem::replace(&mut *state.fault(), Fault::None);
        }
        match fault {
            Fault::HoldAnswer => way.silent.store(true, Ordering::SeqCst),
            Fault::CutAnswer => way.end.store(true, Ordering::SeqCst),
            Fault::HoldCommit => {
                state.happened.notify_one();
                state.go_on.notified().await;
            }
            Fault::CutCommit => {
                state.happened.notify_one();
                answers.abort();
                return;
            }
            Fault::None => {}
        }
        let mut answered = pin!(way.answered.notified());
        answered.as_mut().enable();
        if to.write_all(bytes).await.is_err() {
            return;
        }
        match fault {
            Fault::HoldCommit => {
                answered.await;
                state.arrived.notify_one();
            }
            Fault::HoldAnswer | Fault::CutAnswer => state.happened.notify_one(),
            _ => {}
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, way: Arc<Way>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        way.answered.notify_waiters();
        if way.end.load(Ordering::SeqCst) {
            return;
        }
        if !way.silent.load(Ordering::SeqCst) && to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

fn has(bytes: &[u8], word: &str) -> bool {
    word.is_empty()
        || bytes
            .windows(word.len())
            .any(|part| part == word.as_bytes())
}

/// Gives a header another name.
fn hide(bytes: &mut [u8], header: &str) {
    let name = format!("\r\n{header}:");
    let mut windows = bytes.windows(name.len());
    if let Some(at) = windows.position(|part| part.eq_ignore_ascii_case(name.as_bytes())) {
        bytes[at + 2] = b'x';
    }
}
