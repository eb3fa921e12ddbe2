//! Reads lines of JSON as Rust types, and writes them again without loss.
//!
//! Only [claw-types](https://docs.rs/claw-types) uses this crate. claw-types declares the messages of the Claude Code
//! protocol, and re-exports those types of this crate that its users need ([`Json`], [`Map`], [`Tri`] …). This crate
//! itself does not contain the messages of Claude Code. The rest of its public interface is for the code that the macro
//! `#[wire]` generates. That interface changes whenever the generated code changes. So claw-types requires an exact
//! version of this crate.
//!
//! - **Containers:** [`Json`] and [`JsonOf`] keep a value unchanged. [`Extra`] keeps the fields that a struct does
//!   not have. [`Unknown`] keeps an object of an unknown kind. [`Map`], [`Tri`], [`Number`] and [`Count`] are written
//!   as they were read.
//! - **Reading:** [`Parser`] scans a text once. It reads types that implement [`Read`]. A struct implements
//!   [`Object`]; [`fill`] reads its fields. An enum of such structs implements [`Union`]; [`decode_line`] reads it from
//!   a line.
//! - **Writing:** A [`Writer`] writes types that implement [`Write`].
//! - **Errors:** [`DecodeError`] says what is wrong with a line, and where.
//!
//! ```
//! use claw_wire::{Json, Map, append_line, read_text};
//!
//! let read: Map<Json> = read_text(r#"{"cost": 1.0, "new": [1e400]}"#)?;
//! let mut written = Vec::new();
//! append_line(&read, &mut written)?;
//! assert_eq!(written, br#"{"cost":1.0,"new":[1e400]}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! `docs/wire.md` describes how a line is read and written.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod classify;
mod const_eq;
mod error;
mod escape;
mod extra;
mod failed;
mod fault;
mod json;
mod line;
mod map;
mod number;
mod object;
mod parser;
mod path;
mod raw;
mod read;
mod scan;
#[cfg(feature = "schema")]
mod schema;
mod surrogate;
mod tri;
mod union;
mod unknown;
mod writer;
mod written;

pub use classify::{Index, Subtype, TagMatch, Tags};
pub use const_eq::const_eq;
pub use error::{DecodeError, DecodeErrorKind};
pub use escape::{escape, escape_json};
pub use extra::Extra;
pub use failed::Failed;
pub use json::{Json, JsonIndex, JsonOf, json_equal, members};
pub use line::decode_line;
pub use map::{IntoOptionalText, Map};
pub use number::{Count, Number};
pub use object::{Destination, Member, Object, Presence, Shape, fill};
pub use parser::{Parser, Text};
pub use read::{Read, Slot, by_serde, from_text, read_text};
#[cfg(feature = "schema")]
pub use schema::{READ_LATER, read_later, refers_to};
pub use surrogate::repair;
pub use tri::Tri;
pub use union::{Union, read_union, sub_key};
pub use unknown::Unknown;
pub use writer::{UntypedRange, UntypedReason, Write, Writer, append_line};
pub use written::{Written, by_writer, written_with_ranges};
