//! The commands that this build does not have, because a feature that they need is disabled.

use std::env;

use clap::{Arg, CommandFactory as _, FromArgMatches as _};

use crate::args::Cli;
use crate::defaults;
use crate::outcome::Outcome;

/// The commands that need a feature. Each row contains the name of the command, the name of the feature, and whether
/// this build has the feature.
const NEEDS: [(&str, &str, bool); 14] = [
    ("show", "terminal", cfg!(feature = "terminal")),
    ("conform", "terminal", cfg!(feature = "terminal")),
    ("check", "terminal", cfg!(feature = "terminal")),
    ("view", "terminal", cfg!(feature = "terminal")),
    ("sessions", "terminal", cfg!(feature = "terminal")),
    ("store", "stores", cfg!(feature = "stores")),
    ("serve", "serve", cfg!(feature = "serve")),
    ("audit", "serve", cfg!(feature = "serve")),
    ("users", "serve", cfg!(feature = "serve")),
    ("acp", "terminal", cfg!(feature = "terminal")),
    ("schema", "terminal", cfg!(feature = "terminal")),
    ("completions", "terminal", cfg!(feature = "terminal")),
    ("config", "terminal", cfg!(feature = "terminal")),
    ("doctor", "serve", cfg!(feature = "serve")),
];

/// Advice on how to install a build with all commands.
const HOW: &str = "Install all of claw with `cargo install --path crates/claw-cli --features full`, or run it from \
    a checkout with `cargo run --features full --`.";

/// Returns the feature that the command needs and that this build does not have. Returns `None` if there is none.
fn missing(command: &str) -> Option<&'static str> {
    let needs = NEEDS.iter().find(|(name, ..)| *name == command);
    needs.and_then(|(_, feature, is_on)| (!is_on).then_some(*feature))
}

/// Parses the command line. The help also lists the commands that this build does not have. A call of such a command is
/// an error that explains how to get it. On other usage errors and on `--help`, clap ends the process.
pub(crate) fn parse() -> Result<Cli, Outcome> {
    let mut command = Cli::command();
    for (number, (name, ..)) in NEEDS.into_iter().enumerate() {
        if let Some(feature) = missing(name) {
            command = command.mut_subcommand(name, |known| {
                // With this order, these commands come after the commands of every build.
                stub(name, feature, &known).display_order(10 + number)
            });
        }
    }
    if NEEDS.iter().any(|(name, ..)| missing(name).is_some()) {
        let more = command.get_after_long_help().map(ToString::to_string);
        let more = more.unwrap_or_default();
        command = command
            .after_help(HOW)
            .after_long_help(format!("{HOW}\n\n{more}"));
    }
    // This adds the arguments of the called command.
    let matches = command.try_get_matches_from_mut(env::args_os());
    let matches = matches.unwrap_or_else(|error| error.exit());
    if let Some(name) = matches.subcommand_name()
        && let Some(feature) = missing(name)
    {
        return Err(refuse(&format!("\"{name}\""), feature));
    }
    // Only the called command gets its defaults. Commands without defaults also work with an invalid file.
    let matches = match matches.subcommand_name() {
        Some(name) => {
            let matches = defaults::apply(command, name)?.try_get_matches();
            matches.unwrap_or_else(|error| defaults::with_variable(error).exit())
        }
        None => matches,
    };
    Cli::from_arg_matches(&matches).map_err(|error| error.exit())
}

/// Prints that this build does not have something, and how to get it.
pub(crate) fn refuse(what: &str, feature: &str) -> Outcome {
    anstream::eprintln!(
        "claw: this build has no {what}: it was built without the feature `{feature}`. {HOW}"
    );
    Outcome::Usage
}

/// Creates a placeholder for a command that this build does not have. It accepts any arguments, so that the error is
/// about the command and not about its arguments.
fn stub(name: &'static str, feature: &str, known: &clap::Command) -> clap::Command {
    let about = known.get_about().map(ToString::to_string);
    let about = about.unwrap_or_default();
    clap::Command::new(name)
        .about(format!(
            "{about}. Not in this build: it needs the feature `{feature}`"
        ))
        .disable_help_flag(true)
        .arg(
            Arg::new("arguments")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .hide(true),
        )
}
