//! Arguments that are added to a command only when it is parsed. Without this, every call of `claw` would build the
//! arguments of all commands.

use std::cell::Cell;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use super::examples;

thread_local! {
    /// Whether arguments are added at once.
    static IS_AT_ONCE: Cell<bool> = const { Cell::new(false) };
}

/// The arguments of a command, with the examples of its help. They are added when the command is parsed.
pub(crate) struct Later<T>(pub(crate) Box<T>);

/// Calls a function that makes a command. The arguments of the commands below it are added at once.
pub(super) fn at_once(make: impl FnOnce() -> Command) -> Command {
    let before = IS_AT_ONCE.replace(true);
    let command = make();
    IS_AT_ONCE.set(before);
    command
}

fn add(command: Command, add: fn(Command) -> Command) -> Command {
    if IS_AT_ONCE.get() {
        add(command)
    } else {
        command.defer(add)
    }
}

/// Keeps the descriptions of the command. Otherwise, a doc comment of the arguments could replace them.
fn described(command: Command, add: impl FnOnce(Command) -> Command) -> Command {
    let about = Resettable::from(command.get_about().cloned());
    let long_about = Resettable::from(command.get_long_about().cloned());
    let command = examples::add(add(command));
    command.about(about).long_about(long_about)
}

impl<T: Args> Args for Later<T> {
    fn augment_args(command: Command) -> Command {
        add(command, |command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        add(command, |command| {
            described(command, T::augment_args_for_update)
        })
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|args| Self(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
