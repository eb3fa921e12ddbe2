//! The command-line arguments of the CLI.

use std::ffi::OsString;

use claw_types::options::{
    Delivery, Plugin, QueryOptions, SettingsOrPath, Skills, Thinking, ThinkingDisplay, Tools,
};
use claw_types::{Json, Map};

use crate::{FileArgument, TransportError};

/// Returns the command-line arguments that pass these options to the CLI. The program itself is not among them.
///
/// Each flag with a value is one argument, `--flag=value`, so that the CLI cannot mistake a value for a flag, or a flag
/// for another value. Long and secret options are not among the arguments: they are sent in the request `initialize` on
/// stdin, or passed in [files](file_arguments). Prompts are sent on stdin too. If `permission_prompts` is true, your
/// program answers permission requests on stdin (`--permission-prompt-tool=stdio`). If neither your program nor an MCP
/// tool answers them, the CLI denies every tool use that needs a permission request.
///
/// # Errors
///
/// Fails with [`InvalidOption`](TransportError::InvalidOption) for options that the CLI refuses or misinterprets.
pub fn argv(
    options: &QueryOptions,
    permission_prompts: bool,
) -> Result<Vec<OsString>, TransportError> {
    options.validate()?;
    let by_tool = options.permission_prompt_tool_name.as_deref();
    if permission_prompts && by_tool.is_some() {
        return Err(TransportError::invalid(
            "permission_prompt_tool_name",
            "cannot be combined with a permission callback",
        ));
    }
    let mut argv = Argv::default();
    argv.flag("output-format", Some("stream-json"));
    argv.switch("verbose", Some(true));
    argv.flag("input-format", Some("stream-json"));

    argv.thinking(options);
    argv.flag("effort", options.effort.as_ref().map(AsRef::<str>::as_ref));
    argv.flag(
        "max-turns",
        options.max_turns.map(|turns| turns.to_string()),
    );
    argv.flag(
        "max-budget-usd",
        options.max_budget_usd.map(|limit| limit.to_string()),
    );
    let budget = options.task_budget.as_ref();
    argv.flag("task-budget", budget.map(|budget| budget.total.to_string()));
    argv.flag("model", options.model.as_ref());
    argv.flag("fallback-model", options.fallback_model.as_ref());
    argv.flag("agent", options.agent.as_ref());
    argv.filled_list("betas", options.betas.as_deref());

    argv.flag(
        "permission-prompt-tool",
        permission_prompts.then_some("stdio").or(by_tool),
    );
    let prompts = options.permission_prompts.as_ref();
    argv.flag("permission-prompts", prompts.map(AsRef::<str>::as_ref));
    let mode = options.permission_mode.as_ref();
    argv.flag("permission-mode", mode.map(AsRef::<str>::as_ref));
    argv.switch(
        "allow-dangerously-skip-permissions",
        options.allow_dangerously_skip_permissions,
    );
    argv.tools(options);

    argv.launch(options)?;
    argv.switch("strict-mcp-config", options.strict_mcp_config);
    if let Some(SettingsOrPath::Path(path)) = &options.settings {
        argv.flag("settings", Some(path));
    }
    argv.list("setting-sources", options.setting_sources.as_deref());
    argv.flag("project-config-root", options.project_config_root.as_ref());
    for directory in options.additional_directories.iter().flatten() {
        argv.flag("add-dir", Some(directory));
    }
    argv.session(options);
    argv.switch("include-partial-messages", options.include_partial_messages);
    argv.switch("include-hook-events", options.include_hook_events);
    match &options.debug_file {
        Some(file) => argv.flag("debug-file", Some(file)),
        None => argv.switch("debug", options.debug),
    }
    for (name, value) in options.extra_args.iter().flatten() {
        match value {
            Some(value) => argv.flag(name, Some(value)),
            None => argv.switch(name, Some(true)),
        }
    }
    Ok(argv.words)
}

/// Returns the options that are passed in files. Each argument has the flag that names the file, and the file's
/// content. The list is empty unless the options use [`Delivery::File`].
///
/// # Errors
///
/// Fails with the same errors as [`argv`].
pub fn file_arguments(options: &QueryOptions) -> Result<Vec<FileArgument>, TransportError> {
    let mut files = Vec::new();
    if !by_file(options) {
        return Ok(files);
    }
    if let Some(servers) = filled(options.mcp_servers.as_ref()) {
        let content = [("mcpServers", servers)].into_iter().collect::<Map<_>>();
        let content = Json::new(&content)
            .map_err(|error| TransportError::invalid("mcp_servers", error.to_string()))?;
        files.push(FileArgument::new("mcp-config", content.as_raw()));
    }
    if let Some(settings) = options.merged_settings()? {
        files.push(FileArgument::new("settings", settings.as_raw()));
    }
    Ok(files)
}

fn by_file(options: &QueryOptions) -> bool {
    options.delivery == Some(Delivery::File)
}

