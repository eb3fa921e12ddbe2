#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod api;
mod connections;
mod guard;
mod hub;
mod project;
mod room;
mod server;

pub use api::{ErrorBody, ErrorInfo, NewSession, ProjectInfo, Sent, SessionView};
pub use connections::Connections;
pub use guard::Token;
pub use hub::{Hub, HubError, Image, Limits, Live, NewPrompt, Open, Viewer};
pub use project::Project;
pub use room::{
    Answer, AnswerError, Answered, Decision, Event, EventKind, Next, Pending, Phase, RequestKind,
    Room, Snapshot, State,
};
pub use server::{Server, ServerBuilder, SetupError};
