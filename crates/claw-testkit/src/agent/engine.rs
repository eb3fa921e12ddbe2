//! What an agent does at all times: read, wait, answer control requests, write.

use std::{
    collections::{HashSet, VecDeque},
    pin::pin,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::{Notify, mpsc},
};

use super::{
    AgentError, Expect, Line, Script, Step, Style, line,
    turn::{Prompt, Turn},
};
use crate::{Gates, block::quoted};

/// Why steps are not taken any further.
#[derive(Debug)]
pub(super) enum Stop {
    /// The agent ends.
    Exit(i32),
    /// The turn was interrupted; with `exit`, by the end of the session.
    Interrupted {
        /// Whether the agent ends after it.
        exit: bool,
    },
    /// The turn has had its result.
    TurnOver,
    /// The agent can't go on.
    Failed(AgentError),
}

impl<E: Into<AgentError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A scripted agent at work.
pub(super) struct Engine<'a, W> {
    pub(super) script: &'a Script,
    output: W,
    gates: &'a Gates,
    inbox: mpsc::UnboundedReceiver<Line>,
    deaf: &'a Notify,
    input_ended: bool,
    style: Style,
    pub(super) received: Vec<Value>,
    /// Prompts that wait for their turn.
    pub(super) queue: VecDeque<Prompt>,
    seen: HashSet<String>,
    /// What the step `Expect` waits for, then what it got.
    expecting: Option<Expect>,
    expected: Option<Value>,
    /// The permission request that waits for an answer, then its answer.
    pub(super) asked: Option<String>,
    pub(super) answer: Option<Value>,
    pub(super) turn: Option<Turn>,
    pub(super) messages: usize,
    pub(super) tool_uses: usize,
    pub(super) results: usize,
    /// Whether the last result was an error.
    pub(super) failed: bool,
    uuids: usize,
    milliseconds: usize,
}

impl<'a, W: AsyncWrite + Unpin> Engine<'a, W> {
    pub(super) fn new(
        script: &'a Script,
        output: W,
        gates: &'a Gates,
        inbox: mpsc::UnboundedReceiver<Line>,
        deaf: &'a Notify,
    ) -> Self {
        Self {
            script,
            output,
            gates,
            inbox,
            deaf,
            input_ended: false,
            style: script.style,
            received: Vec::new(),
            queue: VecDeque::new(),
            seen: HashSet::new(),
            expecting: None,
            expected: None,
            asked: None,
            answer: None,
            turn: None,
            messages: 0,
            tool_uses: 0,
            results: 0,
            failed: false,
            uuids: 0,
            milliseconds: 0,
        }
    }

    /// Plays the script, and then waits for the end.
    pub(super) async fn play(&mut self) -> Stop {
        let script = self.script;
        let stop = match self.steps(&script.steps).await {
            Err(stop) => stop,
            Ok(()) => loop {
                if let Err(stop) = self.next_line().await {
                    break stop;
                }
            },
        };
        // What is written has to arrive, even by way of a writer that buffers.
        match self.output.flush().await {
            Err(error) if matches!(stop, Stop::Exit(_)) => error.into(),
            _ => stop,
        }
    }

