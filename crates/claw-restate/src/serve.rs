//! The worker's port. It speaks HTTP/2 without TLS with Restate (or the proxy in front of the workers) and with other
//! workers.
//!
//! The SDK's own server sends no pings. With that server, a worker that has lost its network would continue a turn
//! indefinitely while the next attempt already runs. The server in this module sends pings. If the other end of a
//! connection does not answer, the server drops the connection together with all its turns.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use restate_sdk::endpoint::{Endpoint, HandleOptions, ProtocolMode};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::interrupt;
use crate::service::endpoint;
use crate::worker::{Worker, WorkerError};

/// The maximum time for the release of claims when the worker ends.
const RELEASE: Duration = Duration::from_secs(20);
/// The pause after an error of `accept`, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

type Body = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

struct Port {
    worker: Worker,
    endpoint: Endpoint,
    is_draining: AtomicBool,
}

impl Worker {
    /// Serves Restate until `stop` completes. After that, the worker accepts no new connections and reports that it is
    /// not healthy. Running turns have the time [`Limits::drain`](crate::Limits::drain) to end. Turns that have not
    /// ended by then are dropped, and Restate runs them again on another worker.
    ///
    /// If `identity_keys` is not empty, the worker accepts only requests that Restate has signed with one of these
    /// keys.
    ///
    /// # Errors
    ///
    /// Fails if a key is not valid.
    pub async fn serve(
        &self,
        listener: TcpListener,
        identity_keys: &[String],
        stop: impl Future<Output = ()>,
    ) -> Result<(), WorkerError> {
        let limits = &self.0.limits;
        let port = Arc::new(Port {
            worker: self.clone(),
            endpoint: endpoint(self, identity_keys)?,
            is_draining: AtomicBool::new(false),
        });
        let mut server = http2::Builder::new(TokioExecutor::new());
        server
            .timer(TokioTimer::new())
            .keep_alive_interval(limits.keep_alive)
            .keep_alive_timeout(limits.keep_alive);
        let graceful = GracefulShutdown::new();
        let mut connections = JoinSet::new();
        let mut ended = std::pin::pin!(self.ended(&port, stop));
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        tracing::warn!(%error, "a connection was not accepted");
                        sleep(PAUSE).await;
                        continue;
                    }
                },
                // Removes a connection that has ended. Otherwise, it would stay in the set.
                Some(_) = connections.join_next() => continue,
                () = &mut ended => break,
            };
            let _ = stream.set_nodelay(true);
            let port = port.clone();
            let service = service_fn(move |request| {
                let response = port.answer(request);
                async move { Ok::<_, Infallible>(response) }
            });
            let connection = server.serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            connections.spawn(async move {
                if let Err(error) = connection.await {
                    // This is not logged as a warning, because a proxy aborts each connection after its health check.
                    tracing::debug!(%error, "a connection has ended");
                }
            });
        }
        drop(listener);
        // Sends the rest of the responses, for example the results of the last turns.
        let _ = timeout(PAUSE * 20, graceful.shutdown()).await;
        connections.shutdown().await;
        // The tasks of the streams end shortly after their connections.
        self.0.attempts.close();
        let _ = timeout(RELEASE, self.0.attempts.wait()).await;
        Ok(())
    }

    /// Waits until the worker is asked to end and its turns have ended. The port stays open during this time, so that
    /// the proxy's health checks get a response.
    async fn ended(&self, port: &Port, stop: impl Future<Output = ()>) {
        stop.await;
        port.is_draining.store(true, Ordering::Relaxed);
        // Turns that wait for their start no longer start in this worker.
        self.0.places.close();
        tracing::info!(running = self.running(), "the worker ends with its turns");
        if timeout(self.0.limits.drain, self.0.running.idle())
            .await
            .is_err()
        {
            tracing::warn!(
                running = self.running(),
                "turns are cut, and run again elsewhere"
            );
        }
    }
}

impl Port {
    fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        match request.uri().path() {
            // After a response with status 404, a proxy sends no new requests to this worker, but does not abort
            // running requests.
            "/health" if self.is_draining.load(Ordering::Relaxed) => empty(StatusCode::NOT_FOUND),
            "/health" => empty(StatusCode::OK),
            interrupt::PATH => {
                let worker = &self.worker.0;
                empty(worker.on_interrupt(request.method(), request.headers()))
            }
            // Restate will repeat the request. By then, the proxy knows that this worker accepts no requests.
            _ if self.is_draining.load(Ordering::Relaxed) => empty(StatusCode::SERVICE_UNAVAILABLE),
            _ => {
                let options = HandleOptions {
                    protocol_mode: ProtocolMode::BidiStream,
                };
                let response = self.endpoint.handle_with_options(request, options);
                response.map(|body| body.map_err(Into::into).boxed_unsync())
            }
        }
    }
}

fn empty(status: StatusCode) -> Response<Body> {
    let body = Empty::new().map_err(|never: Infallible| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = status;
    response
}
