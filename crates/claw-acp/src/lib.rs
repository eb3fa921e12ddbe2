#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod agent;
mod auth;
mod commands;
mod config;
mod connection;
mod failure;
mod handlers;
mod mcp;
mod offer;
mod outbox;
mod peer;
mod permission;
mod prompt;
mod question;
mod sent_tools;
mod session;
mod sessions;
mod settings;
mod start;
mod stop;
mod stored;
mod time;
mod tool_request;
mod transport;
mod updates;
#[cfg(feature = "v2-draft")]
mod v2;

pub use agent::{Agent, Error};
pub use agent_client_protocol;
pub use offer::Offer;
pub use transport::Direction;
pub use updates::Updates;
