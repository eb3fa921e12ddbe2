//! Queries and sessions with Claude Code, for applications and services in Rust.
//!
//! The guides in `docs/guides/` have a page for each task. The folder `crates/claw-client/examples/` has complete
//! programs.
//!
//! [`query`] runs one prompt in its own process:
//!
//! ```no_run
//! use claw_client::{QueryOptions, TurnEvent, query};
//! use futures::TryStreamExt;
//!
//! # async fn example() -> Result<(), claw_client::Error> {
//! let options = QueryOptions::default().include_partial_messages(true);
//! let mut events = query("What is 2 + 2?", options).await?.events();
//! while let Some(event) = events.try_next().await? {
//!     match event {
//!         TurnEvent::Text(text) => print!("{text}"),
//!         TurnEvent::ToolUse(tool) => println!("[{}]", tool.name),
//!         TurnEvent::Result(result) => println!("\n${:.4}", result.total_cost_usd()),
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Query`] is a stream of messages. [`Query::answer`] returns only the text of the answer.
//!
//! [`Session`] is a conversation of any number of turns.
//!
//! # Two directions
//!
//! A **call** goes from your program to the CLI: [`Session::call`], and a method for nearly every
//! kind ([`Session::set_model`], [`Session::context_usage`] …). Each of these methods returns a
//! [`Call`]. A **request** comes from the CLI to your program: a permission request, or the call of
//! a hook. Callbacks answer requests ([`SessionBuilder::can_use_tool`],
//! [`hook`](SessionBuilder::hook) …), or your program answers them as data: [`Session::requests`].
//! Both directions work while messages stream. (On the wire both are a `control_request`.)
//!
//! # Nothing hangs, nothing is left behind
//!
//! A session ends when your program closes or drops it, when the CLI ends or crashes, or when a pipe breaks. Everything
//! that waits for the session completes with an error, which names the cause and quotes the CLI's stderr. Every call
//! has a deadline. The process and its children end with the session's last handle.
//!
//! # Features
//!
//! - `tools`: the inputs and outputs of all built-in tools as types, as returned by
//!   `ToolPermissionRequest::typed_input`. The questions and plans for a person are typed without this feature.
//! - `schemars`: answers as values of your program's own types, described to the model by their
//!   JSON Schema: `SessionBuilder::output_as`, `Session::ask_as`, `TurnResult::output`. The crate
//!   itself is re-exported as `claw_client::schemars`.
//! - `mcp`: MCP servers in the application's own process, with the crate `rmcp`.
//! - `transcript`: the types of a session's transcript on disk. `dialect`: the types of older forms of the protocol.
//!   `internal`: the types of messages that Anthropic's published type definitions do not describe.
//! - `blocking`: the module `blocking`, for programs that are not async.
//! - `pool`: the module `pool`, many sessions on few processes.
//! - `store`: the module `store`, sessions that any host can continue.
//! - `files`: the module `files`, the names of a project's files for a name that a person is typing.
//! - `otel`: the CLI continues the OpenTelemetry trace of your program's active span.
//!
//! # Reading and back-pressure
//!
//! One task per session reads the CLI's output, whether or not anyone takes the messages: a slow
//! reader does not delay responses to calls, or permission requests. The amount of waiting messages
//! is bounded ([`SessionBuilder::buffer`]).
//!
//! The task runs in the runtime in which `connect` or `query` is called. On a `current_thread`
//! runtime it runs only while that runtime is polled: see
//! [`Session`](Session#on-a-current_thread-runtime). A program that is not async uses the module
//! `blocking` (feature `blocking`).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

/// Compiles the examples of the project's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
mod guides;

pub use claw_codec as codec;
pub use claw_transport as transport;
pub use claw_types as types;
// The types that most programs use. They are in `types`, too.
pub use claw_types::control::{PermissionAllow, PermissionDeny, PermissionResult};
pub use claw_types::options::{PermissionMode, QueryOptions, SystemPrompt};
pub use claw_types::{Json, Message, SessionId};
#[cfg(feature = "mcp")]
pub use rmcp;
#[cfg(feature = "schemars")]
pub use schemars;
/// The type of [`CallbackContext::token`], a token that is cancelled when the answer of a callback
/// is no longer awaited.
pub use tokio_util::sync::CancellationToken;

#[cfg(feature = "blocking")]
pub mod blocking;
mod calls;
mod driver;
mod engine;
#[cfg(feature = "files")]
#[cfg_attr(docsrs, doc(cfg(feature = "files")))]
pub mod files;
mod handle;
#[cfg(feature = "mcp")]
pub mod mcp;
mod outcome;
#[cfg(feature = "pool")]
pub mod pool;
mod requests;
mod session;
#[cfg(feature = "store")]
#[cfg_attr(docsrs, doc(cfg(feature = "store")))]
pub mod store;
#[cfg(feature = "store")]
mod stored;
mod waiting;

pub use calls::{Call, NamedCall};
pub use claw_transport::{Exited, SessionNotFound};
pub use engine::RunningHook;
pub use handle::Session;
#[cfg(feature = "mcp")]
pub use mcp::McpServer;
pub use outcome::answer::FinalAnswer;
pub use outcome::error::{Error, NotCompacted, Refused};
pub use outcome::received::{MessageFrame, Received, Unreadable};
pub use outcome::result::{LimitWait, TurnResult};
pub use outcome::usage::{Tokens, UsageTotals};
pub use outcome::version::{OLDEST_CLI, is_too_old, is_version};
pub use requests::answer::IntoAnswer;
pub use requests::context::CallbackContext;
pub use requests::decide::{FirstMatch, IntoOpinion};
pub use requests::hook;
pub use requests::incoming::{IncomingRequest, Requests, Responder};
pub use requests::permission::ToolPermissionRequest;
pub use requests::token::{HostAuthToken, OauthToken};
pub use session::builder::{SessionBuilder, query};
pub use session::events::{SubagentEvent, ToolResult, TurnEvent, TurnEvents, Withdrawn};
pub use session::mention::mention;
pub use session::messages::{Messages, Query, Turn};
pub use session::prompt::Prompt;
pub use session::text::TextStream;

/// The entry point of the fuzz target `engine`.
#[cfg(fuzzing)]
#[doc(hidden)]
pub fn fuzz_engine(input: &[u8]) {
    engine::hostile::holds(input);
}
