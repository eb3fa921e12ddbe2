//! What can happen between a store and its server.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What happens once the store asks for an object to be written whose name has a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// All goes on.
    None,
    /// The request arrives, and its answer never comes.
    HoldAnswer,
    /// The request arrives, and the connection ends instead of the answer.
    CutAnswer,
    /// The connection ends before the request arrives.
    CutRequest,
    /// The request waits for [`Proxy::go_on`], as if the store's host were stopped.
    HoldRequest,
}

/// A way to a server on which one fault can happen.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    fault: Mutex<Fault>,
    /// A part of the object's name.
    word: &'static str,
    /// A header that does not arrive.
    hidden: Option<&'static str>,
    happened: Notify,
    go_on: Notify,
}

/// What the answers of a connection meet.
#[derive(Default)]
struct Answers {
    are_silent: AtomicBool,
    end: AtomicBool,
}

impl Proxy {
    /// Of a fault that happens once, with the first request for an object with a word in its name.
    pub(crate) async fn start(server: SocketAddr, word: &'static str, fault: Fault) -> Self {
        Self::with(server, word, fault, None).await
    }

    /// To a server that does not know a header.
    pub(crate) async fn without(server: SocketAddr, header: &'static str) -> Self {
        Self::with(server, "", Fault::None, Some(header)).await
    }

    async fn with(
        server: SocketAddr,
        word: &'static str,
        fault: Fault,
        hidden: Option<&'static str>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(State {
            fault: Mutex::new(fault),
            word,
            hidden,
            happened: Notify::new(),
            go_on: Notify::new(),
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

    /// Says which fault happens next.
    pub(crate) fn next(&self, fault: Fault) {
        *self
            .state
            .fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// Waits for the fault.
    pub(crate) async fn happened(&self) {
        self.state.happened.notified().await;
    }

    /// Lets the request go on that is held.
    pub(crate) fn go_on(&self) {
        self.state.go_on.notify_one();
    }
}

fn pipe(from: TcpStream, to: TcpStream, state: &Arc<State>) {
    let (from_read, from_write) = from.into_split();
    let (to_read, to_write) = to.into_split();
    let faults = Arc::new(Answers::default());
    let back = tokio::spawn(answers(to_read, from_write, faults.clone()));
    tokio::spawn(requests(from_read, to_write, faults, back, state.clone()));
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    faults: Arc<Answers>,
    answers: JoinHandle<()>,
    state: Arc<State>,
) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        let bytes = &mut buffer[..count];
        if let Some(header) = state.hidden {
            hide(bytes, header);
        }
        let mut fault = Fault::None;
        // The client writes the head of a request at once.
        if asks_for(bytes, state.word) {
            let mut next = state.fault.lock().unwrap_or_else(PoisonError::into_inner);
            fault = std::mem::replace(&mut *next, Fault::None);
        }
        match fault {
            Fault::HoldAnswer => faults.are_silent.store(true, Ordering::SeqCst),
            Fault::CutAnswer => faults.end.store(true, Ordering::SeqCst),
            Fault::HoldRequest => {
                state.happened.notify_one();
                state.go_on.notified().await;
            }
            Fault::CutRequest => {
                state.happened.notify_one();
                answers.abort();
                return;
            }
            Fault::None => {}
        }
        if to.write_all(bytes).await.is_err() {
            return;
        }
        if matches!(fault, Fault::HoldAnswer | Fault::CutAnswer) {
            state.happened.notify_one();
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, faults: Arc<Answers>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if faults.end.load(Ordering::SeqCst) {
            return;
        }
        let is_silent = faults.are_silent.load(Ordering::SeqCst);
        if !is_silent && to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

fn asks_for(bytes: &[u8], word: &str) -> bool {
    let line = bytes.split(|byte| *byte == b'\r').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    line.starts_with("PUT ") && line.contains(word)
}

/// Gives a header another name.
fn hide(bytes: &mut [u8], header: &str) {
    let name = format!("\r\n{header}:");
    let mut windows = bytes.windows(name.len());
    if let Some(at) = windows.position(|part| part.eq_ignore_ascii_case(name.as_bytes())) {
        bytes[at + 2] = b'x';
    }
}
