//! Hook events outside of the conversation itself: events about teammates, tasks, MCP servers, settings, worktrees,
//! files and display.

use super::base::{HookPlace, HookPrompt, HookTurn};
use crate::hook::ElicitationAction;
use crate::{Count, Json};

/// The hook input for a teammate (an agent of the team) that is idle.
#[wire(tag(hook_event_name = "TeammateIdle"))]
pub struct TeammateIdleInput {
    fields: HookPlace!(),
    /// The name of the teammate.
    pub teammate_name: String,
    /// The name of the team.
    pub team_name: String,
    fields: HookTurn!(),
}

/// A task of the task list.
#[wire(fields)]
struct HookTask {
    /// The ID of the task.
    pub task_id: String,
    /// The title of the task.
    pub task_subject: String,
    /// The description of the task.
    pub task_description: Option<String>,
    /// The name of the teammate that works on the task.
    pub teammate_name: Option<String>,
    /// The name of the team.
    pub team_name: Option<String>,
}

/// The hook input for a task that was added to the task list.
#[wire(tag(hook_event_name = "TaskCreated"))]
pub struct TaskCreatedInput {
    fields: HookPlace!(),
    fields: HookTask!(),
    fields: HookTurn!(),
}

/// The hook input for the completion of a task of the task list.
#[wire(tag(hook_event_name = "TaskCompleted"))]
pub struct TaskCompletedInput {
    fields: HookPlace!(),
    fields: HookTask!(),
    fields: HookTurn!(),
}

/// The hook input for an elicitation (a request of an MCP server for input from the user), before the host is asked.
#[wire(tag(hook_event_name = "Elicitation"))]
pub struct ElicitationInput {
    fields: HookPlace!(),
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The MCP server's message to the user.
    pub message: String,
    /// The mode of the elicitation. Absent means `form`.
    pub mode: Option<ElicitationMode>,
    /// The URL that the MCP server wants the user to visit. Sent only in the mode `url`.
    pub url: Option<String>,
    /// The ID of the elicitation. Sent only in the mode `url`.
    pub elicitation_id: Option<String>,
    /// The JSON Schema of the requested answer. Sent only in the mode `form`.
    pub requested_schema: Option<Json>,
    fields: HookTurn!(),
}

/// The way in which an MCP server asks the user for input: with a form or at a URL.
#[wire(open)]
pub enum ElicitationMode {
    /// The user enters values into a form.
    Form = "form",
    /// The user visits a URL.
    Url = "url",
}

/// The hook input for the answer to an elicitation, before the MCP server receives it.
#[wire(tag(hook_event_name = "ElicitationResult"))]
pub struct ElicitationResultInput {
    fields: HookPlace!(),
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The ID of the elicitation. Sent only in the mode `url`.
    pub elicitation_id: Option<String>,
    /// The mode of the elicitation. Absent means `form`.
    pub mode: Option<ElicitationMode>,
    /// The reaction of the user.
    pub action: ElicitationAction,
    /// The answer, in the form that the elicitation's schema requires. Sent only if the elicitation was accepted.
    pub content: Option<Json>,
    fields: HookTurn!(),
}

/// The hook input for settings that were changed while the session runs.
#[wire(tag(hook_event_name = "ConfigChange"))]
pub struct ConfigChangeInput {
    fields: HookPlace!(),
    /// The scope of the changed settings: the user, the project, this machine, the organisation or the session's
    /// skills.
    pub source: ConfigSource,
    /// The path of the settings file.
    pub file_path: Option<String>,
    fields: HookTurn!(),
}

/// The scope of changed settings: the user, the project, this machine, the organisation or the session's skills.
#[wire(open)]
pub enum ConfigSource {
    /// The settings of the user.
    UserSettings = "user_settings",
    /// The settings of the project.
    ProjectSettings = "project_settings",
    /// The settings for the project that apply on this machine only.
    LocalSettings = "local_settings",
    /// The settings of the organisation.
    PolicySettings = "policy_settings",
    /// The skills of the session.
    Skills = "skills",
}

/// The hook input for a worktree that is about to be created. A hook can create the worktree in place of the CLI.
#[wire(tag(hook_event_name = "WorktreeCreate"))]
pub struct WorktreeCreateInput {
    fields: HookPlace!(),
    /// The name of the worktree.
    pub name: String,
    fields: HookTurn!(),
}

