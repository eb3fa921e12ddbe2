//! Decides when each line of a recording is delivered.

use std::borrow::Cow;
use std::collections::HashMap;
use std::task::Poll;

use claw_types::{Json, members};

use super::Deviation;
use super::content::{Kind, LineContent};
use crate::TransportError;

/// The maximum length of a line that an error quotes, in characters.
const QUOTED: usize = 300;

/// A recording, and the position of the replay.
#[derive(Debug)]
pub(super) struct Recording {
    stdout: Vec<RecordedOutput>,
    /// The index of the next line.
    next: usize,
    stdin: Vec<RecordedInput>,
    /// The recorded IDs. The keys are the current IDs.
    recorded_ids: HashMap<String, String>,
    /// The current IDs of prompts. The keys are the recorded IDs. Keys and values include the JSON quotes.
    prompts: HashMap<String, String>,
    ended: bool,
}

/// A line that the CLI wrote.
#[derive(Debug)]
struct RecordedOutput {
    /// The line with its line ending.
    raw: Vec<u8>,
    /// The inputs that must be written before this line is delivered, as indexes of `stdin`.
    after: Vec<usize>,
    /// The request that this line answers, as an index of `stdin`.
    answers: Option<usize>,
}

/// A line that was sent to the CLI.
#[derive(Debug)]
struct RecordedInput {
    number: u64,
    raw: Vec<u8>,
    content: LineContent,
    /// The current ID. It is set when your program has written this line. A line without an ID gets any text.
    today: Option<String>,
}

/// The members of an output line that are needed to find its cause.
#[derive(Default)]
struct Tags {
    kind: String,
    subtype: String,
    state: String,
    request_id: String,
    /// The request that the line answers.
    answered: String,
}

impl RecordedOutput {
    /// Whether the line contains this ID, in quotes.
    fn names(&self, id: &str) -> bool {
        let mut parts = self.raw.windows(id.len());
        parts.any(|part| part == id.as_bytes())
    }
}

impl Tags {
    /// Returns the tags of a line. They are empty if the line is not an object with these members.
    fn of(line: &RecordedOutput) -> Self {
        let keys = ["type", "subtype", "state", "request_id", "response"];
        let Some([kind, subtype, state, request_id, response]) = members(&line.raw, keys) else {
            return Self::default();
        };
        let text = |member: Option<Json>| {
            let text = member.as_ref().and_then(Json::as_str);
            text.map_or_else(String::new, Cow::into_owned)
        };
        Self {
            kind: text(kind),
            subtype: text(subtype),
            state: text(state),
            request_id: text(request_id),
            answered: text(response.and_then(|response| response.get("request_id"))),
        }
    }
}

impl Recording {
    pub(super) fn new(stdout: &[u8], stdin: &[u8]) -> Result<Self, TransportError> {
        let mut sent = Vec::new();
        for (number, line) in (1..).zip(stdin.split(|&byte| byte == b'\n')) {
            let raw = line.trim_ascii();
            if raw.is_empty() {
                continue;
            }
            let content = LineContent::read(raw).map_err(|error| TransportError::BadRecording {
                line: number,
                reason: error.to_string(),
            })?;
            sent.push(RecordedInput {
                number,
                raw: raw.to_owned(),
                content,
                today: None,
            });
        }
        let output = stdout
            .split_inclusive(|&byte| byte == b'\n')
            .map(|raw| RecordedOutput {
                raw: raw.to_owned(),
                after: Vec::new(),
                answers: None,
            });
        let mut recording = Self {
            stdout: output.collect(),
            next: 0,
            stdin: sent,
            recorded_ids: HashMap::new(),
            prompts: HashMap::new(),
            ended: false,
        };
        recording.find_causes();
        Ok(recording)
    }

