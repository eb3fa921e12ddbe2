//! The differences between the environment of the CLI and that of the host.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use claw_types::options::{AskUserQuestionConfig, QueryOptions, ToolConfig};

const CHECKPOINTING: &str = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
const PREVIEW_FORMAT: &str = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";

/// claw's default for a variable that the options do not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Default {
    /// The CLI does not get the host's value.
    Remove,
    /// The CLI gets this value, unless the host has the variable set.
    Set(&'static str),
    /// The CLI gets the host's value, unless another option determines it.
    Option,
}

/// Every variable that claw changes by default.
pub(crate) const DEFAULTS: [(&str, Default); 10] = [
    // Set in processes that a CLI starts. A CLI with this variable treats itself as nested.
    ("CLAUDECODE", Default::Remove),
    // Names the program that started the CLI. If it is absent, the program is an SDK, as claw is. If it were inherited
    // from an interactive CLI, sessions would be listed among the interactive sessions.
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
    // Makes the CLI report when it is idle. Without this report, claw can only guess the end of a run.
    ("CLAUDE_CODE_SDK_READS_SESSION_STATE", Default::Set("1")),
    (CHECKPOINTING, Default::Option),
    (PREVIEW_FORMAT, Default::Option),
];

/// The prefix of the variables that configure claw's own programs. Several of these contain secrets.
const OWN: &str = "CLAW_";

/// The variables of claw that the CLI inherits: the IDs of the sessions around it, the path of the CLI, and the
/// settings of the scripted agent of claw-testkit.
const INHERITED: [&str; 5] = [
    "CLAW_SESSION",
    "CLAW_CLAUDE_PATH",
    "CLAW_AGENT_SCRIPT",
    "CLAW_AGENT_GATES",
    "CLAW_AGENT_PACE_MS",
];

/// Variables with other names that contain secrets of claw's programs: the token of a server of the hosting contract.
const SECRETS: [&str; 1] = ["AGENT_AUTH_TOKEN"];

/// Whether a variable belongs to claw's own programs, so that the CLI and its commands do not inherit it.
fn is_own(name: &OsStr) -> bool {
    // The names are ASCII. On Windows, case does not distinguish them.
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
    let own = host.iter().filter(|name| is_own(name));
    let mut env: BTreeMap<_, _> = own.map(|name| (name.clone(), None)).collect();
    for (name, default) in DEFAULTS {
        match default {
            Default::Remove => env.insert(name.into(), None),
            Default::Option => None,
            Default::Set(_) if host_has(name) => None,
            Default::Set(value) => env.insert(name.into(), Some(value.into())),
        };
    }
    if options.enable_file_checkpointing == Some(true) {
        env.insert(CHECKPOINTING.into(), Some("true".into()));
    }
    if let Some(ToolConfig {
        ask_user_question:
            Some(AskUserQuestionConfig {
                preview_format: Some(format),
                ..
            }),
        ..
    }) = &options.tool_config
    {
        env.insert(PREVIEW_FORMAT.into(), Some(format.as_str().into()));
    }
    for (name, value) in options.env.iter().flatten() {
        env.insert(name.into(), value.as_ref().map(Into::into));
    }
    env
}

#[cfg(test)]
mod tests;
