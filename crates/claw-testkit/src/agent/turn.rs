//! A turn: from its prompt to its result.

use serde_json::Value;
use tokio::io::AsyncWrite;

use super::{
    AgentError, Failure, Permission, Step, ToolOutcome,
    engine::{Engine, Stop},
    line,
    message::Call,
};
use crate::block::quoted;

/// A prompt that came in.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    /// The uuid that the client gave it.
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

/// A turn that is going on.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) prompt: Prompt,
    /// The prompt's uuid, or one of ours where it has none.
    pub(super) prompt_uuid: String,
    pub(super) messages: usize,
    /// User lines that we wrote: outcomes of calls, and the note of an interruption.
    pub(super) user_lines: usize,
    pub(super) last_text: String,
    pub(super) stop_reason: &'static str,
    pub(super) call: Option<Call>,
    pub(super) denials: Vec<String>,
    /// What the next tool result says of its permission, JSON.
    pub(super) decision: Option<String>,
    /// The message whose end is not written yet: a permission request comes before it.
    pub(super) unended: Option<String>,
    /// A text that is being streamed: the message's id, the block's index, what was sent of it.
    pub(super) streaming: Option<(String, usize, Vec<String>)>,
    /// The waiting permission request was cancelled.
    pub(super) rejected: bool,
    /// The result is being written: too late to interrupt.
    pub(super) ending: bool,
    /// The lines that name the prompt have been written.
    pub(super) named_in_event: bool,
    pub(super) named_in_assistant: bool,
}

