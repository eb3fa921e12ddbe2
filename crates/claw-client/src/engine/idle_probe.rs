//! Prompts that an idle CLI may not have read.
//!
//! When the CLI reports that it is idle, the prompts that it has read get no more results. But the
//! report may have been sent before a prompt arrived: then the CLI reads the prompt later and
//! answers it. So a prompt whose start the CLI has not reported stays open for a short time, and
//! then the engine sends a probe, which is a call. The CLI reads its input in order, and reports
//! that it is busy before it responds to later input. So if it has responded to the probe and is
//! still idle, it will not process the prompt.

use std::time::Duration;

use super::Now;
use super::turns::Place;

/// The time in which an idle CLI usually begins with a prompt. After this time, the probe is sent.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// Maximum time for the response to the probe. It normally takes milliseconds. A CLI that does not respond is treated
/// as idle.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// The state of the check whether an idle CLI has read the prompts that have no result yet.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum IdleProbe {
    /// No check is in progress: the CLI is working, or every prompt had a result when it became idle.
    #[default]
    None,
    /// The CLI is idle, and since this time it has reported nothing about the prompts without a result.
    Grace(Now),
    /// The probe was sent at this time, at this position in the CLI's input.
    Sent(Now, Place),
}

impl IdleProbe {
    pub(super) fn is_active(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether a CLI that has read its input up to this position has read the probe.
    pub(super) fn is_answered(&self, place: Place) -> bool {
        matches!(self, Self::Sent(_, sent) if *sent <= place)
    }

    /// Restarts the wait, because the host could not read until now.
    pub(super) fn note_activity(&mut self, now: Now) {
        match self {
            Self::None => {}
            Self::Grace(since) | Self::Sent(since, _) => *since = now,
        }
    }

    /// Returns the time at which the probe is due, or at which its response is due.
    pub(super) fn deadline(&self) -> Option<Now> {
        match self {
            Self::None => None,
            Self::Grace(since) => Some(*since + GRACE),
            Self::Sent(since, _) => Some(*since + ANSWER),
        }
    }
}
