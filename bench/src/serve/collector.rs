//! A collector of traces, which counts the requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Error, Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::Result;

/// A collector that runs until the runtime ends.
pub(crate) struct Collector {
    pub(crate) address: SocketAddr,
    received: Arc<AtomicUsize>,
}

impl Collector {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let received = Arc::new(AtomicUsize::new(0));
        let count = received.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let count = count.clone();
                let answer = service_fn(move |request: Request<Incoming>| {
                    let count = count.clone();
                    async move {
                        request.into_body().collect().await?;
                        count.fetch_add(1, Ordering::Relaxed);
                        Ok::<_, Error>(Response::new(Empty::<Bytes>::new()))
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
            }
        });
        Ok(Self { address, received })
    }

    /// The number of requests so far.
    pub(crate) fn received(&self) -> usize {
        self.received.load(Ordering::Relaxed)
    }
}
