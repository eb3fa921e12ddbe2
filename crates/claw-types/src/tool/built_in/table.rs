//! The table of the built-in tools: each tool's name, older names, input type and output type.

use std::fmt;

/// A tool that is built into the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltIn {
    /// The tool's name in current CLIs.
    pub name: &'static str,
    /// Older names of the tool, which the CLI still knows.
    pub aliases: &'static [&'static str],
    /// The name of the Rust type of the tool's input, such as `BashInput`.
    pub input: &'static str,
    /// The name of the Rust type of the tool's output, such as `BashOutput`.
    pub output: &'static str,
}

impl fmt::Display for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares the built-in tools, one line each: `Variant(Input, Output) = "Name" | "Older name";`.
macro_rules! tools {
    ($($(#[doc = $doc:literal])+ $tool:ident($input:ident, $output:ident) = $name:literal $(| $alias:literal)*;)+) => {
        /// The built-in tools that this version of claw knows.
        pub const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            aliases: &[$($alias),*],
            input: stringify!($input),
            output: stringify!($output),
        }),+];

        /// The input of a tool. Each variant contains the Rust type for the input of one tool.
        ///
        /// The JSON of an input does not contain the tool's name. Types that have both the name and the input, such as
        /// [`ToolUseBlock`](crate::api::ToolUseBlock), return a `ToolInput` from their method `typed_input`. A
        /// `ToolInput` is serialized as the input alone, without the name.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolInput {
            $($(#[doc = $doc])+ $tool(Box<$input>),)+
            /// The input of an MCP server's tool.
            Mcp(McpToolInput),
            /// The input of a tool that this version of claw does not know.
            Unknown(UnknownToolInput),
        }

        impl ToolInput {
            /// Reads the input of a tool. `tool` is the tool's name.
            ///
            /// # Errors
            /// Fails if claw knows the tool and the input does not fit the tool's input type. The path in the error
            /// says where it does not fit. This can happen when a model calls a tool with a wrong input.
            pub fn of(tool: &str, input: &Json) -> Result<Self, DecodeError> {
                match tool {
                    $($name $(| $alias)* => Ok(Self::$tool(Box::new(input.read_as()?))),)+
                    _ => Ok(Self::of_another(tool, input)),
                }
            }

            /// Returns the tool's current name, even if the input was read with an older name of the tool.
            pub fn tool_name(&self) -> Cow<'_, str> {
                match self {
                    $(Self::$tool(_) => $name.into(),)+
                    Self::Mcp(input) => full_name(&input.server, &input.tool).into(),
                    Self::Unknown(input) => input.tool.as_str().into(),
                }
            }
        }

        crate::wire::serialize_by_text!(ToolInput);

        impl crate::wire::Write for ToolInput {
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::Failed> {
                match self {
                    $(Self::$tool(input) => crate::wire::Write::write(input, writer),)+
                    Self::Mcp(input) => crate::wire::Write::write(&input.input, writer),
                    Self::Unknown(input) => crate::wire::Write::write(&input.input, writer),
                }
            }
        }

        /// The output of a tool. Each variant contains the Rust type for the output of one tool. A tool's output is the
        /// `tool_use_result` of a user message or the `tool_response` of the `PostToolUse` hook, and not the text that
        /// the model receives in the `tool_result` block.
        ///
        /// A `ToolOutput` is serialized as the output alone, without the name.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolOutput {
            $($(#[doc = $doc])+ $tool(Box<$output>),)+
            /// The output of an MCP server's tool. If the tool failed, the output is the text of the error message.
            Mcp(McpOutput),
            /// The error text of a built-in tool that failed, was denied or was interrupted.
            Failed(String),
            /// The output of a tool that this version of claw does not know, unchanged.
            Unknown(Json),
        }

        impl ToolOutput {
            /// Reads the output of a tool. `tool` is the tool's name.
            ///
            /// # Errors
            /// Fails if claw knows the tool and the output does not fit the tool's output type. The path in the error
            /// says where it does not fit. This can happen when a hook replaces the output.
            pub fn of(tool: &str, output: &Json) -> Result<Self, DecodeError> {
                match tool {
                    $($name $(| $alias)* => match Shape::of(output) {
                        Shape::Text => Ok(Self::Failed(output.read_as()?)),
                        _ => Ok(Self::$tool(Box::new(output.read_as()?))),
                    },)+
                    _ => Self::of_another(tool, output),
                }
            }
        }

        crate::wire::serialize_by_text!(ToolOutput);

        impl crate::wire::Write for ToolOutput {
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::Failed> {
                match self {
                    $(Self::$tool(output) => crate::wire::Write::write(output, writer),)+
                    Self::Mcp(output) => crate::wire::Write::write(output, writer),
                    Self::Failed(why) => crate::wire::Write::write(why, writer),
                    Self::Unknown(output) => crate::wire::Write::write(output, writer),
                }
            }
        }

        $(
            impl From<$input> for ToolInput {
                fn from(input: $input) -> Self {
                    Self::$tool(Box::new(input))
                }
            }

            impl From<$output> for ToolOutput {
                fn from(output: $output) -> Self {
                    Self::$tool(Box::new(output))
                }
            }
        )+

        /// The schemas of each tool's input and output, in the order of [`BUILT_IN`].
        #[cfg(feature = "schema")]
        pub(crate) fn schemas(
            generator: &mut schemars::SchemaGenerator,
        ) -> Vec<[schemars::Schema; 2]> {
            vec![$([
                generator.subschema_for::<$input>(),
                generator.subschema_for::<$output>(),
            ]),+]
        }
    };
}
pub(super) use tools;
