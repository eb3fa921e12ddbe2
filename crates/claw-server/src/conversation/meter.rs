//! Counts the tokens and the cost of a conversation, during and after turns.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use claw_sessions::{Prices, Terms, Tokens, Usd};
use claw_types::api::{StreamEvent, Usage};
use claw_types::message::ModelUsage;
use claw_types::{Count, Map, Message, Number, ToolUseId, Tri};

use super::state::{State, TurnUsage};

/// Maximum number of sub-agents whose newest answers are tracked. The answers of further sub-agents are counted too,
/// but possibly more than once.
const MOST_OPEN: usize = 256;
/// Maximum length of an ID or of a model's name in an answer, in bytes. Answers with longer ones are not counted.
const NAME: usize = 256;
/// Counts the tokens and the cost of a conversation.
///
/// Each result of the CLI contains the cost of the session. Before the result of a turn, the cost of the turn is
/// estimated from the tokens of its answers so far and the prices of the tokens.
#[derive(Debug)]
pub(super) struct Meter {
    prices: Arc<Prices>,
    /// The part of the session's cost that the results of the current process do not contain, such as the cost of a killed
    /// process. A killed process does not write its cost to the transcript, so later processes do not report this cost.
    before: f64,
    /// Whether a part of `before` is an estimate.
    is_before_estimate: bool,
    /// The cost in the last result of the current process.
    reported: f64,
    /// Whether the current process has not sent a result yet.
    is_new: bool,
    turn: Turn,
}

/// The tokens of the running turn, or of the last turn.
#[derive(Debug, Default)]
struct Turn {
    /// The tokens and the cost in the result. `None` while the turn runs.
    result: Option<TurnUsage>,
    /// The sum of the answers that are complete.
    done: Sum,
    /// The newest answer of the main conversation and of each sub-agent.
    open: HashMap<Option<ToolUseId>, Answer>,
}

/// The sum of several answers.
#[derive(Debug, Clone, Default)]
struct Sum {
    tokens: Tokens,
    usd: Usd,
    /// Whether one of the answers is from a model without a known price.
    is_unpriced: bool,
}

/// An answer that may still grow.
#[derive(Debug)]
struct Answer {
    id: String,
    model: String,
    tokens: Tokens,
    terms: Terms,
}

impl Default for Meter {
    fn default() -> Self {
        static SHIPPED: LazyLock<Arc<Prices>> =
            LazyLock::new(|| Arc::new(Prices::shipped().clone()));
        Self::new(SHIPPED.clone())
    }
}

impl Meter {
    fn new(prices: Arc<Prices>) -> Self {
        Self {
            prices,
            before: 0.0,
            is_before_estimate: false,
            reported: 0.0,
            is_new: false,
            turn: Turn::default(),
        }
    }

    pub(super) fn set_prices(&mut self, prices: Arc<Prices>) {
        self.prices = prices;
    }

    /// Sets the cost of the session before its first process on this server.
    pub(super) fn begin(&mut self, cost_usd: f64, is_estimate: bool) {
        self.before = cost_usd;
        self.is_before_estimate = is_estimate;
    }

    /// Records that the process has ended. If its last turn has no result, the cost of this turn stays an estimate.
    pub(super) fn process_ended(&mut self) {
        if let Some(sum) = self.turn.sum(&self.prices) {
            self.is_before_estimate = true;
            self.before += sum.usd.dollars();
            self.turn = Turn::default();
        }
        self.before += self.reported;
        self.reported = 0.0;
        self.is_new = true;
    }

    /// Updates the counts from a message of the CLI. Returns whether the message is about tokens or costs.
    pub(super) fn message(&mut self, message: &Message) -> bool {
        match message {
            Message::StreamEvent(event) => match &event.event {
                StreamEvent::MessageStart(start) => {
                    let started = &start.message;
                    self.answer(None, started.id.as_str(), &started.model, &started.usage);
                    true
                }
                StreamEvent::MessageDelta(delta) => {
                    if let Some(answer) = self.turn.open.get_mut(&None) {
                        answer.grow(&delta.usage);
                    }
                    true
                }
                _ => false,
            },
            Message::Assistant(line) => {
                let answer = &line.message;
                let of = line.parent_tool_use_id.as_ref();
                self.answer(of, answer.id.as_str(), &answer.model, &answer.usage);
                true
            }
            Message::ResultSuccess(result) => {
                let since = result.model_usage_since_last_result.as_ref();
                self.result(&result.total_cost_usd, since, &result.usage);
                true
            }
            Message::ResultError(result) => {
                let since = result.model_usage_since_last_result.as_ref();
                self.result(&result.total_cost_usd, since, &result.usage);
                true
            }
            // A new conversation begins, for example after `/clear`. The CLI then counts from zero.
            Message::ConversationReset(_) => {
                *self = Self::new(self.prices.clone());
                true
            }
            _ => false,
        }
    }

