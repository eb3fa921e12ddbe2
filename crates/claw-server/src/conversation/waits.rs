//! What a conversation waits for.

use claw_types::Message;
use claw_view::element::{Content, ToolStatus};
use serde::{Deserialize, Serialize};

use super::{Conversation, Phase};

/// Maximum number of newest elements in which a running tool is searched.
const MOST_SEARCHED: usize = 256;
/// Maximum number of running hooks that are tracked.
const MOST_HOOKS: usize = 16;
/// Maximum length of the ID and of the name of a tracked hook, in bytes.
const LONGEST: usize = 256;

/// The event or the answer that a session waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WaitsFor {
    /// The kind of what the session waits for.
    pub kind: WaitKind,
    /// The name of the tool, the hook or the MCP server. Absent if it is not known, or if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The kind of what a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum WaitKind {
    /// A place in the pool of processes.
    Process,
    /// The start of the process.
    Start,
    /// The next message of the CLI.
    Message,
    /// A tool that runs. `name` is the name of the tool.
    Tool,
    /// A tool of an MCP server. `name` is the name of the server.
    McpServer,
    /// A hook. `name` is its event and the matched value.
    Hook,
    /// The answer of a person to a request. `name` is the name of the tool, if the request is about one.
    Request,
    /// The reset of a usage limit.
    LimitReset,
    /// The store, which cannot be reached.
    Store,
}

impl WaitKind {
    /// Returns the name of the kind in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Start => "start",
            Self::Message => "message",
            Self::Tool => "tool",
            Self::McpServer => "mcpServer",
            Self::Hook => "hook",
            Self::Request => "request",
            Self::LimitReset => "limitReset",
            Self::Store => "store",
        }
    }
}

/// The hooks that run in the process. Each has its ID and its name.
#[derive(Debug, Default)]
pub(super) struct RunningHooks(Vec<(String, String)>);

impl RunningHooks {
    pub(super) fn message(&mut self, message: &Message) {
        match message {
            Message::HookStarted(hook) => self.add(&hook.hook_id, &hook.hook_name),
            Message::HookResponse(hook) => self.0.retain(|(id, _)| *id != hook.hook_id),
            _ => {}
        }
    }

    fn add(&mut self, id: &str, name: &str) {
        if self.0.len() < MOST_HOOKS && id.len().max(name.len()) <= LONGEST {
            self.0.push((id.to_owned(), name.to_owned()));
        }
    }
}

impl Conversation {
    /// Records that a hook delays the start of the process.
    pub(crate) fn start_hook(&mut self, name: &str) {
        if self.is_starting && self.hooks.0.is_empty() {
            self.hooks.add("", name);
        }
    }

    /// Returns what the conversation waits for. Returns `None` if it waits only for a prompt.
    pub(crate) fn waits_for(&self) -> Option<WaitsFor> {
        let of = |kind, name| Some(WaitsFor { kind, name });
        if self.state.waits_for_store {
            return of(WaitKind::Store, None);
        }
        let hook = self.hooks.0.first().map(|(_, name)| name.clone());
        match self.state.phase {
            Phase::Idle | Phase::Cut => None,
            Phase::Waiting => of(WaitKind::Process, None),
            Phase::Limited => of(WaitKind::LimitReset, None),
            Phase::Asking | Phase::Deferred => {
                let tool = self
                    .requests()
                    .next()
                    .and_then(|oldest| oldest.tool.clone());
                of(WaitKind::Request, tool)
            }
            Phase::Starting | Phase::Running if hook.is_some() => of(WaitKind::Hook, hook),
            Phase::Starting => of(WaitKind::Start, None),
            Phase::Running => Some(self.running_tool().unwrap_or(WaitsFor {
                kind: WaitKind::Message,
                name: None,
            })),
        }
    }

    /// Returns the newest tool that is still running.
    fn running_tool(&self) -> Option<WaitsFor> {
        let newest = self.elements.iter().rev().take(MOST_SEARCHED);
        let tools = newest.filter_map(|element| match &element.content {
            Content::ToolCall(call) if call.status == ToolStatus::Running => {
                Some(call.tool.as_str())
            }
            Content::EditDiff(edit) if edit.status == ToolStatus::Running => Some("Edit"),
            _ => None,
        });
        let tool = tools.into_iter().next()?;
        let server = tool
            .strip_prefix("mcp__")
            .and_then(|tool| tool.split_once("__"));
        Some(match server {
            Some((server, _)) => WaitsFor {
                kind: WaitKind::McpServer,
                name: Some(server.to_owned()),
            },
            None => WaitsFor {
                kind: WaitKind::Tool,
                name: Some(tool.to_owned()),
            },
        })
    }
}
