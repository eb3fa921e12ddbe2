//! The options that can have defaults.

use clap::Arg;

/// The commands whose options can have defaults.
pub(crate) const COMMANDS: [&str; 3] = ["run", "chat", "serve"];

/// Options without a default, because they are about one call, or because their values may be secrets.
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

/// Whether the option can have a default.
pub(crate) fn is_key(arg: &Arg) -> bool {
    arg.get_long()
        .is_some_and(|long| !NONE.contains(&long) && !arg.is_hide_set())
}

/// The variable with the default of an option.
pub(crate) fn variable(key: &str) -> String {
    format!("CLAW_{}", key.replace('-', "_").to_uppercase())
}