    /// Updates the tokens of an answer. Each line of the answer contains its tokens so far.
    fn answer(&mut self, of: Option<&ToolUseId>, id: &str, model: &str, usage: &Usage) {
        let names = [id, model, of.map_or("", ToolUseId::as_str)];
        let is_long = names.iter().any(|name| name.len() > NAME);
        // An answer that the CLI itself wrote is not counted: the name of its model begins with `<`. An answer is also not
        // counted if the name of its model is too long to be valid.
        if model.starts_with('<') || is_long {
            return;
        }
        if self.turn.result.is_some() {
            self.turn = Turn::default();
        }
        let of = of.cloned();
        let turn = &mut self.turn;
        if turn.open.get(&of).is_none_or(|answer| answer.id != id) {
            let answer = Answer {
                id: id.to_owned(),
                model: model.to_owned(),
                tokens: Tokens::default(),
                terms: Terms::default(),
            };
            if turn.open.len() >= MOST_OPEN && !turn.open.contains_key(&of) {
                for answer in std::mem::take(&mut turn.open).into_values() {
                    turn.done.add(&answer, &self.prices);
                }
            }
            if let Some(before) = turn.open.insert(of.clone(), answer) {
                turn.done.add(&before, &self.prices);
            }
        }
        if let Some(answer) = turn.open.get_mut(&of) {
            answer.grow(usage);
        }
    }

    fn result(&mut self, total: &Number, since: Option<&Map<ModelUsage>>, usage: &Usage) {
        let total = total.as_f64();
        let since_cost = since.map(|models| {
            let models = models.iter().map(|(_, model)| model.cost_usd.as_f64());
            models.sum::<f64>()
        });
        if std::mem::take(&mut self.is_new) {
            // A process that resumes a session continues with the cost in the transcript. Its results contain this
            // cost, so it is removed from `before`.
            let resumed = since_cost.map_or(0.0, |since| (total - since).max(0.0));
            self.before = (self.before - resumed).max(0.0);
        }
        let cost = since_cost.unwrap_or((total - self.reported).max(0.0));
        self.reported = total;
        let tokens = match since {
            Some(models) if !models.is_empty() => all_tokens(models),
            _ => tokens_of(usage),
        };
        self.turn = Turn {
            result: Some(TurnUsage::new(&tokens, Some(cost), false)),
            ..Turn::default()
        };
    }

    /// Writes the tokens and the cost into the state.
    pub(super) fn write(&self, state: &mut State) {
        let running = self.turn.sum(&self.prices);
        let estimate = running.as_ref().map_or(0.0, |sum| sum.usd.dollars());
        state.cost_usd = self.before + self.reported + estimate;
        state.cost_is_estimate = self.is_before_estimate || running.is_some();
        let result = self.turn.result.clone();
        state.turn = running.map_or(result, |sum| {
            let usd = (!sum.is_unpriced).then(|| sum.usd.dollars());
            Some(TurnUsage::new(&sum.tokens, usd, true))
        });
    }
}

impl Turn {
    /// Returns the sum of the answers so far. Returns `None` if no answer has begun, or if the turn has its result.
    fn sum(&self, prices: &Prices) -> Option<Sum> {
        let has_begun = !self.open.is_empty() && self.result.is_none();
        has_begun.then(|| {
            let mut sum = self.done.clone();
            self.open
                .values()
                .for_each(|answer| sum.add(answer, prices));
            sum
        })
    }
}

impl Sum {
    fn add(&mut self, answer: &Answer, prices: &Prices) {
        self.tokens += answer.tokens;
        match prices.cost(&answer.model, &answer.tokens, answer.terms) {
            Some(usd) => self.usd += usd,
            None => self.is_unpriced = true,
        }
    }
}

