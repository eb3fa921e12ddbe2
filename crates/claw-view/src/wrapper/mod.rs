//! Messages of a wrapper to its own client. A wrapper is a service between `claude` and a client such as a mobile app
//! or a web page.
//!
//! A wrapper's client knows conversations and projects, but no sessions and no content blocks. A [`Translator`] turns
//! messages of `claude` into messages that the wrapper sends to its client.
//!
//! ```
//! use claw_types::{Message, from_line};
//! use claw_view::wrapper::Translator;
//!
//! let line = br#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant",
//!     "model":"m","content":[{"type":"text","text":"Four."}],"stop_reason":null,
//!     "stop_sequence":null,"usage":{"output_tokens":2}},"parent_tool_use_id":null,"uuid":"u",
//!     "session_id":"sess_123"}"#;
//! let message: Message = from_line(line)?;
//! let mut translator = Translator::default();
//! let sent = translator.message(&message);
//! assert_eq!(
//!     serde_json::to_string(&sent[0].message)?,
//!     r#"{"type":"claude_response","content":"Four.","conversationId":"sess_123"}"#
//! );
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod translator;
mod turn;

pub use translator::{Outgoing, Translator};
pub use turn::{
    CompactionProgress, CompactionStatus, TurnEnded, TurnError, TurnInterrupted, TurnOutcome,
};

use claw_types::{Json, RequestId, ToolUseId};
use serde::{Deserialize, Serialize};

use crate::Activity;
use crate::progress::{Progress, Source, State, Worker};
use crate::shown::shown;

/// A message from a wrapper to its client. A wrapper is a service between `claude` and a client such as a mobile app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WrapperMessage {
    /// A text that the model wrote.
    ClaudeResponse(ClaudeResponse),
    /// The progress of the main conversation.
    ProgressUpdate(ProgressUpdate),
    /// The progress of a sub-agent.
    SubAgentProgress(SubAgentProgress),
    /// The start or end of a tool use, such as reading a file or running a command.
    ToolActivity(ToolActivity),
    /// A permission request.
    PermissionRequest(PermissionRequest),
    /// The end of a turn, with its outcome and its cost.
    TurnEnded(TurnEnded),
    /// An interruption of the turn by the user.
    TurnInterrupted(TurnInterrupted),
    /// An error in a turn.
    TurnError(TurnError),
    /// The start or end of a compaction of the conversation.
    CompactionProgress(CompactionProgress),
}

shown! {
    /// A message from a wrapper to its client, with one text block of a response of the model.
    pub struct ClaudeResponse {
        /// The text that the model wrote.
        pub content: String,
        /// The ID of the conversation.
        pub conversation_id: String,
    }

    /// A message from a wrapper to its client, with the progress of the main conversation.
    pub struct ProgressUpdate {
        /// The current step.
        pub current_step: String,
        /// The number of completed steps. 0 if only the percentage is known.
        pub completed_steps: u64,
        /// The total number of steps. 0 if only the percentage is known.
        pub total_steps: u64,
        /// The completed share of the work, in percent (0 to 100).
        pub percentage: f64,
    }

    /// A message from a wrapper to its client, with the progress of a sub-agent.
    pub struct SubAgentProgress {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// The ID of the sub-agent. It is the ID of the tool use that started the sub-agent, or else the ID of its
        /// task. If only the model's text mentions the sub-agent, the ID is `mentioned:` with the sub-agent's name, or
        /// just `mentioned`.
        pub agent_id: String,
        /// The type of the sub-agent. Null if unknown.
        pub agent_type: Option<String>,
        /// A short description of the sub-agent's work.
        pub description: String,
        /// The status of the sub-agent: `running`, `completed`, `failed`, `stopped` or `unknown`.
        pub status: AgentStatus,
        /// The current step. Null if unknown.
        pub current_step: Option<String>,
        /// The number of completed steps. Null if unknown.
        pub completed_steps: Option<u64>,
        /// The total number of steps. Null if unknown.
        pub total_steps: Option<u64>,
        /// The completed share of the work, in percent (0 to 100). Null if unknown.
        pub percentage: Option<f64>,
        /// The number of tokens that the sub-agent has used. Null if unknown.
        pub tokens: Option<u64>,
    }

    /// The status of a sub-agent.
    #[derive(Copy, Eq)]
    pub enum AgentStatus {
        /// The sub-agent is running or waiting to run.
        Running,
        /// The sub-agent has completed.
        Completed,
        /// The sub-agent has failed.
        Failed,
        /// The sub-agent was stopped.
        Stopped,
        /// The status is not known any more. Only the model's text mentioned the sub-agent, and since then the turn has
        /// ended, or the sub-agent is reported under its own ID.
        Unknown,
    }

    /// A message from a wrapper to its client about a tool use. The wrapper sends one such message when the tool use
    /// starts, and one when it ends. To-do lists and sub-agents are reported as progress instead.
    pub struct ToolActivity {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// The ID of the sub-agent that uses the tool, as in `SubAgentProgress`. Null if the main conversation uses the
        /// tool.
        pub agent_id: Option<String>,
        /// The ID of the tool use.
        pub tool_use_id: ToolUseId,
        /// The tool use in one line, such as `Read(.../file.go)`.
        pub title: String,
        /// The kind of work that the tool does.
        pub activity: Activity,
        /// The status of the tool use.
        pub status: ToolActivityStatus,
    }

    /// The status of a tool use.
    #[derive(Copy, Eq)]
    pub enum ToolActivityStatus {
        /// The tool is running or waiting to run.
        Running,
        /// The tool has completed.
        Completed,
        /// The tool has failed or was denied.
        Failed,
    }

    /// A message from a wrapper to its client that asks the user whether a tool may be used. The wrapper sends the
    /// user's decision to `claude`, as the response to the control request with this `request_id`.
    pub struct PermissionRequest {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// The ID of the control request.
        pub request_id: RequestId,
        /// The ID of the tool use.
        pub tool_use_id: ToolUseId,
        /// The name of the tool in the protocol, such as `Bash`.
        pub tool_name: String,
        /// The tool use in one line, such as `Bash(rm -rf build)`.
        pub title: String,
        /// The kind of work that the tool does.
        pub activity: Activity,
        /// The input of the tool.
        pub input: Json,
        /// The purpose of the tool use, or the reason why the CLI asks for permission. Null if unknown.
        pub description: Option<String>,
    }
}

