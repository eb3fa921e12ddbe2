//! What the model is told of its surroundings.

use crate::{Count, Json, Map};

/// The machine and the folder that the CLI runs in.
#[wire(tag(type = "environment"), rename_all = "camelCase")]
pub struct EnvironmentAttachment {
    /// As they are.
    pub snapshot: EnvironmentSnapshot,
    /// What is otherwise than it was said before. Absent the first time.
    pub changes: Option<Vec<EnvironmentChange>>,
}

/// The machine and the folder that the CLI runs in.
#[wire(rename_all = "camelCase")]
pub struct EnvironmentSnapshot {
    /// The folder.
    pub working_directory: String,
    /// Whether it is a git worktree.
    pub is_worktree: bool,
    /// Whether it is in a git repository.
    pub is_git_repo: bool,
    /// Other folders that tools may work in.
    pub additional_working_directories: Option<Vec<String>>,
    /// The platform, such as `linux`.
    pub platform: Option<String>,
    /// The shell.
    pub shell: Option<String>,
    /// The operating system and its version.
    pub os_version: Option<String>,
}

/// Something about the machine or the folder that has changed.
#[wire]
pub struct EnvironmentChange {
    /// The field of the snapshot.
    pub field: String,
    /// Its value before, where it is worth saying.
    pub from: Option<Json>,
}

/// The model that answers.
#[wire(tag(type = "model"), rename_all = "camelCase")]
pub struct ModelAttachment {
    /// The model.
    pub identity: ModelIdentity,
    /// What it is told about itself.
    pub text: String,
}

/// A model, as it is told about itself.
#[wire(rename_all = "camelCase")]
pub struct ModelIdentity {
    /// Its name for the API.
    pub model_id: String,
    /// Its name for people.
    pub marketing_name: Option<String>,
    /// Until when it knows the world.
    pub knowledge_cutoff: Option<String>,
}

/// The date.
#[wire(tag(type = "date"), rename_all = "camelCase")]
pub struct DateAttachment {
    /// Today, as `2026-01-31`.
    pub date: String,
}

/// What is known of the project when the session begins.
#[wire(tag(type = "session_context"), rename_all = "camelCase")]
pub struct SessionContextAttachment {
    /// Texts by what they are about, such as `gitStatus`.
    pub context: Map<Json>,
}

/// Instructions of the user and the project, from `CLAUDE.md` and its like.
#[wire(tag(type = "instructions"), rename_all = "camelCase")]
pub struct InstructionsAttachment {
    /// The files.
    pub files: Vec<InstructionsFile>,
}

/// A file of instructions.
#[wire]
pub struct InstructionsFile {
    /// Where it is.
    pub path: String,
    /// Whose it is: `Project`, `User` ….
    #[wire(rename = "type")]
    pub kind: String,
    /// What it says.
    pub content: String,
}

/// Tools that the model can load, and those that it no longer can.
#[wire(tag(type = "deferred_tools_delta"), rename_all = "camelCase")]
pub struct DeferredToolsDeltaAttachment {
    /// Those that are new.
    pub added_names: Vec<String>,
    /// The same, as the model reads of them.
    pub added_lines: Option<Vec<String>>,
    /// Those that are gone.
    pub removed_names: Option<Vec<String>>,
    /// Those that are there again.
    pub readded_names: Option<Vec<String>>,
    /// Those that the model is not told of.
    pub wire_hidden_names: Option<Vec<String>>,
    /// MCP servers that are not connected yet.
    pub pending_mcp_servers: Option<Vec<Json>>,
    /// MCP servers that want a login.
    pub needs_auth_mcp_servers: Option<Vec<Json>>,
    /// MCP servers that failed.
    pub failed_mcp_servers: Option<Vec<FailedMcpServer>>,
}

/// An MCP server that failed, as the model is told.
#[wire(rename_all = "camelCase")]
pub struct FailedMcpServer {
    /// The server.
    pub name: String,
    /// What went wrong.
    pub error: Option<String>,
    /// The same, for programs, such as `ENOENT`.
    pub error_code: Option<String>,
}

