//! Attachments that tell the model about its environment.

use crate::{Count, Json, Map};

/// An attachment that describes the machine and the working directory of the CLI.
#[wire(tag(type = "environment"), rename_all = "camelCase")]
pub struct EnvironmentAttachment {
    /// The current state of the environment.
    pub snapshot: EnvironmentSnapshot,
    /// The changes since the last description that the model received. Absent in the first description.
    pub changes: Option<Vec<EnvironmentChange>>,
}

/// The state of the machine and the working directory of the CLI.
#[wire(rename_all = "camelCase")]
pub struct EnvironmentSnapshot {
    /// The path of the working directory.
    pub working_directory: String,
    /// Whether the working directory is a git worktree.
    pub is_worktree: bool,
    /// Whether the working directory is in a git repository.
    pub is_git_repo: bool,
    /// The additional directories in which tools may work.
    pub additional_working_directories: Option<Vec<String>>,
    /// The platform, such as `linux`.
    pub platform: Option<String>,
    /// The shell that runs commands, such as `bash`.
    pub shell: Option<String>,
    /// The operating system and its version.
    pub os_version: Option<String>,
}

/// A change in the environment of the CLI.
#[wire]
pub struct EnvironmentChange {
    /// The name of the changed field of [`EnvironmentSnapshot`], such as `workingDirectory`.
    pub field: String,
    /// The value before the change. Absent if the old value of the field does not matter.
    pub from: Option<Json>,
}

/// An attachment that contains the model's own name.
#[wire(tag(type = "model"), rename_all = "camelCase")]
pub struct ModelAttachment {
    /// The model's names, and the date up to which it has knowledge.
    pub identity: ModelIdentity,
    /// The text from which the model learns its own name.
    pub text: String,
}

/// The facts about itself that the model receives: its names, and the date up to which it has knowledge.
#[wire(rename_all = "camelCase")]
pub struct ModelIdentity {
    /// The model's ID in the API.
    pub model_id: String,
    /// The display name of the model.
    pub marketing_name: Option<String>,
    /// The date up to which the model has knowledge.
    pub knowledge_cutoff: Option<String>,
}

/// An attachment with the current date.
#[wire(tag(type = "date"), rename_all = "camelCase")]
pub struct DateAttachment {
    /// The date, as `2026-01-31`.
    pub date: String,
}

/// An attachment with facts about the project at the start of the session.
#[wire(tag(type = "session_context"), rename_all = "camelCase")]
pub struct SessionContextAttachment {
    /// Maps the name of each subject, such as `gitStatus`, to the facts about the subject.
    pub context: Map<Json>,
}

/// An attachment with the instructions of the user and the project, from `CLAUDE.md` and similar files.
#[wire(tag(type = "instructions"), rename_all = "camelCase")]
pub struct InstructionsAttachment {
    /// The instruction files.
    pub files: Vec<InstructionsFile>,
}

/// A file with instructions for the model, such as `CLAUDE.md`.
#[wire]
pub struct InstructionsFile {
    /// The path of the file.
    pub path: String,
    /// The level of the file, such as `Project` or `User`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The content of the file.
    pub content: String,
}

/// An attachment with changes to the list of tools that the model can load on demand.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "deferred_tools_delta"), rename_all = "camelCase")]
pub struct DeferredToolsDeltaAttachment {
    /// The names of added tools.
    pub added_names: Vec<String>,
    /// Lines of text that tell the model about the added tools.
    pub added_lines: Option<Vec<String>>,
    /// The names of removed tools.
    pub removed_names: Option<Vec<String>>,
    /// Whether the text that the model receives gives no reason for the removal.
    pub cause_neutral: Option<bool>,
    /// The names of tools that were removed before and are available again.
    pub readded_names: Option<Vec<String>>,
    /// The names of tools that the CLI hides from the model.
    pub wire_hidden_names: Option<Vec<String>>,
    /// The MCP servers that are not connected yet. The form of the list's items is internal to the CLI.
    pub pending_mcp_servers: Option<Vec<Json>>,
    /// The MCP servers that need a login. The form of the list's items is internal to the CLI.
    pub needs_auth_mcp_servers: Option<Vec<Json>>,
    /// The MCP servers that could not be connected.
    pub failed_mcp_servers: Option<Vec<FailedMcpServer>>,
}

/// An MCP server that could not be connected. The CLI reports the failure to the model.
#[wire(rename_all = "camelCase")]
pub struct FailedMcpServer {
    /// The name of the MCP server.
    pub name: String,
    /// The error message.
    pub error: Option<String>,
    /// The error code, such as `ENOENT`.
    pub error_code: Option<String>,
}

/// An attachment with the definitions of tools that the model has loaded.
#[wire(tag(type = "deferred_tools_record"), rename_all = "camelCase")]
pub struct DeferredToolsRecordAttachment {
    /// The definitions of the tools, in the format of the API.
    pub entries: Vec<Json>,
}

/// An attachment with changes to the list of sub-agent types that the model can use.
#[wire(tag(type = "agent_listing_delta"), rename_all = "camelCase")]
pub struct AgentListingDeltaAttachment {
    /// The names of added sub-agent types.
    pub added_types: Vec<String>,
    /// Lines of text that tell the model about the added sub-agent types.
    pub added_lines: Option<Vec<String>>,
    /// The names of removed sub-agent types.
    pub removed_types: Option<Vec<String>>,
    /// The added sub-agent types that are built into the CLI.
    pub built_in_types: Option<Vec<String>>,
    /// The added sub-agent types that come from plugins by Anthropic.
    pub built_in_plugin_types: Option<Vec<String>>,
    /// Whether this is the first list of sub-agent types that the model receives.
    pub is_initial: Option<bool>,
    /// Whether the attachment contains the note that sub-agents can run concurrently.
    pub show_concurrency_note: Option<bool>,
}

