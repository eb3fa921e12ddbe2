//! The slash commands that are offered to the client.

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, SessionUpdate,
    UnstructuredCommandInput,
};
use claw_types::control::SlashCommand;

/// The maximum number of commands that are sent.
const COMMANDS: usize = 1000;

/// The commands of Claude Code, and the names of the commands that need a terminal.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    all: Vec<SlashCommand>,
    terminal: Vec<String>,
}

impl Commands {
    pub(crate) fn new(all: &[SlashCommand]) -> Self {
        Self {
            all: all.to_vec(),
            terminal: Vec::new(),
        }
    }

    /// Replaces the list of commands.
    pub(crate) fn set(&mut self, all: &[SlashCommand]) {
        self.all = all.to_vec();
    }

    /// Sets the names of the commands that need a terminal, which Claude Code reports when a turn begins. Returns
    /// whether the client needs an update.
    pub(crate) fn set_terminal(&mut self, names: &[String]) -> bool {
        if self.terminal == names {
            return false;
        }
        let before = self.offered().count();
        self.terminal = names.to_vec();
        self.offered().count() != before
    }

    /// Returns the commands that a person can use in an editor. Names that begin with an underscore are internal to the
    /// CLI.
    fn offered(&self) -> impl Iterator<Item = &SlashCommand> {
        let all = self.all.iter().filter(|it| !it.name.starts_with('_'));
        all.filter(|it| !self.terminal.contains(&it.name))
    }

    /// Returns the session update that sends the commands to the client.
    pub(crate) fn update(&self) -> SessionUpdate {
        let sent = self.offered().take(COMMANDS).map(|command| {
            let hint = Some(&command.argument_hint).filter(|hint| !hint.is_empty());
            let input = hint.map(|hint| {
                AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint))
            });
            AvailableCommand::new(&command.name, &command.description).input(input)
        });
        SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(sent.collect()))
    }
}
