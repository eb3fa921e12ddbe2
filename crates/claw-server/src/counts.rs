//! The counters of a hub: its turns, their tokens and costs, and the requests that waited. They contain no names of
//! sessions, projects or persons.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use claw_client::{Error, TurnResult};
use claw_types::message::{AssistantMessageError, TerminalReason};
use claw_types::{Message, Number};

use crate::conversation::TurnUsage;

/// Bounds of a histogram of durations, in seconds.
const SECONDS: &[f64] = &[
    0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1800.0, 3600.0,
];
/// Bounds of a histogram with the durations of calls to the store, in seconds. OpenTelemetry recommends these bounds.
const STORE_SECONDS: &[f64] = &[0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0];
/// Bounds of a histogram of tokens, as OpenTelemetry recommends them.
const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
];
/// Maximum number of models that are counted by name. All other models are counted together.
const MOST_MODELS: usize = 16;
/// Maximum length of the name of a model, in bytes.
const LONGEST_MODEL: usize = 80;
/// The name under which all other models are counted.
pub(crate) const OTHER: &str = "other";
/// The reason of a failure for which [`REASONS`] has no name. OpenTelemetry defines this value.
const OTHER_REASON: &str = "_OTHER";

/// The reasons why a turn can fail. The first ones are names that the CLI uses.
const REASONS: [&str; 20] = [
    "api_error",
    "authentication",
    "blocking_limit",
    "budget_exceeded",
    "error_during_execution",
    "image_error",
    "max_turns",
    "model_error",
    "prompt_too_long",
    "rate_limit",
    "structured_output",
    "closed",
    "no_process",
    "not_started",
    "process_exited",
    "refused",
    "stalled",
    "store",
    "timeout",
    OTHER_REASON,
];

/// The outcome of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    Answered,
    Interrupted,
    /// The turn has failed, for this reason.
    Failed(&'static str),
    /// The turn ended at a usage limit. Its prompt waits for the reset of the limit, and is then sent again.
    Limited,
    /// A request of the turn waits for an answer. The process of the turn has ended meanwhile.
    Deferred,
}

impl TurnOutcome {
    /// Returns the name of the outcome in metrics and spans.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Interrupted => "interrupted",
            Self::Failed(_) => "failed",
            Self::Limited => "limited",
            Self::Deferred => "deferred",
        }
    }

    /// Returns the reason why the turn has failed. Returns `None` if it has not failed.
    pub(crate) fn reason(self) -> Option<&'static str> {
        match self {
            Self::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns the outcome of a turn with this result. `refusal` is the error of the last message before the result.
    pub(crate) fn of(
        result: &Result<TurnResult, Error>,
        refusal: Option<&AssistantMessageError>,
    ) -> Self {
        match result {
            Ok(result) if result.interrupted() => Self::Interrupted,
            Ok(result) if result.is_error() => Self::Failed(result_reason(result, refusal)),
            Ok(_) => Self::Answered,
            Err(error) => Self::Failed(error_reason(error)),
        }
    }
}

/// Returns the reason of a failure from the result that the CLI has sent.
fn result_reason(result: &TurnResult, refusal: Option<&AssistantMessageError>) -> &'static str {
    if result.is_rate_limited() {
        return "rate_limit";
    }
    let (status, refusal) = match result {
        TurnResult::Success(result) => (result.api_error_status.value(), refusal),
        _ => (None, None),
    };
    // Without a login, the CLI sends no request, so there is no status.
    let is_login = match status.and_then(Number::as_u64) {
        Some(status) => matches!(status, 401 | 403),
        None => refusal.is_some_and(is_about_login),
    };
    if is_login {
        return "authentication";
    }
    let reason = result.terminal_reason().map(TerminalReason::as_str);
    let subtype = match result {
        TurnResult::Error(result) => Some(result.subtype.as_str()),
        _ => None,
    };
    let subtype = match subtype {
        Some("error_max_turns") => Some("max_turns"),
        Some("error_max_budget_usd") => Some("budget_exceeded"),
        Some("error_max_structured_output_retries") => Some("structured_output"),
        subtype => subtype,
    };
    let named = |text: &str| REASONS.into_iter().find(|reason| *reason == text);
    let named = reason.and_then(named).or(subtype.and_then(named));
    named.unwrap_or(if status.is_some() {
        "api_error"
    } else {
        OTHER_REASON
    })
}

/// Whether the CLI gave no answer because of its login or key.
fn is_about_login(error: &AssistantMessageError) -> bool {
    matches!(
        *error,
        AssistantMessageError::AuthenticationFailed
            | AssistantMessageError::OauthOrgNotAllowed
            | AssistantMessageError::CloudCredentialError
    )
}

