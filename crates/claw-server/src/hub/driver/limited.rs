//! Prompts whose turns ended at a usage limit. They wait for its reset and are sent again.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use claw_client::{LimitWait, TurnResult};
use claw_sessions::on_pool;
use claw_types::message::UserMessage;
use claw_types::{MessageUuid, Number};
use futures::FutureExt as _;
use futures::future::{AbortHandle, abortable};

use super::{Driver, Job, Step};
use crate::hub::HubError;

/// The prompts that wait for the reset of a usage limit, and the sent prompts whose turns may still end at a usage limit.
#[derive(Default)]
pub(super) struct Limited {
    /// The longest time for which a prompt waits for the reset. `None` means that prompts do not wait.
    longest: Option<Duration>,
    /// The time at which the API accepts requests again, as the process last reported it.
    reset: Option<SystemTime>,
    /// Copies of the sent prompts. If the turn of a prompt ends at a usage limit, the copy is sent again.
    sent: HashMap<MessageUuid, UserMessage>,
    /// The number of prompts that are being recorded again, under a new UUID, before they wait.
    marking: usize,
    /// The prompts that wait, oldest first.
    waiting: VecDeque<Job>,
    /// The timer of the first waiting prompt. The prompt is sent when the wait has ended. The handle stops the timer.
    timer: Option<(LimitWait, AbortHandle)>,
}

/// A prompt that is to wait for the reset of a usage limit. Before the wait, the server accepts the prompt again under
/// a new UUID.
pub(super) struct Remarked {
    /// The UUID under which the prompt was first sent.
    of: MessageUuid,
    /// The prompt to send after the wait. It has a new UUID, because the CLI does not run two prompts with one UUID.
    again: UserMessage,
    wait: LimitWait,
    /// The error text of the turn that ended at the limit.
    error: String,
    marked: Result<(), HubError>,
}

impl Limited {
    pub(super) fn new(longest: Option<Duration>) -> Self {
        Self {
            longest,
            ..Self::default()
        }
    }

    /// Stores a copy of a prompt that is about to be sent. If the prompt's turn ends at a usage limit, the copy is sent
    /// again.
    pub(super) fn keep(&mut self, job: &Job) {
        // A prompt with an `output` is not copied. Its caller reads the lines of the turn, sees the limit, and sends
        // the prompt again itself.
        if self.longest.is_some() && !job.is_again && job.output.is_none() {
            self.sent.insert(job.uuid.clone(), job.prompt.clone());
        }
    }

    /// Removes the copy of a sent prompt and returns it. Without its copy, the prompt is not sent again.
    pub(super) fn forget(&mut self, uuid: &MessageUuid) -> Option<UserMessage> {
        self.sent.remove(uuid)
    }

    pub(super) fn report(&mut self, reset: Option<SystemTime>) {
        self.reset = reset;
    }

    /// Whether a prompt waits, or is being recorded again before it waits.
    pub(super) fn is_busy(&self) -> bool {
        self.marking > 0 || !self.waiting.is_empty()
    }

    /// Returns how long a prompt must wait if its turn has this result. Returns `None` if the turn did not end at a
    /// limit, or if the limit resets too late.
    fn wait(&self, result: &TurnResult) -> Option<LimitWait> {
        LimitWait::after(result, self.reset, self.longest?)
    }
}

impl Driver {
    /// Makes a prompt wait for the reset of the usage limit at which its turn has ended. Returns `false` if the turn
    /// did not end at a limit, or if the prompt is not to wait.
    pub(super) fn wait_for_reset(&mut self, uuid: &MessageUuid, result: &TurnResult) -> bool {
        let Some(mut again) = self.limited.forget(uuid).filter(|_| !self.is_stopped) else {
            return false;
        };
        let Some(wait) = self.limited.wait(result) else {
            return false;
        };
        self.limited.marking += 1;
        let fresh = MessageUuid::random();
        again.uuid = Some(fresh.clone());
        let (of, shared) = (uuid.clone(), self.shared.clone());
        let error = result.text().into_owned();
        let remarked = on_pool::run(move || {
            let marked = shared.prompts.accept(&shared.id(), &fresh, &again);
            Step::Remarked(Box::new(Remarked {
                of,
                again,
                wait,
                error,
                marked,
            }))
        });
        self.steps.push(remarked.boxed());
        true
    }

