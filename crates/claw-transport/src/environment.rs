//! Determines the differences between the environment of the CLI and the environment of the host.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use claw_types::options::{QueryOptions, ToolConfig};

/// claw's default for a variable that the options do not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Default {
    /// The CLI does not get the host's value.
    Remove,
    /// The CLI gets this value, unless the host has the variable set.
    Set(&'static str),
    /// The CLI gets the first value, unless the host or the options set the variable itself or the variable with the
    /// second name.
    SetUnless(&'static str, &'static str),
}

/// Every variable that claw changes by default.
pub(crate) const DEFAULTS: [(&str, Default); 9] = [
    // Set in processes that a CLI starts. A CLI with this variable treats itself as nested.
    ("CLAUDECODE", Default::Remove),
    // Names the program that started the CLI. If the variable is absent, the CLI treats that program as an SDK, which
    // is correct for claw. If the value were inherited from an interactive CLI, the sessions would be listed among the
    // interactive sessions.
    ("CLAUDE_CODE_ENTRYPOINT", Default::Remove),
    // These variables are meant for the host's own runtime.
    ("NODE_OPTIONS", Default::Remove),
    ("DEBUG", Default::Remove),
    // A host declares its capabilities to its own CLI with these variables.
    ("CLAUDE_CODE_QUESTION_EXTENDED", Default::Remove),
    (
        "CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS",
        Default::Remove,
    ),
    ("CLAUDE_CODE_AGENT_PROGRESS_SUMMARIES", Default::Remove),
    // Makes the CLI report when it is idle. Without this report, claw cannot know for certain when a run has ended.
    ("CLAUDE_CODE_SDK_READS_SESSION_STATE", Default::Set("1")),
    // The CLI's runtime uploads reports about its own crashes, which contain parts of its memory. A host that wants to
    // upload these reports sets one of the two variables.
    (
        "BUN_ENABLE_CRASH_REPORTING",
        Default::SetUnless("0", "BUN_CRASH_REPORT_URL"),
    ),
];

/// An option whose value is passed in an environment variable.
trait Variable {
    /// Returns the value of the variable. If the result is `None`, the CLI gets the host's value.
    fn value(&self) -> Option<&str>;
}

impl Variable for bool {
    fn value(&self) -> Option<&str> {
        self.then_some("true")
    }
}

impl Variable for ToolConfig {
    fn value(&self) -> Option<&str> {
        let question = self.ask_user_question.as_ref()?;
        question.preview_format.as_ref().map(AsRef::as_ref)
    }
}

/// Returns every variable that an option can set, with the value that the given options set.
pub(crate) fn by_options(options: &QueryOptions) -> Vec<(&'static str, Option<&str>)> {
    let mut variables = Vec::new();
    macro_rules! add {
        ($field:ident $key:literal variable($name:literal) $text:literal) => {
            variables.push(($name, options.$field.as_ref().and_then(Variable::value)))
        };
        // The other options do not set variables.
        ($field:ident $key:literal $way:ident($($name:tt)?) $text:literal) => {};
    }
    claw_types::each_option!(add);
    variables
}

/// The prefix of the variables that configure claw's own programs. Several of these contain secrets.
const OWN: &str = "CLAW_";

/// The variables of claw that the CLI inherits. They contain the IDs of the enclosing sessions, the path of the CLI,
/// and the settings of the scripted agent of claw-testkit.
const INHERITED: [&str; 5] = [
    "CLAW_SESSION",
    "CLAW_CLAUDE_PATH",
    "CLAW_AGENT_SCRIPT",
    "CLAW_AGENT_GATES",
    "CLAW_AGENT_PACE_MS",
];

/// Secret variables of claw's programs whose names do not begin with `CLAW_`. This is the token of a server of the
/// hosting contract.
const SECRETS: [&str; 1] = ["AGENT_AUTH_TOKEN"];

/// Whether a variable belongs to claw's own programs, so that the CLI and its commands do not inherit it.
fn is_own(name: &OsStr) -> bool {
    // The names are ASCII. On Windows, names that differ only in case refer to the same variable.
    let name = name.to_string_lossy().to_ascii_uppercase();
    SECRETS.contains(&&*name) || (name.starts_with(OWN) && !INHERITED.contains(&&*name))
}

/// Returns the changes to the environment that the CLI inherits from this process. A value sets a variable, and `None`
/// removes it.
///
/// The changes come from claw's own defaults, from variables that other options imply, and from `options.env`. If
/// several of these change the same variable, `options.env` takes precedence over implied variables, and implied
/// variables take precedence over the defaults. By default, the CLI does not inherit variables whose names begin with
/// `CLAW_`, except `CLAW_SESSION`, `CLAW_CLAUDE_PATH` and those of the scripted agent. It does not inherit
/// `AGENT_AUTH_TOKEN` either. These variables configure claw's own programs, and some of them contain secrets.
pub fn environment(options: &QueryOptions) -> BTreeMap<OsString, Option<OsString>> {
    overlay(options, std::env::vars_os().map(|(name, _)| name))
}

fn overlay(
    options: &QueryOptions,
    host: impl IntoIterator<Item = OsString>,
) -> BTreeMap<OsString, Option<OsString>> {
    let host: BTreeSet<OsString> = host.into_iter().collect();
    let host_has = |name: &str| host.contains(OsStr::new(name));
    let set_by_option = |name: &str| {
        matches!(
            options.env.as_ref().map(|env| env.get(name)),
            Some(Some(Some(_)))
        )
    };
    let own = host.iter().filter(|name| is_own(name));
    let mut env: BTreeMap<_, _> = own.map(|name| (name.clone(), None)).collect();
    for (name, default) in DEFAULTS {
        match default {
            Default::Remove => env.insert(name.into(), None),
            Default::Set(_) | Default::SetUnless(..) if host_has(name) => None,
            Default::SetUnless(_, other) if host_has(other) || set_by_option(other) => None,
            Default::Set(value) | Default::SetUnless(value, _) => {
                env.insert(name.into(), Some(value.into()))
            }
        };
    }
    let by_options = by_options(options).into_iter();
    env.extend(by_options.filter_map(|(name, value)| Some((name.into(), Some(value?.into())))));
    for (name, value) in options.env.iter().flatten() {
        env.insert(name.into(), value.as_ref().map(Into::into));
    }
    env
}

#[cfg(test)]
mod tests;
