//! The engine of the agent. It reads input, waits, answers control requests, and writes output.

use std::{
    collections::{HashSet, VecDeque},
    pin::pin,
    sync::PoisonError,
    time::Duration,
};

use claw_types::StdinMessage;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::{Notify, mpsc},
};

use super::{
    AgentError, Death, Expect, Line, Received, Script, Stderr, Step, Style, line,
    turn_state::{Call, Prompt, Turn},
};
use crate::{Gates, block::quoted};

/// The maximum number of control responses that are stored for a later [`Step::Expect`].
const UNCLAIMED: usize = 16;

/// The reason why the agent takes no further steps.
#[derive(Debug)]
pub(super) enum Stop {
    /// The agent ends.
    Exit(Death),
    /// The turn was interrupted. If `exit` is true, the end of the session interrupted it.
    Interrupted {
        /// Whether the agent ends afterwards.
        exit: bool,
    },
    /// The result of the turn has been written.
    TurnEnded,
    /// The agent cannot continue.
    Failed(AgentError),
}

impl<E: Into<AgentError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A running scripted agent.
pub(super) struct Engine<'a, W> {
    pub(super) script: &'a Script,
    pub(super) output: W,
    stderr: Stderr<'a>,
    gates: &'a Gates,
    inbox: mpsc::UnboundedReceiver<Line>,
    deaf: &'a Notify,
    /// The sender that keeps the inbox open after the agent has stopped reading.
    silence: Option<mpsc::UnboundedSender<Line>>,
    input_ended: bool,
    pub(super) style: Style,
    /// The number of bytes written.
    pub(super) written: u64,
    pub(super) received: &'a Received,
    /// The prompts that wait until the current turn has ended.
    pub(super) queue: VecDeque<Prompt>,
    seen: HashSet<String>,
    /// The line for which the step `Expect` waits. The second field contains the line once it has arrived.
    expecting: Option<Expect>,
    pub(super) expected: Option<Value>,
    /// The control responses for which no step waited, since the script last wrote a line. A host may respond while the
    /// line with the request is still being written. If there are more than [`UNCLAIMED`], the oldest ones are dropped.
    pub(super) unclaimed: VecDeque<Value>,
    /// The ID of the permission request that waits for a response. The second field contains the response once it has
    /// arrived.
    pub(super) asked: Option<String>,
    pub(super) answer: Option<Value>,
    pub(super) turn: Option<Turn>,
    pub(super) messages: usize,
    pub(super) tool_uses: usize,
    pub(super) results: usize,
    /// Whether the last result was an error.
    pub(super) failed: bool,
    pub(super) uuids: usize,
    pub(super) milliseconds: usize,
}

