//! Rust types for every message of the Claude Code stream-json protocol. They read and write
//! messages without loss.
//!
//! The protocol is newline-delimited JSON over the stdin and stdout of a `claude` process. This
//! crate defines the contents of a line. It performs no I/O, needs no async runtime and reads no
//! clock.
//!
//! Use this crate in a program that reads and writes the lines itself. The crate claw-client starts
//! and controls a `claude` process, and re-exports these types as `claw_client::types`. Guides:
//! `docs/wire.md`, `docs/options.md`.
//!
//! - [`StdoutMessage`] is a line that `claude` writes, and [`StdinMessage`] is a line that it reads. [`Message`] is a
//!   line of the conversation that `claude` writes. The module [`control`] contains control messages, [`api`] contains
//!   objects of the Messages API, and [`options`] contains the options of a query.
//! - [`from_line`] reads a line in one pass. Every type also implements serde's `Serialize` and
//!   `Deserialize`.
//! - Nothing is lost: unknown kinds become `Unknown` with their JSON, unknown fields stay in
//!   `extra`, unknown values of an enumeration are kept, and all of them are sent on unchanged.
//!   [`untyped`] lists the unknown parts of a value.
//! - Kinds that are not part of the official SDK's published types are in [`message::internal`] and
//!   [`control::internal`] (feature `internal`). Without the feature, such messages become `Unknown`. With the feature,
//!   such a message becomes `Unknown` only if it does not have the form that this crate expects.
//! - The entries of the transcript that a session leaves on disk are in [`transcript`] (feature
//!   `transcript`). The types for session stores are in [`store`].
//! - The inputs and outputs of the built-in tools are in [`tool`] (most of them with the feature `tools`).
//! - [`dialect`] (feature `dialect`) reads lines from other versions of Claude Code and upgrades them. [`guide`] shows
//!   common uses of messages by example.
//! - Every type can be built: `new` takes the required fields, and each optional field has a method of the same name
//!   that sets it.
//!
//! ```
//! use claw_types::{Message, from_line};
//!
//! let line = br#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant",
//!     "model":"claude-opus-5-5","content":[{"type":"text","text":"Four."}],"stop_reason":null,
//!     "stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":2}},
//!     "parent_tool_use_id":null,"uuid":"u-1","session_id":"s-1","brand_new":true}"#;
//! let message: Message = from_line(line)?;
//! assert_eq!(message.text(), "Four.");
//! assert!(serde_json::to_string(&message)?.contains(r#""brand_new":true"#));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// `#[wire]` is available in every module: all types of the protocol are declared with it.
#[macro_use]
extern crate claw_types_derive;

pub mod accumulate;
pub mod api;
#[cfg(feature = "tools")]
mod by_key;
mod by_shape;
pub mod control;
#[cfg(feature = "dialect")]
pub mod dialect;
mod frame;
#[cfg(feature = "dialect")]
pub mod guide;
pub mod hook;
mod id;
mod line;
#[cfg(feature = "tools")]
mod list_of;
mod literal;
pub mod message;
mod open_enum;
pub mod options;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
pub mod store;
mod texts;
pub mod tool;
#[cfg(feature = "transcript")]
pub mod transcript;
mod untyped;
mod wire;

/// A value for [`env`](crate::QueryOptions::env) or
/// [`extra_args`](crate::QueryOptions::extra_args). `None` removes a variable from `env`; in
/// `extra_args` it stands for a flag without a value.
#[doc(inline)]
pub use claw_wire::IntoOptionalText;
#[doc(inline)]
pub use claw_wire::{
    Count, DecodeError, DecodeErrorKind, Extra, Json, JsonIndex, JsonOf, Map, Number, Tri, Unknown,
    escape, escape_json, json_equal, members,
};
pub use frame::Frame;
pub use id::{ApiMessageId, MessageUuid, RequestId, SessionId, ToolUseId};
pub use line::{FromLine, StdinMessage, StdoutMessage, ToLine, from_line, line_to_value, to_line};
pub use literal::True;
pub use message::Message;
pub use options::QueryOptions;
pub use untyped::{Typed, Untyped, untyped};

/// The version of Claude Code that these types describe and with which claw is tested.
///
/// claw also reads the output of older versions, and keeps everything that newer versions add. See
/// `docs/versioning.md`.
pub const CLI_VERSION: &str = "2.1.332";
