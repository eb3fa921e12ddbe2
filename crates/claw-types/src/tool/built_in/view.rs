//! Methods that read the tool input or tool output of a message, request or hook as a Rust type.

use super::{ToolInput, ToolOutput};
use crate::DecodeError;
use crate::api::ToolUseBlock;
use crate::control::CanUseTool;
use crate::hook::{
    BatchedToolCall, PermissionDeniedInput, PermissionRequestInput, PostToolUseFailureInput,
    PostToolUseInput, PreToolUseInput,
};
use crate::message::PermissionDenial;

macro_rules! typed_input {
    ($($owner:ident { $name:ident, $input:ident })+) => {$(
        impl $owner {
            /// Reads the tool's input as the Rust type that claw has for this tool.
            ///
            /// # Errors
            /// Fails if claw knows the tool and the input does not fit the tool's input type. The path in the error is
            /// relative to the input.
            pub fn typed_input(&self) -> Result<ToolInput, DecodeError> {
                ToolInput::of(&self.$name, &self.$input)
            }
        }
    )+};
}

typed_input! {
    ToolUseBlock { name, input }
    CanUseTool { tool_name, input }
    PreToolUseInput { tool_name, tool_input }
    PostToolUseInput { tool_name, tool_input }
    PostToolUseFailureInput { tool_name, tool_input }
    BatchedToolCall { tool_name, tool_input }
    PermissionRequestInput { tool_name, tool_input }
    PermissionDeniedInput { tool_name, tool_input }
    PermissionDenial { tool_name, tool_input }
}

impl PostToolUseInput {
    /// Reads the tool's output as the Rust type that claw has for this tool.
    ///
    /// # Errors
    /// Fails if claw knows the tool and the output does not fit the tool's output type. The path in the error is
    /// relative to the output.
    pub fn typed_response(&self) -> Result<ToolOutput, DecodeError> {
        ToolOutput::of(&self.tool_name, &self.tool_response)
    }
}