    pub(super) async fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
        for step in steps {
            // Steps hold steps, and a future can't hold itself.
            Box::pin(self.step(step)).await?;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<(), Stop> {
        if !matches!(step, Step::Permission(_)) {
            self.stop_message().await?;
        }
        match step {
            Step::Expect(expect) => self.expect(expect).await,
            Step::Reply(Value::Null) => self.reply(line::SUCCESS, None).await,
            Step::Reply(response) => {
                self.reply(line::SUCCESS_WITH, Some(("response", response.to_string())))
                    .await
            }
            Step::ReplyError(error) => {
                self.reply(line::ERROR, Some(("error", quoted(error))))
                    .await
            }
            Step::Turn(steps) => {
                let prompt = self.next_prompt().await?;
                self.turn(prompt, steps).await
            }
            Step::Turns(steps) => loop {
                let prompt = self.next_prompt().await?;
                self.turn(prompt, steps).await?;
            },
            Step::Message(blocks) => self.message(blocks).await,
            Step::Permission(permission) => self.permission(permission).await,
            Step::ToolResult(outcome) => self.tool_result(outcome).await,
            Step::Fail(failure) => self.fail(failure).await,
            Step::Line(value) => self.custom(&value.to_string()).await,
            Step::Text(text) => self.custom(text).await,
            Step::Raw(text) => self.write_raw(text.as_bytes()).await,
            Step::Bytes(bytes) => self.write_raw(bytes).await,
            Step::Stderr(text) => Ok(std::io::Write::write_all(
                &mut std::io::stderr(),
                text.as_bytes(),
            )?),
            Step::Style(style) => {
                self.style = *style;
                Ok(())
            }
            Step::Gate(name) => self.gate(name).await,
            Step::Repeat(repeat) => {
                for _ in 0..repeat.times {
                    self.steps(&repeat.steps).await?;
                }
                Ok(())
            }
            Step::Deaf => {
                self.deaf.notify_one();
                Ok(())
            }
            Step::CloseStdout => Ok(self.output.shutdown().await?),
            Step::Hang => std::future::pending().await,
            Step::Exit(code) => Err(Stop::Exit(*code)),
        }
    }

    // Waiting.

    /// Waits for something, and handles the lines that come meanwhile.
    pub(super) async fn wait<T>(&mut self, event: impl Future<Output = T>) -> Result<T, Stop> {
        let mut event = pin!(event);
        loop {
            tokio::select! {
                biased;
                line = self.inbox.recv(), if !self.input_ended => self.take(line).await?,
                value = &mut event => return Ok(value),
            }
        }
    }

    /// Handles what has come, and lets the pace's time go by.
    pub(super) async fn pause(&mut self) -> Result<(), Stop> {
        let pace = Duration::from_millis(self.script.pace_ms);
        self.wait(async move {
            if !pace.is_zero() {
                tokio::time::sleep(pace).await;
            }
        })
        .await
    }

    pub(super) async fn gate(&mut self, name: &str) -> Result<(), Stop> {
        let gates = self.gates;
        Ok(self.wait(gates.wait(name)).await??)
    }

    /// Waits for one more line and handles it; after the last one the agent ends.
    async fn next_line(&mut self) -> Result<(), Stop> {
        if self.input_ended {
            return Err(self.exit());
        }
        let line = self.inbox.recv().await;
        self.take(line).await
    }

    async fn next_prompt(&mut self) -> Result<Prompt, Stop> {
        loop {
            if let Some(prompt) = self.queue.pop_front() {
                return Ok(prompt);
            }
            self.next_line().await?;
        }
    }

    async fn expect(&mut self, expect: &Expect) -> Result<(), Stop> {
        self.expecting = Some(expect.clone());
        while self.expecting.is_some() {
            if self.input_ended {
                return Err(AgentError::NeverCame {
                    expected: expect.kind.clone(),
                }
                .into());
            }
            let line = self.inbox.recv().await;
            self.take(line).await?;
        }
        Ok(())
    }

    /// Waits for the answer to the permission request; none if the input ends.
    pub(super) async fn answer(&mut self) -> Result<Option<Value>, Stop> {
        while self.answer.is_none() && !self.input_ended {
            let line = self.inbox.recv().await;
            self.take(line).await?;
        }
        self.asked = None;
        Ok(self.answer.take())
    }

    pub(super) fn exit(&self) -> Stop {
        Stop::Exit(i32::from(self.failed))
    }

    // Reading.

    async fn take(&mut self, line: Option<Line>) -> Result<(), Stop> {
        let Some(line) = line else {
            self.input_ended = true;
            return Ok(());
        };
        let line = line?;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let value: Value = serde_json::from_slice(&line).map_err(|source| AgentError::NotJson {
            length: line.len(),
            source,
        })?;
        self.received.push(value.clone());
        if self
            .expecting
            .take_if(|expect| expect.fits(&value))
            .is_some()
        {
            self.expected = Some(value);
            return Ok(());
        }
        match value["type"].as_str() {
            Some("control_request") => self.control(&value).await,
            Some("control_response") => {
                if self.asked.as_deref() == value["response"]["request_id"].as_str() {
                    self.answer = Some(value);
                }
                Ok(())
            }
            Some("user") => self.enqueue(&value).await,
            _ => Ok(()),
        }
    }

    async fn control(&mut self, request: &Value) -> Result<(), Stop> {
        let id = request["request_id"].to_string();
        let answered = |name: &str| (name == "answered").then(|| id.clone());
        let subtype = request["request"]["subtype"].as_str().unwrap_or_default();
        match subtype {
            "initialize" => self.write(line::INITIALIZED, answered).await,
            "interrupt" => {
                self.cancel_permission().await?;
                let receipt = self.receipt(&request["request"]).await?;
                self.write(line::SUCCESS_WITH, |name| match name {
                    "response" => Some(receipt.to_string()),
                    name => answered(name),
                })
                .await?;
                self.break_off(false)
            }
            "end_session" => {
                self.cancel_permission().await?;
                self.write(line::SUCCESS, answered).await?;
                self.break_off(true)
            }
            _ => {
                let error = quoted(&format!("Unsupported control request subtype: {subtype}"));
                self.write(line::UNSUPPORTED, |name| match name {
                    "error" => Some(error.clone()),
                    name => answered(name),
                })
                .await
            }
        }
    }

    /// Says what an interrupt leaves in the queue, and empties it if that is asked for.
    async fn receipt(&mut self, request: &Value) -> Result<Value, Stop> {
        let uuids = |queue: &VecDeque<Prompt>| -> Vec<Value> {
            queue
                .iter()
                .filter_map(|prompt| prompt.uuid.clone())
                .map(Value::from)
                .collect()
        };
        if request["cancel_queued"] != true {
            return Ok(json!({"still_queued": uuids(&self.queue)}));
        }
        let cancelled = uuids(&self.queue);
        for prompt in std::mem::take(&mut self.queue) {
            self.lifecycle(&prompt, "cancelled").await?;
        }
        Ok(json!({"still_queued": [], "cancelled": cancelled}))
    }

    async fn cancel_permission(&mut self) -> Result<(), Stop> {
        if let Some(asked) = self.asked.take() {
            let asked = quoted(&asked);
            self.write(line::CANCEL, |name| {
                (name == "asked").then(|| asked.clone())
            })
            .await?;
            if let Some(turn) = &mut self.turn {
                turn.rejected = true;
            }
        }
        Ok(())
    }

    fn break_off(&self, exit: bool) -> Result<(), Stop> {
        match &self.turn {
            Some(turn) if !turn.ending => Err(Stop::Interrupted { exit }),
            _ if exit => Err(self.exit()),
            _ => Ok(()),
        }
    }

    async fn enqueue(&mut self, line: &Value) -> Result<(), Stop> {
        if line["message"]["role"] != "user" {
            return Err(AgentError::NotFromUser.into());
        }
        let prompt = Prompt::of(line);
        if let Some(uuid) = &prompt.uuid
            && !self.seen.insert(uuid.clone())
        {
            return Ok(());
        }
        if self.turn.is_some() {
            self.lifecycle(&prompt, "queued").await?;
        }
        self.queue.push_back(prompt);
        Ok(())
    }

    // Writing.

    pub(super) async fn lifecycle(&mut self, prompt: &Prompt, state: &str) -> Result<(), Stop> {
        let Some(uuid) = &prompt.uuid else {
            return Ok(());
        };
        self.write(line::LIFECYCLE, |name| match name {
            "command_uuid" => Some(quoted(uuid)),
            "state" => Some(quoted(state)),
            _ => None,
        })
        .await
    }

    pub(super) async fn state(&mut self, state: &str) -> Result<(), Stop> {
        if !self.script.state_frames {
            return Ok(());
        }
        self.write(line::STATE, |name| (name == "state").then(|| quoted(state)))
            .await
    }

    async fn reply(&mut self, template: &str, value: Option<(&str, String)>) -> Result<(), Stop> {
        let Some(request) = &self.expected else {
            return Err(AgentError::Misplaced {
                what: "a reply to a request that nobody expected",
            }
            .into());
        };
        let id = request["request_id"].to_string();
        self.write(template, |name| match &value {
            _ if name == "answered" => Some(id.clone()),
            Some((key, value)) if *key == name => Some(value.clone()),
            _ => None,
        })
        .await
    }

    async fn custom(&mut self, text: &str) -> Result<(), Stop> {
        let request = self
            .expected
            .as_ref()
            .map_or(Value::Null, |line| line["request_id"].clone());
        let prompt = self
            .turn
            .as_ref()
            .map_or("null".to_owned(), |turn| quoted(&turn.prompt.text));
        self.write(text, |name| match name {
            "request_id" => Some(request.to_string()),
            "prompt" => Some(prompt.clone()),
            _ => None,
        })
        .await?;
        self.pause().await
    }

    /// Writes a line: the template, filled in with these values or else with the session's own.
    pub(super) async fn write(
        &mut self,
        template: &str,
        mut value: impl FnMut(&str) -> Option<String>,
    ) -> Result<(), Stop> {
        let filled = line::fill(template, |name| value(name).or_else(|| self.own(name)))?;
        let mut text = self.style.write(&filled);
        text.push('\n');
        self.write_raw(text.as_bytes()).await
    }

    async fn write_raw(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.output.write_all(bytes).await?;
        Ok(self.output.flush().await?)
    }

    /// The session's own values.
    fn own(&mut self, name: &str) -> Option<String> {
        Some(match name {
            "uuid" => quoted(&self.uuid()),
            "timestamp" => {
                self.milliseconds += 1;
                let (seconds, rest) = (self.milliseconds / 1000, self.milliseconds % 1000);
                let (minutes, seconds) = (seconds / 60, seconds % 60);
                format!(
                    "\"2026-01-01T{:02}:{:02}:{seconds:02}.{rest:03}Z\"",
                    minutes / 60 % 24,
                    minutes % 60
                )
            }
            "session_id" => quoted(&self.script.session_id),
            "model" => quoted(&self.script.model),
            "cwd" => quoted(&self.script.cwd),
            "pid" => std::process::id().to_string(),
            "prompt_uuid" => self
                .turn
                .as_ref()
                .map_or("null".to_owned(), |turn| quoted(&turn.prompt_uuid)),
            _ => return None,
        })
    }

    /// A fresh uuid, the same in every run.
    pub(super) fn uuid(&mut self) -> String {
        self.uuids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uuids)
    }
}
