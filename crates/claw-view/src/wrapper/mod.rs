//! What a wrapper service says to its own client: a mobile app, a web page.
//!
//! Such a client knows conversations and projects, and neither sessions nor content blocks. A
//! [`Translator`] makes what it is sent of what `claude` writes.
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

pub use translator::{Outgoing, Translator};

use claw_types::{Json, RequestId, ToolUseId};
use serde::{Deserialize, Serialize};

use crate::Activity;
use crate::progress::{Progress, Source, State, Worker};
use crate::shown::shown;

/// A message to a wrapper's client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WrapperMessage {
    /// What `claude` said.
    ClaudeResponse(ClaudeResponse),
    /// How far the work is.
    ProgressUpdate(ProgressUpdate),
    /// How far a sub-agent is.
    SubAgentProgress(SubAgentProgress),
    /// A tool begins or has ended: a file is read, searched or changed, a command runs ….
    ToolActivity(ToolActivity),
    /// May a tool be used?
    PermissionRequest(PermissionRequest),
}

shown! {
    /// What `claude` said: a text block of an answer.
    pub struct ClaudeResponse {
        /// The text.
        pub content: String,
        /// The conversation.
        pub conversation_id: String,
    }

    /// How far the work of the main conversation is.
    pub struct ProgressUpdate {
        /// What is done now.
        pub current_step: String,
        /// Steps that are done; 0 where only the percentage is known.
        pub completed_steps: u64,
        /// All steps; 0 where only the percentage is known.
        pub total_steps: u64,
        /// How much is done, from 0 to 100.
        pub percentage: f64,
    }

    /// How far a sub-agent is.
    pub struct SubAgentProgress {
        /// The conversation.
        pub conversation_id: String,
        /// The sub-agent: its tool use, or its task where no tool use started it. One that only the model's
        /// words tell of is `mentioned:` and its name, or `mentioned`.
        pub agent_id: String,
        /// Its kind; null where nobody said.
        pub agent_type: Option<String>,
        /// What it is to do, in short.
        pub description: String,
        /// How far it is: `running`, `completed`, `failed`, `stopped`.
        pub status: AgentStatus,
        /// What it does at the moment; null where nobody said.
        pub current_step: Option<String>,
        /// Steps that are done; null where nobody said.
        pub completed_steps: Option<u64>,
        /// All steps; null where nobody said.
        pub total_steps: Option<u64>,
        /// How much is done, from 0 to 100; null where nobody said.
        pub percentage: Option<f64>,
        /// Tokens that it has used; null where nobody said.
        pub tokens: Option<u64>,
    }

    /// How far a sub-agent is.
    #[derive(Copy, Eq)]
    pub enum AgentStatus {
        /// It works, or waits to.
        Running,
        /// It is done.
        Completed,
        /// It has failed.
        Failed,
        /// It was stopped.
        Stopped,
    }

    /// A tool begins or has ended. Once each; uses of lists and sub-agents are told as progress instead.
    pub struct ToolActivity {
        /// The conversation.
        pub conversation_id: String,
        /// The sub-agent that uses it, as in `SubAgentProgress`; null for the main conversation.
        pub agent_id: Option<String>,
        /// The use.
        pub tool_use_id: ToolUseId,
        /// The use in a line: `Read(.../file.go)`.
        pub title: String,
        /// What kind of work it is.
        pub activity: Activity,
        /// How far it is.
        pub status: ToolActivityStatus,
    }

    /// How far the use of a tool is.
    #[derive(Copy, Eq)]
    pub enum ToolActivityStatus {
        /// It runs, or waits to.
        Running,
        /// It is done.
        Completed,
        /// It has failed, or was not allowed.
        Failed,
    }

    /// May a tool be used? What the person decides is to be sent to `claude` as the answer to the control
    /// request of that id.
    pub struct PermissionRequest {
        /// The conversation.
        pub conversation_id: String,
        /// The control request that asks.
        pub request_id: RequestId,
        /// The use that is asked about.
        pub tool_use_id: ToolUseId,
        /// The tool, by its name on the wire.
        pub tool_name: String,
        /// The use in a line: `Bash(rm -rf build)`.
        pub title: String,
        /// What kind of work it is.
        pub activity: Activity,
        /// What the tool would be given.
        pub input: Json,
        /// What the use is for, or why it is asked; null where nobody said.
        pub description: Option<String>,
    }
}

impl ProgressUpdate {
    /// Progress of a main conversation, where it has numbers.
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
    /// Progress of a sub-agent; `None` where it is that of another task, or of the main conversation.
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
    /// The use of a tool; `None` where progress is told of anything else.
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
                State::Failed | State::Stopped => ToolActivityStatus::Failed,
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

/// How much is done, by what is said or by the steps.
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
