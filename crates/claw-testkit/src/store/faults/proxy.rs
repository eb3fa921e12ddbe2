//! A proxy between a store and its server, which causes one fault.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A fault on the connection between a store and its server. In this module, a commit is the message that makes a
/// change permanent. It is the commit of a transaction, a script, or the request that writes an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// There is no fault.
    None,
    /// The server receives the commit, but the store does not receive the response. The connection stays open.
    HoldAnswer,
    /// The server receives the commit, but the connection ends before the store receives the response.
    CutAnswer,
    /// The connection ends before the server receives the commit.
    CutCommit,
    /// The commit and everything after it are withheld until [`Proxy::resume`] is called, as if the store's host were
    /// suspended.
    HoldCommit,
}

/// The message at which the fault occurs.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Place {
    /// The first commit that contains `word`, or before which `word` was sent since the previous commit.
    Commit {
        /// A word that identifies the message that commits, such as `COMMIT`.
        commit: &'static str,
        /// A word that the commit, or a message between the previous commit and this one, must contain.
        word: &'static str,
    },
    /// The first HTTP request that writes an object whose name contains this word.
    Put(&'static str),
}

/// A proxy between a store and its server, which causes one fault. It accepts connections until the test's runtime
/// ends.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    fault: Mutex<Fault>,
    place: Place,
    /// The name of an HTTP header that is hidden from the server.
    hidden: Option<&'static str>,
    occurred: Notify,
    resumed: Notify,
    answered: Notify,
}

/// The state that both directions of a connection share.
#[derive(Default)]
struct Shared {
    /// Whether responses are withheld.
    is_silent: AtomicBool,
    /// Whether the connection ends at the next response.
    is_cut: AtomicBool,
    answered: Notify,
}

impl Proxy {
    /// Starts a proxy to a server. The fault occurs once, at the first message that corresponds to `place`.
    ///
    /// # Panics
    ///
    /// Panics if no port of loopback is free.
    pub async fn start(server: SocketAddr, place: Place, fault: Fault) -> Self {
        Self::with(server, place, fault, None).await
    }

    /// Starts a proxy to an HTTP server. The proxy hides one header of each request from the server.
    ///
    /// # Panics
    ///
    /// Panics if no port of loopback is free.
    pub async fn without_header(server: SocketAddr, header: &'static str) -> Self {
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
            occurred: Notify::new(),
            resumed: Notify::new(),
            answered: Notify::new(),
        });
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((from, _)) = listener.accept().await {
                let Ok(to) = TcpStream::connect(server).await else {
                    continue;
                };
                pipe(from, to, &shared);
            }
        });
        Self { address, state }
    }

    /// Returns the address at which the store reaches the server through the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the fault that occurs next.
    pub fn set_fault(&self, fault: Fault) {
        *self.state.fault() = fault;
    }

    /// Waits until the fault has occurred.
    pub async fn fault_occurred(&self) {
        self.state.occurred.notified().await;
    }

    /// Forwards the commit that [`Fault::HoldCommit`] has withheld.
    pub fn resume(&self) {
        self.state.resumed.notify_one();
    }

    /// Waits until the server has responded to the commit that was withheld.
    pub async fn commit_answered(&self) {
        self.state.answered.notified().await;
    }
}

impl State {
    fn fault(&self) -> MutexGuard<'_, Fault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the fault must occur at these bytes. `sent` contains the bytes since the last commit.
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
            // The client writes the head of a request in one piece.
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
    let connection = Arc::new(Shared::default());
    let answers = tokio::spawn(answers(to_read, from_write, connection.clone()));
    tokio::spawn(requests(
        from_read,
        to_write,
        connection,
        answers,
        state.clone(),
    ));
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    connection: Arc<Shared>,
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
            Fault::HoldAnswer => connection.is_silent.store(true, Ordering::SeqCst),
            Fault::CutAnswer => connection.is_cut.store(true, Ordering::SeqCst),
            Fault::HoldCommit => {
                state.occurred.notify_one();
                state.resumed.notified().await;
            }
            Fault::CutCommit => {
                state.occurred.notify_one();
                answers.abort();
                return;
            }
            Fault::None => {}
        }
        let mut answered = pin!(connection.answered.notified());
        answered.as_mut().enable();
        if to.write_all(bytes).await.is_err() {
            return;
        }
        match fault {
            Fault::HoldCommit => {
                answered.await;
                state.answered.notify_one();
            }
            Fault::HoldAnswer | Fault::CutAnswer => state.occurred.notify_one(),
            _ => {}
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, connection: Arc<Shared>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        connection.answered.notify_waiters();
        if connection.is_cut.load(Ordering::SeqCst) {
            return;
        }
        if !connection.is_silent.load(Ordering::SeqCst)
            && to.write_all(&buffer[..count]).await.is_err()
        {
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

/// Changes the name of a header, so that the server does not recognise the header.
fn hide(bytes: &mut [u8], header: &str) {
    let name = format!("\r\n{header}:");
    let mut windows = bytes.windows(name.len());
    if let Some(at) = windows.position(|part| part.eq_ignore_ascii_case(name.as_bytes())) {
        bytes[at + 2] = b'x';
    }
}
