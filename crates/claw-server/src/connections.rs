//! Accepts connections, and limits their number and duration.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, StatusCode};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep};
#[cfg(feature = "notify")]
use tokio_rustls::server::TlsStream;

use crate::Hub;
use crate::descriptors;
use crate::guard::HasTls;
use crate::limiter::{ConnectionLimiter, ConnectionSlot, RequestGuard};
use crate::metrics::{Metrics, add};
use crate::stream::{Listeners, Peer, Stream};
#[cfg(feature = "notify")]
use crate::tls::Tls;

/// Limits for the connections of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connections {
    /// The maximum number of connections. At the maximum, a new connection replaces a connection without a request in
    /// progress. If every connection has a request in progress, the new connection is closed at once. The server uses
    /// at most three quarters of the file descriptors that the process may open (`RLIMIT_NOFILE` when
    /// [`serve`](crate::Server::serve) is called). A program that needs many connections must raise that limit before
    /// ([`raise_open_files`](claw_client::transport::raise_open_files)), as `claw serve` does. Default: 4,096.
    pub most: usize,
    /// The time within which the head of a request must arrive. It begins at the end of the previous request. With TLS,
    /// the handshake must also end within this time. Default: 15 s.
    pub head: Duration,
    /// How long a client may leave waiting data unread. After this time, its connection is closed. Default: 30 s.
    pub stalled: Duration,
    /// How long running turns may continue after the server has begun to end, before they are interrupted.
    /// Default: 20 s.
    pub finish: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            most: 4096,
            head: Duration::from_secs(15),
            stalled: Duration::from_secs(30),
            finish: Duration::from_secs(20),
        }
    }
}

/// Maximum time for which the server waits for the end of connections, after all sessions have ended.
const DRAIN: Duration = Duration::from_secs(5);
/// Maximum time for which the server waits until an idle connection has ended that must make room for a new connection.
const EVICTION: Duration = Duration::from_millis(100);
/// Maximum size of a request's head, in bytes.
const HEAD: usize = 32 << 10;

/// The routes that a server serves on its connections.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) router: Router,
    /// The TLS settings, and the routes for connections without TLS. `None` if the server does not terminate TLS.
    #[cfg(feature = "notify")]
    pub(crate) tls: Option<(Tls, Router)>,
}

