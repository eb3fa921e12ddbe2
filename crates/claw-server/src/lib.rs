#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod api;
mod choices;
mod connections;
mod conversation;
mod descriptors;
mod files;
mod guard;
mod hosting;
mod hub;
mod limiter;
mod metrics;
#[cfg(feature = "notify")]
mod notify;
mod page;
mod project;
#[cfg(feature = "push")]
mod push;
mod routes;
mod rpc;
#[cfg(feature = "schema")]
pub mod schema;
mod server;
mod signature;
mod socket;

pub use api::{CliInfo, CliProblem, CliProblemKind};
pub use api::{
    ErrorBody, ErrorInfo, ForkOf, NewSession, ProjectInfo, Sent, SessionView, StoppedTask,
};
pub use api::{FileChanges, FilesQuery, PromptView, Rewind, Rewound};
pub use api::{
    Fork, ListQuery, SearchQuery, SessionItem, SessionPage, SessionPatch, Settings, UsageBy,
    UsageQuery,
};
pub use choices::{Choices, CommandChoice, ModelChoice};
pub use connections::Connections;
pub use conversation::{
    Answer, AnswerError, Answered, Asked, Conversation, Decision, Event, EventKind, Moved, Next,
    Pending, Phase, Reply, RequestKind, Snapshot, State, ToolAsked, Unanswered,
};
pub use conversation::{Choice, Field, FieldError, FieldKind, Form, FormContent, TextFormat};
pub use files::FileMatches;
pub use guard::login::{LoginLink, LoginUrl};
pub use guard::{PublicUrl, Token};
pub use hosting::{Hosting, hosted_session};
pub use hub::{
    Document, Hub, HubError, Image, Limits, LiveSession, NewPrompt, OpenOptions, Viewer,
};
#[cfg(feature = "notify")]
pub use notify::{Notify, NotifyError, NotifyFormat};
pub use project::Project;
pub use server::{Server, ServerBuilder, SetupError};
pub use socket::{PermissionAnswer, SocketError, SocketNotice, SocketRequest};