    pub(super) fn on_remarked(&mut self, remarked: Remarked) {
        let Remarked {
            of,
            again,
            wait,
            error,
            marked,
        } = remarked;
        self.limited.marking -= 1;
        if let Err(unmarked) = marked {
            tracing::warn!(error = %unmarked, "a prompt does not wait for the reset of a usage limit");
            self.finish(of, Some(error), true);
            return;
        }
        let (is_stopped, has_turn) = (self.is_stopped, self.has_turn());
        let payer = self.payers.get(&of).cloned().unwrap_or_default();
        // The new prompt is added before the first one ends, so that the session is not idle in between.
        self.shared.with(|conversation| {
            if conversation.prompt(&again) && !is_stopped {
                conversation.limited(Some(millis(wait.until)), has_turn);
            }
        });
        self.finish(of, None, true);
        let Some(uuid) = again.uuid.clone().filter(|_| !is_stopped) else {
            // The server is stopping, so it does not queue the prompt. The prompt is recorded, so a restarted server shows
            // it as unanswered.
            return;
        };
        tracing::info!(
            seconds = wait.left.as_secs(),
            "a turn has ended at a usage limit; its prompt is sent again when that is reset"
        );
        self.limited.waiting.push_back(Job {
            prompt: again,
            uuid,
            output: None,
            is_again: true,
            accepted: Instant::now(),
            payer,
            queued: None,
        });
        self.set_timer(wait);
    }

    fn set_timer(&mut self, wait: LimitWait) {
        let (slept, stop) = abortable(tokio::time::sleep(wait.left));
        if let Some((_, earlier)) = self.limited.timer.replace((wait, stop)) {
            earlier.abort();
        }
        let slept = slept.map(|slept| match slept {
            Ok(()) => Step::Reset,
            Err(_) => Step::Done,
        });
        self.steps.push(slept.boxed());
    }

    /// Called when the usage limit for which prompts wait is reset.
    pub(super) fn on_reset(&mut self) {
        self.limited.timer = None;
        self.end_limited();
    }

    /// Sends the next prompt that waited for the reset, if nothing else is being sent.
    pub(super) fn send_limited(&mut self) {
        let is_free = self.limited.timer.is_none() && self.waiting.is_none() && !self.is_stopped;
        if is_free
            && self.output.is_none()
            && let Some(job) = self.limited.waiting.pop_front()
        {
            self.send(Box::new(job));
        }
    }

    /// Takes back all prompts that wait for the reset. Returns `false` if no prompt was waiting.
    pub(super) fn take_limited_back(&mut self) -> bool {
        let waiting = std::mem::take(&mut self.limited.waiting);
        let any = !waiting.is_empty();
        for job in waiting {
            self.on_limited_gone(&job.uuid);
        }
        any
    }

    /// Takes back one prompt that waits for the reset. Returns whether this prompt was waiting.
    pub(super) fn take_one_limited_back(&mut self, uuid: &MessageUuid) -> bool {
        let before = self.limited.waiting.len();
        self.limited.waiting.retain(|job| job.uuid != *uuid);
        let is_gone = self.limited.waiting.len() < before;
        if is_gone {
            self.on_limited_gone(uuid);
        }
        is_gone
    }

    fn end_limited(&self) {
        let has_turn = self.has_turn();
        self.shared
            .with(|conversation| conversation.limited(None, has_turn));
    }

    fn on_limited_gone(&mut self, uuid: &MessageUuid) {
        if self.limited.waiting.is_empty()
            && let Some((_, timer)) = self.limited.timer.take()
        {
            timer.abort();
            self.end_limited();
        }
        if !self.is_stopped {
            self.shared
                .with(|conversation| conversation.take_back(uuid));
        }
        self.finish(uuid.clone(), None, false);
    }
}

/// Converts a time to milliseconds since 1970.
fn millis(time: SystemTime) -> f64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Number::from(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).as_f64()
}
