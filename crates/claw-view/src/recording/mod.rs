//! Recorded sessions.

mod damage;
mod interleave;
mod lines;

pub use damage::{Damage, DamageKind};
pub use interleave::Interleave;
pub use lines::{Direction, RecordedLine};

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use self::lines::File;
use crate::{Elements, Input, Timeline};

/// A recorded session: the lines that `claude` wrote, and the lines that were sent to `claude`, in order.
///
/// A recording is a folder of files, which the `Recorder` of claw-transport writes. `SessionBuilder::record` and
/// `claw run --record` use that recorder. The fixtures of this project are recordings, too. A `Recording` holds the
/// files in memory.
///
/// ```no_run
/// let recording = claw_view::Recording::open("recordings/sum")?;
/// for element in recording.elements().iter() {
///     println!("{}", element.kind());
/// }
/// for damage in recording.damage() {
///     eprintln!("{damage}");
/// }
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Order
///
/// The file [`ORDER`](Self::ORDER) records how many bytes were sent at which time and in which direction. The position
/// of a line is determined by its last byte. Older recordings do not have this file. For them, only the order within
/// each direction is known, and [`lines`](Self::lines) begins with the lines that were sent to `claude`. If the order
/// file ends too early, the remaining lines are added at the end: first the lines that were sent to `claude`, then the
/// lines that `claude` wrote.
///
/// A prompt is drawn at the position at which `claude` reports that it starts the prompt. For a prompt that was sent in
/// the middle of a turn, this position is later. If `claude` does not report the start, the prompt is drawn at the
/// position at which it was sent. If the recording has no order file either, the prompt is drawn before the turn's
/// `init`, or at the end if there is no `init`.
#[derive(Debug, Clone)]
pub struct Recording {
    lines: Vec<RecordedLine>,
    /// The indexes of the lines in `lines` that are drawn.
    drawn: Vec<usize>,
    damage: Vec<Damage>,
}

/// A line of the order file. It records that a number of bytes were sent in one direction.
#[derive(Deserialize)]
struct Chunk {
    stream: Stream,
    bytes: u64,
    ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stream {
    Stdout,
    Stdin,
}

impl Recording {
    /// The name of the file with the lines that `claude` wrote.
    pub const STDOUT: &str = "stdout.ndjson";
    /// The name of the file with the lines that were sent to `claude`.
    pub const STDIN: &str = "stdin.ndjson";
    /// The name of the file that records when the bytes of the two other files were sent.
    pub const ORDER: &str = "order.ndjson";

    /// Reads the recording in a folder.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read; the error names its path. Only the file [`STDOUT`](Self::STDOUT) must be
    /// present. The method [`damage`](Self::damage) reports all other defects.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Self> {
        let read = |name| {
            let path = folder.as_ref().join(name);
            fs::read(&path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })
        };
        let read_if_there = |name| match read(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        };
        let stdout = read(Self::STDOUT)?;
        let stdin = read_if_there(Self::STDIN)?.unwrap_or_default();
        let order = read_if_there(Self::ORDER)?;
        Ok(Self::new(&stdout, &stdin, order.as_deref()))
    }

    /// Creates a recording from the contents of its files: the lines that `claude` wrote, the lines that were sent to
    /// `claude`, and the contents of `order.ndjson`.
    pub fn new(stdout: &[u8], stdin: &[u8], order: Option<&[u8]>) -> Self {
        let mut damage = Vec::new();
        let mut stdout = File::new(Direction::FromClaude, Self::STDOUT, stdout, &mut damage);
        let mut stdin = File::new(Direction::ToClaude, Self::STDIN, stdin, &mut damage);
        let mut interleave = match order {
            Some(_) => Interleave::in_order(stdout.taken_up()),
            None => Interleave::default(),
        };
        let mut recording = Self {
            lines: Vec::new(),
            drawn: Vec::new(),
            damage,
        };
        match order {
            Some(order) => recording.in_order(order, &mut stdout, &mut stdin, &mut interleave),
            None => recording.damaged(Self::ORDER, None, DamageKind::NoOrder),
        }

        // Adds the lines that the order file does not cover. If there is no order file, it covers no lines, so all
        // lines are added here.
        interleave.lose_order();
        for file in [&mut stdin, &mut stdout] {
            while let Some(line) = file.next(None) {
                recording.add(line, &mut interleave);
            }
        }
        let mut rest = interleave.rest();
        recording.drawn.append(&mut rest);
        recording
    }

    /// Adds the lines whose position the order file records.
    fn in_order(
        &mut self,
        order: &[u8],
        stdout: &mut File,
        stdin: &mut File,
        interleave: &mut Interleave<usize>,
    ) {
        for (number, line) in (1..).zip(order.split(|&byte| byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let chunk: Chunk = match serde_json::from_slice(line) {
                Ok(chunk) => chunk,
                Err(error) => {
                    let kind = DamageKind::BadOrder(error.to_string());
                    self.damaged(Self::ORDER, Some(number), kind);
                    return;
                }
            };
            let file = match chunk.stream {
                Stream::Stdout => &mut *stdout,
                Stream::Stdin => &mut *stdin,
            };
            file.passed(chunk.bytes);
            let at = chunk.ms.map(Duration::from_millis);
            while let Some(line) = file.next_passed(at) {
                self.add(line, interleave);
            }
        }
        for file in [stdout, stdin] {
            if let Some((line, kind)) = file.disagrees() {
                self.damaged(file.name(), line, kind);
            }
        }
    }

    fn add(&mut self, line: RecordedLine, interleave: &mut Interleave<usize>) {
        let place = self.lines.len();
        match line.direction {
            Direction::FromClaude => {
                self.drawn.extend(interleave.on_received(&line.text));
                self.drawn.push(place);
            }
            Direction::ToClaude => self.drawn.extend(interleave.on_sent(&line.text, place)),
        }
        self.lines.push(line);
    }

    fn damaged(&mut self, file: &'static str, line: Option<u64>, kind: DamageKind) {
        self.damage.push(Damage::new(file, line, kind));
    }

    /// Returns all lines of both directions except blank lines, in the order in which they were sent.
    pub fn lines(&self) -> &[RecordedLine] {
        &self.lines
    }

    /// Returns the lines for a [`Timeline`]. These are all lines that `claude` wrote, and those sent lines that are
    /// drawn. Each prompt is at the position at which it is drawn.
    pub fn drawn(&self) -> impl DoubleEndedIterator<Item = &RecordedLine> {
        self.drawn.iter().map(|&place| &self.lines[place])
    }

    /// Returns the defects of the recording, file by file. The list is empty for an intact recording. A recording
    /// without the file `order.ndjson` has the defect [`NoOrder`](DamageKind::NoOrder).
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Returns the timeline in its state at the end of the recording, and all elements. If you resume the session, pass
    /// the new messages to this timeline.
    pub fn timeline(&self) -> (Timeline, Elements) {
        let (mut timeline, mut elements) = (Timeline::default(), Elements::default());
        for line in self.drawn() {
            elements.extend(timeline.push(Input::Line(&line.text)));
        }
        (timeline, elements)
    }

    /// Returns the elements of the recorded session.
    pub fn elements(&self) -> Elements {
        self.timeline().1
    }
}
