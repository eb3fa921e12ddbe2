//! The types of queries, bodies and responses.

use claw_types::options::{EffortLevel, PermissionMode};
use claw_view::Element;
use serde::{Deserialize, Serialize};

use crate::conversation::{Answered, FieldError, Pending, Phase, State, WaitsFor};
use crate::object;
use crate::quota::{LimitKind, LimitOwner, ReachedLimit};
use crate::worktree::WorktreeState;

/// Declares types of this interface, with their derives and with names in camelCase in JSON.
macro_rules! types {
    ($($(#[$attribute:meta])* $visibility:vis $kind:ident $name:ident { $($body:tt)* })+) => {$(
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        $(#[$attribute])*
        $visibility $kind $name { $($body)* }
    )+};
}

types! {
    /// The body of the response of `GET /health`.
    pub(crate) struct Health {
        /// The state of the server.
        pub(crate) status: HealthStatus,
    }

    /// The state of a server that answers.
    pub(crate) enum HealthStatus {
        /// The server accepts requests.
        Ok,
    }

    /// The body of the response of `GET /api/cli`: the CLI that runs the sessions. Every field is null if the server
    /// runs in a program that creates the sessions with a function of its own.
    #[derive(Default)]
    pub struct CliInfo {
        /// The version of the CLI, such as `2.1.330`. Null if the CLI does not run.
        pub version: Option<String>,
        /// The account that is logged in to the CLI: its email address, or the source of its key. Null if nobody is
        /// logged in, or if the CLI does not report who is.
        pub account: Option<String>,
        /// The reason why no session can work. Null if sessions can work.
        pub problem: Option<CliProblem>,
    }

    /// The reason why no session of the server can work.
    pub struct CliProblem {
        /// The kind of the problem.
        pub kind: CliProblemKind,
        /// The problem in words.
        pub text: String,
        /// The shell command that solves the problem, to be run on the server's machine. Null if there is none.
        pub command: Option<String>,
    }

    /// The kind of a problem with the CLI.
    pub enum CliProblemKind {
        /// The CLI is not found.
        NotFound,
        /// The CLI does not start, or does not tell its version.
        NotRunning,
        /// Nobody is logged in to the CLI.
        NotLoggedIn,
    }

    /// A project: a folder in which sessions may run.
    pub struct ProjectInfo {
        /// The name of the project.
        pub name: String,
        /// The folder of the project.
        pub folder: String,
        /// The permission mode in which the project's sessions begin.
        pub mode: PermissionMode,
        /// The model with which the project's sessions begin. Null for the CLI's default.
        pub model: Option<String>,
    }

    /// The body of `POST /api/sessions`: begins a new conversation, or continues a session on disk. One of `project`,
    /// `resume` and `fork` is needed.
    #[serde(deny_unknown_fields)]
    pub struct NewSession {
        /// The name of the project in which a new conversation begins. Absent with `resume` or `fork`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub project: Option<String>,
        /// The ID of the session on disk to continue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub resume: Option<String>,
        /// The session on disk to continue in a copy. The session itself is not changed.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object::maybe")]
        pub fork: Option<ForkOf>,
        /// The model to begin with. Absent means the project's model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model: Option<String>,
        /// The permission mode to begin with. Absent means the project's permission mode.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<PermissionMode>,
        /// The effort level to begin with. If absent, the server's options determine the level. Without such an
        /// option, the model's default level applies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub effort: Option<EffortLevel>,
        /// The title of a new session, or of a fork.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
        /// The git worktree in which a new conversation works: a folder and a branch of its own. If absent, the
        /// conversation works in the project's folder.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "object::maybe")]
        pub worktree: Option<NewWorktree>,
        /// The configuration folder of a new conversation, as the list of sessions names it: one of those that the
        /// server uses. If absent, the conversation belongs to the first one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub config_dir: Option<String>,
    }

    /// The git worktree of a new session. The worktree is created in `.claude/worktrees` of the project, on the branch
    /// `worktree-NAME`.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct NewWorktree {
        /// The name of the worktree: up to 64 letters, digits, `-`, `_` and `.`. If absent, the server chooses a name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub name: Option<String>,
    }

    /// The session that a fork copies, and the part of its conversation to copy.
    #[serde(deny_unknown_fields)]
    pub struct ForkOf {
        /// The ID of the session.
        pub session: String,
        /// The UUID of the last message to copy. If absent, all messages are copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub up_to: Option<String>,
        /// The UUID of a prompt. Everything before this prompt is copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub before: Option<String>,
        /// The UUID of a prompt. Everything up to the end of the prompt's turn is copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub through: Option<String>,
    }

    /// A live session.
    pub struct SessionView {
        /// The ID of the session.
        pub id: String,
        /// The name of the project.
        pub project: String,
        /// The state of the session.
        pub state: State,
        /// The requests that wait for an answer, oldest first.
        pub requests: Vec<Pending>,
        /// The elements of the sub-agents and tasks, including those that have ended, in the order of the conversation.
        pub tasks: Vec<Element>,
        /// The ID of the newest event, for the request header `Last-Event-ID`.
        pub last_event: String,
    }

    /// The response to a request to stop a task.
    pub struct StoppedTask {
        /// Whether the task was running, and Claude was told to stop it. If `false`, the task has already ended, or the
        /// session has no task with this ID.
        pub stopped: bool,
    }

    /// The response to a prompt.
    pub struct Sent {
        /// The UUID of the prompt: the `uuid` of the request, or a new one if the request has none.
        pub uuid: String,
        /// The ID of the session that received the prompt. It differs from the ID in the request if the conversation
        /// has continued under another ID, as after `/clear`.
        pub session: String,
    }

    /// The query parameters of a request for a list of sessions.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct ListQuery {
        /// Lists only sessions of the project with this name.
        pub project: Option<String>,
        /// Lists only sessions whose title or first prompt contains this text, ignoring case.
        pub q: Option<String>,
        /// `true` lists only archived sessions, `false` only the others. Default: `false`.
        pub archived: Option<bool>,
        /// Lists only sessions that are larger than this number of bytes. A session without a [size](SessionItem::size)
        /// is left out.
        pub larger_than: Option<u64>,
        /// The maximum number of sessions in the page. The default is 50, and the highest value is 500.
        pub limit: Option<usize>,
        /// The place to continue from: `next` of the previous page.
        pub cursor: Option<String>,
    }

    /// A page of sessions, newest first.
    pub struct SessionPage {
        /// The sessions of this page.
        pub sessions: Vec<SessionItem>,
        /// The cursor of the next page: the time and the ID of the last session of this page. It stays valid if that
        /// session is written to or removed. Null on the last page.
        pub next: Option<String>,
    }

    /// A session in a list, live or on disk.
    pub struct SessionItem {
        /// The ID of the session.
        pub id: String,
        /// The name of the project.
        pub project: String,
        /// The title of the session, or else the beginning of the conversation. Null if the conversation is still
        /// empty.
        pub title: Option<String>,
        /// The session's tag, a word by which people and programs find sessions. Null if it has none.
        pub tag: Option<String>,
        /// The git branch that was checked out when the session was last active, such as that of its own worktree. Null if
        /// there is none.
        pub branch: Option<String>,
        /// The state of the session's own git worktree against its base branch, as it was read last. Absent if the session
        /// has no worktree, and until the state is read: a list starts the reading and does not wait for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub worktree: Option<WorktreeState>,
        /// The beginning of the newest text that a person or the model wrote in the session. Null if it is not known.
        pub last_message: Option<String>,
        /// How many forks are between the session and one that is no fork: 1 for a fork, and 2 for a fork of a fork. At most
        /// 9 are counted. Absent for a session that is no fork.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub fork_depth: Option<u32>,
        /// Whether the session is archived.
        pub archived: bool,
        /// The time of the session's last message, in milliseconds since 1970. For a session that only the store has, it is
        /// the time of the last write. Null if the session is not on disk yet.
        pub modified: Option<f64>,
        /// The size of the session's transcript, in bytes, without those of its sub-agents. Null if the session is not on
        /// disk yet, and for a session of a store that does not report sizes.
        pub size: Option<u64>,
        /// The phase of a live session. A session that is not live has `cut` if an earlier server ended before it
        /// answered all prompts, and null otherwise.
        pub phase: Option<Phase>,
        /// The cost of the session with its sub-agents. Null if it is not known.
        pub cost: Option<SessionCost>,
        /// The path of the session's configuration folder. Absent if the server uses only one, and for a session that is
        /// only in the store.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub config_dir: Option<String>,
        /// A short name of the configuration folder, for people: the end of its path. Absent if `configDir` is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub config_name: Option<String>,
    }

    /// A live session of this host, or a session of the store whose deferred request waits, as `GET /api/live` lists it.
    pub struct LiveItem {
        /// The ID of the session.
        pub id: String,
        /// The name of the project.
        pub project: String,
        /// The phase of the session.
        pub phase: Phase,
        /// The time at which the phase began, in milliseconds since 1970.
        pub since: f64,
        /// The time since the phase began, in seconds.
        pub phase_seconds: f64,
        /// What the session waits for. Absent if it waits only for a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub waits_for: Option<WaitsFor>,
        /// The time since the process has written anything, in seconds. Absent unless something is expected of the process
        /// and it has been silent for too long: 45 seconds by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub silent_seconds: Option<f64>,
        /// The address at which the other hosts reach this host. Absent if this host is not one of several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub host: Option<String>,
        /// The ID of the session's process on this host. Absent if the session has none. Behind a wall, it is the process
        /// of the wall's command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub pid: Option<u32>,
        /// The name of the wall behind which the session's processes run. Absent if its project has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub wall: Option<String>,
    }

    /// The cost of a session in a list.
    pub struct SessionCost {
        /// The cost in US dollars.
        pub usd: f64,
        /// Whether `usd` can differ from the cost that the CLI reports: a part of `usd` is an estimate, or the cost of
        /// the newest answers is not known.
        pub is_estimate: bool,
    }

    /// Changes to a session on disk or in the store. A value whose field is absent stays unchanged.
    #[serde(deny_unknown_fields)]
    pub struct SessionPatch {
        /// The new title of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
        /// The new tag of the session. An empty text removes the tag.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tag: Option<String>,
        /// Whether the session is archived after the change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub archived: Option<bool>,
    }

    /// Settings of a live session. A setting whose field is absent stays unchanged.
    #[serde(deny_unknown_fields)]
    pub struct Settings {
        /// The new model, which applies from the next answer on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model: Option<String>,
        /// The new permission mode.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<PermissionMode>,
        /// The effort level from the next answer on. `default` means the model's default level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub effort: Option<EffortLevel>,
    }

    /// The body of a request to fork a session.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct Fork {
        /// The UUID of the last message to copy. If absent, all messages are copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub up_to: Option<String>,
        /// The UUID of a prompt. Everything before this prompt is copied. If nothing comes before it, the fork is a new
        /// session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub before: Option<String>,
        /// The UUID of a prompt. Everything up to the end of the prompt's turn is copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub through: Option<String>,
        /// The title of the fork.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
    }

    /// The query parameters of a deletion.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct DeleteQuery {
        /// Whether to close a live session first, and to end its process. Absent means no: a live session is not deleted.
        pub end: Option<bool>,
    }

    /// The query parameters of a search.
    #[serde(deny_unknown_fields)]
    pub struct SearchQuery {
        /// The text to search for, ignoring case.
        pub q: String,
    }

    /// The query parameters of a request for the files that a session has changed.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct ChangesQuery {
        /// The path of one file, as a response without this parameter lists it. The response then contains only this
        /// file, with up to 2 MiB of its hunks. Absent means all files, with up to 128 KiB of hunks for each file and 1
        /// MiB in total.
        pub path: Option<String>,
        /// `true` lists the files that the session's tools have edited, without hunks, and does not ask the CLI.
        /// Default: `false`.
        pub summary: Option<bool>,
    }

    /// The query parameters of a request about the login of a configuration folder.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct ConfigDirQuery {
        /// The configuration folder, as the list of sessions names it. Absent means the first one.
        pub config_dir: Option<String>,
    }

    /// The query parameters of a request for a usage report.
    #[serde(deny_unknown_fields)]
    pub struct UsageQuery {
        /// The grouping: `day` (the default), `week`, `month`, `project`, `model`, `session` or `configDir`.
        pub by: Option<UsageBy>,
        /// The first day that is counted, in UTC, such as `2026-11-22`. Absent means all days.
        pub since: Option<String>,
        /// The last day that is counted, in UTC. Absent means all days.
        pub until: Option<String>,
        /// The number of days, in UTC, up to and including today. If it is set, `since` is ignored.
        pub days: Option<u32>,
        /// The form of the response. If absent, the header `Accept` decides. Default: `json`.
        pub format: Option<UsageFormat>,
    }

    /// The format of a usage report.
    #[derive(Copy, Eq)]
    pub enum UsageFormat {
        /// The report is a JSON object with a member for each row.
        Json,
        /// The report is a table of comma-separated values.
        Csv,
    }

    /// The grouping of a usage report.
    #[derive(Copy, Default, Eq)]
    pub enum UsageBy {
        /// The usage is grouped by day, in UTC.
        #[default]
        Day,
        /// The usage is grouped by week, as ISO 8601 counts weeks, such as `2026-W48`.
        Week,
        /// The usage is grouped by month, such as `2026-11`.
        Month,
        /// The usage is grouped by the name of the project.
        Project,
        /// The usage is grouped by model.
        Model,
        /// The usage is grouped by the ID of the session.
        Session,
        /// The usage is grouped by the path of the configuration folder. Sessions that are only in the store have no
        /// part in it.
        ConfigDir,
    }

    /// The body of every response that is an error.
    pub struct ErrorBody {
        /// The error that the response is about.
        pub error: ErrorInfo,
    }

    /// An error, for programs and for people.
    pub struct ErrorInfo {
        /// The kind of the error, for programs: `unauthorized`, `forbidden`, `notFound`, `methodNotAllowed`,
        /// `badRequest`, `tooLarge`, `timeout`, `answered`, `inSeveral` (several configuration folders have the session),
        /// `busy`, `limit`, `nothingRuns`, `failed`.
        pub kind: String,
        /// The error in words, for people.
        pub message: String,
        /// The viewer that had already answered the request, and its answer. Present only for the kind `answered`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub answered: Option<Answered>,
        /// The fields of a form whose values are not accepted, and why. Absent if there are no such fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub fields: Vec<FieldError>,
        /// The limit of a user or project that is reached. Present only for the kind `limit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub limit: Option<ReachedLimit>,
    }

    /// The limits of a user or of a project, and what is used of them.
    pub struct QuotaUse {
        /// Whether the limits are those of a user or of a project.
        pub of: LimitOwner,
        /// The name of the user or project.
        pub name: String,
        /// The limits that the user or project has, one of each kind at most.
        pub limits: Vec<LimitUse>,
    }

    /// A limit, and what is used of it.
    pub struct LimitUse {
        /// The kind of the limit.
        pub kind: LimitKind,
        /// The limit, in dollars for a cost, else a number of sessions, processes or prompts.
        pub value: f64,
        /// How much of the limit is used. It can be more than the limit.
        pub used: f64,
        /// The time at which a limit that is reached is free again, in milliseconds since 1970. Null if it is not reached,
        /// or if no time frees it.
        pub free_at: Option<f64>,
    }
}