/// How a turn ends.
struct End {
    subtype: String,
    /// `result` or `errors`, and its JSON.
    outcome: (&'static str, String),
    terminal_reason: &'static str,
    is_error: bool,
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

    /// The turn that is going on.
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
            rejected: false,
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

    /// Asks for permission, and goes on as the answer says.
    pub(super) async fn permission(&mut self, permission: &Permission) -> Result<(), Stop> {
        let Some(call) = self.current()?.call.clone() else {
            return Err(AgentError::Misplaced {
                what: "a permission without a tool call",
            }
            .into());
        };
        self.state("requires_action").await?;
        let asked = self.uuid();
        self.asked = Some(asked.clone());
        self.write(line::CAN_USE_TOOL, |name| match name {
            "asked" => Some(quoted(&asked)),
            name => call.value(name),
        })
        .await?;
        self.stop_message().await?;
        let answer = self.answer().await?;
        self.state("running").await?;
        let decision = Decision::of(answer.as_ref());
        if decision.allows {
            self.current()?.decision = Some(decision.meta);
            return self.steps(&permission.allow).await;
        }
        let denial = line::fill(line::DENIAL, |name| call.value(name))?;
        let turn = self.current()?;
        turn.denials.push(denial);
        if decision.interrupts {
            turn.rejected = true;
            return Err(Stop::Interrupted { exit: false });
        }
        turn.decision = Some(decision.meta);
        let content = decision.message;
        let refused = ToolOutcome {
            content,
            is_error: true,
            tool_use_result: None,
        };
        self.tool_result(&refused).await?;
        self.steps(&permission.deny).await
    }

    /// Writes the outcome of the last tool call.
    pub(super) async fn tool_result(&mut self, outcome: &ToolOutcome) -> Result<(), Stop> {
        let turn = self.current()?;
        let (call, decision) = (turn.call.take(), turn.decision.take());
        turn.user_lines += 1;
        let Some(call) = call else {
            return Err(AgentError::Misplaced {
                what: "a tool's result without its call",
            }
            .into());
        };
        let template = match decision {
            Some(decision) => {
                let id = call.value("tool_use_id").unwrap_or_default();
                let meta = format!(r#""tool_result_meta":[{{"id":{id},{decision}}}]"#);
                line::with(line::TOOL_RESULT, &meta)
            }
            None => line::TOOL_RESULT.to_owned(),
        };
        let content = quoted(&outcome.content);
        let seen_by_host = match &outcome.tool_use_result {
            Some(value) => value.to_string(),
            None if outcome.is_error => quoted(&format!("Error: {}", outcome.content)),
            None => format!(
                r#"{{"stdout":{content},"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}"#
            ),
        };
        self.write(&template, |name| match name {
            "content" => Some(content.clone()),
            "is_error" => Some(outcome.is_error.to_string()),
            "tool_use_result" => Some(seen_by_host.clone()),
            name => call.value(name),
        })
        .await
    }

    /// Ends the turn with an error.
    pub(super) async fn fail(&mut self, failure: &Failure) -> Result<(), Stop> {
        let terminal_reason = match failure.subtype.as_str() {
            "error_max_turns" => "max_turns",
            _ => "error",
        };
        self.end(End {
            subtype: failure.subtype.clone(),
            outcome: ("errors", Value::from(failure.errors.clone()).to_string()),
            terminal_reason,
            is_error: true,
        })
        .await?;
        Err(Stop::TurnOver)
    }

    async fn succeed(&mut self) -> Result<(), Stop> {
        let text = self.current()?.last_text.clone();
        self.end(End {
            subtype: "success".to_owned(),
            outcome: ("result", text),
            terminal_reason: "completed",
            is_error: false,
        })
        .await
    }

    /// Breaks the turn off.
    async fn abort(&mut self) -> Result<(), Stop> {
        self.current()?.ending = true;
        self.abort_message().await?;
        let turn = self.current()?;
        let in_tools = turn.call.is_some();
        if turn.rejected {
            turn.rejected = false;
            turn.decision = Some(r#""non_execution_kind":"user-rejected""#.to_owned());
            // A refusal that interrupts has already been noted, a cancelled question has not.
            if turn.denials.is_empty()
                && let Some(call) = turn.call.clone()
            {
                turn.denials
                    .push(line::fill(line::DENIAL, |name| call.value(name))?);
            }
        }
        if in_tools {
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
        self.end(End {
            subtype: "error_during_execution".to_owned(),
            outcome: ("errors", Value::from(vec![error]).to_string()),
            terminal_reason,
            is_error: true,
        })
        .await
    }

    /// Writes the result and what comes after it.
    async fn end(&mut self, end: End) -> Result<(), Stop> {
        let result_index = self.results;
        let queued = self.queue.len();
        let model = quoted(&self.script.model);
        let turn = self.current()?;
        turn.ending = true;
        let (prompt, messages) = (turn.prompt.clone(), turn.messages);
        let num_turns = if end.is_error {
            messages + turn.user_lines
        } else {
            messages
        };
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
        let template = if end.is_error {
            line::RESULT.to_owned()
        } else {
            line::with(line::RESULT, line::RESULT_TIMES)
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
        self.lifecycle(
            &prompt,
            if end.is_error {
                "cancelled"
            } else {
                "completed"
            },
        )
        .await?;
        // With another prompt in the queue the session goes straight on to it.
        if self.queue.is_empty() {
            self.turn = None;
            self.state("idle").await?;
        }
        Ok(())
    }
}

/// What an answer to a permission request says.
struct Decision {
    allows: bool,
    interrupts: bool,
    /// What the model is told if it is refused.
    message: String,
    /// What `tool_result_meta` says of it.
    meta: String,
}

impl Decision {
    /// Reads a control response; none is the end of the input.
    fn of(answer: Option<&Value>) -> Self {
        let refuse = |message: String| Self {
            allows: false,
            interrupts: false,
            message,
            meta: meta("permission-rule", "config"),
        };
        let Some(answer) = answer.map(|answer| &answer["response"]) else {
            return refuse(
                "Tool permission request failed: AbortError: Tool permission stream closed before \
                 response received"
                    .to_owned(),
            );
        };
        if let Some(error) = answer["error"].as_str() {
            return refuse(format!("Tool permission request failed: Error: {error}"));
        }
        let said = &answer["response"];
        let source = |default| said["decisionClassification"].as_str().unwrap_or(default);
        match (said["behavior"].as_str(), said["message"].as_str()) {
            (Some("allow"), _) => Self {
                allows: true,
                interrupts: false,
                message: String::new(),
                meta: format!(
                    r#""permission_decision":{{"decision":"accept","source":{}}}"#,
                    quoted(source("user_temporary"))
                ),
            },
            (Some("deny"), Some(message)) => Self {
                allows: false,
                interrupts: said["interrupt"] == true,
                message: message.to_owned(),
                meta: meta("permission-rule", source("user_reject")),
            },
            _ => {
                refuse("The canUseTool callback returned an invalid permission result.".to_owned())
            }
        }
    }
}

fn meta(kind: &str, source: &str) -> String {
    format!(
        r#""non_execution_kind":"{kind}","permission_decision":{{"decision":"reject","source":{}}}"#,
        quoted(source)
    )
}