    /// Finds the inputs that caused each output. The two files do not contain the order of their lines, but the causes
    /// determine the necessary order.
    fn find_causes(&mut self) {
        let tags: Vec<Tags> = self.stdout.iter().map(Tags::of).collect();
        let line_of = |is: &dyn Fn(&Tags) -> bool| tags.iter().position(is);
        // Every later input was written after the lines before this index.
        let mut floor = 0;
        let mut any_named = false;
        let mut unnamed = Vec::new();
        for (place, sent) in self.stdin.iter().enumerate() {
            let id = sent.content.id.as_deref();
            let held = match &sent.content.kind {
                Kind::Request { .. } => {
                    let answer = line_of(&|tags| {
                        tags.kind == "control_response" && Some(tags.answered.as_str()) == id
                    });
                    if let Some(line) = answer {
                        self.stdout[line].answers = Some(place);
                    }
                    answer
                }
                // The output after a question may have been caused by the answer to this question.
                Kind::Answer(to) => {
                    line_of(&|tags| tags.kind == "control_request" && tags.request_id == *to).map(
                        |question| {
                            floor = floor.max(question + 1);
                            floor
                        },
                    )
                }
                Kind::Prompt => {
                    let named = id.and_then(|id| {
                        let id = format!("\"{id}\"");
                        self.stdout.iter().position(|line| line.names(&id))
                    });
                    any_named |= named.is_some();
                    if named.is_none() {
                        unnamed.push(place);
                    }
                    // The CLI reports the start of a run before the prompt of the run.
                    named.map(
                        |line| match line.checked_sub(1).map(|before| &tags[before]) {
                            Some(before)
                                if before.subtype == "session_state_changed"
                                    && before.state == "running" =>
                            {
                                line - 1
                            }
                            _ => line,
                        },
                    )
                }
                Kind::Other => None,
            };
            if let Some(line) = held.and_then(|line| self.stdout.get_mut(line)) {
                line.after.push(place);
            }
        }
        // Older CLIs never report which prompt they start. Each run begins with a separate `init`.
        if !any_named {
            let begins = |tags: &&Tags| tags.kind == "system" && tags.subtype == "init";
            let inits = (0..).zip(&tags).filter(|(_, tags)| begins(tags));
            for ((line, _), place) in inits.zip(unnamed) {
                let line: usize = line;
                self.stdout[line].after.push(place);
            }
        }
    }

    /// Handles a line that the program has written.
    pub(super) fn written(&mut self, line: &[u8]) -> Result<(), Deviation> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let Ok(mut content) = LineContent::read(line) else {
            return Err(self.deviation(line));
        };
        content.rename(&self.recorded_ids);
        let mut open = self.stdin.iter_mut().filter(|sent| sent.today.is_none());
        let is_end = content.kind == Kind::Request { is_end: true };
        self.ended |= is_end;
        let Some(sent) = open.find(|sent| content.is(&sent.content)) else {
            // A host may end the session earlier, or in another way, than the recorded host.
            return if is_end {
                Ok(())
            } else {
                Err(self.deviation(line))
            };
        };
        let today = content.id.unwrap_or_default();
        if let Some(id) = sent.content.id.clone() {
            self.recorded_ids.insert(today.clone(), id.clone());
            if sent.content.kind == Kind::Prompt {
                let quoted = |id: &str| format!("\"{id}\"");
                self.prompts.insert(quoted(&id), quoted(&today));
            }
        }
        sent.today = Some(today);
        Ok(())
    }

    fn deviation(&self, line: &[u8]) -> Deviation {
        let open = self.stdin.iter().find(|sent| sent.today.is_none());
        Deviation {
            written: quote(line),
            expected: open.map(|sent| (sent.number, quote(&sent.raw))),
        }
    }

    /// Returns the next line as soon as it may be delivered, or `None` at the end.
    pub(super) fn next(&mut self, closed: bool) -> Poll<Option<Vec<u8>>> {
        let ended = self.ended || closed;
        let is_open = |sent: &RecordedInput| sent.today.is_none();
        let Some(line) = self.stdout.get(self.next) else {
            let end = Kind::Request { is_end: true };
            let waits = |sent: &RecordedInput| sent.content.kind == end && is_open(sent);
            let is_complete = ended || !self.stdin.iter().any(waits);
            return if is_complete {
                Poll::Ready(None)
            } else {
                Poll::Pending
            };
        };
        if line.after.iter().any(|&place| is_open(&self.stdin[place])) {
            return if ended {
                Poll::Ready(None)
            } else {
                Poll::Pending
            };
        }
        self.next += 1;
        Poll::Ready(Some(self.today(line)))
    }

    /// Returns the line with the recorded IDs replaced by the current IDs.
    fn today(&self, line: &RecordedOutput) -> Vec<u8> {
        let request = line.answers.map(|place| &self.stdin[place]);
        // Text that is not UTF-8 does not contain IDs.
        let Ok(text) = std::str::from_utf8(&line.raw) else {
            return line.raw.clone();
        };
        let mut text = text.to_owned();
        if let Some(RecordedInput { content, today, .. }) = request
            && let (Some(id), Some(today)) = (&content.id, today)
            && let Some(key) = text.find("\"request_id\"")
        {
            let value = text[key..].replacen(&format!("\"{id}\""), &format!("\"{today}\""), 1);
            text.replace_range(key.., &value);
        }
        for (recorded, today) in &self.prompts {
            if text.contains(recorded) {
                text = text.replace(recorded, today);
            }
        }
        text.into_bytes()
    }
}

fn quote(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
