//! The inputs and outputs of all built-in tools.
//!
//! Each tool, or family of tools, has a source file with a struct for its input and a struct for its output.

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
mod project;
mod propose;
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
pub use self::project::*;
pub use self::propose::*;
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
use super::plan::{EnterPlanModeInput, EnterPlanModeOutput, ExitPlanModeInput, ExitPlanModeOutput};
use super::question::{AskUserQuestionInput, AskUserQuestionOutput};
use crate::by_shape::Shape;
use crate::{DecodeError, Json};

tools! {
    /// `Agent`: starts a sub-agent.
    Agent(AgentInput, AgentOutput) = "Agent" | "Task";
    /// `Artifact`: publishes pages on claude.ai and manages them.
    Artifact(ArtifactInput, ArtifactOutput) = "Artifact";
    /// `AskUserQuestion`: asks the user to choose between options.
    AskUserQuestion(AskUserQuestionInput, AskUserQuestionOutput) = "AskUserQuestion";
    /// `Bash`: runs a shell command.
    Bash(BashInput, BashOutput) = "Bash";
    /// `ClaudeDesign`: calls an operation of a design service.
    ClaudeDesign(ClaudeDesignInput, ClaudeDesignOutput) = "ClaudeDesign";
    /// `CronCreate`: schedules a prompt.
    CronCreate(CronCreateInput, CronCreateOutput) = "CronCreate";
    /// `CronDelete`: deletes a scheduled prompt.
    CronDelete(CronDeleteInput, CronDeleteOutput) = "CronDelete";
    /// `CronList`: lists the scheduled prompts.
    CronList(CronListInput, CronListOutput) = "CronList";
    /// `Edit`: replaces text in a file.
    Edit(FileEditInput, FileEditOutput) = "Edit";
    /// `EnterPlanMode`: enters plan mode.
    EnterPlanMode(EnterPlanModeInput, EnterPlanModeOutput) = "EnterPlanMode";
    /// `EnterWorktree`: moves the session into a git worktree.
    EnterWorktree(EnterWorktreeInput, EnterWorktreeOutput) = "EnterWorktree";
    /// `ExitPlanMode`: presents a plan for approval.
    ExitPlanMode(ExitPlanModeInput, ExitPlanModeOutput) = "ExitPlanMode";
    /// `ExitWorktree`: moves the session back out of a git worktree.
    ExitWorktree(ExitWorktreeInput, ExitWorktreeOutput) = "ExitWorktree";
    /// `Glob`: finds files by a pattern of their paths.
    Glob(GlobInput, GlobOutput) = "Glob";
    /// `Grep`: searches the contents of files.
    Grep(GrepInput, GrepOutput) = "Grep";
    /// `ListMcpResourcesTool`: lists the resources of MCP servers.
    ListMcpResources(ListMcpResourcesInput, ListMcpResourcesOutput) = "ListMcpResourcesTool" | "ListMcpResources";
    /// `Monitor`: watches a command or a WebSocket in the background.
    Monitor(MonitorInput, MonitorOutput) = "Monitor";
    /// `MultiEdit`: replaces text in several places of a file.
    MultiEdit(MultiEditInput, MultiEditOutput) = "MultiEdit";
    /// `NotebookEdit`: changes a cell of a Jupyter notebook.
    NotebookEdit(NotebookEditInput, NotebookEditOutput) = "NotebookEdit";
    /// `OfferChromeSetup`: offers to connect the user's browser.
    OfferChromeSetup(OfferChromeSetupInput, OfferChromeSetupOutput) = "OfferChromeSetup";
    /// `Projects`: reads and writes documents of a project on claude.ai.
    Projects(ProjectsInput, ProjectsOutput) = "Projects";
    /// `propose_skills`: proposes new or changed skills to the user.
    ProposeSkills(ProposeSkillsInput, ProposeSkillsOutput) = "propose_skills";
    /// `PushNotification`: sends the user a notification.
    PushNotification(PushNotificationInput, PushNotificationOutput) = "PushNotification";
    /// `Read`: reads a file.
    Read(FileReadInput, FileReadOutput) = "Read";
    /// `ReadMcpResourceTool`: reads a resource of an MCP server.
    ReadMcpResource(ReadMcpResourceInput, ReadMcpResourceOutput) = "ReadMcpResourceTool" | "ReadMcpResource";
    /// `ReadMcpResourceDirTool`: lists a directory of an MCP server's resources.
    ReadMcpResourceDir(ReadMcpResourceDirInput, ReadMcpResourceDirOutput) = "ReadMcpResourceDirTool" | "ReadMcpResourceDir";
    /// `ReadNotifications`: reads the notifications that wait for the session.
    ReadNotifications(ReadNotificationsInput, ReadNotificationsOutput) = "ReadNotifications";
    /// `RefreshMcpTools`: asks MCP servers for their lists of tools again.
    RefreshMcpTools(RefreshMcpToolsInput, RefreshMcpToolsOutput) = "RefreshMcpTools";
    /// `RemoteTrigger`: manages triggers that start remote sessions.
    RemoteTrigger(RemoteTriggerInput, RemoteTriggerOutput) = "RemoteTrigger";
    /// `ReportFindings`: reports the findings of a code review.
    ReportFindings(ReportFindingsInput, ReportFindingsOutput) = "ReportFindings";
    /// `ScheduleWakeup`: schedules the next round of a loop (`/loop`), or ends the loop.
    ScheduleWakeup(ScheduleWakeupInput, ScheduleWakeupOutput) = "ScheduleWakeup";
    /// `SendFeedback`: sends a report to the makers of Claude Code.
    SendFeedback(SendFeedbackInput, SendFeedbackOutput) = "SendFeedback";
    /// `SetGoal`: sets a goal for the session, or proposes a goal to the user.
    SetGoal(ProposeGoalInput, ProposeGoalOutput) = "SetGoal" | "ProposeGoal";
    /// `ShowOnboardingRolePicker`: asks the user for their professional role.
    ShowOnboardingRolePicker(ShowOnboardingRolePickerInput, ShowOnboardingRolePickerOutput)
        = "ShowOnboardingRolePicker";
    /// `TaskCreate`: adds a task to the to-do list.
    TaskCreate(TaskCreateInput, TaskCreateOutput) = "TaskCreate";
    /// `TaskGet`: reads one task of the to-do list.
    TaskGet(TaskGetInput, TaskGetOutput) = "TaskGet";
    /// `TaskList`: lists the tasks of the to-do list.
    TaskList(TaskListInput, TaskListOutput) = "TaskList";
    /// `TaskStop`: stops a background task.
    TaskStop(TaskStopInput, TaskStopOutput) = "TaskStop" | "KillShell" | "KillBash";
    /// `TaskUpdate`: changes a task of the to-do list.
    TaskUpdate(TaskUpdateInput, TaskUpdateOutput) = "TaskUpdate";
    /// `TodoWrite`: writes the whole to-do list.
    TodoWrite(TodoWriteInput, TodoWriteOutput) = "TodoWrite";
    /// `WebFetch`: reads a web page.
    WebFetch(WebFetchInput, WebFetchOutput) = "WebFetch";
    /// `WebSearch`: searches the web.
    WebSearch(WebSearchInput, WebSearchOutput) = "WebSearch";
    /// `Workflow`: runs a script that runs sub-agents.
    Workflow(WorkflowInput, WorkflowOutput) = "Workflow" | "RunWorkflow";
    /// `Write`: writes a file.
    Write(FileWriteInput, FileWriteOutput) = "Write";
}

/// Returns the built-in tool that has this name, or that had this name in older CLIs. `None` if there is no such tool.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    let named = |tool: &&BuiltIn| tool.name == name || tool.aliases.contains(&name);
    BUILT_IN.iter().find(named)
}

/// The input of a tool that this version of claw does not know.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UnknownToolInput {
    /// The tool's name.
    pub tool: String,
    /// The tool's input, unchanged.
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
