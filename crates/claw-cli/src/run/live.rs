//! Shows the changes of the workspace.

use std::io;

use claw_client::Session;
use claw_view::Input;

use super::Terminal;
use crate::escape::one_line;
use crate::outcome::{Outcome, report};

impl Terminal {
    /// Requests the changes in the repository, and shows them.
    pub(crate) async fn changes(&mut self, session: &Session) -> Result<(), Outcome> {
        let broken = |error: io::Error| report(&error, Outcome::BrokeOff);
        let answer = match session.workspace_diff().await {
            Ok(answer) => answer,
            // The error is only printed, because the conversation continues.
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
