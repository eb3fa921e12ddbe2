//! What can happen between a store and its server.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What happens once the store has sent what commits: the commit of a transaction, or a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// All goes on.
    None,
    /// The commit arrives, and its answer never comes.
    HoldAnswer,
    /// The commit arrives, and the connection ends before its answer.
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

struct State {
    fault: Mutex<Fault>,
    /// A word of what commits.
    commit: &'static str,
    /// A word that stands there or before it, where the fault happens.
    word: &'static str,
    happened: Notify,
    go_on: Notify,
    arrived: Notify,
}

/// What both directions of a connection know.
#[derive(Default)]
struct Way {
    /// No answer goes on.
    silent: AtomicBool,
    answered: Notify,
}

impl Proxy {
    /// Of a fault that happens once: at the first commit since whose predecessor a word was sent.
    pub(crate) async fn start(
        server: SocketAddr,
        [commit, word]: [&'static str; 2],
        fault: Fault,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(State {
            fault: Mutex::new(fault),
            commit,
            word,
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
    let mut transaction = Vec::new();
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        let bytes = &buffer[..count];
        transaction.extend_from_slice(bytes);
        let mut fault = Fault::None;
        if has(&transaction, state.commit) {
            if has(&transaction, state.word) {
                let mut next = state.fault.lock().unwrap_or_else(PoisonError::into_inner);
                fault = std::mem::replace(&mut *next, Fault::None);
            }
            transaction.clear();
        }
        match fault {
            Fault::HoldAnswer | Fault::CutAnswer => way.silent.store(true, Ordering::SeqCst),
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
            Fault::HoldAnswer => state.happened.notify_one(),
            Fault::CutAnswer => {
                state.happened.notify_one();
                // The server goes on to its end by itself.
                answers.abort();
                let _ = to.shutdown().await;
                return;
            }
            _ => {}
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, way: Arc<Way>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        way.answered.notify_waiters();
        if !way.silent.load(Ordering::SeqCst) && to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes
        .windows(word.len())
        .any(|part| part == word.as_bytes())
}
