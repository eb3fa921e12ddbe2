//! The CLI's arguments.

use std::ffi::OsString;

use claw_types::options::{PermissionMode, QueryOptions};

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
    known(options)?;
    let mut argv = Argv::default();
    argv.flag("output-format", Some("stream-json"));
    argv.switch("verbose", Some(true));
    argv.flag("input-format", Some("stream-json"));

    argv.models(options)?;
    argv.permission_mode(options)?;
    if permission_prompts {
        argv.flag("permission-prompt-tool", Some("stdio"));
    }
    argv.list("tools", options.tools.as_deref());
    argv.filled_list("allowedTools", options.allowed_tools.as_deref());
    argv.filled_list("disallowedTools", options.disallowed_tools.as_deref());
    if options.max_turns.is_some_and(|turns| turns == 0) {
        return Err(TransportError::invalid(
            "max_turns",
            "a turn takes at least one answer",
        ));
    }
    argv.flag(
        "max-turns",
        options.max_turns.map(|turns| turns.to_string()),
    );
    argv.flag(
        "max-budget-usd",
        options.max_budget_usd.map(|limit| limit.to_string()),
    );
    argv.switch("include-partial-messages", options.include_partial_messages);
    argv.list("setting-sources", options.setting_sources.as_deref());
    for directory in options.additional_directories.iter().flatten() {
        argv.flag("add-dir", Some(directory));
    }
    argv.switch("continue", options.continue_session);
    argv.flag("resume", options.resume.as_ref());
    argv.switch("fork-session", options.fork_session);
    argv.flag("session-id", options.session_id.as_ref());
    for (name, value) in options.extra_args.iter().flatten() {
        argv.extra(name, value.as_deref())?;
    }
    Ok(argv.words)
}

/// Refuses options that claw does not know: one that is misspelt may be one that forbids something.
fn known(options: &QueryOptions) -> Result<(), TransportError> {
    // A null is as good as no option.
    match options
        .extra
        .iter()
        .find(|(_, value)| value.as_str() != "null")
    {
        Some((name, _)) => {
            let reason =
                format!("claw knows no option `{name}` (a flag of the CLI's goes to extraArgs)");
            Err(TransportError::invalid("options", reason))
        }
        None => Ok(()),
    }
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

    /// A list in which "none" is a value of its own.
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

    /// A list in which "none" is the same as no list.
    fn filled_list(&mut self, name: &str, values: Option<&[String]>) {
        self.list(name, values.filter(|values| !values.is_empty()));
    }

    fn models(&mut self, options: &QueryOptions) -> Result<(), TransportError> {
        let (model, fallback) = (&options.model, &options.fallback_model);
        if fallback.is_some() && model == fallback {
            let reason = "the model to fall back to must be another one than `model`";
            return Err(TransportError::invalid("fallback_model", reason));
        }
        self.flag("model", model.as_ref());
        self.flag("fallback-model", fallback.as_ref());
        Ok(())
    }

    fn permission_mode(&mut self, options: &QueryOptions) -> Result<(), TransportError> {
        let allowed = options.allow_dangerously_skip_permissions;
        let mode = options.permission_mode.as_ref();
        if mode == Some(&PermissionMode::BypassPermissions) && allowed != Some(true) {
            return Err(TransportError::invalid(
                "permission_mode",
                "bypassPermissions needs allow_dangerously_skip_permissions",
            ));
        }
        self.flag("permission-mode", mode.map(PermissionMode::as_str));
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
