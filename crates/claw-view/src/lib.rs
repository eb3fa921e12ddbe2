//! Prepares the messages of a session for display: makes elements to draw, tracks progress, and checks the order of
//! messages.
//!
//! This crate is for wrappers and user interfaces. They can then show "Bash(go test ./...)", an edit as a diff, or
//! "Running tests 5/20" instead of protocol messages. The crate consists of pure functions and small state machines
//! over [`claw_types`]. It has no runtime and no clock. Only [`Recording::open`], [`diff::FileDiff::on_disk`],
//! [`SessionFolders::asked_path`] and [`real_path`] do I/O.
//!
//! - [`Recording`] reads the folder of a recorded session. [`Recording::elements`] returns everything that the
//!   session showed, with each prompt in its place.
//! - [`Timeline`] turns messages into [`Element`]s, live or from a transcript. It updates an element when more is known
//!   about it, for example when the result of a tool call arrives or when a response grows. [`Elements`] is the list of
//!   the elements in their order.
//! - [`ToolDisplay`] describes a tool use in one line, and [`Activity`] is the kind of work that a tool does. The
//!   module [`diff`] makes diffs of changed files, with line numbers.
//! - [`suggestion`] describes in words what a suggested change to the permissions allows. [`SessionFolders`] says whether
//!   the path of a permission request is outside of the session's folders. [`unconnected_servers`] names the MCP servers
//!   that are not connected, and [`running_hook`] the hook that delays a start.
//! - [`progress`] tracks the progress of a session.
//! - [`Flow`] checks that messages follow one another in a valid order.
//! - [`drawn`] defines what an element looks like, both on a terminal and on a page. `html`, behind the feature
//!   `html`, writes elements and Markdown as HTML, and escapes all text from the session.
//! - [`read`](fn@read) classifies a line of any kind.
//! - [`wrapper`] has messages for the clients of a wrapper. A wrapper is a service between `claude` and a client such
//!   as a mobile app.
//!
//! **Texts in elements are not escaped**: the model, a tool or a file may have put terminal escape sequences into them.
//! Pass every text through [`claw_types::escape`] before you print it to a terminal.
//!
//! Elements and changes to them can be serialized; `schemas/view.schema.json` describes their JSON. The guides are
//! `docs/guides/showing.md` and `docs/guides/recording.md`. The example `crates/claw-cli/examples/render.rs` draws a
//! session while the session runs.
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

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles the guide's example, which does not need claw-client.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/showing.md")]
struct Showing;

mod address;
mod at_api;
#[cfg(feature = "highlight")]
pub mod code;
pub mod diff;
pub mod drawn;
pub mod element;
#[cfg(feature = "lines")]
mod flow;
mod folders;
#[cfg(feature = "html")]
pub mod html;
mod permission;
pub mod progress;
#[cfg(feature = "lines")]
mod read;
pub mod real_path;
#[cfg(feature = "lines")]
mod recording;
#[cfg(feature = "schema")]
pub mod schema;
mod servers;
mod shown;
mod text;
mod timeline;
mod tool;
pub mod wrapper;

pub use address::is_web_address;
pub use element::{Element, ElementId};
#[cfg(feature = "lines")]
pub use flow::{Flow, Rule, TurnPattern, Violation};
pub use folders::{AskedPath, SessionFolders};
pub use permission::{OfferedChange, offered_change, suggestion};
#[cfg(feature = "lines")]
pub use read::{Read, read};
#[cfg(feature = "lines")]
pub use recording::{Damage, DamageKind, Direction, Interleave, RecordedLine, Recording};
pub use servers::{running_hook, unconnected_sentence, unconnected_server, unconnected_servers};
pub use text::{Preview, short_path};
pub use timeline::{Change, Elapsed, Elements, Growth, Input, Timeline, agent_element};
pub use tool::{Activity, ToolDisplay};

/// The prefix of the `parent_tool_use_id` of messages from a slash command that runs as an agent. The name of the
/// command follows the prefix.
const FORKED_COMMAND: &str = "forked-command-";
