//! The end of a turn.

use serde_json::Value;
use tokio::io::AsyncWrite;

use super::{
    ApiFailure, Failure,
    engine::{Engine, Stop},
    line,
};
use crate::block::quoted;

/// The contents of a result.
pub(super) struct End {
    subtype: String,
    /// The key `result` or `errors`, and its JSON.
    outcome: (&'static str, String),
    terminal_reason: &'static str,
    is_error: bool,
    /// The additional members of the result.
    members: String,
}

impl End {
    pub(super) fn error(subtype: &str, errors: &[String], terminal_reason: &'static str) -> Self {
        Self {
            subtype: subtype.to_owned(),
            outcome: ("errors", Value::from(errors).to_string()),
            terminal_reason,
            is_error: true,
            members: String::new(),
        }
    }
}

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
    /// Ends the turn successfully, with its last text.
    pub(super) async fn succeed(&mut self) -> Result<(), Stop> {
        let text = self.current()?.last_text.clone();
        self.end(End {
            subtype: "success".to_owned(),
            outcome: ("result", text),
            terminal_reason: "completed",
            is_error: false,
            members: line::RESULT_TIMES.to_owned(),
        })
        .await
    }

    /// Ends the turn with an error.
    pub(super) async fn fail(&mut self, failure: &Failure) -> Result<(), Stop> {
        let terminal_reason = match failure.subtype.as_str() {
            "error_max_turns" => "max_turns",
            _ => "error",
        };
        self.end(End::error(
            &failure.subtype,
            &failure.errors,
            terminal_reason,
        ))
        .await?;
        Err(Stop::TurnEnded)
    }

    /// Ends the turn in the same way as `claude` does when the API refuses a request.
    pub(super) async fn api_failure(&mut self, failure: &ApiFailure) -> Result<(), Stop> {
        let turn = self.current()?;
        turn.stop_reason = "stop_sequence";
        turn.messages += 1;
        let (message, text) = (quoted(&self.uuid()), quoted(&failure.text));
        let (template, status) = match failure.status {
            0 => (line::NO_REQUEST, "null".to_owned()),
            status => (line::API_ERROR, status.to_string()),
        };
        self.write(template, |name| match name {
            "message_uuid" => Some(message.clone()),
            "text" => Some(text.clone()),
            "error" => Some(quoted(&failure.error)),
            "status" => Some(status.clone()),
            _ => None,
        })
        .await?;
        self.end(End {
            subtype: "success".to_owned(),
            outcome: ("result", text),
            terminal_reason: "api_error",
            is_error: true,
            members: format!(r#""api_error_status":{status}"#),
        })
        .await?;
        Err(Stop::TurnEnded)
    }

    /// Writes the result and the lines after it.
    pub(super) async fn end(&mut self, end: End) -> Result<(), Stop> {
        let result_index = self.results;
        let queued = self.queue.len();
        let model = quoted(&self.script.model);
        let turn = self.current()?;
        let messages = turn.messages;
        // The number is the same as that of `claude`: for a turn that ends with an error, the user lines are added.
        let num_turns = messages + usize::from(end.is_error) * turn.user_lines;
        let stop_reason = match turn.stop_reason {
            "" => "null".to_owned(),
            reason => quoted(reason),
        };
        let denials = format!("[{}]", turn.denials.join(","));
        let tokens = |name: &str| match name {
            "input_tokens" => Some((10 * messages).to_string()),
            "output_tokens" => Some((12 * messages).to_string()),
            "cost" => Some(format!("0.{:05}", 28 * messages)),
            "model" => Some(model.clone()),
            _ => None,
        };
        let usage = line::fill(line::USAGE, tokens)?;
        let model_usage = format!("{{{model}:{}}}", line::fill(line::MODEL_USAGE, tokens)?);
        let template = match end.members.as_str() {
            "" => line::RESULT.to_owned(),
            members => line::with(line::RESULT, members),
        };
        self.results += 1;
        self.failed = end.is_error;
        self.write(&template, |name| match name {
            "usage" => Some(usage.clone()),
            "model_usage" => Some(model_usage.clone()),
            "stop_reason" => Some(stop_reason.clone()),
            "denials" => Some(denials.clone()),
            "terminal_reason" => Some(quoted(end.terminal_reason)),
            "is_error" => Some(end.is_error.to_string()),
            "num_turns" => Some(num_turns.to_string()),
            "subtype" => Some(quoted(&end.subtype)),
            "outcome" => Some(quoted(end.outcome.0)),
            "outcome_value" => Some(end.outcome.1.clone()),
            "queued" => Some(queued.to_string()),
            "result_index" => Some(result_index.to_string()),
            name => tokens(name),
        })
        .await?;
        self.close(if end.is_error {
            "cancelled"
        } else {
            "completed"
        })
        .await
    }

    /// Writes the lines after the result.
    pub(super) async fn close(&mut self, lifecycle: &str) -> Result<(), Stop> {
        let turn = self.current()?;
        turn.ending = true;
        let prompt = turn.prompt.clone();
        self.lifecycle(&prompt, lifecycle).await?;
        // If another prompt is in the queue, the session continues with it immediately.
        if self.queue.is_empty() {
            self.turn = None;
            self.state("idle").await?;
        }
        Ok(())
    }
}
