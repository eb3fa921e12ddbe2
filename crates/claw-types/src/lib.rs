//! Every message of the Claude Code stream-json protocol, typed and lossless.
//!
//! The protocol is newline-delimited JSON over the stdin and stdout of a `claude` process. This
//! crate says what can stand on a line, and nothing about who carries it: no I/O, no runtime, no
//! clock.
//!
//! For programs that read or write lines by their own means. The crate claw-client starts and drives a `claude`,
//! and has these types as `claw_client::types`. Guides: `docs/wire.md`, `docs/options.md`.
//!
//! - [`StdoutMessage`] is what `claude` writes, [`StdinMessage`] what it reads; [`Message`] is the
//!   conversation among them. Control frames are in [`control`], the Messages API's own objects in
//!   [`api`], what a query is run with in [`options`].
//! - [`from_line`] reads a line in one pass; serde works as usual on every type.
//! - Nothing is lost: unknown kinds become `Unknown` with their JSON, unknown fields stay in
//!   `extra`, unknown values of an enumeration stay what they are, and all are sent on unchanged.
//!   [`untyped`] lists what of a value was not known.
//! - Kinds that are in no published type are in [`message::internal`] and [`control::internal`] (feature
//!   `internal`). Without the feature they are `Unknown`, as one is that has another form than claw knows.
//! - What a session leaves on disk is in [`transcript`] (feature `transcript`), what stores exchange in [`store`].
//! - What the built-in tools are given and give is in [`tool`] (feature `tools`).
//! - Lines of other times are read by [`dialect`] (feature `dialect`), and turned into today's. [`guide`] has
//!   the things that one does with messages, each as an example.
//! - Every type can be built: `new` takes what is required, a method named as the field sets the
//!   rest.
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

/// The README's example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// `#[wire]`, in every module: it is what the protocol is written in.
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
mod error;
mod escape;
mod extra;
mod frame;
#[cfg(feature = "dialect")]
pub mod guide;
pub mod hook;
mod id;
mod json;
mod line;
#[cfg(feature = "tools")]
mod list_of;
mod literal;
mod map;
pub mod message;
mod number;
mod open_enum;
pub mod options;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
pub mod store;
mod texts;
#[cfg(feature = "tools")]
pub mod tool;
#[cfg(feature = "transcript")]
pub mod transcript;
mod tri;
mod unknown;
mod untyped;
mod wire;

pub use error::{DecodeError, DecodeErrorKind};
pub use escape::{escape, escape_json};
pub use extra::Extra;
pub use frame::Frame;
pub use id::{ApiMessageId, MessageUuid, RequestId, SessionId, ToolUseId};
pub use json::{Json, JsonIndex, JsonOf, json_equal};
pub use line::{FromLine, StdinMessage, StdoutMessage, ToLine, from_line, to_line};
pub use literal::True;
pub use map::{IntoOptionalText, Map};
pub use message::Message;
pub use number::{Count, Number};
pub use options::QueryOptions;
pub use tri::Tri;
pub use unknown::Unknown;
pub use untyped::{Typed, Untyped, untyped};

/// The version of Claude Code that these types describe: the one that claw is tested against.
///
/// Older ones are understood as well, and of newer ones everything is kept; see
/// `docs/versioning.md`.
pub const CLI_VERSION: &str = "2.1.330";