/// The hook input for a worktree that is about to be removed.
#[wire(tag(hook_event_name = "WorktreeRemove"))]
pub struct WorktreeRemoveInput {
    fields: HookPlace!(),
    /// The path of the worktree.
    pub worktree_path: String,
    fields: HookTurn!(),
}

/// The scope of an instruction file: the user, the project, this machine or the organisation.
#[wire(open)]
pub enum MemoryType {
    /// The instructions of the user.
    User = "User",
    /// The instructions of the project.
    Project = "Project",
    /// The instructions for the project that apply on this machine only.
    Local = "Local",
    /// The instructions of the organisation.
    Managed = "Managed",
}

/// The reason why instructions were loaded.
#[wire(open)]
pub enum LoadReason {
    /// The session began.
    SessionStart = "session_start",
    /// A tool used a file in a nested directory that has its own instructions.
    NestedTraversal = "nested_traversal",
    /// A tool used a file whose path matches a path pattern of the instructions.
    PathGlobMatch = "path_glob_match",
    /// Another file of instructions includes this file.
    Include = "include",
    /// The conversation was compacted.
    Compact = "compact",
}

/// The hook input for instructions that were loaded from a file, such as CLAUDE.md or a rule.
#[wire(tag(hook_event_name = "InstructionsLoaded"))]
pub struct InstructionsLoadedInput {
    fields: HookPlace!(),
    /// The path of the file.
    pub file_path: String,
    /// The scope of the instructions: the user, the project, this machine or the organisation.
    pub memory_type: MemoryType,
    /// The reason why the instructions were loaded.
    pub load_reason: LoadReason,
    /// The path patterns of the files for which the instructions are loaded.
    pub globs: Option<Vec<String>>,
    /// The path of the file whose use by a tool caused the instructions to be loaded.
    pub trigger_file_path: Option<String>,
    /// The path of the instruction file that includes this file.
    pub parent_file_path: Option<String>,
    fields: HookTurn!(),
}

/// The hook input for a change of the working directory.
#[wire(tag(hook_event_name = "CwdChanged"))]
pub struct CwdChangedInput {
    fields: HookPlace!(),
    /// The working directory before the change.
    pub old_cwd: String,
    /// The working directory after the change.
    pub new_cwd: String,
    fields: HookTurn!(),
}

/// The hook input for a change to a watched file. Hooks choose the watched files with `watchPaths` in their output.
#[wire(tag(hook_event_name = "FileChanged"))]
pub struct FileChangedInput {
    fields: HookPlace!(),
    /// The path of the file.
    pub file_path: String,
    /// The kind of change.
    pub event: FileEvent,
    fields: HookTurn!(),
}

/// The kind of change to a file.
#[wire(open)]
pub enum FileEvent {
    /// The content of the file was changed.
    Change = "change",
    /// The file was added.
    Add = "add",
    /// The file was removed.
    Unlink = "unlink",
}

/// The source of an added directory: the user with a slash command, or the host with a control request.
#[wire(open)]
pub enum DirectorySource {
    /// The user added the directory with a slash command.
    SlashCommand = "slash_command",
    /// The host added the directory with a control request.
    RegisterRepoRoot = "register_repo_root",
}

/// The hook input for a directory that was added to the directories that tools may use.
#[wire(tag(hook_event_name = "DirectoryAdded"))]
pub struct DirectoryAddedInput {
    fields: HookPlace!(),
    /// The path of the directory.
    pub directory: String,
    /// The source of the directory: the user with a slash command, or the host with a control request.
    pub source: DirectorySource,
    fields: HookTurn!(),
}

/// The hook input for text of the model that is about to be displayed.
#[wire(tag(hook_event_name = "MessageDisplay"))]
pub struct MessageDisplayInput {
    fields: HookPlace!(),
    /// The ID of the turn.
    pub turn_id: String,
    /// The ID of the message.
    pub message_id: String,
    /// The index of this piece of the message's text, from 0.
    pub index: Count,
    /// Whether this is the last piece of the message.
    pub r#final: bool,
    /// The text of this piece.
    pub delta: String,
    fields: HookTurn!(),
}