impl ProgressUpdate {
    /// Creates the message that reports progress of the main conversation. Returns `None` if the progress has no
    /// numbers, or if it is the progress of a task or sub-agent.
    pub fn of(progress: &Progress) -> Option<Self> {
        let steps = progress.completed.zip(progress.total);
        if progress.worker.is_some() || steps.is_none() && progress.percentage.is_none() {
            return None;
        }
        let (completed_steps, total_steps) = steps.unwrap_or_default();
        Some(Self {
            current_step: progress.step.clone().unwrap_or_default(),
            completed_steps,
            total_steps,
            percentage: percentage(progress).unwrap_or_default(),
        })
    }
}

impl SubAgentProgress {
    /// Creates the message that reports progress of a sub-agent. Returns `None` if it is the progress of a task that is
    /// not a sub-agent, or of the main conversation.
    pub fn of(progress: &Progress, conversation_id: impl Into<String>) -> Option<Self> {
        let worker = progress.worker.as_ref()?;
        let kind = worker.task_type.as_deref();
        if worker.agent_type.is_none() && kind.is_some_and(|kind| kind != "local_agent") {
            return None;
        }
        Some(Self {
            conversation_id: conversation_id.into(),
            agent_id: agent_id(worker),
            agent_type: worker.agent_type.clone(),
            description: worker.description.clone().unwrap_or_default(),
            status: match progress.state {
                State::Running | State::Waiting => AgentStatus::Running,
                State::Completed => AgentStatus::Completed,
                State::Failed => AgentStatus::Failed,
                State::Stopped => AgentStatus::Stopped,
                State::Unknown => AgentStatus::Unknown,
            },
            current_step: progress.step.clone(),
            completed_steps: progress.completed,
            total_steps: progress.total,
            percentage: percentage(progress),
            tokens: progress.tokens,
        })
    }
}

impl ToolActivity {
    /// Creates the message that reports progress of a tool use. Returns `None` if the progress is not about a tool use.
    pub fn of(progress: &Progress, conversation_id: impl Into<String>) -> Option<Self> {
        if progress.source != Source::ToolUse {
            return None;
        }
        Some(Self {
            conversation_id: conversation_id.into(),
            agent_id: progress.worker.as_ref().map(agent_id),
            tool_use_id: progress.tool_use_id.clone()?,
            title: progress.step.clone().unwrap_or_default(),
            activity: progress.activity?,
            status: match progress.state {
                State::Running | State::Waiting => ToolActivityStatus::Running,
                State::Completed => ToolActivityStatus::Completed,
                State::Failed | State::Stopped | State::Unknown => ToolActivityStatus::Failed,
            },
        })
    }
}

fn agent_id(worker: &Worker) -> String {
    let tool = worker.tool_use_id.as_ref().map(ToolUseId::as_str);
    match (tool.or(worker.task_id.as_deref()), &worker.agent_type) {
        (Some(id), _) => id.to_owned(),
        (None, Some(name)) => format!("mentioned:{name}"),
        (None, None) => "mentioned".to_owned(),
    }
}

/// Returns the completed share of the work, in percent. If no percentage was reported, computes it from the steps.
fn percentage(progress: &Progress) -> Option<f64> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a percentage is no exact number"
    )]
    let of_steps = |(completed, total): (u64, u64)| {
        (total > 0).then(|| 100.0 * completed.min(total) as f64 / total as f64)
    };
    let steps = progress.completed.zip(progress.total);
    progress.percentage.or_else(|| steps.and_then(of_steps))
}
