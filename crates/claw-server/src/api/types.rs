//! What the routes take and give, as data.

use claw_types::options::{EffortLevel, PermissionMode};
use serde::{Deserialize, Serialize};

use crate::conversation::{Answered, Pending, Phase, State};

/// Declares types of this interface: what is derived for each of them, and the form of their names in JSON.
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
        /// The server takes requests.
        Ok,
    }

    /// A project: a folder in which sessions may run.
    pub struct ProjectInfo {
        /// The name of the project.
        pub name: String,
        /// The folder of the project.
        pub folder: String,
        /// The permission mode in which its sessions begin.
        pub mode: PermissionMode,
        /// The model with which its sessions begin. Null for the CLI's default.
        pub model: Option<String>,
    }

    /// The body of `POST /api/sessions`: a new conversation, or one that goes on.
    #[serde(deny_unknown_fields)]
    pub struct NewSession {
        /// The name of the project. Needed unless a session is resumed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub project: Option<String>,
        /// The ID of the session on disk to go on with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub resume: Option<String>,
        /// The session on disk to go on with in a copy, which leaves the session itself as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub fork: Option<ForkOf>,
        /// The model to begin with. Absent: that of the project.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model: Option<String>,
        /// The permission mode to begin with. Absent: that of the project.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<PermissionMode>,
        /// The effort level to begin with. Absent: that of the server's options, or else of the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub effort: Option<EffortLevel>,
        /// The title of a new session, or of a fork.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
    }

    /// The session to copy.
    #[serde(deny_unknown_fields)]
    pub struct ForkOf {
        /// The ID of the session.
        pub session: String,
        /// The UUID of the last message to copy. Absent: all messages are copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub up_to: Option<String>,
        /// The UUID of a prompt: what was said before it is copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub before: Option<String>,
        /// The UUID of a prompt: everything up to the end of its turn is copied.
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
        /// The ID of the newest event, for `Last-Event-ID`.
        pub last_event: String,
    }

    /// The response to a prompt.
    pub struct Sent {
        /// The UUID of the prompt: the client's own, or a new one.
        pub uuid: String,
        /// The ID of the session that received the prompt. It differs from that of the request if the conversation has
        /// continued under another ID, as after `/clear`.
        pub session: String,
    }

    /// Which sessions to list.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct ListQuery {
        /// Only sessions of the project of this name.
        pub project: Option<String>,
        /// Only sessions whose title or first prompt contains this text, ignoring case.
        pub q: Option<String>,
        /// `true` lists only archived sessions, `false` only the others. Default: `false`.
        pub archived: Option<bool>,
        /// The highest number of sessions in the page. Default 50, at most 500.
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
        /// The title, or else the beginning of the session. Null if nothing was said yet.
        pub title: Option<String>,
        /// The tag. Null if it has none.
        pub tag: Option<String>,
        /// Whether it is archived.
        pub archived: bool,
        /// The time of the last write, in milliseconds since 1970. Null if nothing is on disk yet.
        pub modified: Option<f64>,
        /// The phase of the session. Null if the session is not live, except that a session whose last turn was cut has `cut`.
        pub phase: Option<Phase>,
    }

    /// Changes of a session on disk. Absent fields stay as they are.
    #[serde(deny_unknown_fields)]
    pub struct SessionPatch {
        /// The new title of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
        /// The new tag. Empty for none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tag: Option<String>,
        /// Whether it is archived.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub archived: Option<bool>,
    }

    /// Settings of a live session. Absent fields stay as they are.
    #[serde(deny_unknown_fields)]
    pub struct Settings {
        /// The model that answers from the next answer on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub model: Option<String>,
        /// The permission mode.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mode: Option<PermissionMode>,
        /// The effort level from the next answer on. `default` for that of the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub effort: Option<EffortLevel>,
    }

    /// The body of a fork.
    #[derive(Default)]
    #[serde(deny_unknown_fields)]
    pub struct Fork {
        /// The UUID of the last message to copy. Absent: all messages are copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub up_to: Option<String>,
        /// The UUID of a prompt: what was said before it is copied. If that is nothing, the fork is a new session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub before: Option<String>,
        /// The UUID of a prompt: everything up to the end of its turn is copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub through: Option<String>,
        /// The title of the fork.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
    }

    /// The query of a search.
    #[serde(deny_unknown_fields)]
    pub struct SearchQuery {
        /// The text to search for, ignoring case.
        pub q: String,
    }

    /// The query of usage: the grouping, and the number of days.
    #[serde(deny_unknown_fields)]
    pub struct UsageQuery {
        /// The grouping: `day` (the default), `project` or `model`.
        pub by: Option<UsageBy>,
        /// The number of days, in UTC, up to and including today. Absent: all time.
        pub days: Option<u32>,
    }

    /// The grouping of usage.
    #[derive(Copy, Default, Eq)]
    pub enum UsageBy {
        /// By day, in UTC.
        #[default]
        Day,
        /// By the folder in which sessions began.
        Project,
        /// By model.
        Model,
    }

    /// The body of every response that is an error.
    pub struct ErrorBody {
        /// The error that the response is about.
        pub error: ErrorInfo,
    }

    /// An error, for programs and for people.
    pub struct ErrorInfo {
        /// The kind, for programs: `unauthorized`, `forbidden`, `notFound`, `badRequest`, `tooLarge`, `answered`, `busy`,
        /// `nothingRuns`, `failed`.
        pub kind: String,
        /// The error in words, for people.
        pub message: String,
        /// With the kind `answered`: who answered before, and how.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub answered: Option<Answered>,
    }
}
