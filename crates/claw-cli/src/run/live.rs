//! Output besides the messages: progress, interrupts, and changes of the workspace.

use std::io::{self, IsTerminal as _, stdout};

use claw_client::Session;
use claw_client::types::Message;
use claw_view::{Change, Input};

use super::{Terminal, View};
use crate::escape::one_line;
use crate::outcome::{Outcome, report};
use crate::view::terminal_width;

impl Terminal {
    /// Requests the changes in the repository, and shows them.
    pub(crate) async fn changes(&mut self, session: &Session) -> Result<(), Outcome> {
        let broken = |error: io::Error| report(&error, Outcome::BrokeOff);
        let answer = match session.workspace_diff().await {
            Ok(answer) => answer,
            // The conversation continues.
            Err(error) if !error.is_exited() => {
                let _ = report(&error, Outcome::BrokeOff);
                return Ok(());
            }
            Err(error) => return Err(report(&error, Outcome::BrokeOff)),
        };
        if let Some(diff) = &answer.diff {
            return self.view.push(Input::WorkspaceDiff(diff)).map_err(broken);
        }
        let why = answer.no_diff_reason.map(|reason| reason.to_string());
        let why = one_line(&why.unwrap_or_default(), 60);
        let text = format!("  No changes are known: {why}\n");
        self.view.write_text(&text, false).map_err(broken)
    }
}

impl View {
    /// Handles an interrupt by the user.
    pub(super) fn interrupted(&mut self) -> io::Result<()> {
        self.push(Input::Interruption)
    }

    fn push(&mut self, input: Input<'_>) -> io::Result<()> {
        let Self::Text(drawn) = self else {
            return Ok(());
        };
        let (timeline, drawing) = &mut **drawn;
        let mut changes = timeline.push(input).into_iter();
        changes.try_for_each(|change: Change| drawing.change(change))?;
        drawing.flush()
    }

    /// Shows the progress of the session. On a terminal only, because a pipe has no line that can be replaced.
    pub(super) fn progress(&mut self, message: &Message) -> io::Result<()> {
        if let Self::Text(drawn) = self
            && stdout().is_terminal()
        {
            let width = terminal_width().unwrap_or(80);
            drawn.1.progress(message, width)?;
        }
        Ok(())
    }

    /// Shows the rest of what has come, at the end.
    pub(super) fn end(&mut self) {
        if let Self::Text(drawn) = self {
            // If writing fails, nobody reads any more.
            let _ = drawn.1.finish();
        }
    }

    /// Removes the progress line before something else is written.
    pub(super) fn clear_progress(&mut self) {
        if let Self::Text(drawn) = self {
            // If writing fails, the next write reports it.
            let _ = drawn.1.clear_progress().and_then(|()| drawn.1.flush());
        }
    }
}
