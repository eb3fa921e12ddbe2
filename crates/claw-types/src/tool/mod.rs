//! What the built-in tools are given and give.
//!
//! On the wire a tool's name stands beside its input (`{"type": "tool_use", "name": "Bash", "input":
//! {…}}`), and its result says nothing of the tool. So messages keep both as [`Json`], and what is
//! here is a view of it: [`ToolInput::of`], [`ToolOutput::of`], and on each message that has the name
//! as well a `typed_input` or `typed_response`. What is read is written as it was, unknown fields
//! included.
//!
//! A tool is a file (or a family of tools is one), with a struct for its input and one for its
//! output, and a line of the table below.
//!
//! ```
//! use claw_types::{Json, tool::ToolInput};
//!
//! let input = Json::from(serde_json::json!({"command": "cargo test", "timeout": 60000}));
//! let ToolInput::Bash(bash) = ToolInput::of("Bash", &input)? else { unreachable!() };
//! assert_eq!(bash.command, "cargo test");
//! # Ok::<_, claw_types::DecodeError>(())
//! ```

mod agent;
mod bash;
mod edit;
mod mcp;
mod notebook;
mod plan;
mod question;
mod read;
mod search;
mod table;
mod task_list;
mod task_stop;
mod todo;
mod view;
mod web;

use std::borrow::Cow;

use serde::{Serialize, Serializer};

pub use self::agent::*;
pub use self::bash::*;
pub use self::edit::*;
pub use self::mcp::*;
pub use self::notebook::*;
pub use self::plan::*;
pub use self::question::*;
pub use self::read::*;
pub use self::search::*;
pub use self::table::BuiltIn;
pub use self::task_list::*;
pub use self::task_stop::*;
pub use self::todo::*;
pub use self::web::*;

use self::mcp::{full_name, split_name};
use self::table::tools;
use crate::by_shape::Shape;
use crate::{DecodeError, Json};

tools! {
    /// Lets a sub-agent work.
    Agent(AgentInput, AgentOutput) = "Agent" | "Task";
    /// Asks a person to choose.
    AskUserQuestion(AskUserQuestionInput, AskUserQuestionOutput) = "AskUserQuestion";
    /// Runs a command.
    Bash(BashInput, BashOutput) = "Bash";
    /// Changes a file.
    Edit(FileEditInput, FileEditOutput) = "Edit";
    /// Begins to plan.
    EnterPlanMode(EnterPlanModeInput, EnterPlanModeOutput) = "EnterPlanMode";
    /// Shows a plan.
    ExitPlanMode(ExitPlanModeInput, ExitPlanModeOutput) = "ExitPlanMode";
    /// Finds files.
    Glob(GlobInput, GlobOutput) = "Glob";
    /// Finds what stands in files.
    Grep(GrepInput, GrepOutput) = "Grep";
    /// Lists what MCP servers offer to read.
    ListMcpResources(ListMcpResourcesInput, ListMcpResourcesOutput) = "ListMcpResourcesTool" | "ListMcpResources";
    /// Changes a file in several places.
    MultiEdit(MultiEditInput, MultiEditOutput) = "MultiEdit";
    /// Changes a cell of a notebook.
    NotebookEdit(NotebookEditInput, NotebookEditOutput) = "NotebookEdit";
    /// Reads a file.
    Read(FileReadInput, FileReadOutput) = "Read";
    /// Reads what an MCP server offers.
    ReadMcpResource(ReadMcpResourceInput, ReadMcpResourceOutput) = "ReadMcpResourceTool" | "ReadMcpResource";
    /// Lists a directory of an MCP server.
    ReadMcpResourceDir(ReadMcpResourceDirInput, ReadMcpResourceDirOutput) = "ReadMcpResourceDirTool" | "ReadMcpResourceDir";
    /// Puts a task on the list.
    TaskCreate(TaskCreateInput, TaskCreateOutput) = "TaskCreate";
    /// Looks at a task of the list.
    TaskGet(TaskGetInput, TaskGetOutput) = "TaskGet";
    /// Looks at the list of tasks.
    TaskList(TaskListInput, TaskListOutput) = "TaskList";
    /// Ends a background task.
    TaskStop(TaskStopInput, TaskStopOutput) = "TaskStop" | "KillShell" | "KillBash";
    /// Changes a task of the list.
    TaskUpdate(TaskUpdateInput, TaskUpdateOutput) = "TaskUpdate";
    /// Writes the list of what is to do.
    TodoWrite(TodoWriteInput, TodoWriteOutput) = "TodoWrite";
    /// Reads a page of the web.
    WebFetch(WebFetchInput, WebFetchOutput) = "WebFetch";
    /// Searches the web.
    WebSearch(WebSearchInput, WebSearchOutput) = "WebSearch";
    /// Writes a file.
    Write(FileWriteInput, FileWriteOutput) = "Write";
}

/// The built-in tool of that name, or of that older name.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    let named = |tool: &&BuiltIn| tool.name == name || tool.aliases.contains(&name);
    BUILT_IN.iter().find(named)
}

/// What a tool is given that claw does not know.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UnknownToolInput {
    /// The tool.
    pub tool: String,
    /// What it is given.
    pub input: Json,
}

impl ToolInput {
    fn of_another(tool: &str, input: &Json) -> Self {
        let input = input.clone();
        match split_name(tool) {
            Some((server, tool)) => Self::Mcp(McpToolInput {
                server: server.to_owned(),
                tool: tool.to_owned(),
                input,
            }),
            None => Self::Unknown(UnknownToolInput {
                tool: tool.to_owned(),
                input,
            }),
        }
    }
}

impl ToolOutput {
    fn of_another(tool: &str, output: &Json) -> Result<Self, DecodeError> {
        Ok(match split_name(tool) {
            Some(_) => Self::Mcp(output.get()?),
            None => Self::Unknown(output.clone()),
        })
    }
}
