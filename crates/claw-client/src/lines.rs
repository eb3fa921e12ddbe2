//! The lines of a CLI, for the driver.

#[cfg(feature = "store")]
pub(crate) use crate::store::Lines;

/// The lines of a session that is in no store.
#[cfg(not(feature = "store"))]
pub(crate) use plain::Lines;

#[cfg(not(feature = "store"))]
mod plain {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use claw_codec::LineItem;
    use claw_transport::Incoming;
    use futures::{Stream, StreamExt as _};

    use crate::Error;

    pub(crate) struct Lines(Incoming);

    impl Lines {
        pub(crate) fn at_hand(&mut self) -> Option<LineItem> {
            self.0.at_hand()
        }

        pub(crate) fn lost(&self) -> impl Future<Output = Error> + Send + use<> {
            let _ = self;
            std::future::pending()
        }

        #[expect(clippy::unused_async, reason = "as the lines of a session in a store")]
        pub(crate) async fn finish(self) -> Vec<LineItem> {
            Vec::new()
        }
    }

    impl From<Incoming> for Lines {
        fn from(incoming: Incoming) -> Self {
            Self(incoming)
        }
    }

    impl Stream for Lines {
        type Item = io::Result<LineItem>;

        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.0.poll_next_unpin(cx)
        }
    }
}