impl Answer {
    /// Updates the tokens of the answer. They never decrease. The line of a block may contain fewer tokens than the
    /// stream events before it.
    fn grow(&mut self, usage: &Usage) {
        let later = tokens_of(usage);
        if let Some(speed) = usage.speed.value() {
            self.terms.is_fast = speed.as_str() == "fast";
        }
        if let Some(place) = usage.inference_geo.value() {
            self.terms.is_us = place == "us";
        }
        let grow = |known: &mut u64, later: u64| *known = later.max(*known);
        grow(&mut self.tokens.input, later.input);
        grow(&mut self.tokens.output, later.output);
        grow(&mut self.tokens.cache_read, later.cache_read);
        grow(&mut self.tokens.cache_write, later.cache_write);
        grow(&mut self.tokens.cache_write_1h, later.cache_write_1h);
        grow(&mut self.tokens.web_searches, later.web_searches);
    }
}

fn tokens_of(usage: &Usage) -> Tokens {
    let count = |tokens: &Tri<Count>| tokens.value().map_or(0, |count| count.get());
    let mut tokens = Tokens::default();
    tokens.input = count(&usage.input_tokens);
    tokens.output = usage.output_tokens.get();
    tokens.cache_read = count(&usage.cache_read_input_tokens);
    tokens.cache_write = count(&usage.cache_creation_input_tokens);
    let hour = usage.cache_creation.value();
    tokens.cache_write_1h = hour.map_or(0, |hour| hour.ephemeral_1h_input_tokens.get());
    let tools = usage.server_tool_use.value();
    tokens.web_searches = tools.map_or(0, |tools| tools.web_search_requests.get());
    tokens
}

