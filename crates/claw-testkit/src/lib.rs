//! Stand-ins for testing programs that drive Claude Code.
//!
//! - [`agent`]: a scripted agent, which stands in for `claude` itself, in process or as a program;
//! - [`alone`]: runs a test in a separate process;
//! - [`cost`]: measures how the cost of work grows with the size of its input, in processor instructions (with
//!   valgrind, so on Linux only);
//! - [`processes`]: asks the operating system about processes, on every platform;
//! - `terminal` (on Unix): a pseudo-terminal, for programs that people use in one;
//! - `store` (feature `store`): the conformance suite for session stores, faults of servers and connections, and a store
//!   whose calls a test delays, fails or counts;
//! - `conform` (feature `conform`): the conformance suite for SDKs in any language;
//! - `server` (feature `server`): Postgres, Redis and an S3 server on loopback, for tests of stores;
//! - `api` (feature `api`): a scripted Messages API on loopback, for the real `claude`.
//!
//! The scripts of the agent and of the API are plain data. The agent and the API wait at [`Gates`] until a test opens
//! them, so that no test has to sleep, and they generate the same IDs in every run.
//!
//! ```
//! use claw_testkit::Block;
//! use claw_testkit::agent::{Script, Step};
//!
//! // Answers one prompt, and crashes at the next.
//! let script = Script::new([
//!     Step::Turn(vec![Step::message([Block::text("Four.")])]),
//!     Step::expect_prompt(),
//!     Step::Exit(3),
//! ]);
//! println!("{}", serde_json::to_string(&script)?);
//! # Ok::<_, serde_json::Error>(())
//! ```
//!
//! The guide `docs/guides/testing.md` shows how to test an application with the agent and with the API.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod agent;
mod alone;
#[cfg(feature = "api")]
pub mod api;
mod block;
mod chromium;
mod claude;
#[cfg(feature = "conform")]
pub mod conform;
#[cfg(target_os = "linux")]
pub mod cost;
mod gate;
pub mod processes;
mod program;
#[cfg(all(unix, feature = "server"))]
pub mod server;
#[cfg(feature = "store")]
pub mod store;
#[cfg(unix)]
pub mod terminal;

pub use alone::alone;
pub use block::{Block, Content, Hold};
pub use chromium::{chromium, whole_chromium};
pub use claude::claude;
pub use gate::Gates;