pub(crate) async fn serve(
    served: Served,
    hub: &Hub,
    metrics: &Arc<Metrics>,
    listeners: Listeners,
    limits: &Connections,
    shutdown: impl Future<Output = ()>,
) {
    let most = descriptors::for_connections().map_or(limits.most, |there| there.min(limits.most));
    if most < limits.most {
        tracing::warn!(
            most,
            requested = limits.most,
            "there are too few descriptors for all connections"
        );
    }
    let places = Arc::new(Semaphore::new(most));
    let ending = watch::Sender::new(false);
    let mut limiter = ConnectionLimiter::default();
    let mut open = JoinSet::new();
    let mut is_refusing = false;
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = open.join_next() => continue,
            accepted = listeners.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => {
                is_refusing = false;
                (stream, peer)
            }
            // All descriptors are in use. So the server closes an idle connection to free one for the new connection.
            Err(error) if descriptors::are_used_up(&error) && limiter.evict_idle() => {
                add(&metrics.displaced);
                let _ = tokio::time::timeout(EVICTION, open.join_next()).await;
                continue;
            }
            // The error usually lasts until another connection ends, so the server waits before the next attempt.
            Err(error) => {
                if !std::mem::replace(&mut is_refusing, true) {
                    tracing::warn!(%error, "connections cannot be accepted");
                }
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(place) = place(&places, &mut limiter, metrics).await else {
            add(&metrics.refused);
            continue;
        };
        let slot = limiter.add(most);
        let taken = Accepted::new(place, slot, metrics.clone());
        let (served, ending) = (served.clone(), ending.subscribe());
        let limits = limits.clone();
        open.spawn(async move { connection(served, stream, peer, &limits, taken, ending).await });
    }
    drop(listeners);
    let ends = hub.end(limits.finish).await;
    ending.send_replace(true);
    let all = async { while open.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(DRAIN, all).await;
    open.shutdown().await;
    ends.await;
}

/// Acquires the permit for one more connection. If all permits are in use, first closes an idle connection. Returns
/// `None` if there is no idle connection.
async fn place(
    places: &Arc<Semaphore>,
    limiter: &mut ConnectionLimiter,
    metrics: &Metrics,
) -> Option<OwnedSemaphorePermit> {
    if let Ok(place) = places.clone().try_acquire_owned() {
        return Some(place);
    }
    if !limiter.evict_idle() {
        return None;
    }
    add(&metrics.displaced);
    let place = tokio::time::timeout(EVICTION, places.clone().acquire_owned()).await;
    place.ok()?.ok()
}

/// The resources of a connection. They belong to the stream, because a WebSocket uses the stream longer than the HTTP
/// connection does.
struct Accepted {
    slot: Arc<ConnectionSlot>,
    metrics: Arc<Metrics>,
    _place: OwnedSemaphorePermit,
}

impl Accepted {
    fn new(place: OwnedSemaphorePermit, slot: Arc<ConnectionSlot>, metrics: Arc<Metrics>) -> Self {
        metrics.open.fetch_add(1, Ordering::Relaxed);
        Self {
            slot,
            metrics,
            _place: place,
        }
    }
}

impl Drop for Accepted {
    fn drop(&mut self) {
        self.metrics.open.fetch_sub(1, Ordering::Relaxed);
        self.slot.release();
    }
}

async fn connection(
    served: Served,
    stream: Stream,
    peer: Peer,
    limits: &Connections,
    taken: Accepted,
    ending: watch::Receiver<bool>,
) {
    let slot = taken.slot.clone();
    let stream = WriteTimeout::new(stream, limits.stalled, taken);
    #[cfg(feature = "notify")]
    if let Some((tls, plain)) = served.tls
        && peer.is_elsewhere()
    {
        let mut ends = ending.clone();
        // Until the handshake has ended, the connection is idle. The limiter may then close it to make room for a new
        // connection.
        let begun = tokio::select! {
            begun = tokio::time::timeout(limits.head, begin(&tls, stream)) => begun,
            () = slot.leave() => return,
            () = async { drop(ends.wait_for(|&is_ending| is_ending).await) } => return,
        };
        match begun {
            Ok(Ok(Begun::Tls(stream))) => {
                let client = Client {
                    peer,
                    has_tls: true,
                };
                // The stream stays boxed, because the tasks of all connections have space for the largest kind.
                http(served.router, stream, client, limits, &slot, ending).await;
            }
            Ok(Ok(Begun::Plain(stream))) => {
                let client = Client {
                    peer,
                    has_tls: false,
                };
                http(plain, stream, client, limits, &slot, ending).await;
            }
            Ok(Err(error)) => tracing::info!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake did not end in time"),
        }
        return;
    }
    let client = Client {
        peer,
        has_tls: false,
    };
    http(served.router, stream, client, limits, &slot, ending).await;
}

/// The information about a client that is known before its first request.
#[derive(Clone, Copy)]
struct Client {
    peer: Peer,
    has_tls: bool,
}

/// A connection whose first byte has arrived.
#[cfg(feature = "notify")]
enum Begun {
    Tls(Box<TlsStream<WriteTimeout>>),
    Plain(WriteTimeout),
}

/// Performs the TLS handshake if the client begins one. Otherwise returns the connection without TLS.
#[cfg(feature = "notify")]
async fn begin(tls: &Tls, stream: WriteTimeout) -> io::Result<Begun> {
    /// The first byte of a TLS handshake. No HTTP request begins with it.
    const HANDSHAKE: u8 = 0x16;
    let mut first = [0];
    let length = stream.stream.peek(&mut first).await?;
    if length == 0 || first[0] != HANDSHAKE {
        return Ok(Begun::Plain(stream));
    }
    let own = stream.stream.own_ip();
    Ok(Begun::Tls(Box::new(tls.accept(stream, own).await?)))
}

/// Serves the requests of a connection.
async fn http(
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    client: Client,
    limits: &Connections,
    slot: &Arc<ConnectionSlot>,
    mut ending: watch::Receiver<bool>,
) {
    let io = TokioIo::new(stream);
    let router = TowerToHyperService::new(router);
    let service = service_fn(async |mut request: Request<Incoming>| {
        client.peer.add_to(request.extensions_mut());
        request.extensions_mut().insert(HasTls(client.has_tls));
        let busy = slot.begin_request();
        let response = router.call(request).await?;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            slot.stays();
        }
        // The connection is busy until the body of the response is sent.
        Ok::<_, Infallible>(response.map(|body| GuardedBody { body, _busy: busy }))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD)
        .serve_connection(io, service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = slot.leave() => return,
        () = async { drop(ending.wait_for(|&is_ending| is_ending).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// The body of a response. The connection counts as busy until this value is dropped.
struct GuardedBody {
    body: Body,
    _busy: RequestGuard,
}

impl HttpBody for GuardedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that fails if the peer reads nothing for too long.
struct WriteTimeout {
    stream: Stream,
    taken: Accepted,
    limit: Duration,
    /// The deadline of the pending write. `None` if no write is pending.
    until: Option<Pin<Box<Sleep>>>,
}

impl WriteTimeout {
    fn new(stream: Stream, limit: Duration, taken: Accepted) -> Self {
        Self {
            stream,
            taken,
            limit,
            until: None,
        }
    }

    fn check_timeout<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let limit = self.limit;
        let until = self
            .until
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + limit)));
        match until.as_mut().poll(cx) {
            Poll::Ready(()) => {
                add(&self.taken.metrics.stalled);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_timeout(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.check_timeout(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
