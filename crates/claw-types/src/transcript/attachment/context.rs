//! What the model is told of its surroundings.

use crate::{Count, Json, Map};

use super::attachment;

attachment! {
    /// The machine and the folder that the CLI runs in.
    ["environment"] EnvironmentAttachment {
        /// As they are.
        pub snapshot: EnvironmentSnapshot,
        /// What is otherwise than it was said before. Absent the first time.
        pub changes: Option<Vec<EnvironmentChange>>,
    }
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

attachment! {
    /// The model that answers.
    ["model"] ModelAttachment {
        /// The model.
        pub identity: ModelIdentity,
        /// What it is told about itself.
        pub text: String,
    }
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

attachment! {
    /// The date.
    ["date"] DateAttachment {
        /// Today, as `2026-01-31`.
        pub date: String,
    }
}

attachment! {
    /// What is known of the project when the session begins.
    ["session_context"] SessionContextAttachment {
        /// Texts by what they are about, such as `gitStatus`.
        pub context: Map<Json>,
    }
}

attachment! {
    /// Instructions of the user and the project, from `CLAUDE.md` and its like.
    ["instructions"] InstructionsAttachment {
        /// The files.
        pub files: Vec<InstructionsFile>,
    }
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

attachment! {
    /// Tools that the model can load, and those that it no longer can.
    ["deferred_tools_delta"] DeferredToolsDeltaAttachment {
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

attachment! {
    /// Definitions of tools that the model has loaded.
    ["deferred_tools_record"] DeferredToolsRecordAttachment {
        /// The definitions, as the API takes them.
        pub entries: Vec<Json>,
    }
}

attachment! {
    /// Kinds of sub-agents that the model can use, and those that it no longer can.
    ["agent_listing_delta"] AgentListingDeltaAttachment {
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
}

attachment! {
    /// Skills that the model can use.
    ["skill_listing"] SkillListingAttachment {
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
}

attachment! {
    /// How commits and pull requests are signed, and where the session can be seen.
    ["remote_session_change"] RemoteSessionChangeAttachment {
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
}

attachment! {
    /// All that the API was sent besides the conversation. Large, and written for each request.
    ["prompt_snapshot"] PromptSnapshotAttachment {
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
}

attachment! {
    /// A slash command that does not exist: the model reads it as a prompt.
    ["unknown_command_fallback"] UnknownCommandFallbackAttachment {
        /// The command, without the slash.
        pub command_name: String,
        /// The commands that there are.
        pub available_command_names: Option<Vec<String>>,
        /// How many there are.
        pub available_command_count: Option<Count>,
    }
}

attachment! {
    /// The output style, to remind the model of it.
    ["output_style"] OutputStyleAttachment {
        /// Its name.
        pub style: String,
    }
}

attachment! {
    /// The output style, when it is chosen.
    ["output_style_instructions"] OutputStyleInstructionsAttachment {
        /// The style: its name, what it says and how it is applied.
        pub style: Json,
    }
}
