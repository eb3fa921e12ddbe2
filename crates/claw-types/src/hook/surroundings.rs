//! Events around a session: teammates and tasks, MCP servers, settings, worktrees, files, display.

use super::base::{HookPlace, HookPrompt, HookTurn};
use crate::hook::ElicitationAction;
use crate::{Count, Json};

/// A teammate has nothing to do.
#[wire(tag(hook_event_name = "TeammateIdle"))]
pub struct TeammateIdleInput {
    fields: HookPlace!(),
    /// The teammate.
    pub teammate_name: String,
    /// The team.
    pub team_name: String,
    fields: HookTurn!(),
}

/// A task of the list.
#[wire(fields)]
struct HookTask {
    /// The task.
    pub task_id: String,
    /// What it is, in short.
    pub task_subject: String,
    /// What it is.
    pub task_description: Option<String>,
    /// The teammate who works on it.
    pub teammate_name: Option<String>,
    /// The team.
    pub team_name: Option<String>,
}

/// A task was put on the list.
#[wire(tag(hook_event_name = "TaskCreated"))]
pub struct TaskCreatedInput {
    fields: HookPlace!(),
    fields: HookTask!(),
    fields: HookTurn!(),
}

/// A task of the list is done.
#[wire(tag(hook_event_name = "TaskCompleted"))]
pub struct TaskCompletedInput {
    fields: HookPlace!(),
    fields: HookTask!(),
    fields: HookTurn!(),
}

/// An MCP server asks the user something, before the host is asked.
#[wire(tag(hook_event_name = "Elicitation"))]
pub struct ElicitationInput {
    fields: HookPlace!(),
    /// The server.
    pub mcp_server_name: String,
    /// What it says.
    pub message: String,
    /// How it wants to be answered.
    pub mode: Option<ElicitationMode>,
    /// The page that it wants to be visited.
    pub url: Option<String>,
    /// Names the question.
    pub elicitation_id: Option<String>,
    /// The JSON Schema of the answer.
    pub requested_schema: Option<Json>,
    fields: HookTurn!(),
}

/// How an MCP server wants to be answered.
#[wire(open)]
pub enum ElicitationMode {
    /// With values.
    Form = "form",
    /// On a page of its own.
    Url = "url",
}

/// The user has answered an MCP server; the server has not heard it.
#[wire(tag(hook_event_name = "ElicitationResult"))]
pub struct ElicitationResultInput {
    fields: HookPlace!(),
    /// The server.
    pub mcp_server_name: String,
    /// Names the question.
    pub elicitation_id: Option<String>,
    /// How it was to be answered.
    pub mode: Option<ElicitationMode>,
    /// What the user did.
    pub action: ElicitationAction,
    /// The answer, as its schema wants it.
    pub content: Option<Json>,
    fields: HookTurn!(),
}

/// Settings were changed while the session runs.
#[wire(tag(hook_event_name = "ConfigChange"))]
pub struct ConfigChangeInput {
    fields: HookPlace!(),
    /// Which.
    pub source: ConfigSource,
    /// The file.
    pub file_path: Option<String>,
    fields: HookTurn!(),
}

/// Which settings were changed.
#[wire(open)]
pub enum ConfigSource {
    /// The user's.
    UserSettings = "user_settings",
    /// The project's.
    ProjectSettings = "project_settings",
    /// The project's, of this machine alone.
    LocalSettings = "local_settings",
    /// The organisation's.
    PolicySettings = "policy_settings",
    /// Skills.
    Skills = "skills",
}

/// A worktree is to be made; a hook can make it.
#[wire(tag(hook_event_name = "WorktreeCreate"))]
pub struct WorktreeCreateInput {
    fields: HookPlace!(),
    /// Its name.
    pub name: String,
    fields: HookTurn!(),
}

/// A worktree is to be removed.
#[wire(tag(hook_event_name = "WorktreeRemove"))]
pub struct WorktreeRemoveInput {
    fields: HookPlace!(),
    /// Where it is.
    pub worktree_path: String,
    fields: HookTurn!(),
}

/// Whose instructions they are.
#[wire(open)]
pub enum MemoryType {
    /// The user's.
    User = "User",
    /// The project's.
    Project = "Project",
    /// The project's, of this machine alone.
    Local = "Local",
    /// The organisation's.
    Managed = "Managed",
}

/// Why instructions were read.
#[wire(open)]
pub enum LoadReason {
    /// The session began.
    SessionStart = "session_start",
    /// A file in a folder below was used.
    NestedTraversal = "nested_traversal",
    /// A file was used that they are for.
    PathGlobMatch = "path_glob_match",
    /// Other instructions name them.
    Include = "include",
    /// The conversation was compacted.
    Compact = "compact",
}

/// Instructions were read from a file (CLAUDE.md, rules).
#[wire(tag(hook_event_name = "InstructionsLoaded"))]
pub struct InstructionsLoadedInput {
    fields: HookPlace!(),
    /// The file.
    pub file_path: String,
    /// Whose they are.
    pub memory_type: MemoryType,
    /// Why they were read.
    pub load_reason: LoadReason,
    /// The patterns of paths that they are for.
    pub globs: Option<Vec<String>>,
    /// The file that the tool touched, on which they were read.
    pub trigger_file_path: Option<String>,
    /// The file that includes them.
    pub parent_file_path: Option<String>,
    fields: HookTurn!(),
}

/// The working directory was changed.
#[wire(tag(hook_event_name = "CwdChanged"))]
pub struct CwdChangedInput {
    fields: HookPlace!(),
    /// What it was.
    pub old_cwd: String,
    /// What it is.
    pub new_cwd: String,
    fields: HookTurn!(),
}

/// A file that is watched was changed. A hook says which are, with `watch_paths`.
#[wire(tag(hook_event_name = "FileChanged"))]
pub struct FileChangedInput {
    fields: HookPlace!(),
    /// The file.
    pub file_path: String,
    /// What happened to it.
    pub event: FileEvent,
    fields: HookTurn!(),
}

/// What happened to a file.
#[wire(open)]
pub enum FileEvent {
    /// It has other content.
    Change = "change",
    /// It is new.
    Add = "add",
    /// It is gone.
    Unlink = "unlink",
}

/// Who added a directory.
#[wire(open)]
pub enum DirectorySource {
    /// The user, by a slash command.
    SlashCommand = "slash_command",
    /// The host.
    RegisterRepoRoot = "register_repo_root",
}

/// A directory was added to those that tools may use.
#[wire(tag(hook_event_name = "DirectoryAdded"))]
pub struct DirectoryAddedInput {
    fields: HookPlace!(),
    /// The directory.
    pub directory: String,
    /// Who added it.
    pub source: DirectorySource,
    fields: HookTurn!(),
}

/// Text of the model's is about to be shown.
#[wire(tag(hook_event_name = "MessageDisplay"))]
pub struct MessageDisplayInput {
    fields: HookPlace!(),
    /// The turn.
    pub turn_id: String,
    /// The message.
    pub message_id: String,
    /// Which piece of it, from 0 on.
    pub index: Count,
    /// It is the last piece.
    pub r#final: bool,
    /// The piece.
    pub delta: String,
    fields: HookTurn!(),
}
