//! A turn, from its prompt to its result.

use serde_json::Value;
use tokio::io::AsyncWrite;

use super::{
    AgentError, Step, ToolOutcome,
    engine::{Engine, Stop},
    line,
    result::End,
    turn_state::{Prompt, Turn},
};
use crate::block::quoted;

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
    /// Answers one prompt.
    pub(super) async fn turn(&mut self, prompt: Prompt, steps: &[Step]) -> Result<(), Stop> {
        self.begin(prompt).await?;
        match self.steps(steps).await {
            Ok(()) => {
                self.stop_message().await?;
                self.succeed().await
            }
            Err(Stop::TurnEnded) => Ok(()),
            Err(Stop::Interrupted { exit }) => {
                self.abort().await?;
                if exit { Err(self.exit()) } else { Ok(()) }
            }
            Err(stop) => Err(stop),
        }
    }

    /// Returns the turn in progress.
    pub(super) fn current(&mut self) -> Result<&mut Turn, Stop> {
        self.turn.as_mut().ok_or_else(|| {
            AgentError::Misplaced {
                what: "a step of a turn outside a turn",
            }
            .into()
        })
    }

    async fn begin(&mut self, prompt: Prompt) -> Result<(), Stop> {
        let was_running = self.turn.is_some();
        let prompt_uuid = prompt.uuid.clone().unwrap_or_else(|| self.uuid());
        self.turn = Some(Turn {
            prompt: prompt.clone(),
            prompt_uuid,
            messages: 0,
            user_lines: 0,
            last_text: "\"\"".to_owned(),
            stop_reason: "end_turn",
            call: None,
            denials: Vec::new(),
            decision: None,
            unended: None,
            streaming: None,
            cancelled: false,
            ending: false,
            named_in_event: false,
            named_in_assistant: false,
        });
        // If the prompt waited during another turn, it was already reported as queued, and the state is still reported
        // as running.
        if !was_running {
            self.state("running").await?;
            self.lifecycle(&prompt, "queued").await?;
        }
        self.lifecycle(&prompt, "started").await?;
        for waiting in self.queue.clone() {
            if !was_running {
                self.lifecycle(&waiting, "queued").await?;
            }
        }
        self.write(line::INIT, |_| None).await
    }

    /// Interrupts the turn.
    async fn abort(&mut self) -> Result<(), Stop> {
        self.current()?.ending = true;
        self.abort_message().await?;
        let turn = self.current()?;
        let in_tools = turn.call.is_some();
        if in_tools {
            turn.decision = Some(r#""non_execution_kind":"user-rejected""#.to_owned());
            if turn.cancelled {
                self.state("running").await?;
            }
            let note = Value::from("User rejected tool use");
            let content = line::REJECTED.to_owned();
            let outcome = ToolOutcome {
                content,
                is_error: true,
                tool_use_result: Some(note),
            };
            self.tool_result(&outcome).await?;
        }
        let (text, terminal_reason, stop_reason) = if in_tools {
            (
                "[Request interrupted by user for tool use]",
                "aborted_tools",
                "tool_use",
            )
        } else {
            ("[Request interrupted by user]", "aborted_streaming", "null")
        };
        self.current()?.user_lines += 1;
        self.write(line::INTERRUPTED, |name| {
            (name == "text").then(|| quoted(text))
        })
        .await?;
        self.end_abandoned().await?;
        let turn = self.current()?;
        turn.stop_reason = if in_tools { "tool_use" } else { "" };
        let error = format!(
            "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason={stop_reason}"
        );
        self.end(End::error(
            "error_during_execution",
            &[error],
            terminal_reason,
        ))
        .await
    }
}
