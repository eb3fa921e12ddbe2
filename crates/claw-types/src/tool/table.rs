//! The table of the built-in tools: a name, its older ones, and what goes in and comes out.

use std::fmt;

/// A tool that the CLI brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltIn {
    /// Its name, as today's models call it.
    pub name: &'static str,
    /// Names by which the CLI knows it as well: those of earlier versions.
    pub aliases: &'static [&'static str],
    /// The type of what it is given.
    pub input: &'static str,
    /// The type of what it gives.
    pub output: &'static str,
}

impl fmt::Display for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares the built-in tools: `Variant(Input, Output) = "Name" | "Older name";`, a line a tool.
macro_rules! tools {
    ($($(#[doc = $doc:literal])+ $tool:ident($input:ident, $output:ident) = $name:literal $(| $alias:literal)*;)+) => {
        /// The built-in tools that claw knows.
        pub const BUILT_IN: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            aliases: &[$($alias),*],
            input: stringify!($input),
            output: stringify!($output),
        }),+];

        /// What a tool is given, by the tool's name.
        ///
        /// The name stands beside the input and not in it: where a message has both, its
        /// `typed_input` reads them, such as [`ToolUseBlock::typed_input`]. Written, it is the input
        /// alone.
        ///
        /// [`ToolUseBlock::typed_input`]: crate::api::ToolUseBlock::typed_input
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolInput {
            $($(#[doc = $doc])+ $tool(Box<$input>),)+
            /// A tool of an MCP server.
            Mcp(McpToolInput),
            /// A tool that claw does not know.
            Unknown(UnknownToolInput),
        }

        impl ToolInput {
            /// Reads what a tool of that name is given.
            ///
            /// # Errors
            /// Where claw knows the tool and its input does not fit: the path says where. Such a
            /// thing is on the wire when a model calls a tool wrongly.
            pub fn of(tool: &str, input: &Json) -> Result<Self, DecodeError> {
                match tool {
                    $($name $(| $alias)* => Ok(Self::$tool(Box::new(input.read_as()?))),)+
                    _ => Ok(Self::of_another(tool, input)),
                }
            }

            /// The tool's name: today's, also where an older one was called.
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
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::GaveUp> {
                match self {
                    $(Self::$tool(input) => crate::wire::Write::write(input, writer),)+
                    Self::Mcp(input) => crate::wire::Write::write(&input.input, writer),
                    Self::Unknown(input) => crate::wire::Write::write(&input.input, writer),
                }
            }
        }

        /// What a tool gives, by the tool's name: `tool_use_result` of a user's message,
        /// `tool_response` of the hook `PostToolUse`. What the model is shown of it is another
        /// thing, and stands in the `tool_result` block.
        ///
        /// Written, it is the result alone.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ToolOutput {
            $($(#[doc = $doc])+ $tool(Box<$output>),)+
            /// A tool of an MCP server. Where it failed, its text says why.
            Mcp(McpOutput),
            /// A built-in tool that failed, was refused or interrupted; the text says why.
            Failed(String),
            /// A tool that claw does not know.
            Unknown(Json),
        }

        impl ToolOutput {
            /// Reads what a tool of that name gave.
            ///
            /// # Errors
            /// Where claw knows the tool and what it gave does not fit: the path says where. Such a
            /// thing is on the wire when a hook puts something else in its place.
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
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::GaveUp> {
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

        /// The schemas of what goes into each of [`BUILT_IN`] and what comes out, in its order.
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
