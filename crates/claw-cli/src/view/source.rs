//! Where the lines of a session come from.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

use claw_client::transport::Replay;
use claw_types::control::ControlRequestBody;
use claw_types::message::{CommandState, UserMessage};
use claw_types::{Message, RequestId, StdinMessage, StdoutMessage, from_line};

/// The lines of a file that may still grow.
pub(crate) struct Lines {
    reader: Box<dyn BufRead>,
    /// A line whose end has not come yet.
    begun: Vec<u8>,
}

impl Lines {
    /// Those of a file; of stdin, where it is `-`.
    pub(crate) fn open(file: &Path) -> io::Result<Self> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        let reader: Box<dyn BufRead> = if file == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            let opened = File::open(file).map_err(named)?;
            // Some systems open a folder, and fail when it is read.
            if opened.metadata().map_err(named)?.is_dir() {
                return Err(named(ErrorKind::IsADirectory.into()));
            }
            Box::new(BufReader::new(opened))
        };
        Ok(Self {
            reader,
            begun: Vec::new(),
        })
    }

    /// The next whole line. `None` where there is none for now. What is not UTF-8 is replaced.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        self.reader.read_until(b'\n', &mut self.begun)?;
        Ok(self.begun.ends_with(b"\n").then(|| self.taken()))
    }

    /// What stands behind the last line end, once nothing more comes.
    pub(crate) fn last(&mut self) -> Option<String> {
        (!self.begun.is_empty()).then(|| self.taken())
    }

    fn taken(&mut self) -> String {
        let line = std::mem::take(&mut self.begun);
        let line = String::from_utf8_lossy(&line);
        line.trim_end_matches(['\n', '\r']).to_owned()
    }
}

/// What was sent to `claude`, of which prompts are shown.
struct Sent {
    lines: Lines,
    /// Prompts that were not shown yet.
    prompts: VecDeque<(UserMessage, String)>,
    /// The request that ends the session.
    end: Option<RequestId>,
}

impl Sent {
    fn read(&mut self) -> io::Result<()> {
        while let Some(line) = self.lines.next()? {
            match from_line(line.as_bytes()) {
                Ok(StdinMessage::User(prompt)) => self.prompts.push_back((*prompt, line)),
                Ok(StdinMessage::ControlRequest(request))
                    if matches!(request.request, ControlRequestBody::EndSession(_)) =>
                {
                    self.end = Some(request.request_id);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A session: a transcript, what `claude` wrote, or a folder with a recording, in which prompts stand
/// where they were taken up.
pub(crate) struct Source {
    lines: Lines,
    sent: Option<Sent>,
    ready: VecDeque<String>,
    /// The turn's prompt was shown.
    prompted: bool,
    ended: bool,
}

impl Source {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let (stdout, sent) = if path.is_dir() {
            let stdin = path.join(Replay::STDIN);
            // A recording of what was only read has none.
            let stdin = stdin.exists().then(|| Lines::open(&stdin)).transpose()?;
            (path.join(Replay::STDOUT), stdin)
        } else {
            (path.to_owned(), None)
        };
        Ok(Self {
            lines: Lines::open(&stdout)?,
            sent: sent.map(|lines| Sent {
                lines,
                prompts: VecDeque::new(),
                end: None,
            }),
            ready: VecDeque::new(),
            prompted: false,
            // Nothing comes behind the end of a pipe.
            ended: path == Path::new("-"),
        })
    }

    /// The next line. `None` where there is none for now.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        if self.ready.is_empty()
            && let Some(line) = self.lines.next()?
        {
            self.take(line)?;
        }
        Ok(self.ready.pop_front())
    }

    /// The lines that are left when nothing more comes: one without an end, and prompts that were not
    /// taken up.
    pub(crate) fn rest(&mut self) -> io::Result<VecDeque<String>> {
        if let Some(line) = self.lines.last() {
            self.take(line)?;
        }
        if let Some(sent) = &mut self.sent {
            sent.read()?;
            let prompts = sent.prompts.drain(..);
            self.ready.extend(prompts.map(|(_, line)| line));
        }
        Ok(std::mem::take(&mut self.ready))
    }

    /// Whether the session was ended in an orderly way.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    fn take(&mut self, line: String) -> io::Result<()> {
        if let Some(sent) = &mut self.sent {
            let is_mark = [
                "\"command_lifecycle\"",
                "\"init\"",
                "\"result\"",
                "\"control_response\"",
            ];
            // Few lines are read twice.
            if is_mark.iter().any(|mark| line.contains(mark)) {
                sent.read()?;
                match from_line(line.as_bytes()) {
                    Ok(StdoutMessage::Message(Message::CommandLifecycle(command)))
                        if command.state == CommandState::Started =>
                    {
                        let is_it = |(prompt, _): &(UserMessage, _)| {
                            prompt.uuid.as_ref() == Some(&command.command_uuid)
                        };
                        if let Some(at) = sent.prompts.iter().position(is_it) {
                            self.ready
                                .extend(sent.prompts.remove(at).map(|(_, line)| line));
                            self.prompted = true;
                        }
                    }
                    // A CLI that does not say which.
                    Ok(StdoutMessage::Message(Message::SystemInit(_))) if !self.prompted => {
                        self.ready
                            .extend(sent.prompts.pop_front().map(|(_, line)| line));
                        self.prompted = true;
                    }
                    Ok(StdoutMessage::Message(
                        Message::ResultSuccess(_) | Message::ResultError(_),
                    )) => self.prompted = false,
                    Ok(StdoutMessage::ControlResponse(answer)) => {
                        self.ended |=
                            sent.end.is_some() && answer.request_id() == sent.end.as_ref();
                    }
                    _ => {}
                }
            }
        }
        self.ready.push_back(line);
        Ok(())
    }
}
