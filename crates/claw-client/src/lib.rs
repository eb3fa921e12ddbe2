//! Queries and sessions with Claude Code.
//!
//! One prompt, and the messages that come of it:
//!
//! ```no_run
//! use claw_client::Received;
//! use claw_client::types::{Message, QueryOptions};
//! use futures::TryStreamExt;
//!
//! # async fn example() -> Result<(), claw_client::Error> {
//! let mut messages = claw_client::query("What is 2 + 2?", QueryOptions::default()).await?;
//! while let Some(received) = messages.try_next().await? {
//!     match received {
//!         Received::Message(message @ Message::Assistant(_)) => println!("{}", message.text()),
//!         Received::Message(_) => {}
//!         // The messages behind it still come.
//!         Received::Unreadable(line) => eprintln!("{line}"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Session`] is a conversation of any number of turns: with permission callbacks, and with
//! requests to the CLI while messages stream.
//!
//! # Nothing hangs, nothing is left
//!
//! Whatever ends a session — its close, its drop, the CLI's end or crash, a broken pipe — completes
//! everything that waits for something of it, with an error that says which of these it was and
//! quotes what the CLI wrote to stderr. Every request has a deadline. The process and what it
//! started end with the session's last handle.
//!
//! # Who reads
//!
//! One task a session reads what the CLI writes, whether or not anybody takes the messages: a slow
//! reader does not hold up answers and permission questions. What waits is bounded
//! ([`SessionBuilder::buffer`]).
#![forbid(unsafe_code)]

/// The README's examples are compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
mod guides;

pub use claw_codec as codec;
pub use claw_transport as transport;
pub use claw_types as types;
#[cfg(feature = "mcp")]
pub use rmcp;
#[cfg(feature = "schemars")]
pub use schemars;

mod asking;
mod builder;
mod call;
mod callbacks;
mod calls;
mod commands;
mod controls;
mod decide;
mod driver;
mod ending;
mod engine;
mod error;
mod feed;
pub mod hook;
mod inbox;
mod initialize;
#[cfg(feature = "mcp")]
pub mod mcp;
mod mcp_controls;
mod messages;
#[cfg(feature = "schemars")]
mod output;
mod permission;
mod prompt;
mod questions;
mod received;
mod requests;
mod result;
mod room;
mod session;
mod stdin;
mod text;
mod token;
mod usage;
mod version;

pub use builder::SessionBuilder;
pub use call::Call;
pub use callbacks::IntoAnswer;
pub use claw_transport::{Exited, SessionNotFound};
pub use decide::FirstMatch;
pub use error::{Error, Refused};
#[cfg(feature = "mcp")]
pub use mcp::McpServer;
pub use messages::{Messages, Query, Turn, query};
pub use permission::PermissionRequest;
pub use prompt::Prompt;
pub use received::{MessageFrame, Received, Unreadable};
pub use requests::{Context, IncomingRequest, Requests, Responder};
pub use result::TurnResult;
pub use session::Session;
pub use text::TextStream;
pub use token::{HostAuthToken, OauthToken};
pub use usage::{SessionUsage, Tokens};
pub use version::OLDEST_CLI;

/// What the fuzz target `engine` looks at.
#[cfg(fuzzing)]
#[doc(hidden)]
pub fn fuzz_engine(input: &[u8]) {
    engine::hostile::holds(input);
}