/// Returns the reason of a failure for which the CLI has sent no result.
pub(crate) fn error_reason(error: &Error) -> &'static str {
    if error.is_stalled() {
        "stalled"
    } else if error.is_exited() {
        "process_exited"
    } else if error.is_busy() {
        "no_process"
    } else if error.store().is_some() {
        "store"
    } else if error.is_timeout() {
        "timeout"
    } else if error.is_closed() {
        "closed"
    } else if error.is_refused() {
        "refused"
    } else if error.is_not_found() || error.is_launch_failure() || error.is_cli_too_old() {
        "not_started"
    } else {
        OTHER_REASON
    }
}

/// The counters. The lock is held for a short time when a turn begins or ends, and when a request is answered. Single
/// messages do not acquire it.
#[derive(Debug)]
pub(crate) struct Counts(Mutex<Totals>);

/// The values of the counters.
#[derive(Debug, Clone)]
pub(crate) struct Totals {
    /// The number of prompts that a process has received.
    pub(crate) begun: u64,
    pub(crate) answered: u64,
    pub(crate) interrupted: u64,
    pub(crate) limited: u64,
    pub(crate) deferred: u64,
    /// The number of accepted prompts that were still unanswered when their session was closed.
    pub(crate) cut: u64,
    pub(crate) failed: BTreeMap<&'static str, u64>,
    /// For each prompt, the time from its acceptance until a process has received it.
    pub(crate) waits: Histogram,
    /// For each prompt, the time from its receipt by a process until the first message of the model.
    pub(crate) first_messages: Histogram,
    /// For each prompt, the time from its receipt by a process until the result.
    pub(crate) durations: Histogram,
    /// For each request of the CLI, the time until its answer.
    pub(crate) requests: Histogram,
    pub(crate) models: BTreeMap<String, ModelTotals>,
    /// The durations of the calls to the store, and the number of failed calls. The keys are the names of the calls.
    pub(crate) store: BTreeMap<&'static str, (Histogram, u64)>,
    /// The number of appends that the store has refused because their sessions were deleted.
    pub(crate) refused_deleted: u64,
    /// The number of sessions that this server has deleted.
    pub(crate) deleted: u64,
    /// The number of sessions that this server has deleted because of their age.
    pub(crate) expired: u64,
    /// The number of processes that sessions have started in addition to their first process.
    pub(crate) restarts: u64,
    /// The number of processes that ended because of a SIGKILL that claw had not sent.
    pub(crate) kills: u64,
    /// The number of lines of the CLI that cannot be read.
    pub(crate) unreadable: u64,
    /// The number of actions and refusals that the audit log could not take.
    pub(crate) unrecorded: u64,
    /// The number of notices that a webhook did not get.
    pub(crate) lost_webhooks: u64,
    /// The number of notifications that a device did not get.
    pub(crate) lost_pushes: u64,
    /// How often a process was silent for too long.
    pub(crate) silences: u64,
    /// The version of the CLI that began the newest turn.
    pub(crate) cli_version: Option<String>,
}

/// The tokens and the cost of a model.
#[derive(Debug, Clone)]
pub(crate) struct ModelTotals {
    /// All input tokens of a turn, including cached tokens.
    pub(crate) input: Histogram,
    pub(crate) output: Histogram,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    pub(crate) cost_usd: f64,
}

/// A histogram.
#[derive(Debug, Clone)]
pub(crate) struct Histogram {
    bounds: &'static [f64],
    /// For each bound, the number of values that are above the previous bound and not above this bound.
    counts: Vec<u64>,
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: vec![0; bounds.len()],
            count: 0,
            sum: 0.0,
        }
    }

    /// Creates a histogram of durations, in seconds.
    pub(crate) fn of_seconds() -> Self {
        Self::new(SECONDS)
    }

    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        let at = self.bounds.iter().position(|bound| value <= *bound);
        if let Some(count) = at.and_then(|at| self.counts.get_mut(at)) {
            *count += 1;
        }
    }

    pub(crate) fn add_time(&mut self, time: Duration) {
        self.add(time.as_secs_f64());
    }

    /// Returns each bound with the number of values that are not above it.
    pub(crate) fn up_to(&self) -> impl Iterator<Item = (f64, u64)> {
        let sums = self.counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        self.bounds.iter().copied().zip(sums)
    }
}

impl Default for Counts {
    fn default() -> Self {
        let seconds = Histogram::of_seconds;
        Self(Mutex::new(Totals {
            begun: 0,
            answered: 0,
            interrupted: 0,
            limited: 0,
            deferred: 0,
            cut: 0,
            failed: REASONS.into_iter().map(|reason| (reason, 0)).collect(),
            waits: seconds(),
            first_messages: seconds(),
            durations: seconds(),
            requests: seconds(),
            models: BTreeMap::new(),
            store: BTreeMap::new(),
            refused_deleted: 0,
            deleted: 0,
            expired: 0,
            restarts: 0,
            kills: 0,
            unreadable: 0,
            unrecorded: 0,
            lost_webhooks: 0,
            lost_pushes: 0,
            silences: 0,
            cli_version: None,
        }))
    }
}

