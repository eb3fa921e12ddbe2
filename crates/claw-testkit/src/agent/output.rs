//! The output of an agent, and its placeholders.

use std::sync::PoisonError;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::{
    AgentError, Received,
    engine::{Engine, Stop},
    line,
    turn_state::Prompt,
};
use crate::block::quoted;

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
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

    pub(super) async fn reply(
        &mut self,
        template: &str,
        value: Option<(&str, String)>,
    ) -> Result<(), Stop> {
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

    pub(super) async fn custom(&mut self, text: &str) -> Result<(), Stop> {
        let request = self
            .expected
            .as_ref()
            .map_or(Value::Null, |line| line["request_id"].clone());
        let prompt = self
            .turn
            .as_ref()
            .map_or("null".to_owned(), |turn| quoted(&turn.prompt.text));
        self.unclaimed.clear();
        let received = self.received;
        self.write(text, |name| match name {
            "request_id" => Some(request.to_string()),
            "prompt" => Some(prompt.clone()),
            "hook" => Some(first_hook(received).to_string()),
            _ => None,
        })
        .await?;
        self.pause().await
    }

    /// Writes a line that is made from a template. The placeholders are replaced by the results of `value`. If `value`
    /// returns `None`, the session's own values are used.
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

    /// Writes bytes, but only as many as the script allows before the agent dies.
    pub(super) async fn write_raw(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let cut = self.script.cut.and_then(|cut| {
            let left = usize::try_from(cut.after.saturating_sub(self.written)).ok()?;
            (left <= bytes.len()).then_some((left, cut.by))
        });
        let (bytes, death) = match cut {
            Some((left, death)) => (&bytes[..left], Some(death)),
            None => (bytes, None),
        };
        self.output.write_all(bytes).await?;
        self.output.flush().await?;
        self.written += bytes.len() as u64;
        death.map_or(Ok(()), |death| Err(Stop::Exit(death)))
    }

    /// Returns one of the session's own values for a placeholder.
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
            "cli_version" => quoted(claw_types::CLI_VERSION),
            "pid" => std::process::id().to_string(),
            "prompt_uuid" => self
                .turn
                .as_ref()
                .map_or("null".to_owned(), |turn| quoted(&turn.prompt_uuid)),
            _ => return None,
        })
    }

    /// Returns a new UUID. Every run of a script generates the same UUIDs.
    pub(super) fn uuid(&mut self) -> String {
        self.uuids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uuids)
    }
}

/// Returns the ID of the first callback that the host has registered for a hook. Returns null if there is none.
fn first_hook(received: &Received) -> Value {
    let received = received.lock().unwrap_or_else(PoisonError::into_inner);
    let mut requests = received.iter().map(|line| &line["request"]);
    let initialize = requests.rfind(|request| request["subtype"] == "initialize");
    let events = initialize.and_then(|request| request["hooks"].as_object());
    let matchers = events
        .into_iter()
        .flatten()
        .filter_map(|(_, matchers)| matchers.as_array());
    let mut ids = matchers
        .flatten()
        .map(|matcher| &matcher["hookCallbackIds"][0]);
    ids.next().cloned().unwrap_or_default()
}
