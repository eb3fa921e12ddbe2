//! Prompts that an idle CLI may not have read.
//!
//! When the CLI says that it is idle, the prompts that it has read get no result any more. But that
//! line may cross a prompt in the pipes: the CLI then reads the prompt later, and answers it. So a
//! prompt that the CLI has not taken up stays open for a short time, and then the CLI is asked
//! something. It reads in order, and says that it works before it answers anything that was written
//! later. So if it has answered and is idle all the same, it does nothing about the prompt.

use std::time::Duration;

use super::Now;
use super::turns::Place;

/// The time in which an idle CLI usually takes a prompt up. After it, the CLI is asked.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// The time that the CLI has for its answer. It takes milliseconds. A CLI that gives none counts as
/// one that does not do anything.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// Whether the CLI is idle although a prompt is open.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum IdleProbe {
    /// The CLI is working, or no prompt was open when it became idle.
    #[default]
    None,
    /// The CLI has said nothing about the open prompts since this time.
    Grace(Now),
    /// claw asked the CLI at this time. The question is at this place in the CLI's input.
    Sent(Now, Place),
}

impl IdleProbe {
    pub(super) fn is_active(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether a CLI that has read everything up to this place has read the question.
    pub(super) fn is_answered(&self, place: Place) -> bool {
        matches!(self, Self::Sent(_, sent) if *sent <= place)
    }

    /// The host could not read until now.
    pub(super) fn note_activity(&mut self, now: Now) {
        match self {
            Self::None => {}
            Self::Grace(since) | Self::Sent(since, _) => *since = now,
        }
    }

    /// When the CLI is to be asked, or to have answered.
    pub(super) fn deadline(&self) -> Option<Now> {
        match self {
            Self::None => None,
            Self::Grace(since) => Some(*since + GRACE),
            Self::Sent(since, _) => Some(*since + ANSWER),
        }
    }
}
