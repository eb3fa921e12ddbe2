//! What a person sees of a session.

use std::io::{self, Write};

use claw_client::TurnResult;
use claw_client::types::api::{
    Content, ContentBlock, StreamEvent, ToolResultBlock, ToolUseBlock, Usage,
};
use claw_client::types::{Count, Message, Number};

use crate::escape::{escape, one_line};

const WIDTH: usize = 100;

/// Writes messages as text.
pub(crate) struct Show<W> {
    out: W,
    /// Text is being streamed, and its line is not ended.
    in_text: bool,
    /// The answer came as a stream, so that its whole blocks are known already.
    streamed: bool,
}

impl<W: Write> Show<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            in_text: false,
            streamed: false,
        }
    }

    /// Shows one message; many show nothing.
    pub(crate) fn message(&mut self, message: &Message) -> io::Result<()> {
        match message {
            Message::StreamEvent(event) => {
                if let Some(text) = event.text_delta() {
                    self.streamed = true;
                    self.in_text = !text.ends_with('\n');
                    write!(self.out, "{}", escape(text))?;
                }
                // What comes behind it may come whole: a subagent's answer, or the CLI's own.
                if let StreamEvent::MessageStop(_) = event.event {
                    self.streamed = false;
                }
            }
            Message::Assistant(answer) => {
                for block in &answer.message.content {
                    match block {
                        ContentBlock::Text(text) if answer.error.is_some() || !self.streamed => {
                            self.line(&escape(&text.text))?;
                        }
                        ContentBlock::ToolUse(tool) => self.tool_use(tool)?,
                        _ => {}
                    }
                }
                self.end_text()?;
            }
            Message::User(_) => {
                for result in message.tool_results() {
                    self.tool_result(result)?;
                }
            }
            _ => {}
        }
        self.out.flush()
    }

    /// Shows a text that is not the session's own, safe already.
    pub(crate) fn notice(&mut self, notice: &str) -> io::Result<()> {
        self.end_text()?;
        write!(self.out, "{notice}")?;
        self.out.flush()
    }

    /// The last line.
    pub(crate) fn result(&mut self, result: &TurnResult) -> io::Result<()> {
        match result {
            // An answer of the CLI's own stands there already.
            TurnResult::Success(success) => {
                if let Some(status) = success.api_error_status.value() {
                    self.line(&format!(
                        "Failed: the Messages API answered with status {status}"
                    ))?;
                }
            }
            _ => self.line(&format!("Failed: {}", one_line(&result.text(), WIDTH)))?,
        }
        let (turns, duration, usage, cost) = match result {
            TurnResult::Success(r) => (r.num_turns, r.duration_ms, &r.usage, r.total_cost_usd),
            TurnResult::Error(r) => (r.num_turns, r.duration_ms, &r.usage, r.total_cost_usd),
            _ => return Ok(()),
        };
        let state = if result.is_error() { "error" } else { "done" };
        self.line(&closing(state, turns, duration, usage, cost))
    }

    fn tool_use(&mut self, tool: &ToolUseBlock) -> io::Result<()> {
        self.line(&format!(
            "● {}({})",
            one_line(&tool.name, 60),
            one_line(tool.input.as_str(), WIDTH)
        ))
    }

    fn tool_result(&mut self, result: &ToolResultBlock) -> io::Result<()> {
        let mark = if result.is_error == Some(true) {
            '✗'
        } else {
            '✓'
        };
        let text = result
            .content
            .as_ref()
            .map(Content::text)
            .unwrap_or_default();
        self.line(&format!("  {mark} {}", one_line(&text, WIDTH)))
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        self.end_text()?;
        writeln!(self.out, "{line}")
    }

    /// Ends the line of streamed text, if one is open.
    fn end_text(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.in_text) {
            writeln!(self.out)
        } else {
            Ok(())
        }
    }
}

fn closing(state: &str, turns: Count, duration: Number, usage: &Usage, cost: Number) -> String {
    let input = usage.input_tokens.value().map_or(0, |count| count.get());
    let plural = if turns == 1 { "" } else { "s" };
    format!(
        "— {state}: {turns} turn{plural}, {:.1} s, {input} tokens in, {} out, ${:.4}",
        duration.as_f64() / 1000.0,
        usage.output_tokens,
        cost.as_f64()
    )
}

#[cfg(test)]
mod tests;
