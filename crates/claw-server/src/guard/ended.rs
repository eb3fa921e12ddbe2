//! Response bodies that end when the sender of the request loses access.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Returns a body with the parts of `body`. The returned body ends when `gone` completes.
pub(super) fn until(body: Body, gone: impl Future<Output = ()> + Send + 'static) -> Body {
    Body::new(Until {
        body,
        gone: Box::pin(gone),
    })
}

struct Until {
    body: Body,
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl HttpBody for Until {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.gone.as_mut().poll(cx).is_ready() {
            // The completed future is replaced, because it must not be polled again.
            self.gone = Box::pin(std::future::pending());
            self.body = Body::empty();
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
