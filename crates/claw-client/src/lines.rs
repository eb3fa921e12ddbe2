//! The lines of a CLI, as the driver reads them.

use std::io;

use crate::Error;

#[cfg(feature = "store")]
pub(crate) use crate::store::Lines;

/// Lines whose session is in no store.
#[cfg(not(feature = "store"))]
pub(crate) use plain::Lines;

/// The reason why a session ends that is not its pipe's.
pub(crate) fn ended_by(error: &io::Error) -> Option<Error> {
    #[cfg(feature = "store")]
    if let Some(lost) = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<crate::store::ClaimLost>())
    {
        return Some(crate::error::Cause::Store(lost.0.clone()).into());
    }
    let _ = error;
    None
}

#[cfg(not(feature = "store"))]
mod plain {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use claw_codec::LineItem;
    use claw_transport::Incoming;
    use futures::{Stream, StreamExt as _};

    pub(crate) struct Lines(Incoming);

    impl Lines {
        pub(crate) fn at_hand(&mut self) -> Option<LineItem> {
            self.0.at_hand()
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
