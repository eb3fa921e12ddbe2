//! What a person looks at: the messages of a session as elements, progress and flow.
//!
//! For wrappers and user interfaces, which do not draw protocol messages but "Bash(go test ./...)",
//! an edit as a diff, "Running tests 5/20". Pure functions and small state machines over
//! [`claw_types`]: no runtime, no clock, and no I/O but for [`Recording::open`].
//!
//! - [`Recording`] reads the folder of a recorded session: [`Recording::elements`] is all that was shown in
//!   it, with prompts in their places.
//! - [`Timeline`] makes [`Element`]s of messages, live or from a transcript, and changes them when more is
//!   known: a tool call gets its result, an answer grows. [`Elements`] keeps them in order.
//! - [`ToolDisplay`] tells the use of a tool in a line, [`Activity`] what kind of work it is; [`diff`] has
//!   changes of files, with their line numbers.
//! - [`progress`] says how far a session has come.
//! - [`Flow`] checks that messages follow one another as they should.
//! - [`read`](fn@read) tells what a line is, of whatever sort.
//! - [`wrapper`] has what a service between `claude` and a client of its own says to that client.
//!
//! **Texts in elements are as they came**: the model, a tool or a file may have put escapes of a terminal
//! into them. Pass what is printed through [`claw_types::escape`].
//!
//! Elements and their changes can be serialised; `schemas/view.schema.json` describes them. Guides:
//! `docs/guides/showing.md`, `docs/guides/recording.md`; `crates/claw-cli/examples/render.rs` draws a session
//! while it runs.
//!
//! ```
//! use claw_view::{Change, Input, Timeline};
//!
//! let line = r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant",
//!     "model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":
//!     "go test ./..."}}],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":2}},
//!     "parent_tool_use_id":null,"uuid":"u-1","session_id":"s-1"}"#;
//! let mut timeline = Timeline::default();
//! for change in timeline.push(Input::Line(line)) {
//!     if let Change::Added(element) = change {
//!         println!("{}", serde_json::to_string_pretty(&element)?);
//!     }
//! }
//! # Ok::<_, serde_json::Error>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// The README's example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// So is the guide's, which needs nothing of claw-client.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/showing.md")]
struct Showing;

mod at_api;
pub mod diff;
pub mod element;
mod flow;
pub mod progress;
mod read;
mod recording;
#[cfg(feature = "schema")]
pub mod schema;
mod shown;
mod text;
mod timeline;
mod tool;
pub mod wrapper;

pub use element::{Element, ElementId};
pub use flow::{Flow, Rule, Violation};
pub use read::{Read, read};
pub use recording::{Damage, DamageKind, Direction, Interleave, RecordedLine, Recording};
pub use text::{Preview, short_path};
pub use timeline::{Change, Elapsed, Elements, Growth, Input, Timeline};
pub use tool::{Activity, ToolDisplay};

/// What the parent begins with of messages of a command that runs as an agent; the command's name follows.
const FORKED_COMMAND: &str = "forked-command-";