impl Counts {
    pub(crate) fn change(&self, change: impl FnOnce(&mut Totals)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn totals(&self) -> Totals {
        let totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        totals.clone()
    }
}

impl Totals {
    /// Counts the end of a turn. `took` is the time since a process received the turn's prompt.
    pub(crate) fn ended(&mut self, outcome: TurnOutcome, took: Option<Duration>) {
        match outcome {
            TurnOutcome::Answered => self.answered += 1,
            TurnOutcome::Interrupted => self.interrupted += 1,
            TurnOutcome::Limited => self.limited += 1,
            TurnOutcome::Deferred => self.deferred += 1,
            TurnOutcome::Failed(reason) => *self.failed.entry(reason).or_default() += 1,
        }
        if let Some(took) = took.filter(|_| outcome != TurnOutcome::Deferred) {
            self.durations.add_time(took);
        }
    }

    /// Counts a call to the store.
    pub(crate) fn store_call(&mut self, name: &'static str, took: Duration, has_failed: bool) {
        let call = self.store.entry(name);
        let (times, failures) = call.or_insert_with(|| (Histogram::new(STORE_SECONDS), 0));
        times.add_time(took);
        *failures += u64::from(has_failed);
    }

    /// Counts the tokens and the cost that a result reports. If the result does not report them for each model, counts
    /// `turn` as the usage of `model`. `turn` is the usage of the turn according to the conversation.
    pub(crate) fn spent(
        &mut self,
        result: &Message,
        turn: Option<&TurnUsage>,
        model: Option<&str>,
    ) {
        let since = match result {
            Message::ResultSuccess(result) => result.model_usage_since_last_result.as_ref(),
            Message::ResultError(result) => result.model_usage_since_last_result.as_ref(),
            _ => return,
        };
        if let Some(models) = since.filter(|models| !models.is_empty()) {
            for (name, usage) in models {
                let cache = (
                    usage.cache_read_input_tokens.get(),
                    usage.cache_creation_input_tokens.get(),
                );
                let (input, output) = (usage.input_tokens.get(), usage.output_tokens.get());
                self.add_usage(name, (input, output), cache, usage.cost_usd.as_f64());
            }
        } else if let Some(turn) = turn {
            let cache = (turn.cache_read_tokens, turn.cache_write_tokens);
            let tokens = (turn.input_tokens, turn.output_tokens);
            let usd = turn.cost_usd.unwrap_or_default();
            self.add_usage(model.unwrap_or(OTHER), tokens, cache, usd);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "no turn has so many tokens")]
    fn add_usage(
        &mut self,
        model: &str,
        (input, output): (u64, u64),
        (read, written): (u64, u64),
        usd: f64,
    ) {
        // The name comes from the CLI and becomes the value of a label in metrics, so only safe characters are allowed.
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-._:/@[]".contains(letter);
        let is_valid =
            !model.is_empty() && model.len() <= LONGEST_MODEL && model.chars().all(is_name);
        let is_counted = self.models.contains_key(model) || self.models.len() < MOST_MODELS;
        let name = if is_valid && is_counted { model } else { OTHER };
        let model = self
            .models
            .entry(name.to_owned())
            .or_insert_with(|| ModelTotals {
                input: Histogram::new(TOKENS),
                output: Histogram::new(TOKENS),
                cache_read: 0,
                cache_write: 0,
                cost_usd: 0.0,
            });
        let input = input.saturating_add(read).saturating_add(written);
        model.input.add(input as f64);
        model.output.add(output as f64);
        model.cache_read = model.cache_read.saturating_add(read);
        model.cache_write = model.cache_write.saturating_add(written);
        model.cost_usd += usd.max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_up_to_each_bound() {
        let mut seconds = Histogram::of_seconds();
        for value in [0.1, 0.2, 7200.0] {
            seconds.add(value);
        }
        let up_to: Vec<_> = seconds.up_to().map(|(_, count)| count).collect();
        assert_eq!(up_to[..2], [1, 2]);
        assert_eq!((up_to.last(), seconds.count), (Some(&2), 3));
    }

    #[test]
    fn models_are_bounded_and_names_that_are_none_are_counted_together() {
        let counts = Counts::default();
        counts.change(|totals| {
            totals.add_usage("a\"b\n", (1, 1), (0, 0), 0.5);
            totals.add_usage(&"x".repeat(LONGEST_MODEL + 1), (1, 1), (2, 3), 0.5);
            for number in 0..2 * MOST_MODELS {
                totals.add_usage(&format!("claude-{number}"), (1, 1), (0, 0), 1.0);
            }
        });
        let totals = counts.totals();
        assert_eq!(totals.models.len(), MOST_MODELS);
        let other = &totals.models[OTHER];
        assert!(other.cost_usd > 1.0, "{other:?}");
        assert_eq!((other.cache_read, other.cache_write), (2, 3));
    }
}
