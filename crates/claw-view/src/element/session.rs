//! Elements besides the conversation.

use claw_types::ToolUseId;

use crate::shown::shown;

shown! {
    /// An element for a sub-agent. All elements whose `parent` is the sub-agent's tool use belong to it.
    pub struct Subagent {
        /// The ID of the tool use that started the sub-agent. Null if unknown.
        pub tool_use_id: Option<ToolUseId>,
        /// The ID of the sub-agent's task. Null if unknown.
        pub task_id: Option<String>,
        /// The type of the sub-agent, such as `general-purpose`. Null if unknown.
        pub agent_type: Option<String>,
        /// A short description of the sub-agent's work.
        pub description: String,
        /// The state of the sub-agent.
        pub state: TaskState,
        /// The sub-agent's current activity. Null if unknown.
        pub doing: Option<String>,
        /// The outcome of the sub-agent's work, in a sentence. Null until the sub-agent has ended.
        pub summary: Option<String>,
        /// The number of tokens that the sub-agent has used. Null if unknown.
        pub tokens: Option<u64>,
        /// The number of the sub-agent's tool uses. Null if unknown.
        pub tool_uses: Option<u64>,
        /// The run time of the sub-agent, in milliseconds. Null if unknown.
        pub duration_ms: Option<f64>,
    }

    /// An element for a background task, such as a shell.
    pub struct Task {
        /// The ID of the task.
        pub task_id: String,
        /// The type of the task, such as `local_bash`. Null if unknown.
        pub task_type: Option<String>,
        /// The ID of the tool use that started the task. Null if no tool use started it.
        pub tool_use_id: Option<ToolUseId>,
        /// A short description of the task.
        pub description: String,
        /// The state of the task.
        pub state: TaskState,
        /// The outcome of the task, in a sentence. Null until the task has ended.
        pub summary: Option<String>,
    }

    /// The state of a task or sub-agent.
    #[derive(Copy, Eq)]
    pub enum TaskState {
        /// The task is running or waiting to run.
        Running,
        /// The task has completed.
        Completed,
        /// The task has failed.
        Failed,
        /// The task was stopped.
        Stopped,
    }

    /// An element with a notice that is not part of the conversation.
    pub struct Notice {
        /// The kind of notice.
        pub kind: NoticeKind,
        /// The severity of the notice.
        pub level: NoticeLevel,
        /// The text to show to a person.
        pub text: String,
    }

    /// The kind of a notice.
    #[derive(Copy, Eq)]
    pub enum NoticeKind {
        /// Information for the user.
        Information,
        /// A hook ran, or a hook says something to the model.
        Hook,
        /// An API request failed, and the CLI retries it.
        Retry,
        /// A model other than the requested one answers.
        Fallback,
        /// The CLI denied a tool use without asking the user.
        Permission,
        /// A summary of several tool uses.
        Summary,
        /// A suggestion for the user's next prompt.
        Suggestion,
        /// A report on how much of a subscription's rate limits has been used.
        RateLimit,
        /// An event of the session itself, such as a reset, a new title, or a failure to store the session.
        Session,
        /// An event in a repository, such as a new commit or pull request.
        Repository,
        /// Another kind of notice.
        Other,
    }

    /// The severity of a notice.
    #[derive(Copy, Eq)]
    pub enum NoticeLevel {
        /// The notice gives information.
        Info,
        /// The notice is a warning.
        Warning,
        /// The notice reports an error.
        Error,
    }

    /// An element with an error.
    pub struct Error {
        /// The text to show to a person.
        pub text: String,
        /// The kind of error in the words of the protocol, such as `rate_limit`. Null if unknown.
        pub kind: Option<String>,
    }

    /// An element with the output of a slash command that ran without the model.
    pub struct CommandOutput {
        /// The name of the command, without its slash. Null if unknown.
        pub command: Option<String>,
        /// The output of the command.
        pub text: String,
    }

    /// An element for the end of a turn. It is shown as one line with the turn's result and cost.
    pub struct TurnEnd {
        /// Whether the turn succeeded.
        pub ok: bool,
        /// Whether the user interrupted the turn. Such a turn did not succeed, although nothing went wrong.
        pub interrupted: bool,
        /// The `subtype` of the `result` message, such as `success` or `error_max_turns`.
        pub subtype: String,
        /// The line to show, such as `done: 2 turns, 0.1 s, 20 tokens in, 24 out; the session so far: $0.0006`.
        /// A figure that is 0 or not known is left out.
        pub text: String,
        /// The error messages.
        pub errors: Vec<String>,
        /// The number of responses of the model in this turn.
        pub turns: u64,
        /// The duration of the turn, in milliseconds.
        pub duration_ms: f64,
        /// The cost of the session so far, in US dollars.
        pub cost_usd: f64,
        /// The number of input tokens, including those of the prompt cache.
        pub input_tokens: u64,
        /// The number of output tokens.
        pub output_tokens: u64,
    }

    /// An element for content that claw cannot interpret: a line or block of an unknown kind, or a line that cannot be
    /// read.
    pub struct UnknownElement {
        /// The kind of line or block in the words of the protocol. `unreadable` for a line that cannot be read.
        pub kind: String,
        /// The content as it was received.
        pub text: String,
        /// The reason why the line cannot be read. Null if the line can be read.
        pub error: Option<String>,
    }
}
