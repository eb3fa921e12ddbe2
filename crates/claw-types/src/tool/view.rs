//! Tools as messages, requests and hooks name them.

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
            /// What the tool is given, as the tool's own type.
            ///
            /// # Errors
            /// Where claw knows the tool and the input does not fit: the path, inside the input, says
            /// where.
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
    /// What the tool gave, as the tool's own type.
    ///
    /// # Errors
    /// Where claw knows the tool and what it gave does not fit: the path, inside the response, says
    /// where.
    pub fn typed_response(&self) -> Result<ToolOutput, DecodeError> {
        ToolOutput::of(&self.tool_name, &self.tool_response)
    }
}
