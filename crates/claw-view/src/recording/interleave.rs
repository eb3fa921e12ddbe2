//! Inserts the lines that a host sent between the lines that `claude` wrote.

use std::collections::{BTreeMap, HashMap, HashSet};

use claw_types::control::ControlRequestBody;
use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::{Message, MessageUuid, RequestId, StdinMessage, StdoutMessage, from_line};

/// A line contains one of these texts if an item may have to be inserted before it. Other lines are not parsed.
const MARKS: [&str; 4] = [
    "\"command_lifecycle\"",
    "\"init\"",
    "\"result\"",
    "\"control_response\"",
];

/// Merges two sequences of lines: the lines that the host (the program that runs `claude`) sent, and the lines that
/// `claude` wrote. From the sent lines, only prompts and the requests that a timeline shows are used. Use this type in
/// a program that reads both directions of a running session. [`Recording`](super::Recording) uses it for a finished
/// session.
///
/// A prompt is inserted before the line with which `claude` reports that it starts the prompt (`command_lifecycle`). If
/// `claude` does not report that, the prompt is inserted before the turn's `init`. An `interrupt` or
/// `get_workspace_diff` request is inserted before its response.
///
/// The caller passes each sent line with an `item`, such as the line itself. The item is returned when the caller
/// passes the line before which it must be inserted. [`rest`](Self::rest) returns the items of the prompts that were
/// never started.
#[derive(Debug)]
pub struct Interleave<T> {
    /// The prompts that have not been inserted yet, in the order in which they were sent. `named` contains the key in
    /// `prompts` for the UUID of each prompt.
    prompts: BTreeMap<u64, T>,
    named: HashMap<MessageUuid, u64>,
    read: u64,
    /// The requests of the host that are inserted before their responses.
    requests: HashMap<RequestId, T>,
    /// The ID of the host's request to end the session.
    end: Option<RequestId>,
    /// Whether the prompt of the current turn was returned.
    prompted: bool,
    has_ended: bool,
    /// The prompts for which `claude` reports that it starts them. `None` if the recorded order of lines is unknown.
    taken_up: Option<HashSet<MessageUuid>>,
}

impl<T> Default for Interleave<T> {
    fn default() -> Self {
        Self {
            prompts: BTreeMap::new(),
            named: HashMap::new(),
            read: 0,
            requests: HashMap::new(),
            end: None,
            prompted: false,
            has_ended: false,
            taken_up: None,
        }
    }
}

impl<T> Interleave<T> {
    /// Creates an `Interleave` for lines that are passed in their recorded order. `taken_up` contains the prompts for
    /// which `claude` reports that it starts them.
    pub(super) fn in_order(taken_up: HashSet<MessageUuid>) -> Self {
        Self {
            taken_up: Some(taken_up),
            ..Self::default()
        }
    }

    /// From now on, applies the rules for lines whose order is unknown.
    pub(super) fn lose_order(&mut self) {
        self.taken_up = None;
    }

    /// Handles a line that was sent to `claude`. The caller may pass sent lines early, even all of them before the
    /// first line that `claude` wrote. Only the order of the sent lines matters.
    ///
    /// Returns the item immediately if it must be inserted here, after all lines that `claude` has written so far. This
    /// happens only in a recording whose order is known. If a timeline does not show lines of this kind, the item is
    /// dropped.
    pub fn on_sent(&mut self, line: &str, item: T) -> Option<T> {
        match from_line(line.as_bytes()) {
            Ok(StdinMessage::User(prompt)) => {
                if let Some(taken_up) = &self.taken_up
                    && prompt
                        .uuid
                        .as_ref()
                        .is_none_or(|uuid| !taken_up.contains(uuid))
                {
                    self.prompted = true;
                    return Some(item);
                }
                self.read += 1;
                if let Some(uuid) = prompt.uuid {
                    self.named.entry(uuid).or_insert(self.read);
                }
                self.prompts.insert(self.read, item);
            }
            Ok(StdinMessage::ControlRequest(request)) => match request.request {
                ControlRequestBody::Interrupt(_) | ControlRequestBody::GetWorkspaceDiff(_) => {
                    if self.taken_up.is_some() {
                        return Some(item);
                    }
                    self.requests.insert(request.request_id, item);
                }
                ControlRequestBody::EndSession(_) => self.end = Some(request.request_id),
                _ => {}
            },
            _ => {}
        }
        None
    }

    /// Whether an item may have to be inserted directly before this line, which `claude` wrote. If so, first pass all
    /// lines that were sent so far to [`on_sent`](Self::on_sent). Then pass this line to
    /// [`on_received`](Self::on_received).
    pub fn is_mark(line: &str) -> bool {
        MARKS.iter().any(|mark| line.contains(mark))
    }

    /// Handles a line that `claude` wrote. Returns the item that must be inserted before this line, if there is one.
    pub fn on_received(&mut self, line: &str) -> Option<T> {
        if !Self::is_mark(line) {
            return None;
        }
        match from_line(line.as_bytes()) {
            Ok(StdoutMessage::Message(message)) => match message {
                Message::Internal(InternalMessage::CommandLifecycle(command))
                    if command.state == CommandState::Started =>
                {
                    let place = self.named.remove(&command.command_uuid);
                    let prompt = place.and_then(|at| self.prompts.remove(&at));
                    self.prompted |= prompt.is_some();
                    prompt
                }
                // If the CLI does not report which prompt it starts, this message is the beginning of the turn.
                Message::SystemInit(_) if !self.prompted => {
                    self.prompted = true;
                    match self.taken_up {
                        None => self.prompts.pop_first().map(|(_, item)| item),
                        Some(_) => None,
                    }
                }
                Message::ResultSuccess(_) | Message::ResultError(_) => {
                    self.prompted = false;
                    None
                }
                _ => None,
            },
            Ok(StdoutMessage::ControlResponse(answer)) => {
                self.has_ended |= self.end.is_some() && answer.request_id() == self.end.as_ref();
                answer.request_id().and_then(|id| self.requests.remove(id))
            }
            _ => None,
        }
    }

    /// Returns the items that were never inserted. They belong to prompts that `claude` never started.
    pub fn rest(&mut self) -> Vec<T> {
        self.named.clear();
        let prompts = std::mem::take(&mut self.prompts);
        prompts.into_values().collect()
    }

    /// Whether the session ended regularly: the host requested the end of the session, and `claude` responded.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }
}

/// Returns the UUID of the prompt if this line of `claude` reports the start of a prompt.
pub(super) fn taken_up(line: &str) -> Option<MessageUuid> {
    if !line.contains(MARKS[0]) {
        return None;
    }
    match from_line(line.as_bytes()) {
        Ok(StdoutMessage::Message(Message::Internal(InternalMessage::CommandLifecycle(
            command,
        )))) if command.state == CommandState::Started => Some(command.command_uuid),
        _ => None,
    }
}
