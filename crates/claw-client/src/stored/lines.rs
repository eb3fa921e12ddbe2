//! The lines that a CLI writes to stdout while its transcripts are stored.

use std::future::pending;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use claw_codec::LineItem;
use claw_transport::Incoming;
use futures::Stream;
use futures::StreamExt as _;
use tokio::time::{Sleep, sleep};

use super::mirror::{Shared, touched_path};
use crate::engine::is_result;
use crate::outcome::error::{Cause, Error};

/// The lines of the CLI's stdout. Lines that report changed transcripts are removed, and results are held back until
/// the transcripts are stored.
pub(crate) struct Lines {
    incoming: Incoming,
    tap: Option<Tap>,
}

struct Tap {
    mirror: Arc<Shared>,
    /// Maximum time that a result is held back.
    delay: Duration,
    held: Option<Held>,
    /// Whether the output has ended.
    has_ended: bool,
    /// Whether a result was dropped because the store refused the lines of its turn. No line is delivered after that.
    is_cut: bool,
}

/// A result that is held back while the lines of its turn are being stored.
struct Held {
    item: LineItem,
    /// The state of the transcripts that must be stored before the result is delivered: see [`Shared::touch_all`].
    generation: u64,
    until: Pin<Box<Sleep>>,
}

impl Lines {
    /// Adds a mirror to these lines. Changes of transcripts are reported to the mirror, and a result is held back for
    /// at most `delay`.
    pub(super) fn mirrored(self, mirror: Arc<Shared>, delay: Duration) -> Self {
        let tap = Tap {
            mirror,
            delay,
            held: None,
            has_ended: false,
            is_cut: false,
        };
        Self {
            tap: Some(tap),
            ..self
        }
    }

    /// Returns the next line, if it was read together with an earlier line and is not held back.
    pub(crate) fn at_hand(&mut self) -> Option<LineItem> {
        let Some(tap) = &mut self.tap else {
            return self.incoming.at_hand();
        };
        while tap.held.is_none() && !tap.is_cut {
            let item = self.incoming.at_hand()?;
            if let Some(item) = tap.take(item) {
                return Some(item);
            }
        }
        None
    }

    /// Waits until the session may not be written any more, and returns the reason. The future does not borrow the
    /// lines, because the driver also waits for it while it cannot read lines.
    pub(crate) fn lost(&self) -> impl Future<Output = Error> + Send + use<> {
        let lost = self.tap.as_ref().map(|tap| tap.mirror.lost.subscribe());
        async move {
            let why = match lost {
                Some(mut lost) => lost
                    .wait_for(Option::is_some)
                    .await
                    .ok()
                    .and_then(|why| why.clone()),
                None => None,
            };
            match why {
                Some(why) => Cause::Store(why).into(),
                None => pending().await,
            }
        }
    }

    /// Waits until everything is stored after the end of the process, but no longer than the options allow. Returns the
    /// remaining lines to deliver.
    pub(crate) async fn finish(self) -> Vec<LineItem> {
        let Self { incoming, tap } = self;
        let Some(mut tap) = tap else {
            return Vec::new();
        };
        tap.mirror.life.ends();
        if !tap.has_ended {
            tap.mirror.read_rest(incoming).await;
        }
        tap.mirror.end().await;
        let held = tap.held.take();
        let held = held.filter(|held| !tap.mirror.is_refused(held.generation));
        let held = held.map(|held| held.item);
        held.into_iter().chain(tap.mirror.take_notices()).collect()
    }
}

impl From<Incoming> for Lines {
    fn from(incoming: Incoming) -> Self {
        Self {
            incoming,
            tap: None,
        }
    }
}

impl Stream for Lines {
    type Item = io::Result<LineItem>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { incoming, tap } = self.get_mut();
        let Some(tap) = tap else {
            return incoming.poll_next_unpin(cx);
        };
        tap.mirror.reader.register(cx.waker());
        if let Some(notice) = tap.mirror.next_notice() {
            return Poll::Ready(Some(Ok(notice)));
        }
        loop {
            let mirror = &tap.mirror;
            let refused = tap.held.take_if(|held| mirror.is_refused(held.generation));
            // If the claim was lost, the result is dropped. Its reader gets the reason as an error instead.
            tap.is_cut |= refused.is_some();
            if let Some(held) = &mut tap.held {
                let is_ready = tap.mirror.is_stored(held.generation)
                    // After the end of the process, results are not held back.
                    || tap.mirror.has_ended()
                    || held.until.as_mut().poll(cx).is_ready();
                if !is_ready {
                    return Poll::Pending;
                }
                let item = tap.held.take().map(|held| held.item);
                return Poll::Ready(item.map(Ok));
            }
            match incoming.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(item))) => {
                    if !tap.is_cut
                        && let Some(item) = tap.take(item)
                    {
                        return Poll::Ready(Some(Ok(item)));
                    }
                }
                Poll::Ready(other) => {
                    tap.has_ended = true;
                    return Poll::Ready(other);
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.mirror.was_read();
    }
}

impl Tap {
    /// Takes a line of the CLI. A line for the mirror is consumed, and a result may be held back. Any other line is
    /// returned.
    fn take(&mut self, item: LineItem) -> Option<LineItem> {
        if let Some(path) = touched_path(&item) {
            self.mirror.touch(path);
            return None;
        }
        if self.delay.is_zero() || !is_result(&item) {
            return Some(item);
        }
        self.held = Some(Held {
            item,
            // All lines of the turn must be stored first, even those that the CLI has written but not yet reported.
            generation: self.mirror.touch_all(),
            until: Box::pin(sleep(self.delay)),
        });
        None
    }
}
