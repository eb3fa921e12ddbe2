//! A turn: from its prompt to its result.

use serde_json::Value;
use tokio::io::AsyncWrite;

use super::{
    AgentError, Step, ToolOutcome,
    engine::{Engine, Stop},
    line,
    message::Call,
    result::End,
};
use crate::block::quoted;

/// A prompt that was received.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    /// The UUID that the client gave the prompt.
    pub(super) uuid: Option<String>,
    pub(super) text: String,
}

impl Prompt {
    pub(super) fn of(line: &Value) -> Self {
        let content = &line["message"]["content"];
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        Self {
            uuid: line["uuid"].as_str().map(str::to_owned),
            text: content.as_str().into_iter().chain(texts).collect(),
        }
    }
}

/// A turn in progress.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) prompt: Prompt,
    /// The UUID of the prompt, or a generated one if it has none.
    pub(super) prompt_uuid: String,
    pub(super) messages: usize,
    /// The number of user lines that the agent wrote: tool results, and the note about an interruption.
    pub(super) user_lines: usize,
    pub(super) last_text: String,
    pub(super) stop_reason: &'static str,
    pub(super) call: Option<Call>,
    pub(super) denials: Vec<String>,
    /// The permission decision for the next tool result, as JSON.
    pub(super) decision: Option<String>,
    /// The message whose end is not written yet, because a permission request precedes it.
    pub(super) unended: Option<String>,
    /// A text that is being streamed: the message's ID, the block's index, and the deltas sent.
    pub(super) streaming: Option<(String, usize, Vec<String>)>,
    /// Whether the turn was interrupted while it waited for a permission.
    pub(super) cancelled: bool,
    /// Whether the result is being written, so that it is too late to interrupt.
    pub(super) ending: bool,
    /// Whether the lines that name the prompt have been written.
    pub(super) named_in_event: bool,
    pub(super) named_in_assistant: bool,
}

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
    /// Answers one prompt.
    pub(super) async fn turn(&mut self, prompt: Prompt, steps: &[Step]) -> Result<(), Stop> {
        self.begin(prompt).await?;
        match self.steps(steps).await {
            Ok(()) => {
                self.stop_message().await?;
                self.succeed().await
            }
            Err(Stop::TurnOver) => Ok(()),
            Err(Stop::Interrupted { exit }) => {
                self.abort().await?;
                if exit { Err(self.exit()) } else { Ok(()) }
            }
            Err(stop) => Err(stop),
        }
    }

    /// The turn in progress.
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
        // A prompt that waited for another's turn was queued, and the state running, before.
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
