//! Chooses the answer to a request, and generates the IDs in the answer.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use super::{Answer, Conversation, Scenario};

/// The default number of tokens of a request.
const INPUT_TOKENS: u64 = 10;

/// The number of characters of a prompt that an error quotes.
const SHOWN: usize = 200;

/// Counters for IDs. They begin at 1, so every run generates the same IDs.
#[derive(Debug, Default)]
pub(super) struct Ids {
    messages: AtomicUsize,
    tool_uses: AtomicUsize,
    requests: AtomicUsize,
}

impl Ids {
    pub(super) fn message(&self) -> String {
        format!("msg_{:06}", next(&self.messages))
    }

    pub(super) fn tool_use(&self) -> String {
        format!("toolu_{:04}", next(&self.tool_uses))
    }

    pub(super) fn request(&self) -> String {
        format!("req_{}", next(&self.requests))
    }
}

fn next(counter: &AtomicUsize) -> usize {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

/// A scenario that is being played.
#[derive(Debug)]
pub(super) struct Play {
    scenario: Scenario,
    /// The number of times that each rule has answered.
    answered: Mutex<Vec<usize>>,
}

impl Play {
    pub(super) fn new(scenario: Scenario) -> Self {
        let answered = Mutex::new(vec![0; scenario.rules.len()]);
        Self { scenario, answered }
    }

    /// Returns the number of input tokens that the API reports for a request.
    pub(super) fn input_tokens(&self) -> u64 {
        self.scenario.input_tokens.unwrap_or(INPUT_TOKENS)
    }

    pub(super) fn answer(&self, conversation: &Conversation) -> Answer {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        for (rule, answered) in self.scenario.rules.iter().zip(answered.iter_mut()) {
            let is_left = rule.times.is_none_or(|times| *answered < times);
            if is_left && rule.when.fits(conversation) {
                *answered += 1;
                return rule.answer.clone();
            }
        }
        let name = &self.scenario.name;
        let prompt: String = conversation.prompt.chars().take(SHOWN).collect();
        // The CLI does not retry after this error, and shows it in its result.
        Answer::error(
            400,
            "invalid_request_error",
            format!("no rule of {name:?} fits {prompt:?}"),
        )
    }
}