/// An attachment with the list of skills that the model can use.
#[wire(tag(type = "skill_listing"), rename_all = "camelCase")]
pub struct SkillListingAttachment {
    /// The list of skills as the model reads it.
    pub content: String,
    /// The number of skills.
    pub skill_count: Option<Count>,
    /// Whether this is the first list of skills that the model receives.
    pub is_initial: Option<bool>,
    /// The names of the skills.
    pub names: Option<Vec<String>>,
    /// A digest (hash) of each skill, in the order of `names`.
    pub digests: Option<Vec<String>>,
}

/// An attachment with the URL of the session, and with the texts to append to commit messages and pull requests.
#[wire(tag(type = "remote_session_change"), rename_all = "camelCase")]
pub struct RemoteSessionChangeAttachment {
    /// The URL of the session. Null if it has none.
    #[wire(nullable)]
    pub url: Option<String>,
    /// The text that is appended to commit messages.
    pub commit: Option<String>,
    /// The text that is appended to pull requests.
    pub pr: Option<String>,
    /// Whether the attachment explains to the model how to send files to the user.
    pub send_user_file_hint: Option<bool>,
    /// Whether managed settings determine the text for commit messages.
    pub managed_commit: Option<bool>,
    /// Whether managed settings determine the text for pull requests.
    pub managed_pr: Option<bool>,
}

/// An attachment with everything that a request to the API contained in addition to the conversation. The attachment is
/// large. The CLI writes one for each request.
#[wire(tag(type = "prompt_snapshot"), rename_all = "camelCase")]
pub struct PromptSnapshotAttachment {
    /// The parts of the system prompt.
    pub system_prompt: Vec<String>,
    /// The definitions of the tools, in the format of the API. Absent if they have not changed.
    pub tools: Option<Vec<Json>>,
    /// The text with which the system prompt begins.
    pub cli_prefix: Option<String>,
    /// The way in which the model receives the facts about its environment, such as `announced`.
    pub context_rendering: Option<String>,
    /// Whether the CLI merges the reminders that it gives the model.
    pub reminder_fold: Option<bool>,
    /// Whether the model sees its earlier tool inputs exactly as they were sent.
    pub echo_wire_tool_inputs: Option<bool>,
    /// Whether each system message is a separate turn in the conversation.
    pub system_turns: Option<bool>,
    /// Whether a message to the model about a change to the list of tools has a heading.
    pub tool_change_header: Option<bool>,
    /// Whether the definitions of the tools are inside the conversation.
    pub inline_tools: Option<bool>,
    /// Whether the CLI keeps older reminders in the conversation.
    pub kept_reminders: Option<bool>,
}

/// An attachment for a prompt with a slash command that does not exist. The model receives the prompt as ordinary text.
#[wire(tag(type = "unknown_command_fallback"), rename_all = "camelCase")]
pub struct UnknownCommandFallbackAttachment {
    /// The name of the command, without the slash.
    pub command_name: String,
    /// The names of the available commands.
    pub available_command_names: Option<Vec<String>>,
    /// The number of available commands.
    pub available_command_count: Option<Count>,
}

/// An attachment that reminds the model of the output style.
#[wire(tag(type = "output_style"), rename_all = "camelCase")]
pub struct OutputStyleAttachment {
    /// The name of the output style.
    pub style: String,
}

/// An attachment with the instructions of an output style. The CLI writes it when the style is chosen.
#[wire(tag(type = "output_style_instructions"), rename_all = "camelCase")]
pub struct OutputStyleInstructionsAttachment {
    /// The output style: its name, its instructions and how they are applied. The form of this value is internal to the
    /// CLI.
    pub style: Json,
}

/// An attachment with a file that the person mentioned in the prompt with `@`. After a compaction, the CLI also attaches files
/// that the model had read.
#[wire(tag(type = "file"), rename_all = "camelCase")]
pub struct FileAttachment {
    /// The absolute path of the file.
    pub filename: String,
    /// The content of the file, in the form of the output of the tool `Read`.
    pub content: Json,
    /// The path in relation to the working directory.
    pub display_path: Option<String>,
    /// How the CLI keeps its copy of the content. The form of this value is internal to the CLI.
    pub saved_copy_framing: Option<Json>,
}

/// An attachment that tells the model the status of a background task after a compaction.
#[wire(tag(type = "task_status"), rename_all = "camelCase")]
pub struct TaskStatusAttachment {
    /// The ID of the task.
    pub task_id: String,
    /// The kind of the task, such as `local_agent`.
    pub task_type: Option<String>,
    /// The description of the task.
    pub description: Option<String>,
    /// The status of the task, such as `completed`.
    pub status: String,
    /// What the task has done since the last status. Null if that is not known.
    #[wire(nullable)]
    pub delta_summary: Option<String>,
    /// The path of the file with the output of the task.
    pub output_file_path: Option<String>,
    /// Whether the model can send the sub-agent another message.
    pub can_continue_agent: Option<bool>,
}
