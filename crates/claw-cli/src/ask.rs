//! Who decides whether a tool may be used.

use std::io::{IsTerminal as _, stdin};

use claw_client::PermissionRequest;
use claw_client::types::control::PermissionResult;
use tokio::sync::mpsc::UnboundedSender;

use crate::escape::{escape_json, one_line};

/// Who decides.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decider {
    /// The person at the terminal; where there is none, nobody may use it.
    Terminal,
    /// Always the same answer.
    Always { allow: bool },
}

/// Asks, and tells the one who shows things what to show.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    decider: Decider,
    notices: UnboundedSender<String>,
}

impl Asker {
    pub(crate) fn new(decider: Decider, notices: UnboundedSender<String>) -> Self {
        Self { decider, notices }
    }

    pub(crate) async fn decide(self, ask: PermissionRequest) -> PermissionResult {
        let tool = one_line(ask.tool_name(), 60);
        // Whole: nobody should allow what was cut away.
        let what = format!("{tool}({})", escape_json(ask.input().as_str()));
        match self.decider {
            Decider::Always { allow } => {
                let answer = if allow { "allowed" } else { "denied" };
                self.tell(format!("  ? {tool} asks for permission: {answer}\n"));
                answer_of(allow)
            }
            Decider::Terminal if stdin().is_terminal() => {
                self.tell(format!("  ? May claude use {what}? [y/N] "));
                answer_of(tokio::task::spawn_blocking(said_yes).await.unwrap_or(false))
            }
            Decider::Terminal => {
                self.tell(format!(
                    "  ? {what}: denied, there is no terminal to ask on\n"
                ));
                PermissionResult::deny(
                    "Nobody can be asked: claw has no terminal. Allow the tool with --allowed-tools.",
                )
            }
        }
    }

    fn tell(&self, notice: String) {
        // Nobody listens once the run is over.
        let _ = self.notices.send(notice);
    }
}

fn answer_of(allow: bool) -> PermissionResult {
    if allow {
        PermissionResult::allow()
    } else {
        PermissionResult::deny("The user said no.")
    }
}

/// Reads a line; anything but a yes is a no, an error or the end of input too.
fn said_yes() -> bool {
    let mut line = String::new();
    stdin().read_line(&mut line).is_ok()
        && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
