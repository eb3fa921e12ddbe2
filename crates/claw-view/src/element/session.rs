//! What goes on beside what is said.

use claw_types::ToolUseId;

use crate::shown::shown;

shown! {
    /// A sub-agent. All elements with its tool use as `parent` belong to it.
    pub struct Subagent {
        /// The tool use that started it; null where nobody said.
        pub tool_use_id: Option<ToolUseId>,
        /// Its task; null where nobody said.
        pub task_id: Option<String>,
        /// Its kind, such as `general-purpose`; null where nobody said.
        pub agent_type: Option<String>,
        /// What it is to do, in short.
        pub description: String,
        /// How far it is.
        pub state: TaskState,
        /// What it does at the moment; null where nobody said.
        pub doing: Option<String>,
        /// What came of it, in a sentence; null until it is over.
        pub summary: Option<String>,
        /// Tokens that it has used; null where nobody said.
        pub tokens: Option<u64>,
        /// Tools that it has used; null where nobody said.
        pub tool_uses: Option<u64>,
        /// How long it has worked, in milliseconds; null where nobody said.
        pub duration_ms: Option<f64>,
    }

    /// A task in the background, such as a shell.
    pub struct Task {
        /// The task.
        pub task_id: String,
        /// Its kind, such as `local_bash`; null where nobody said.
        pub task_type: Option<String>,
        /// The tool use that started it; null where none did.
        pub tool_use_id: Option<ToolUseId>,
        /// What it does, in short.
        pub description: String,
        /// How far it is.
        pub state: TaskState,
        /// What came of it, in a sentence; null until it is over.
        pub summary: Option<String>,
    }

    /// How far a task is.
    #[derive(Copy, Eq)]
    pub enum TaskState {
        /// It runs, or waits to.
        Running,
        /// It is done.
        Completed,
        /// It has failed.
        Failed,
        /// It was stopped.
        Stopped,
    }

    /// Something to know beside the conversation.
    pub struct Notice {
        /// What kind of thing.
        pub kind: NoticeKind,
        /// How much it matters.
        pub level: NoticeLevel,
        /// What a person is shown.
        pub text: String,
    }

    /// What kind of notice.
    #[derive(Copy, Eq)]
    pub enum NoticeKind {
        /// A text for the person.
        Information,
        /// A hook ran, or says something to the model.
        Hook,
        /// The API is asked again.
        Retry,
        /// Another model answers.
        Fallback,
        /// A tool was refused without the person being asked.
        Permission,
        /// What some uses of tools did.
        Summary,
        /// What the person may want to say next.
        Suggestion,
        /// How much of a subscription's limits is used.
        RateLimit,
        /// The session itself: it begins anew, has another title, loses what it writes ….
        Session,
        /// A repository: a commit, a pull request.
        Repository,
        /// Anything else.
        Other,
    }

    /// How much a notice matters.
    #[derive(Copy, Eq)]
    pub enum NoticeLevel {
        /// Good to know.
        Info,
        /// Something is not as it should be.
        Warning,
        /// Something is wrong.
        Error,
    }

    /// Something went wrong.
    pub struct Error {
        /// What a person is shown.
        pub text: String,
        /// What kind of error, as on the wire, such as `rate_limit`; null where nobody said.
        pub kind: Option<String>,
    }

    /// What a slash command wrote that ran without the model.
    pub struct CommandOutput {
        /// The command, without its slash; null where nobody said.
        pub command: Option<String>,
        /// What it wrote.
        pub text: String,
    }

    /// The turn is over: its closing line.
    pub struct TurnEnd {
        /// Whether it ended well.
        pub ok: bool,
        /// How it ended, as on the wire: `success`, `error_max_turns` ….
        pub subtype: String,
        /// The line: `done: 2 turns, 0.1 s, 20 tokens in, 24 out, $0.0006`.
        pub text: String,
        /// What went wrong.
        pub errors: Vec<String>,
        /// Steps of the model.
        pub turns: u64,
        /// How long it took, in milliseconds.
        pub duration_ms: f64,
        /// What the session has cost so far, in US dollars.
        pub cost_usd: f64,
        /// Tokens that the model read, those of the cache included.
        pub input_tokens: u64,
        /// Tokens that the model wrote.
        pub output_tokens: u64,
    }

    /// Something that claw does not know: a kind of line or of block, or a line that it cannot read.
    pub struct UnknownElement {
        /// The kind, as on the wire; `unreadable` for a line that cannot be read.
        pub kind: String,
        /// What it holds, as it came.
        pub text: String,
        /// Why it cannot be read; null where it can.
        pub error: Option<String>,
    }
}
