//! Who decides whether a tool may be used.

use std::io::{IsTerminal as _, stderr, stdin};
use std::sync::Arc;

use claw_client::PermissionRequest;
use claw_client::types::control::PermissionResult;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Mutex, oneshot};

use crate::escape::{escape_json, one_line};

/// Who decides.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decider {
    /// The person at the terminal; where there is none, nobody may use it.
    Terminal,
    /// Always the same answer.
    Always { allow: bool },
}

/// A text to show. Whoever sent it waits until it is dropped.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) text: String,
    /// Somebody has to read it, or nothing goes on.
    pub(crate) is_question: bool,
    _shown: oneshot::Sender<()>,
}

/// Asks, and tells the one who shows things what to show.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    decider: Decider,
    notices: UnboundedSender<Notice>,
    /// What the person types, for the one question that stands on the terminal.
    typed: Arc<Mutex<Option<UnboundedReceiver<String>>>>,
}

impl Asker {
    pub(crate) fn new(decider: Decider, notices: UnboundedSender<Notice>) -> Self {
        Self {
            decider,
            notices,
            typed: Arc::default(),
        }
    }

    pub(crate) async fn decide(self, ask: PermissionRequest) -> PermissionResult {
        let tool = one_line(ask.tool_name(), 60);
        // Whole: nobody should allow what was cut away.
        let what = format!("{tool}({})", escape_json(ask.input().as_str()));
        match self.decider {
            Decider::Always { allow } => {
                let answer = if allow { "allowed" } else { "denied" };
                self.tell(format!("  ? {tool} asks for permission: {answer}\n"), false)
                    .await;
                answer_of(allow)
            }
            // On stderr, if stdout goes elsewhere: so it takes both.
            Decider::Terminal if stdin().is_terminal() && stderr().is_terminal() => {
                // It may ask about several at once: for subagents, say.
                let mut typed = self.typed.lock().await;
                let typed = typed.get_or_insert_with(typed_lines);
                // What was typed before a question stands there is no answer to it.
                while typed.try_recv().is_ok() {}
                self.tell(format!("  ? May claude use {what}? [y/N] "), true)
                    .await;
                answer_of(typed.recv().await.is_some_and(|line| is_yes(&line)))
            }
            Decider::Terminal => {
                let denied = format!("  ? {what}: denied, there is no terminal to ask on\n");
                self.tell(denied, false).await;
                PermissionResult::deny(
                    "Nobody can be asked: claw has no terminal. Allow the tool with --allowed-tools.",
                )
            }
        }
    }

    /// Waits until it is shown: what the answer leads to is shown behind it.
    async fn tell(&self, text: String, is_question: bool) {
        let (shown, dropped) = oneshot::channel();
        // Nobody listens once the run is over.
        let _ = self.notices.send(Notice {
            text,
            is_question,
            _shown: shown,
        });
        let _ = dropped.await;
    }
}

fn answer_of(allow: bool) -> PermissionResult {
    if allow {
        PermissionResult::allow()
    } else {
        PermissionResult::deny("The user said no.")
    }
}

/// The lines that are typed from now on. One thread reads them all, so that a question which was
/// taken back takes no answer away from the next.
fn typed_lines() -> UnboundedReceiver<String> {
    let (sender, lines) = unbounded_channel();
    let read = move || {
        for line in stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    };
    // Without it there are no lines, which is a no.
    let _ = std::thread::Builder::new().spawn(read);
    lines
}

/// Anything but a yes is a no.
fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests;
