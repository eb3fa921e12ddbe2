//! The CLI's arguments.

use std::ffi::OsString;

use claw_types::options::QueryOptions;

use crate::TransportError;

/// The arguments for these options, without the program itself.
///
/// Every flag with a value is one word, `--flag=value`: a value can never be taken for a flag, nor
/// a flag for one more value. What is long or secret is not here but goes over stdin in
/// `initialize`; so do prompts. `permission_prompts` says that somebody answers permission
/// questions on stdin (`--permission-prompt-tool=stdio`); without it the CLI denies what it would
/// have to ask for.
///
/// # Errors
///
/// [`InvalidOption`](TransportError::InvalidOption) for what the CLI would refuse, or take for
/// something else.
pub fn argv(
    options: &QueryOptions,
    permission_prompts: bool,
) -> Result<Vec<OsString>, TransportError> {
    let mut argv = Argv::default();
    argv.flag("output-format", Some("stream-json"));
    argv.switch("verbose", Some(true));
    argv.flag("input-format", Some("stream-json"));

    argv.flag("model", options.model.as_ref());
    argv.flag("fallback-model", options.fallback_model.as_ref());
    argv.permission_mode(options)?;
    if permission_prompts {
        argv.flag("permission-prompt-tool", Some("stdio"));
    }
    argv.list("tools", options.tools.as_ref());
    argv.filled_list("allowedTools", options.allowed_tools.as_ref());
    argv.filled_list("disallowedTools", options.disallowed_tools.as_ref());
    argv.number(
        "max-turns",
        options.max_turns.filter(|turns| turns.get() > 0),
    );
    argv.number("max-budget-usd", options.max_budget_usd);
    argv.switch("include-partial-messages", options.include_partial_messages);
    argv.list("setting-sources", options.setting_sources.as_ref());
    for directory in options.additional_directories.iter().flatten() {
        argv.flag("add-dir", Some(directory));
    }
    argv.switch("continue", options.continue_session);
    argv.flag("resume", options.resume.as_ref());
    argv.switch("fork-session", options.fork_session);
    argv.flag("session-id", options.session_id.as_ref());
    argv.flag("settings", options.settings.as_ref());
    argv.flag(
        "json-schema",
        options.output_schema.as_ref().map(|schema| schema.as_str()),
    );
    for (name, value) in options.extra_args.iter().flatten() {
        argv.extra(name, value.as_deref())?;
    }
    Ok(argv.words)
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

    fn number(&mut self, name: &str, value: Option<impl ToString>) {
        self.flag(name, value.map(|value| value.to_string()));
    }

    /// A list in which "none" is a value of its own.
    fn list<T: AsRef<str>>(&mut self, name: &str, values: Option<&Vec<T>>) {
        let texts = values.map(|values| values.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        self.flag(name, texts.map(|texts| texts.join(",")));
    }

    /// A list in which "none" is the same as no list.
    fn filled_list<T: AsRef<str>>(&mut self, name: &str, values: Option<&Vec<T>>) {
        self.list(name, values.filter(|values| !values.is_empty()));
    }

    fn permission_mode(&mut self, options: &QueryOptions) -> Result<(), TransportError> {
        let allowed = options.allow_dangerously_skip_permissions;
        let mode = options.permission_mode.as_ref().map(|mode| mode.as_str());
        if mode == Some("bypassPermissions") && allowed != Some(true) {
            return Err(TransportError::invalid(
                "permission_mode",
                "bypassPermissions needs allow_dangerously_skip_permissions",
            ));
        }
        self.flag("permission-mode", mode);
        self.switch("allow-dangerously-skip-permissions", allowed);
        Ok(())
    }

    /// A flag that claw does not know, named without its dashes.
    fn extra(&mut self, name: &str, value: Option<&str>) -> Result<(), TransportError> {
        if name.is_empty() || name.starts_with('-') || name.contains(['=', ' ']) {
            let reason = format!("`{name}` is no name of a flag (give it without dashes)");
            return Err(TransportError::invalid("extra_args", reason));
        }
        match value {
            Some(value) => self.flag(name, Some(value)),
            None => self.switch(name, Some(true)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
