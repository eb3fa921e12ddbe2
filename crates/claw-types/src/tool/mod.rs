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
mod artifact;
mod bash;
mod cron;
mod design;
mod edit;
mod feedback;
mod findings;
#[cfg(test)]
mod holds;
mod mcp;
mod monitor;
mod notebook;
mod notification;
mod onboarding;
mod plan;
mod project;
mod propose;
mod question;
mod read;
mod refresh;
mod search;
mod table;
mod task_list;
mod task_stop;
mod todo;
mod trigger;
mod view;
mod wakeup;
mod web;
mod workflow;
mod worktree;

use std::borrow::Cow;

pub use self::agent::*;
pub use self::artifact::*;
pub use self::bash::*;
pub use self::cron::*;
pub use self::design::*;
pub use self::edit::*;
pub use self::feedback::*;
pub use self::findings::*;
pub use self::mcp::*;
pub use self::monitor::*;
pub use self::notebook::*;
pub use self::notification::*;
pub use self::onboarding::*;
pub use self::plan::*;
pub use self::project::*;
pub use self::propose::*;
pub use self::question::*;
pub use self::read::*;
pub use self::refresh::*;
pub use self::search::*;
pub use self::table::BuiltIn;
pub use self::task_list::*;
pub use self::task_stop::*;
pub use self::todo::*;
pub use self::trigger::*;
pub use self::wakeup::*;
pub use self::web::*;
pub use self::workflow::*;
pub use self::worktree::*;

use self::mcp::{full_name, split_name};
use self::table::tools;
use crate::by_shape::Shape;
use crate::{DecodeError, Json};

tools! {
    /// Lets a sub-agent work.
    Agent(AgentInput, AgentOutput) = "Agent" | "Task";
    /// Publishes pages on claude.ai, and says what became of them.
    Artifact(ArtifactInput, ArtifactOutput) = "Artifact";
    /// Asks a person to choose.
    AskUserQuestion(AskUserQuestionInput, AskUserQuestionOutput) = "AskUserQuestion";
    /// Runs a command.
    Bash(BashInput, BashOutput) = "Bash";
    /// Uses a design service.
    ClaudeDesign(ClaudeDesignInput, ClaudeDesignOutput) = "ClaudeDesign";
    /// Makes a prompt come at set times.
    CronCreate(CronCreateInput, CronCreateOutput) = "CronCreate";
    /// Ends that.
    CronDelete(CronDeleteInput, CronDeleteOutput) = "CronDelete";
    /// Says which prompts come at set times.
    CronList(CronListInput, CronListOutput) = "CronList";
    /// Changes a file.
    Edit(FileEditInput, FileEditOutput) = "Edit";
    /// Begins to plan.
    EnterPlanMode(EnterPlanModeInput, EnterPlanModeOutput) = "EnterPlanMode";
    /// Works in a git worktree from now on.
    EnterWorktree(EnterWorktreeInput, EnterWorktreeOutput) = "EnterWorktree";
    /// Shows a plan.
    ExitPlanMode(ExitPlanModeInput, ExitPlanModeOutput) = "ExitPlanMode";
    /// Works where it worked before.
    ExitWorktree(ExitWorktreeInput, ExitWorktreeOutput) = "ExitWorktree";
    /// Finds files.
    Glob(GlobInput, GlobOutput) = "Glob";
    /// Finds what stands in files.
    Grep(GrepInput, GrepOutput) = "Grep";
    /// Lists what MCP servers offer to read.
    ListMcpResources(ListMcpResourcesInput, ListMcpResourcesOutput) = "ListMcpResourcesTool" | "ListMcpResources";
    /// Watches a command or a socket.
    Monitor(MonitorInput, MonitorOutput) = "Monitor";
    /// Changes a file in several places.
    MultiEdit(MultiEditInput, MultiEditOutput) = "MultiEdit";
    /// Changes a cell of a notebook.
    NotebookEdit(NotebookEditInput, NotebookEditOutput) = "NotebookEdit";
    /// Offers to connect the person's browser.
    OfferChromeSetup(OfferChromeSetupInput, OfferChromeSetupOutput) = "OfferChromeSetup";
    /// Reads and writes documents of a project on claude.ai.
    Projects(ProjectsInput, ProjectsOutput) = "Projects";
    /// Proposes skills.
    ProposeSkills(ProposeSkillsInput, ProposeSkillsOutput) = "propose_skills";
    /// Sends the person a notice.
    PushNotification(PushNotificationInput, PushNotificationOutput) = "PushNotification";
    /// Reads a file.
    Read(FileReadInput, FileReadOutput) = "Read";
    /// Reads what an MCP server offers.
    ReadMcpResource(ReadMcpResourceInput, ReadMcpResourceOutput) = "ReadMcpResourceTool" | "ReadMcpResource";
    /// Lists a directory of an MCP server.
    ReadMcpResourceDir(ReadMcpResourceDirInput, ReadMcpResourceDirOutput) = "ReadMcpResourceDirTool" | "ReadMcpResourceDir";
    /// Reads notices to the session.
    ReadNotifications(ReadNotificationsInput, ReadNotificationsOutput) = "ReadNotifications";
    /// Asks MCP servers again what tools they have.
    RefreshMcpTools(RefreshMcpToolsInput, RefreshMcpToolsOutput) = "RefreshMcpTools";
    /// Makes sessions elsewhere start by themselves.
    RemoteTrigger(RemoteTriggerInput, RemoteTriggerOutput) = "RemoteTrigger";
    /// Says what a review found.
    ReportFindings(ReportFindingsInput, ReportFindingsOutput) = "ReportFindings";
    /// Says when a loop goes on.
    ScheduleWakeup(ScheduleWakeupInput, ScheduleWakeupOutput) = "ScheduleWakeup";
    /// Sends a report to those who make Claude Code.
    SendFeedback(SendFeedbackInput, SendFeedbackOutput) = "SendFeedback";
    /// Sets a goal, or proposes one.
    SetGoal(ProposeGoalInput, ProposeGoalOutput) = "SetGoal" | "ProposeGoal";
    /// Asks what the person does for a living.
    ShowOnboardingRolePicker(ShowOnboardingRolePickerInput, ShowOnboardingRolePickerOutput)
        = "ShowOnboardingRolePicker";
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
    /// Runs a script that runs agents.
    Workflow(WorkflowInput, WorkflowOutput) = "Workflow" | "RunWorkflow";
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
            Some(_) => Self::Mcp(output.read_as()?),
            None => Self::Unknown(output.clone()),
        })
    }
}
