//! Common uses of messages, by example. This module contains only documentation.
//!
//! # Read a line
//!
//! ```
//! use claw_types::{Message, from_line};
//!
//! let line = br#"{"type":"user","message":{"role":"user","content":"Hello!"},
//!     "parent_tool_use_id":null}"#;
//! let message: Message = from_line(line)?;
//! assert_eq!(message.text(), "Hello!");
//! # Ok::<_, claw_types::DecodeError>(())
//! ```
//!
//! A line from another version of Claude Code may lack fields that the current version requires. The module [`dialect`]
//! reads such a line:
//!
//! ```
//! use claw_types::dialect::{self, Dialect};
//! use claw_types::{Message, from_line};
//!
//! let line = br#"{"type":"assistant",
//!     "message":{"role":"assistant","content":[{"type":"text","text":"Hello!"}]}}"#;
//! let error = from_line::<Message>(line).err().ok_or("today's answers have an id")?;
//! assert_eq!(error.path(), "message");
//! assert!(matches!(dialect::from_line(line)?, Dialect::Assistant(_)));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read a stream of lines
//!
//! If a line cannot be read, the next line may still be valid, so a program can continue after the error. The crate
//! `claw-codec` reads lines from bytes as they arrive, with line numbers and a size limit.
//!
//! ```
//! use std::io::{self, BufRead};
//!
//! use claw_types::{DecodeError, StdoutMessage, from_line};
//!
//! fn messages(
//!     reader: impl BufRead,
//! ) -> impl Iterator<Item = io::Result<Result<StdoutMessage, DecodeError>>> {
//!     reader.split(b'\n').map(|line| Ok(from_line(&line?)))
//! }
//!
//! let stream = b"{\"type\":\"keep_alive\"}\nnot JSON\n{\"type\":\"keep_alive\"}\n";
//! let read: Vec<_> = messages(&stream[..]).collect::<io::Result<_>>()?;
//! assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
//! # Ok::<_, io::Error>(())
//! ```
//!
//! # Load a recorded session
//!
//! The package of this crate contains four example sessions, each in two forms. `fixtures/sessions/recorded` contains
//! the output of the real CLI. `fixtures/sessions/documented` contains the same sessions in an older, documented form.
//!
//! - `simple_query`: a question and its answer;
//! - `tool_use`: a tool use and its result;
//! - `error_response`: a turn that fails;
//! - `thinking_content`: an answer after thinking.
//!
//! ```
//! use std::fs;
//!
//! use claw_types::dialect::{self, Fill};
//! use claw_types::{Message, from_line};
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sessions");
//!
//! let recorded = fs::read(format!("{folder}/recorded/simple_query.ndjson"))?;
//! let lines = recorded.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
//! let messages: Vec<Message> = lines.map(from_line).collect::<Result<_, _>>()?;
//! assert!(messages.iter().any(Message::is_result));
//!
//! // The older form lacks fields. The caller supplies them.
//! let fill = Fill::new("session-1", "00000000-0000-4000-8000-000000000001")
//!     .model("claude-opus-4")
//!     .cwd("/work/project")
//!     .claude_code_version("1.0.0")
//!     .message_id("msg_1");
//! let documented = fs::read_to_string(format!("{folder}/documented/simple_query.ndjson"))?;
//! for line in documented.lines() {
//!     let today = dialect::from_line(line.as_bytes())?.upgrade(&fill)?;
//!     assert!(today.message().is_some_and(|message| !message.is_unknown()));
//! }
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Handle every kind
//!
//! A newer CLI may send kinds of messages that this version of claw does not know. Such a message is read as `Unknown`
//! and keeps its JSON. The last arm of each `match` handles these messages.
//!
//! ```
//! use claw_types::api::ContentBlock;
//! use claw_types::{Message, StdoutMessage, from_line};
//!
//! /// Describes a line for a person.
//! fn describe(line: &StdoutMessage) -> Vec<String> {
//!     match line {
//!         StdoutMessage::Message(message) => describe_message(message),
//!         StdoutMessage::ControlRequest(question) => {
//!             vec![format!("asks {}: {}", question.request_id, question.request.subtype())]
//!         }
//!         StdoutMessage::ControlResponse(answer) => {
//!             vec![format!("answers {:?}", answer.request_id())]
//!         }
//!         StdoutMessage::ControlCancelRequest(cancel) => {
//!             vec![format!("no longer asks {}", cancel.request_id)]
//!         }
//!         _ => vec![],
//!     }
//! }
//!
//! fn describe_message(message: &Message) -> Vec<String> {
//!     match message {
//!         Message::SystemInit(init) => {
//!             let servers = init.mcp_servers.iter().map(|server| format!("server {}", server.name));
//!             let tools = format!("begins with {} tools", init.tools.len());
//!             std::iter::once(tools).chain(servers).collect()
//!         }
//!         Message::CompactBoundary(boundary) => {
//!             vec![format!("{} tokens summarised", boundary.compact_metadata.pre_tokens)]
//!         }
//!         Message::Assistant(_) | Message::User(_) => {
//!             let speaker = message.parent_tool_use_id().map(|tool| format!("in {tool}"));
//!             speaker.into_iter().chain(message.blocks().iter().map(describe_block)).collect()
//!         }
//!         Message::ResultSuccess(result) => vec![format!(
//!             "done after {} turns and {} ms, {} tokens written: {}",
//!             result.num_turns, result.duration_ms, result.usage.output_tokens, result.result,
//!         )],
//!         Message::ResultError(error) => {
//!             vec![format!("{} after {} turns: {:?}", error.subtype, error.num_turns, error.errors)]
//!         }
//!         Message::Unknown(unknown) => vec![format!("says {}", unknown.json().as_raw())],
//!         // Many other kinds: stream events, hooks, tasks, the session's state.
//!         _ => vec![],
//!     }
//! }
//!
//! fn describe_block(block: &ContentBlock) -> String {
//!     match block {
//!         ContentBlock::Text(block) => block.text.clone(),
//!         ContentBlock::Thinking(block) => format!("thinks {}", block.thinking),
//!         ContentBlock::ToolUse(tool) => format!("uses {}({})", tool.name, tool.input.as_raw()),
//!         ContentBlock::ToolResult(result) => {
//!             let how = if result.is_error == Some(true) { "failed" } else { "worked" };
//!             let text = result.content.as_ref().map(|content| content.text());
//!             format!("{} {how}: {}", result.tool_use_id, text.unwrap_or_default())
//!         }
//!         _ => "something else".to_owned(),
//!     }
//! }
//!
//! let session = include_str!(concat!(
//!     env!("CARGO_MANIFEST_DIR"),
//!     "/fixtures/sessions/recorded/tool_use.ndjson"
//! ));
//! let mut told = Vec::new();
//! for line in session.lines() {
//!     told.extend(describe(&from_line(line.as_bytes())?));
//! }
//! let tells = |start: &str| told.iter().any(|line| line.starts_with(start));
//! for start in ["begins with", "uses Bash(", "asks ", "toolu_", "done after 2 turns"] {
//!     assert!(tells(start), "{start}: {told:#?}");
//! }
//! # Ok::<_, claw_types::DecodeError>(())
//! ```
//!
//! # Find the inputs of tools
//!
//! [`Message::tool_uses`](crate::Message::tool_uses) iterates over an answer's tool uses. The input is
//! free-form JSON: parse it as the type that the tool expects.
//!
//! ```
//! use claw_types::{Message, from_line};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct BashInput {
//!     command: String,
//! }
//!
//! let session = include_str!(concat!(
//!     env!("CARGO_MANIFEST_DIR"),
//!     "/fixtures/sessions/recorded/tool_use.ndjson"
//! ));
//! let mut commands = Vec::new();
//! for line in session.lines() {
//!     let message: Message = from_line(line.as_bytes())?;
//!     for tool in message.tool_uses().filter(|tool| tool.name == "Bash") {
//!         commands.push((tool.id.clone(), tool.input.parse::<BashInput>()?.command));
//!     }
//! }
//! assert_eq!(commands.len(), 1);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! [`dialect`]: crate::dialect