impl<'a, W: AsyncWrite + Unpin> Engine<'a, W> {
    pub(super) fn new(
        script: &'a Script,
        output: W,
        stderr: Stderr<'a>,
        gates: &'a Gates,
        inbox: mpsc::UnboundedReceiver<Line>,
        deaf: &'a Notify,
        received: &'a Received,
    ) -> Self {
        Self {
            script,
            output,
            stderr,
            gates,
            inbox,
            deaf,
            silence: None,
            input_ended: false,
            style: script.style,
            written: 0,
            received,
            queue: VecDeque::new(),
            seen: HashSet::new(),
            expecting: None,
            expected: None,
            unclaimed: VecDeque::new(),
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

    /// Plays the script, and then waits until the agent must end.
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
        // The flush ensures that all output arrives, even with a buffering writer.
        match self.output.flush().await {
            Err(error) if matches!(stop, Stop::Exit(_)) => error.into(),
            _ => stop,
        }
    }

    pub(super) async fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
        for step in steps {
            // A step can contain steps. The future is boxed because a future cannot contain itself.
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
            Step::Initialized => self.reply(line::INITIALIZED, None).await,
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
            Step::ApiFailure(failure) => self.api_failure(failure).await,
            Step::LoseResult => {
                self.close("completed").await?;
                Err(Stop::TurnEnded)
            }
            Step::Line(value) => self.custom(&value.to_string()).await,
            Step::Text(text) => self.custom(text).await,
            Step::Raw(text) => self.write_raw(text.as_bytes()).await,
            Step::Bytes(bytes) => self.write_raw(bytes).await,
            Step::Stderr(text) => self.write_stderr(text.as_bytes()).await,
            Step::Flood(flood) => self.flood(flood).await,
            Step::Child(child) => self.child(child).await,
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
                // Lines that were already read are not handled either.
                let (sender, inbox) = mpsc::unbounded_channel();
                (self.silence, self.inbox) = (Some(sender), inbox);
                Ok(())
            }
            Step::CloseStdout => Ok(self.output.shutdown().await?),
            Step::Hang => std::future::pending().await,
            Step::Exit(code) => Err(Stop::Exit(Death::Exit(*code))),
            Step::Signal(number) => Err(Stop::Exit(Death::Signal(*number))),
        }
    }

    // Waiting.

    /// Waits for an event, and handles the lines that arrive before the event.
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

    /// Writes to standard error, and waits until the bytes were read. No input is handled during the wait, so that an
    /// agent that writes and then dies has received nothing.
    pub(super) async fn write_stderr(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        Ok(write_all(&mut self.stderr, bytes).await?)
    }

    /// Writes to standard error, and handles the input lines that arrive until the bytes were read.
    pub(super) async fn flood_stderr(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let mut stderr = std::mem::replace(&mut self.stderr, Box::new(tokio::io::sink()));
        let written = self.wait(write_all(&mut stderr, bytes)).await;
        self.stderr = stderr;
        Ok(written??)
    }

    /// Handles the lines that have arrived, and waits for the delay that the script sets.
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

    /// Waits for another line and handles it. Ends the agent after the last line.
    async fn next_line(&mut self) -> Result<(), Stop> {
        if self.input_ended {
            self.end_of_input().await;
            return Err(self.exit());
        }
        let line = self.inbox.recv().await;
        self.take(line).await
    }

    /// Returns immediately if the agent ends with its input. Otherwise, never returns.
    async fn end_of_input(&self) {
        if self.script.ignore_eof {
            std::future::pending::<()>().await;
        }
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
        while let Some(response) = self.unclaimed.pop_front() {
            if expect.fits(&response) {
                return Ok(());
            }
        }
        self.expecting = Some(expect.clone());
        while self.expecting.is_some() {
            if self.input_ended {
                self.end_of_input().await;
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

    /// Waits for the response to the permission request. Returns `None` if the input ends before.
    pub(super) async fn answer(&mut self) -> Result<Option<Value>, Stop> {
        while self.answer.is_none() && !self.input_ended {
            let line = self.inbox.recv().await;
            self.take(line).await?;
        }
        self.asked = None;
        Ok(self.answer.take())
    }

    pub(super) fn exit(&self) -> Stop {
        Stop::Exit(Death::Exit(i32::from(self.failed)))
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
        let value = read(line.trim_ascii())?;
        let received = self.received.lock();
        received
            .unwrap_or_else(PoisonError::into_inner)
            .push(value.clone());
        if self
            .expecting
            .take_if(|expect| expect.fits(&value))
            .is_some()
        {
            // Responses and prompts may arrive between a request and its response.
            if value["type"] == "control_request" {
                self.expected = Some(value);
            }
            return Ok(());
        }
        match value["type"].as_str() {
            Some("control_request") => self.control(&value).await,
            Some("control_response") => {
                let id = value["response"]["request_id"].as_str();
                if id.is_some() && id == self.asked.as_deref() {
                    self.answer = Some(value);
                } else {
                    self.unclaimed.push_back(value);
                    if self.unclaimed.len() > UNCLAIMED {
                        self.unclaimed.pop_front();
                    }
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

    /// Returns the response to an interrupt. It lists the prompts that stay in the queue. If the request requires it,
    /// the queue is emptied.
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
            let turn = self.current()?;
            turn.cancelled = true;
            let denial = turn.call.as_ref().map(Call::denial).transpose()?;
            turn.denials.extend(denial);
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
}

async fn write_all(stderr: &mut Stderr<'_>, bytes: &[u8]) -> std::io::Result<()> {
    stderr.write_all(bytes).await?;
    stderr.flush().await
}

/// Parses an input line. Like `claude`, this function accepts lone surrogates.
fn read(line: &[u8]) -> Result<Value, AgentError> {
    serde_json::from_slice(line).or_else(|source| {
        let repaired = claw_types::from_line::<StdinMessage>(line).ok();
        let value = repaired.and_then(|message| serde_json::to_value(message).ok());
        value.ok_or(AgentError::NotJson {
            length: line.len(),
            source,
        })
    })
}
