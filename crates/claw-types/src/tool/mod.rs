//! Inputs and outputs of the built-in tools.
//!
//! In a message, the name of a tool is next to its input (`{"type": "tool_use", "name": "Bash", "input": {…}}`), and
//! the tool's result does not name the tool. Therefore messages keep inputs and results as untyped
//! [`Json`](crate::Json). This module has Rust types for them. [`ToolInput::of`] and [`ToolOutput::of`] read a value if
//! you pass the tool's name. A type that contains the tool's name has the method `typed_input` or `typed_response`
//! instead. A value that was read is written unchanged, including unknown fields.
//!
//! [`BUILT_IN`] lists all tools. This needs the feature `tools`. Without it, the module has only the tools that the
//! host itself answers: `AskUserQuestion` and the tools of plan mode.
//!
//! ```
//! use claw_types::{Json, tool::ToolInput};
//!
//! let input = Json::from(serde_json::json!({"command": "cargo test", "timeout": 60000}));
//! let ToolInput::Bash(bash) = ToolInput::of("Bash", &input)? else { unreachable!() };
//! assert_eq!(bash.command, "cargo test");
//! # Ok::<_, claw_types::DecodeError>(())
//! ```

#[cfg(feature = "tools")]
mod built_in;
mod plan;
mod question;

#[cfg(feature = "tools")]
pub use self::built_in::*;
pub use self::plan::*;
pub use self::question::*;
