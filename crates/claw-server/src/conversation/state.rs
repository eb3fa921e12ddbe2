//! The state of a conversation.

use claw_sessions::Tokens;
use claw_types::options::{EffortLevel, PermissionMode};
use claw_types::{Count, Message, Tri};
use serde::{Deserialize, Serialize};

use crate::quota::ReachedLimit;
use crate::worktree::Worktree;

/// The current activity of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Phase {
    /// The conversation waits for a prompt. Tasks may run in the background.
    #[default]
    Idle,
    /// A prompt waits for a process, because the server already runs as many processes as it may.
    Waiting,
    /// A process is being started for a prompt.
    Starting,
    /// A turn is running. It need not have a prompt: the model may be reading the outcome of a background task.
    Running,
    /// A turn or a background task waits for a person's answer.
    Asking,
    /// A permission request waits for a person's answer, and the session has no process meanwhile. Any host of the
    /// server accepts the answer. The answer starts a process, which continues the turn.
    Deferred,
    /// A prompt waits for the reset of a usage limit, at which its turn has ended. It is sent again at `limitedUntil`.
    Limited,
    /// The session was closed before all prompts were answered: its server ended, or could not reach the store. How far
    /// the last turn came is unknown.
    Cut,
}

/// The state of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SessionState"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct State {
    /// The phase of the conversation: whether a turn is running, and what the conversation waits for.
    pub phase: Phase,
    /// The model that answers. Null until it is known.
    pub model: Option<String>,
    /// The permission mode. Null until it is known.
    pub mode: Option<PermissionMode>,
    /// The effort level that was chosen on this server. Null if none was chosen: the model then works at its default
    /// level.
    pub effort: Option<EffortLevel>,
    /// The title of the conversation. Null if it has none.
    pub title: Option<String>,
    /// The cost of the session in US dollars. It includes the cost of sub-agents, and the cost before this server
    /// opened the session. While a turn runs, it also includes the estimated cost of that turn.
    pub cost_usd: f64,
    /// Whether a part of `costUsd` is an estimate: the cost of the running turn, or of answers for which the CLI wrote
    /// no cost.
    #[serde(default)]
    pub cost_is_estimate: bool,
    /// The tokens and the cost of the running turn, or else of the last turn. Null until an answer has begun.
    pub turn: Option<TurnUsage>,
    /// The number of tokens in the model's context at the newest answer. Null until it is known.
    pub context: Option<u64>,
    /// The number of prompts that are not answered yet, including those of the running turn.
    pub queued: u64,
    /// The UUIDs of the prompts that Claude has not begun to process, oldest first. These prompts can still be
    /// cancelled. At most 64 are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_prompts: Vec<String>,
    /// The time at which the prompts that wait for the reset of a usage limit are sent again, in milliseconds since
    /// 1970. Absent if none waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_until: Option<f64>,
    /// The number of tasks that run in the background: sub-agents and shell commands that no turn waits for. While this
    /// number is not 0, the model may continue without a prompt.
    pub background_tasks: u64,
    /// The session's own git worktree, in which it works. Absent if the session has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// The number of sub-agents that are running, in a turn or in the background. Each has an element.
    #[serde(default)]
    pub agents: u64,
    /// The number of running tasks that are not sub-agents, such as shell commands in the background. Each has an
    /// element.
    #[serde(default)]
    pub tasks: u64,
    /// The reason why the last turn failed, in words. Null if it did not fail.
    pub error: Option<String>,
    /// Whether something waits because the store cannot be reached: a prompt that is to be accepted or sent, or the
    /// answer to a deferred request. It waits for a limited time, and fails after that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits_for_store: bool,
    /// The limit of a user or project because of which a prompt waits for a process. Absent if none waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for_limit: Option<ReachedLimit>,
    /// The prompts that were accepted but not answered before the session was closed, and the prompt of the last turn
    /// whose process ended before the turn. When a later prompt is answered,
    /// those that Claude may have received leave the list. The others stay until they are sent again or cancelled.
    /// Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

impl State {
    /// Updates the state from a message.
    pub(super) fn read(&mut self, message: &Message) {
        match message {
            Message::SystemInit(init) => {
                self.model = Some(init.model.clone());
                self.mode = Some(init.permission_mode.clone());
            }
            Message::Status(status) => {
                if let Some(mode) = &status.permission_mode {
                    self.mode = Some(mode.clone());
                }
            }
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                let usage = &answer.message.usage;
                let count = |tokens: &Tri<Count>| tokens.value().map(|&count| u64::from(count));
                let cached = [
                    &usage.cache_read_input_tokens,
                    &usage.cache_creation_input_tokens,
                ];
                let cached: u64 = cached.into_iter().filter_map(count).sum();
                let input = count(&usage.input_tokens);
                self.context = input.map(|input| input + cached).or(self.context);
            }
            _ => {}
        }
    }
}

/// The tokens and the cost of a turn, with its sub-agents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TurnUsage {
    /// The number of input tokens, excluding those that were read from or written to the cache.
    pub input_tokens: u64,
    /// The number of output tokens. The tokens of an answer are counted when the answer is complete.
    pub output_tokens: u64,
    /// The number of input tokens that were read from the cache.
    pub cache_read_tokens: u64,
    /// The number of input tokens that were written to the cache.
    pub cache_write_tokens: u64,
    /// The cost in US dollars. Null while the turn runs, if the price of its model is not known.
    pub cost_usd: Option<f64>,
    /// Whether the figures are preliminary: the turn still runs, and the cost is computed from list prices. `false`
    /// after the turn, when the CLI has reported the figures.
    pub is_estimate: bool,
}

impl TurnUsage {
    pub(super) fn new(tokens: &Tokens, cost_usd: Option<f64>, is_estimate: bool) -> Self {
        Self {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cache_read_tokens: tokens.cache_read,
            cache_write_tokens: tokens.cache_write,
            cost_usd,
            is_estimate,
        }
    }
}

/// A prompt that was accepted but not answered when the session was closed or its process ended. The elements of the
/// conversation contain its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "UnansweredPrompt"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Unanswered {
    /// The UUID of the prompt.
    pub uuid: String,
    /// Whether Claude may have received the prompt. If `false`, a client can submit the prompt again with this UUID,
    /// and the server then sends it to Claude.
    pub sent: bool,
}
