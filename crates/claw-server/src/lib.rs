#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Compiles the guide's code with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/embedding.md")]
struct Embedding;

mod actor;
mod api;
mod audit;
mod base;
mod changes;
mod choices;
#[cfg(feature = "cluster")]
mod cluster;
mod connections;
mod conversation;
mod counts;
mod descriptors;
mod file_history;
mod forks;
mod guard;
mod hosting;
mod hub;
mod iso_time;
mod kept_limits;
mod late_body;
mod limiter;
mod limits;
mod metrics;
#[cfg(feature = "notify")]
mod notify;
mod object;
#[cfg(feature = "notify")]
mod otlp;
mod page;
mod project;
#[cfg(feature = "notify")]
mod push;
mod queries;
mod quota;
mod quota_book;
mod quota_costs;
mod role;
mod routes;
mod rpc;
#[cfg(feature = "schema")]
pub mod schema;
mod server;
mod signature;
mod socket;
#[cfg_attr(
    not(any(feature = "notify", test)),
    expect(dead_code, reason = "only an exporter reads spans")
)]
mod spans;
mod stored_usage;
mod stream;
#[cfg(feature = "notify")]
mod tls;
mod usage;
#[cfg(unix)]
mod user_socket;
mod users;
mod wall;
mod whole_file;
mod within;
mod worktree;

pub use api::*;
pub use audit::{Action, Audit, AuditEntry, AuditRefusal, AuditSender, Recorded};
pub use changes::{ChangeSource, ChangedFile, Changes, Workspace};
pub use choices::{Choices, CommandChoice, ModelChoice};
pub use claw_client::files::FileMatches;
pub use claw_sessions::Prices;
pub use connections::Connections;
pub use conversation::{
    Answer, AnswerError, Answered, Asked, Conversation, Decision, Event, EventKind, Moved, Next,
    Pending, Phase, Reply, RequestKind, Snapshot, State, ToolAsked, TurnUsage, Unanswered,
    WaitKind, WaitsFor,
};
pub use conversation::{Choice, Field, FieldError, FieldKind, Form, FormContent, TextFormat};
pub use guard::login::{LoginLink, LoginUrl};
pub use guard::{InvalidProxy, Person, PublicUrl, Token, TrustedProxy};
pub use hosting::{Hosting, hosted_session};
pub use hub::{
    Document, Hub, HubError, Image, Limits, LiveSession, NewPrompt, OpenOptions, RetentionRound,
    Viewer,
};
pub use limits::{LimitWindow, LoginLimits};
#[cfg(feature = "notify")]
pub use notify::{Notify, NotifyError, NotifyFormat};
#[cfg(feature = "notify")]
pub use otlp::{Otlp, OtlpError};
pub use project::Project;
pub use quota::{LimitKind, LimitOwner, Quota, Quotas, ReachedLimit};
pub use role::Role;
pub use server::{NO_TLS, Server, ServerBuilder, SetupError};
pub use socket::{PermissionAnswer, SocketError, SocketNotice, SocketRequest};
#[cfg(feature = "notify")]
pub use tls::{Authority, Tls, TlsSetupError};
#[cfg(unix)]
pub use user_socket::{UserSocket, UserSocketError};
pub use users::{NewUser, User, Users, UsersError};
pub use wall::Wall;
pub use worktree::{Worktree, WorktreeLoss, WorktreeState};
