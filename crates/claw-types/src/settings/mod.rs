//! The contents of settings files.
//!
//! [`Settings`] has a typed field for each setting that concerns the user of a session. Settings that concern only
//! terminals, organisations or installers have no typed field. They are kept in `extra`, like unknown fields.

mod hook;
mod marketplace;
mod parts;
mod permission;
mod plugin;
mod resolved;

pub use hook::*;
pub use marketplace::*;
pub use parts::*;
pub use permission::*;
pub use plugin::*;
pub use resolved::*;

use crate::JsonOf;
use crate::options::{EffortLevel, SandboxSettings};
use crate::{Count, Json, Map};

/// The contents of a settings file. If a field is absent, other settings files or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct Settings {
    /// The URL of the file's JSON Schema, for editors.
    #[wire(rename = "$schema")]
    pub schema: Option<String>,
    /// The default model, by name or alias.
    pub model: Option<String>,
    /// The models that are used, in this order, when the default model is overloaded or unavailable.
    pub fallback_model: Option<Vec<String>>,
    /// The models that users may select.
    pub available_models: Option<Vec<String>>,
    /// The way in which the entries of `availableModels` match the names of models.
    pub available_models_match: Option<ModelMatch>,
    /// Whether the default model must also be one of `availableModels`.
    pub enforce_available_models: Option<bool>,
    /// The models that users may not select.
    pub denied_models: Option<Vec<String>>,
    /// Maps Anthropic's name of a model to the name that the API provider uses for this model.
    pub model_overrides: Option<Map<String>>,
    /// The settings that apply to one model only. Each key is the name of a model.
    pub model_settings: Option<Map<ModelSettings>>,
    /// The name of the model that the advisor tool asks for advice.
    pub advisor_model: Option<String>,
    /// The effort level.
    pub effort_level: Option<EffortLevel>,
    /// The maximum effort level.
    pub max_effort_level: Option<EffortLevel>,
    /// Whether the model always thinks before it answers.
    pub always_thinking_enabled: Option<bool>,
    /// Whether summaries of the model's thinking are shown.
    pub show_thinking_summaries: Option<bool>,
    /// Whether fast mode is on. In fast mode, responses come faster and cost more.
    pub fast_mode: Option<bool>,
    /// Whether each session starts with fast mode off, so that it must be turned on for each session.
    pub fast_mode_per_session_opt_in: Option<bool>,
    /// Whether the model does its work with workflows, which run sub-agents (ultracode mode).
    pub ultracode: Option<bool>,
    /// Whether conversations are compacted automatically.
    pub auto_compact_enabled: Option<bool>,
    /// The number of tokens at which a conversation is compacted automatically.
    pub auto_compact_window: Option<Count>,
    /// How long the API keeps the main conversation in its prompt cache.
    pub prompt_cache_ttl: Option<PromptCacheTtl>,
    /// How long the API keeps the conversations of sub-agents in its prompt cache.
    pub subagent_prompt_cache_ttl: Option<PromptCacheTtl>,
    /// The permission rules.
    pub permissions: Option<SettingsPermissions>,
    /// The rules for the permission mode `auto`.
    pub auto_mode: Option<AutoModeSettings>,
    /// Whether the user has accepted the dialog about the permission mode `bypassPermissions`.
    pub skip_dangerous_mode_permission_prompt: Option<bool>,
    /// Whether the user has accepted the dialog about the permission mode `auto`.
    pub skip_auto_permission_prompt: Option<bool>,
    /// Whether the permission mode `plan` allows a tool use without asking if the mode `auto` allows it.
    pub use_auto_mode_during_plan: Option<bool>,
    /// Disables the permission mode `auto`.
    pub disable_auto_mode: Option<SettingsDisable>,
    /// Whether only managed settings can define permission rules. If so, the rules of other settings are ignored.
    pub allow_managed_permission_rules_only: Option<bool>,
    /// The sandbox in which shell commands run.
    pub sandbox: Option<Box<SandboxSettings>>,
    /// Environment variables that are set in every session.
    #[wire(secret)]
    pub env: Option<Map<String>>,
    /// The shell that runs the commands which the user enters after `!`.
    pub default_shell: Option<HookShell>,
    /// The maximum number of characters of a command's output that the model receives.
    pub bash_output_max_chars: Option<Count>,
    /// The maximum length of a background task's output, in characters. This setting is obsolete: current CLIs ignore
    /// it.
    pub task_output_max_chars: Option<Count>,
    /// Whether the result of a shell command includes a diff of the files that it changed.
    pub bash_edit_diff_enabled: Option<bool>,
    /// The hooks. Each key is an event, and its value lists the hooks for this event.
    pub hooks: Option<Map<Vec<SettingsHookMatcher>>>,
    /// Whether all hooks and the status line are disabled.
    pub disable_all_hooks: Option<bool>,
    /// Whether only managed settings can define hooks. If so, the hooks of other settings do not run.
    pub allow_managed_hooks_only: Option<bool>,
    /// The URLs that HTTP hooks may call. Absent means all.
    pub allowed_http_hook_urls: Option<Vec<String>>,
    /// The environment variables that HTTP hooks may send. Absent means all.
    pub http_hook_allowed_env_vars: Option<Vec<String>>,
    /// Whether all MCP servers of the project's `.mcp.json` are enabled without asking.
    pub enable_all_project_mcp_servers: Option<bool>,
    /// The MCP servers of the project's `.mcp.json` that are enabled.
    pub enabled_mcpjson_servers: Option<Vec<String>>,
    /// The MCP servers of the project's `.mcp.json` that are disabled.
    pub disabled_mcpjson_servers: Option<Vec<String>>,
    /// The MCP servers that may be used. Absent means all.
    pub allowed_mcp_servers: Option<Vec<McpServerRule>>,
    /// The MCP servers that may not be used, even if `allowedMcpServers` allows them.
    pub denied_mcp_servers: Option<Vec<McpServerRule>>,
    /// Whether only managed settings can allow MCP servers. If so, `allowedMcpServers` of other settings is ignored.
    pub allow_managed_mcp_servers_only: Option<bool>,
    /// Whether connectors of claude.ai are disabled.
    pub disable_claude_ai_connectors: Option<bool>,
    /// The plugins that are enabled or disabled. Each key is a plugin's name and marketplace, as `name@marketplace`.
    pub enabled_plugins: Option<Map<EnabledPlugin>>,
    /// The configurations of plugins. Each key is a plugin's name and marketplace, as `name@marketplace`.
    #[wire(secret)]
    pub plugin_configs: Option<Map<Json>>,
    /// Additional plugin marketplaces. Each key is the name of a marketplace.
    pub extra_known_marketplaces: Option<Map<KnownMarketplace>>,
    /// The plugin marketplaces that users may add. Absent means all.
    pub strict_known_marketplaces: Option<Vec<Marketplace>>,
    /// The plugin marketplaces that users may not add.
    pub blocked_marketplaces: Option<Vec<Marketplace>>,
    /// The kinds of customization that users and projects may add only through plugins.
    pub strict_plugin_only_customization: Option<PluginOnly>,
    /// The states of skills, which determine whether the model and the user may use them. Each key is the name of a
    /// skill. A skill without an entry is enabled.
    pub skill_overrides: Option<Map<SkillState>>,
    /// Whether the built-in skills of the CLI are disabled.
    pub disable_bundled_skills: Option<bool>,
    /// Whether skills may not run shell commands.
    pub disable_skill_shell_execution: Option<bool>,
    /// The name of the agent that the main conversation runs as.
    pub agent: Option<String>,
    /// The name of the output style.
    pub output_style: Option<String>,
    /// The preferred language of responses, such as `spanish`.
    pub language: Option<String>,
    /// The command that prints the status line.
    pub status_line: Option<StatusLine>,
    /// The command that prints the status line of sub-agents.
    pub subagent_status_line: Option<SettingsCommand>,
    /// The amount of detail that a terminal shows.
    pub view_mode: Option<TranscriptView>,
    /// How commits and pull requests are attributed to Claude.
    pub attribution: Option<Attribution>,
    /// Whether commits and pull requests name Claude. This setting is obsolete: use `attribution` instead.
    pub include_co_authored_by: Option<bool>,
    /// Whether the system prompt includes instructions for git.
    pub include_git_instructions: Option<bool>,
    /// Instructions that the model receives in place of those in a `CLAUDE.md` file.
    pub claude_md: Option<String>,
    /// The instruction files that the CLI does not read.
    pub claude_md_excludes: Option<Vec<String>>,
    /// Whether the model reads and writes memory files on its own (automatic memory).
    pub auto_memory_enabled: Option<bool>,
    /// The folder in which automatic memory is stored.
    pub auto_memory_directory: Option<String>,
    /// The folder in which plans are stored.
    pub plans_directory: Option<String>,
    /// The settings for git worktrees.
    pub worktree: Option<WorktreeSettings>,
    /// Whether file suggestions leave out files that git ignores.
    pub respect_gitignore: Option<bool>,
    /// The command that suggests files when the user types `@` and the beginning of a file's name.
    pub file_suggestion: Option<SettingsCommand>,
    /// Whether the CLI backs up files before they are changed (file checkpoints). The request `rewind_files` needs
    /// these backups.
    pub file_checkpointing_enabled: Option<bool>,
    /// Whether the model keeps a to-do list.
    pub todo_feature_enabled: Option<bool>,
    /// Whether the CLI suggests the next prompt to the user.
    pub prompt_suggestion_enabled: Option<bool>,
    /// Whether the tool `WebFetch` skips its check that the domain of a page is safe.
    pub skip_web_fetch_preflight: Option<bool>,
    /// The URL from which an installed CLI downloads new versions of itself, in place of Anthropic's default server. The
    /// CLI accepts only one URL, which the official SDK names, and only in managed settings.
    pub downloads_mirror_url: Option<String>,
    /// The number of days for which conversations are kept on disk.
    pub cleanup_period_days: Option<Count>,
    /// A command that prints the API key.
    pub api_key_helper: Option<String>,
    /// A command that prints the credentials with which the CLI logs in to a proxy.
    pub proxy_auth_helper: Option<String>,
    /// A command that prints AWS credentials.
    pub aws_credential_export: Option<String>,
    /// A command that renews the AWS login.
    pub aws_auth_refresh: Option<String>,
    /// A command that renews the Google Cloud login.
    pub gcp_auth_refresh: Option<String>,
    /// A command that prints HTTP headers for OpenTelemetry.
    pub otel_headers_helper: Option<String>,
}

impl From<Settings> for JsonOf<Settings> {
    fn from(settings: Settings) -> Self {
        // The settings were read from JSON, so they can be written as JSON.
        Json::new(&settings)
            .unwrap_or_else(|_| Json::empty_object())
            .into()
    }
}
