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
    if permission_prompts && options.permission_prompt_tool_name.is_some() {
        return Err(TransportError::invalid(
            "permission_prompt_tool_name",
            "cannot be combined with a permission callback",
        ));
    }
    let mut argv = Argv {
        permission_prompts,
        words: Vec::new(),
    };
    argv.flag("output-format", Some("stream-json"));
    argv.switch("verbose", Some(true));
    argv.flag("input-format", Some("stream-json"));
    argv.options(options);
    Ok(argv.words)
}

/// Returns the options that are passed in files. Each of the arguments contains the flag that names the file, and the
/// content of the file. The list is empty unless the options use [`Delivery::File`].
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

struct Argv {
    permission_prompts: bool,
    words: Vec<OsString>,
}

impl Argv {
    /// Adds the arguments of all options, in the order of the fields. The declaration of a field contains its flag. If
    /// an option needs something else than one flag, the declaration contains the method that adds its arguments.
    fn options(&mut self, options: &QueryOptions) {
        let argv = self;
        macro_rules! add {
            ($field:ident $key:literal switch($flag:literal) $text:literal) => {
                argv.switch($flag, options.$field)
            };
            ($field:ident $key:literal value($flag:literal) $text:literal) => {
                argv.flag($flag, options.$field.as_ref().map(ToString::to_string))
            };
            ($field:ident $key:literal path($flag:literal) $text:literal) => {
                argv.flag($flag, options.$field.as_ref())
            };
            ($field:ident $key:literal paths($flag:literal) $text:literal) => {
                for path in options.$field.iter().flatten() {
                    argv.flag($flag, Some(path));
                }
            };
            ($field:ident $key:literal list($flag:literal) $text:literal) => {
                argv.filled_list($flag, options.$field.as_deref())
            };
            ($field:ident $key:literal arguments($method:ident) $text:literal) => {
                argv.$method(options)
            };
            // The remaining options are not passed as arguments.
            ($field:ident $key:literal $way:ident($($name:literal)?) $text:literal) => {};
        }
        claw_types::each_option!(add);
    }

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

    fn task_budget(&mut self, options: &QueryOptions) {
        let budget = options.task_budget.as_ref();
        self.flag("task-budget", budget.map(|budget| budget.total.to_string()));
    }

    fn permission_prompt_tool(&mut self, options: &QueryOptions) {
        let host = self.permission_prompts.then_some("stdio");
        let tool = options.permission_prompt_tool_name.as_deref();
        self.flag("permission-prompt-tool", host.or(tool));
    }

    fn tools(&mut self, options: &QueryOptions) {
        match &options.tools {
            Some(Tools::List(tools)) => self.list("tools", Some(tools)),
            Some(_) => self.flag("tools", Some("default")),
            None => {}
        }
    }

    fn allowed_tools(&mut self, options: &QueryOptions) {
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

    /// Adds the options that must be known before the CLI reads its settings. They are passed over stdin, and the CLI
    /// must then wait for them. With [`Delivery::File`], they are passed in files and flags.
    fn launch(&mut self, options: &QueryOptions) {
        let refused = options.disallowed_tools.as_deref();
        let refused = refused.filter(|tools| !tools.is_empty());
        let plugins = options.plugins.as_deref().unwrap_or_default();
        if by_file(options) {
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
            return;
        }
        let has_settings = matches!(options.settings, Some(SettingsOrPath::Inline(_)))
            || options.sandbox.is_some();
        let fields: Vec<_> = [
            has_settings.then_some("settings"),
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
    }

    fn settings(&mut self, options: &QueryOptions) {
        if let Some(SettingsOrPath::Path(path)) = &options.settings {
            self.flag("settings", Some(path));
        }
    }

    fn setting_sources(&mut self, options: &QueryOptions) {
        self.list("setting-sources", options.setting_sources.as_deref());
    }

    fn persistence(&mut self, options: &QueryOptions) {
        let forgets = options.persist_session.map(|persist| !persist);
        self.switch("no-session-persistence", forgets);
    }

    fn debug(&mut self, options: &QueryOptions) {
        if options.debug_file.is_none() {
            self.switch("debug", options.debug);
        }
    }

    fn extra_args(&mut self, options: &QueryOptions) {
        for (name, value) in options.extra_args.iter().flatten() {
            match value {
                Some(value) => self.flag(name, Some(value)),
                None => self.switch(name, Some(true)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