fn filled<T>(map: Option<&Map<T>>) -> Option<&Map<T>> {
    map.filter(|map| !map.is_empty())
}

#[derive(Default)]
struct Argv {
    words: Vec<OsString>,
}

impl Argv {
    fn switch(&mut self, name: &str, on: Option<bool>) {
        if on == Some(true) {
            self.words.push(format!("--{name}").into());
        }
    }

    fn flag(&mut self, name: &str, value: Option<impl Into<OsString>>) {
        if let Some(value) = value {
            let mut word = OsString::from(format!("--{name}="));
            word.push(value.into());
            self.words.push(word);
        }
    }

    /// Adds a list for which an empty list differs from an absent list.
    fn list(&mut self, name: &str, values: Option<&[impl AsRef<str>]>) {
        let joined = values.map(|values| {
            values
                .iter()
                .map(AsRef::as_ref)
                .collect::<Vec<_>>()
                .join(",")
        });
        self.flag(name, joined);
    }

    /// Adds a list for which an empty list is the same as an absent list.
    fn filled_list(&mut self, name: &str, values: Option<&[impl AsRef<str>]>) {
        self.list(name, values.filter(|values| !values.is_empty()));
    }

    fn thinking(&mut self, options: &QueryOptions) {
        let (kind, budget, display): (_, _, Option<&ThinkingDisplay>) = match &options.thinking {
            Some(Thinking::Adaptive(adaptive)) => {
                (Some("adaptive"), None, adaptive.display.as_ref())
            }
            Some(Thinking::Enabled(enabled)) => match enabled.budget_tokens {
                None => (Some("adaptive"), None, enabled.display.as_ref()),
                budget => (None, budget, enabled.display.as_ref()),
            },
            Some(Thinking::Disabled(_)) => (Some("disabled"), None, None),
            _ => match options.max_thinking_tokens {
                Some(budget) if budget == 0 => (Some("disabled"), None, None),
                budget => (None, budget, None),
            },
        };
        self.flag("thinking", kind);
        self.flag(
            "max-thinking-tokens",
            budget.map(|budget| budget.to_string()),
        );
        self.flag("thinking-display", display.map(AsRef::<str>::as_ref));
    }

    fn tools(&mut self, options: &QueryOptions) {
        match &options.tools {
            Some(Tools::List(tools)) => self.list("tools", Some(tools)),
            Some(_) => self.flag("tools", Some("default")),
            None => {}
        }
        let mut allowed = options.allowed_tools.clone().unwrap_or_default();
        match &options.skills {
            Some(Skills::List(names)) => {
                allowed.extend(names.iter().map(|name| format!("Skill({name})")));
            }
            Some(_) => allowed.push("Skill".to_owned()),
            None => {}
        }
        self.filled_list("allowedTools", Some(&allowed));
    }

    /// Adds the options that must be known before the CLI reads its settings. They are passed over stdin, for which the
    /// CLI must then wait, or in files and flags.
    fn launch(&mut self, options: &QueryOptions) -> Result<(), TransportError> {
        let refused = options.disallowed_tools.as_deref();
        let refused = refused.filter(|tools| !tools.is_empty());
        let plugins = options.plugins.as_deref().unwrap_or_default();
        if by_file(options) {
            if options.managed_settings.is_some() {
                return Err(TransportError::invalid(
                    "managed_settings",
                    "cannot be given in a file",
                ));
            }
            self.list("disallowedTools", refused);
            for plugin in plugins {
                if let Plugin::Local(plugin) = plugin {
                    let flag = match plugin.skip_mcp_discovery {
                        Some(true) => "plugin-dir-no-mcp",
                        _ => "plugin-dir",
                    };
                    self.flag(flag, Some(&plugin.path));
                }
            }
            return Ok(());
        }
        let settings = options.merged_settings()?.is_some();
        let fields: Vec<_> = [
            settings.then_some("settings"),
            refused.map(|_| "disallowedTools"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let managed = options.managed_settings.is_some();
        let waits = !fields.is_empty()
            || managed
            || !plugins.is_empty()
            || filled(options.mcp_servers.as_ref()).is_some();
        self.switch("await-initialize", Some(waits));
        self.filled_list("initialize-fields", Some(&fields));
        self.switch("managed-settings-in-initialize", Some(managed));
        Ok(())
    }

    fn session(&mut self, options: &QueryOptions) {
        self.switch("continue", options.continue_session);
        self.flag("resume", options.resume.as_ref());
        self.switch("fork-session", options.fork_session);
        self.flag("resume-session-at", options.resume_session_at.as_ref());
        self.flag("resume-drops-turn", options.resume_drops_turn.as_ref());
        self.flag("session-id", options.session_id.as_ref());
        let forgets = options.persist_session.map(|persist| !persist);
        self.switch("no-session-persistence", forgets);
        self.switch("session-mirror", options.session_mirror);
    }
}

#[cfg(test)]
mod tests;