/// Definitions of tools that the model has loaded.
#[wire(tag(type = "deferred_tools_record"), rename_all = "camelCase")]
pub struct DeferredToolsRecordAttachment {
    /// The definitions, as the API takes them.
    pub entries: Vec<Json>,
}

/// Kinds of sub-agents that the model can use, and those that it no longer can.
#[wire(tag(type = "agent_listing_delta"), rename_all = "camelCase")]
pub struct AgentListingDeltaAttachment {
    /// Those that are new.
    pub added_types: Vec<String>,
    /// The same, as the model reads of them.
    pub added_lines: Option<Vec<String>>,
    /// Those that are gone.
    pub removed_types: Option<Vec<String>>,
    /// Those among the new ones that the CLI brings.
    pub built_in_types: Option<Vec<String>>,
    /// Those among the new ones that plugins of the CLI's maker bring.
    pub built_in_plugin_types: Option<Vec<String>>,
    /// Whether it is the first list.
    pub is_initial: Option<bool>,
    /// Whether the model is told that agents can run at the same time.
    pub show_concurrency_note: Option<bool>,
}

/// Skills that the model can use.
#[wire(tag(type = "skill_listing"), rename_all = "camelCase")]
pub struct SkillListingAttachment {
    /// The list, as the model reads it.
    pub content: String,
    /// How many there are.
    pub skill_count: Option<Count>,
    /// Whether it is the first list.
    pub is_initial: Option<bool>,
    /// Their names.
    pub names: Option<Vec<String>>,
    /// A digest of each, in the same order.
    pub digests: Option<Vec<String>>,
}

/// How commits and pull requests are signed, and where the session can be seen.
#[wire(tag(type = "remote_session_change"), rename_all = "camelCase")]
pub struct RemoteSessionChangeAttachment {
    /// The session's address; null where it has none.
    #[wire(nullable)]
    pub url: Option<String>,
    /// What is put below commits.
    pub commit: Option<String>,
    /// What is put below pull requests.
    pub pr: Option<String>,
    /// Whether the model is told how to send files to the person.
    pub send_user_file_hint: Option<bool>,
    /// Whether managed settings say what is put below commits.
    pub managed_commit: Option<bool>,
    /// Whether managed settings say what is put below pull requests.
    pub managed_pr: Option<bool>,
}

/// All that the API was sent besides the conversation. Large, and written for each request.
#[wire(tag(type = "prompt_snapshot"), rename_all = "camelCase")]
pub struct PromptSnapshotAttachment {
    /// The system prompt, in its parts.
    pub system_prompt: Vec<String>,
    /// The tools, as the API takes them. Absent where they are as before.
    pub tools: Option<Vec<Json>>,
    /// What the system prompt begins with.
    pub cli_prefix: Option<String>,
    /// How the model is told of its surroundings, such as `announced`.
    pub context_rendering: Option<String>,
    /// Whether reminders are put together.
    pub reminder_fold: Option<bool>,
    /// Whether the model reads its tools' inputs as they were sent.
    pub echo_wire_tool_inputs: Option<bool>,
    /// Whether the system speaks in turns of its own.
    pub system_turns: Option<bool>,
    /// Whether changes of the tools have a heading.
    pub tool_change_header: Option<bool>,
    /// Whether the tools stand in the conversation.
    pub inline_tools: Option<bool>,
    /// Whether older reminders are kept.
    pub kept_reminders: Option<bool>,
}

/// A slash command that does not exist: the model reads it as a prompt.
#[wire(tag(type = "unknown_command_fallback"), rename_all = "camelCase")]
pub struct UnknownCommandFallbackAttachment {
    /// The command, without the slash.
    pub command_name: String,
    /// The commands that there are.
    pub available_command_names: Option<Vec<String>>,
    /// How many there are.
    pub available_command_count: Option<Count>,
}

/// The output style, to remind the model of it.
#[wire(tag(type = "output_style"), rename_all = "camelCase")]
pub struct OutputStyleAttachment {
    /// Its name.
    pub style: String,
}

/// The output style, when it is chosen.
#[wire(tag(type = "output_style_instructions"), rename_all = "camelCase")]
pub struct OutputStyleInstructionsAttachment {
    /// The style: its name, what it says and how it is applied.
    pub style: Json,
}
