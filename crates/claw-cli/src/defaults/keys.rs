//! The options that can have defaults.

use clap::Arg;
#[cfg(feature = "terminal")]
use clap::Command;

/// The commands whose options can have defaults.
pub(crate) const COMMANDS: [&str; 6] = ["run", "chat", "serve", "sessions", ACP, SYNC];

/// The name of `claw acp`. An editor sets the options of this command, so its only key is [`CONFIG_DIR`].
const ACP: &str = "acp";

/// The option that names configuration folders.
pub(crate) const CONFIG_DIR: &str = "config-dir";

/// The table of `claw sessions sync` and `claw sessions pull` in the file. It can have only the keys in [`STORE`], and
/// no other table can have them. A store for all commands would replace the sessions on disk in lists.
pub(crate) const SYNC: &str = "sync";

/// The options that name a store.
const STORE: [&str; 3] = ["store", "store-file", "store-project"];

/// Options that cannot have a default, because they apply to a single call, or because their values may be secrets.
const NONE: [&str; 26] = [
    "behind-gateway",
    "continue",
    "file",
    "fork",
    "help",
    "hosting",
    "image",
    "notify",
    "only-env",
    "phone",
    "print-secrets",
    "quiet",
    "record",
    "replay",
    "resume",
    "schema",
    "stdin",
    "store",
    "store-file",
    "store-project",
    "token-file",
    "notify-secret-file",
    "verbose",
    "version",
    "cwd",
    "public-url",
];

/// Returns whether the option of a command can have a default.
pub(crate) fn is_key(command: &str, arg: &Arg) -> bool {
    arg.get_long().is_some_and(|long| match command {
        SYNC => STORE.contains(&long),
        ACP => long == CONFIG_DIR,
        _ => !NONE.contains(&long) && !arg.is_hide_set(),
    })
}

/// Returns the command with this name in the file.
#[cfg(feature = "terminal")]
pub(crate) fn options<'a>(cli: &'a Command, command: &str) -> Option<&'a Command> {
    cli.find_subcommand(if command == SYNC { "sessions" } else { command })
}

/// Returns the name of the environment variable with the default of an option.
pub(crate) fn variable(key: &str) -> String {
    format!("CLAW_{}", key.replace('-', "_").to_uppercase())
}
