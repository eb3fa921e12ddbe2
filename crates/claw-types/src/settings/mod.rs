//! Settings: what a settings file says.
//!
//! Typed is what a session's user sets. What only a terminal, an organisation or an installer cares
//! for is kept in `extra` like any field that claw does not know.

mod hook;
mod marketplace;
mod mcp;
mod parts;
mod permission;
mod plugin;
mod resolved;

pub use hook::*;
pub use marketplace::*;
pub use mcp::*;
pub use parts::*;
pub use permission::*;
pub use plugin::*;
pub use resolved::*;

use crate::json::JsonOf;
use crate::options::{EffortLevel, SandboxSettings};
use crate::{Count, Json, Map};

/// What a settings file says. Everything may be absent, and is then left to other files or to the
/// CLI.
#[wire(rename_all = "camelCase")]
pub struct Settings {
    /// The JSON Schema of the file, for editors.
    #[wire(rename = "$schema")]
    pub schema: Option<String>,
    /// The model, by name or alias.
    pub model: Option<String>,
    /// Models that answer where the first is overloaded, in order.
    pub fallback_model: Option<Vec<String>>,
    /// The models to choose from.
    pub available_models: Option<Vec<String>>,
    /// How their names are meant.
    pub available_models_match: Option<ModelMatch>,
    /// Holds the default model to them too.
    pub enforce_available_models: Option<bool>,
    /// Models that cannot be chosen.
    pub denied_models: Option<Vec<String>>,
    /// What a provider calls a model, by the model's name.
    pub model_overrides: Option<Map<String>>,
    /// What holds for single models, by name.
    pub model_settings: Option<Map<ModelSettings>>,
    /// The model that is asked for advice.
    pub advisor_model: Option<String>,
    /// How hard the model thinks.
    pub effort_level: Option<EffortLevel>,
    /// At most so hard.
    pub max_effort_level: Option<EffortLevel>,
    /// The model thinks before it answers.
    pub always_thinking_enabled: Option<bool>,
    /// Its thoughts are summed up.
    pub show_thinking_summaries: Option<bool>,
    /// Answers are fast, and dearer.
    pub fast_mode: Option<bool>,
    /// That is asked for anew in each session.
    pub fast_mode_per_session_opt_in: Option<bool>,
    /// Work is done by workflows.
    pub ultracode: Option<bool>,
    /// The conversation is compacted by itself.
    pub auto_compact_enabled: Option<bool>,
    /// At how many tokens.
    pub auto_compact_window: Option<Count>,
    /// How long the API keeps the conversation.
    pub prompt_cache_ttl: Option<PromptCacheTtl>,
    /// How long it keeps those of sub-agents.
    pub subagent_prompt_cache_ttl: Option<PromptCacheTtl>,
    /// What is allowed, what is refused, what is asked for.
    pub permissions: Option<SettingsPermissions>,
    /// What the permission mode `auto` goes by.
    pub auto_mode: Option<AutoModeSettings>,
    /// The user has agreed to `bypassPermissions`.
    pub skip_dangerous_mode_permission_prompt: Option<bool>,
    /// The user has agreed to `auto`.
    pub skip_auto_permission_prompt: Option<bool>,
    /// In `plan`, what `auto` would allow is not asked for.
    pub use_auto_mode_during_plan: Option<bool>,
    /// There is no permission mode `auto`.
    pub disable_auto_mode: Option<SettingsDisable>,
    /// Only the organisation's rules count.
    pub allow_managed_permission_rules_only: Option<bool>,
    /// The sandbox that shell commands run in.
    pub sandbox: Option<Box<SandboxSettings>>,
    /// Variables of every session.
    #[wire(secret)]
    pub env: Option<Map<String>>,
    /// The shell for what the user runs with `!`.
    pub default_shell: Option<HookShell>,
    /// How much of a command's output the model is shown, in characters.
    pub bash_output_max_chars: Option<Count>,
    /// How much of a background task's.
    pub task_output_max_chars: Option<Count>,
    /// Says what a command has changed in files.
    pub bash_edit_diff_enabled: Option<bool>,
    /// Hooks, by event.
    pub hooks: Option<Map<Vec<SettingsHookMatcher>>>,
    /// None of them run, and no status line.
    pub disable_all_hooks: Option<bool>,
    /// Only the organisation's run.
    pub allow_managed_hooks_only: Option<bool>,
    /// Addresses that hooks may call; absent for all.
    pub allowed_http_hook_urls: Option<Vec<String>>,
    /// Variables that they may be sent; absent for all.
    pub http_hook_allowed_env_vars: Option<Vec<String>>,
    /// The MCP servers of the project's `.mcp.json` are all used, unasked.
    pub enable_all_project_mcp_servers: Option<bool>,
    /// Those of them that are.
    pub enabled_mcpjson_servers: Option<Vec<String>>,
    /// Those of them that are not.
    pub disabled_mcpjson_servers: Option<Vec<String>>,
    /// The MCP servers that may be used; absent for all.
    pub allowed_mcp_servers: Option<Vec<McpServerRule>>,
    /// Those that may not, also where they are allowed.
    pub denied_mcp_servers: Option<Vec<McpServerRule>>,
    /// Only what the organisation allows counts.
    pub allow_managed_mcp_servers_only: Option<bool>,
    /// Without the connectors of claude.ai.
    pub disable_claude_ai_connectors: Option<bool>,
    /// Plugins, as `name@marketplace`, and whether they are used.
    pub enabled_plugins: Option<Map<EnabledPlugin>>,
    /// What plugins are told, by `name@marketplace`.
    #[wire(secret)]
    pub plugin_configs: Option<Map<Json>>,
    /// Marketplaces of plugins, by name.
    pub extra_known_marketplaces: Option<Map<KnownMarketplace>>,
    /// The only marketplaces that may be added.
    pub strict_known_marketplaces: Option<Vec<Marketplace>>,
    /// Marketplaces that may not.
    pub blocked_marketplaces: Option<Vec<Marketplace>>,
    /// What may come from plugins alone.
    pub strict_plugin_only_customization: Option<PluginOnly>,
    /// Whether skills are used, by name.
    pub skill_overrides: Option<Map<SkillState>>,
    /// Without the CLI's own skills.
    pub disable_bundled_skills: Option<bool>,
    /// Skills do not run commands.
    pub disable_skill_shell_execution: Option<bool>,
    /// The sub-agent that plays the main part.
    pub agent: Option<String>,
    /// The output style.
    pub output_style: Option<String>,
    /// The language that the model answers in.
    pub language: Option<String>,
    /// The command that writes the status line.
    pub status_line: Option<StatusLine>,
    /// The one for sub-agents.
    pub subagent_status_line: Option<SettingsCommand>,
    /// How much of the work is shown.
    pub view_mode: Option<TranscriptView>,
    /// Whether commits and pull requests name Claude.
    pub attribution: Option<Attribution>,
    /// The same, as older CLIs have it.
    pub include_co_authored_by: Option<bool>,
    /// The system prompt says how to use git.
    pub include_git_instructions: Option<bool>,
    /// Instructions, in place of a file.
    pub claude_md: Option<String>,
    /// Files of instructions that are not read.
    pub claude_md_excludes: Option<Vec<String>>,
    /// It remembers by itself.
    pub auto_memory_enabled: Option<bool>,
    /// Where it keeps that.
    pub auto_memory_directory: Option<String>,
    /// Where plans are kept.
    pub plans_directory: Option<String>,
    /// How worktrees are made.
    pub worktree: Option<WorktreeSettings>,
    /// Suggests no files that git ignores.
    pub respect_gitignore: Option<bool>,
    /// The command that suggests files.
    pub file_suggestion: Option<SettingsCommand>,
    /// Keeps copies of files, for `rewind_files`.
    pub file_checkpointing_enabled: Option<bool>,
    /// The model keeps a list of what is to be done.
    pub todo_feature_enabled: Option<bool>,
    /// Suggests prompts.
    pub prompt_suggestion_enabled: Option<bool>,
    /// Fetches pages without asking a server first whether they are safe.
    pub skip_web_fetch_preflight: Option<bool>,
    /// How many days conversations are kept on disk.
    pub cleanup_period_days: Option<Count>,
    /// A command that writes the API key.
    pub api_key_helper: Option<String>,
    /// A command that writes what a proxy wants.
    pub proxy_auth_helper: Option<String>,
    /// A command that writes keys of AWS.
    pub aws_credential_export: Option<String>,
    /// A command that renews a login to AWS.
    pub aws_auth_refresh: Option<String>,
    /// A command that renews a login to Google Cloud.
    pub gcp_auth_refresh: Option<String>,
    /// A command that writes headers for telemetry.
    pub otel_headers_helper: Option<String>,
}

impl From<Settings> for JsonOf<Settings> {
    fn from(settings: Settings) -> Self {
        // What is read from JSON can be written as JSON.
        Json::new(&settings)
            .unwrap_or_else(|_| Json::empty_object())
            .into()
    }
}