/// Returns the sum of the tokens of all models.
fn all_tokens(models: &Map<ModelUsage>) -> Tokens {
    let mut sum = Tokens::default();
    for (_, model) in models {
        let mut tokens = Tokens::default();
        tokens.input = model.input_tokens.get();
        tokens.output = model.output_tokens.get();
        tokens.cache_read = model.cache_read_input_tokens.get();
        tokens.cache_write = model.cache_creation_input_tokens.get();
        sum += tokens;
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(value: Value) -> Message {
        serde_json::from_value(value).unwrap()
    }

    /// Returns a message with a part of an answer. `output` is the number of output tokens so far.
    fn answer(id: &str, of: Option<&str>, output: u64) -> Message {
        message(
            json!({"type": "assistant", "uuid": "u", "session_id": "s", "parent_tool_use_id": of,
            "message": {"id": id, "type": "message", "role": "assistant", "model": "claude-a", "content": [],
                "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 10, "output_tokens": output}}}),
        )
    }

    /// Returns a result. `total` is the cost of the session in US dollars, and `since` the cost since the previous
    /// result.
    fn result(total: f64, since: Option<f64>) -> Message {
        let model = json!({"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3,
            "cacheCreationInputTokens": 4, "webSearchRequests": 0, "costUSD": since, "contextWindow": 1});
        let mut result = json!({"type": "result", "subtype": "success", "uuid": "u", "session_id": "s",
            "duration_ms": 1, "duration_api_ms": 1, "is_error": false, "num_turns": 1, "result": "",
            "stop_reason": null, "total_cost_usd": total, "usage": {"output_tokens": 1},
            "modelUsage": {}, "permission_denials": []});
        if since.is_some() {
            result["model_usage_since_last_result"] = json!({"claude-a": model});
        }
        message(result)
    }

    fn state(meter: &Meter) -> State {
        let mut state = State::default();
        meter.write(&mut state);
        state
    }

    fn cents(meter: &Meter) -> String {
        format!("{:.2}", state(meter).cost_usd)
    }

    #[test]
    fn an_answer_of_several_lines_counts_once_and_those_of_sub_agents_count_too() {
        let mut meter = Meter::default();
        assert_eq!(state(&meter).turn, None);
        for (id, of, output) in [
            ("a", None, 1),
            ("a", None, 5),
            ("x", Some("toolu_1"), 7),
            ("b", None, 20),
            // The line of a block may contain fewer tokens than an earlier stream event.
            ("b", None, 1),
        ] {
            assert!(meter.message(&answer(id, of, output)));
        }
        let turn = state(&meter).turn.unwrap();
        assert_eq!((turn.input_tokens, turn.output_tokens), (30, 32));
        assert!(turn.is_estimate);
        assert!(meter.message(&result(0.5, Some(0.5))));
        let turn = state(&meter).turn.unwrap();
        assert_eq!((turn.input_tokens, turn.output_tokens), (1, 2));
        assert_eq!((turn.cost_usd, turn.is_estimate), (Some(0.5), false));
        // The tokens of the next turn are counted from zero.
        meter.message(&answer("c", None, 3));
        assert_eq!(state(&meter).turn.unwrap().output_tokens, 3);
        assert_eq!(cents(&meter), "0.50");
    }

    #[test]
    fn the_cost_of_a_running_turn_is_estimated_answer_by_answer() {
        let prices = json!({"date": "2026-11-25", "webSearch": 0, "usInference": 1, "models": {"claude-a":
            {"input": 10, "output": 50, "cacheRead": 1, "cacheWrite5m": 12, "cacheWrite1h": 20,
            "long": {"above": 15, "input": 1000, "output": 1000, "cacheRead": 1, "cacheWrite5m": 1, "cacheWrite1h": 1}}}});
        let prices = Prices::from_json(&prices.to_string()).unwrap();
        let mut meter = Meter::new(Arc::new(prices));
        meter.begin(1.0, false);
        // The prices for long input do not apply, because each answer has only ten input tokens.
        for id in ["a", "b"] {
            meter.message(&answer(id, None, 2));
        }
        let now = state(&meter);
        assert_eq!(now.turn.as_ref().unwrap().cost_usd, Some(0.0004));
        assert_eq!((now.cost_usd, now.cost_is_estimate), (1.0004, true));
        // The process ends without a result, so its cost remains an estimate.
        meter.process_ended();
        let now = state(&meter);
        assert_eq!((now.cost_usd, now.cost_is_estimate), (1.0004, true));
        assert_eq!(now.turn, None);
        // No price is known for the model.
        let mut meter = Meter::default();
        meter.message(&answer("a", None, 2));
        let now = state(&meter);
        assert_eq!((now.turn.unwrap().cost_usd, now.cost_usd), (None, 0.0));
    }

    #[test]
    fn a_process_that_resumes_continues_from_the_totals_of_the_transcript() {
        let mut meter = Meter::default();
        meter.begin(1.0, false);
        meter.process_ended();
        meter.message(&result(1.25, Some(0.25)));
        assert_eq!(cents(&meter), "1.25");
        meter.message(&result(1.5, Some(0.25)));
        assert_eq!(cents(&meter), "1.50");
        meter.process_ended();
        meter.message(&result(1.75, Some(0.25)));
        assert_eq!(cents(&meter), "1.75");
        // The killed processes left no cost in the transcript, so the next process counts from 1.00.
        meter.process_ended();
        meter.message(&result(1.25, Some(0.25)));
        assert_eq!(cents(&meter), "2.00");
    }

    #[test]
    fn an_older_cli_counts_from_zero_in_each_process() {
        let mut meter = Meter::default();
        meter.message(&result(0.25, None));
        meter.message(&result(0.75, None));
        assert_eq!(state(&meter).turn.unwrap().cost_usd, Some(0.5));
        meter.process_ended();
        meter.message(&result(0.25, None));
        assert_eq!(cents(&meter), "1.00");
    }

    #[test]
    fn a_new_conversation_costs_nothing_yet() {
        let mut meter = Meter::default();
        meter.message(&result(0.25, Some(0.25)));
        let reset = json!({"type": "conversation_reset", "new_conversation_id": "n", "uuid": "u", "session_id": "s"});
        assert!(meter.message(&message(reset)));
        assert_eq!(state(&meter), State::default());
    }

    #[test]
    fn what_is_kept_is_bounded_and_nothing_is_lost() {
        let mut meter = Meter::default();
        meter.message(&answer(&"m".repeat(NAME + 1), None, 1));
        assert_eq!(state(&meter).turn, None);
        for n in 0..10_000 {
            meter.message(&answer(&format!("m{n}"), Some(&format!("toolu_{n}")), 1));
        }
        assert!(meter.turn.open.len() <= MOST_OPEN);
        assert_eq!(state(&meter).turn.unwrap().output_tokens, 10_000);
    }
}
