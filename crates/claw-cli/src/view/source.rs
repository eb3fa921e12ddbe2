//! Reads the lines of a session.

use std::collections::VecDeque;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use claw_client::transport::Replay;
use claw_sessions::{Rewound, records};
use claw_view::{Change, DamageKind, Input, Interleave, Read, Recording, Timeline, read};
use tokio::sync::mpsc::{Receiver, channel};

use crate::escape::one_line;
use crate::file_lines::opened;
use crate::utf16::as_utf8;

/// The interval at which a growing file is checked.
const POLL: Duration = Duration::from_millis(100);

/// The maximum length of a recording defect's text, in characters.
const DAMAGE: usize = 300;

/// The maximum number of lines of a pipe that are read in advance.
const AHEAD: usize = 64;

/// The lines of a file that may still grow.
pub(crate) struct Lines {
    from: From,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
}

enum From {
    /// A reader that is read when a line is requested.
    Reader(Box<dyn BufRead>),
    /// A file that may grow, be truncated or be replaced by another one, and the number of bytes that were read.
    File(BufReader<File>, PathBuf, u64),
    /// A separate thread reads the input, so that a read never blocks the caller. The thread ends with its input or
    /// with the process.
    Thread(Receiver<io::Result<Vec<u8>>>),
}

impl Lines {
    /// Opens the lines of a file. Reads stdin if the file is `-`. Waits for the data of a pipe.
    pub(crate) fn open(file: &Path) -> io::Result<Self> {
        let reader: Box<dyn BufRead> = if file == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(opened(file)?.0))
        };
        Ok(Self::new(From::Reader(as_utf8(reader)?)))
    }

    /// Opens a file, a pipe or stdin (`-`). Its lines are read while they are written.
    fn follow(file: &Path) -> io::Result<Self> {
        let pipe: Box<dyn BufRead + Send> = if file == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            let (opened, metadata) = opened(file)?;
            let reader = BufReader::new(opened);
            if metadata.is_file() {
                return Ok(Self::new(From::File(reader, file.to_owned(), 0)));
            }
            Box::new(reader)
        };
        Ok(Self::new(From::Thread(read_in_thread(pipe))))
    }

    fn new(from: From) -> Self {
        Self {
            from,
            begun: Vec::new(),
        }
    }

    /// Returns the next complete line. Returns `None` if none has arrived yet. Replaces invalid UTF-8.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        match &mut self.from {
            From::Reader(reader) => {
                reader.read_until(b'\n', &mut self.begun)?;
            }
            From::File(reader, _, read) => {
                let more = reader.read_until(b'\n', &mut self.begun)?;
                *read += u64::try_from(more).unwrap_or_default();
            }
            // The function `more` has already received this line.
            From::Thread(_) if self.begun.ends_with(b"\n") => {}
            From::Thread(lines) => {
                if let Ok(line) = lines.try_recv() {
                    self.begun.extend(line?);
                }
            }
        }
        Ok(self.begun.ends_with(b"\n").then(|| self.taken()))
    }

    /// Returns the text after the last line ending. Called when no more lines can arrive.
    pub(crate) fn last(&mut self) -> Option<String> {
        (!self.begun.is_empty()).then(|| self.taken())
    }

    /// Waits until further lines may have arrived. Returns `false` if no more lines can arrive.
    async fn more(&mut self) -> io::Result<bool> {
        if let From::Thread(lines) = &mut self.from {
            let line = lines.recv().await.transpose()?;
            let is_there = line.is_some();
            self.begun.extend(line.unwrap_or_default());
            return Ok(is_there);
        }
        tokio::time::sleep(POLL).await;
        Ok(true)
    }

    /// Returns whether the file was truncated or replaced.
    fn is_another(&self) -> io::Result<bool> {
        let From::File(reader, path, read) = &self.from else {
            return Ok(false);
        };
        let here = reader.get_ref().metadata()?;
        if here.len() < *read {
            return Ok(true);
        }
        // If there is no file at the path, the replacement has not arrived yet.
        Ok(fs::metadata(path).is_ok_and(|there| !is_same(&here, &there)))
    }

    fn taken(&mut self) -> String {
        let line = std::mem::take(&mut self.begun);
        let line = &*String::from_utf8_lossy(&line);
        line.trim_end_matches(['\n', '\r']).to_owned()
    }
}

/// Returns the branches of a transcript that were rewound. A pipe, a folder and a recording have none.
fn rewound(path: &Path) -> Rewound {
    // Symbolic links are followed, as everywhere in this command.
    let real = path.canonicalize().ok().filter(|path| path.is_file());
    let found = real.and_then(|path| Rewound::open(&path).ok());
    found.unwrap_or_default()
}

/// Returns whether both are the same file. Returns `true` if the system does not report this.
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        true
    }
}

fn read_in_thread(reader: Box<dyn BufRead + Send>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, lines) = channel(AHEAD);
    thread::spawn(move || {
        let mut reader = match as_utf8(reader) {
            Ok(reader) => reader,
            Err(error) => return drop(sender.blocking_send(Err(error))),
        };
        loop {
            let mut line = Vec::new();
            let read = match reader.read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            let failed = read.is_err();
            if sender.blocking_send(read).is_err() || failed {
                break;
            }
        }
    });
    lines
}

/// The lines that were sent to `claude`. Only the prompts among them are shown.
struct Sent {
    lines: Lines,
    places: Interleave<String>,
}

impl Sent {
    fn read(&mut self) -> io::Result<()> {
        while let Some(line) = self.lines.next()? {
            // The call returns no prompt, because the order is not known.
            self.places.on_sent(&line, line.clone());
        }
        Ok(())
    }
}

/// The source of a session: a transcript, the output of `claude`, or the folder of a recording. Prompts of a recording
/// are shown at the position at which their turns began.
pub(crate) struct Source {
    lines: Lines,
    sent: Option<Sent>,
    ready: VecDeque<String>,
    /// The branches of a transcript that were rewound when it was opened.
    rewound: Rewound,
}

impl Source {
    /// Opens a session that is read to its end. Prints defects of a recording to stderr.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return Self::of(path, Lines::open);
        }
        let recording = Recording::open(path)?;
        for damage in recording.damage() {
            // A missing order is normal for an older recording.
            if damage.kind != DamageKind::NoOrder {
                anstream::eprintln!("{}", one_line(&damage.to_string(), DAMAGE));
            }
        }
        Ok(Self {
            lines: Lines::new(From::Reader(Box::new(io::empty()))),
            sent: None,
            ready: recording.drawn().map(|line| line.text.clone()).collect(),
            rewound: Rewound::default(),
        })
    }

    /// Opens a session that may grow while it is read.
    pub(crate) fn follow(path: &Path) -> io::Result<Self> {
        Self::of(path, Lines::follow)
    }

    fn of(path: &Path, open: fn(&Path) -> io::Result<Lines>) -> io::Result<Self> {
        let (stdout, sent) = if path.is_dir() {
            let stdin = path.join(Replay::STDIN);
            // A recording that contains only output has no stdin.
            let stdin = stdin.exists().then(|| open(&stdin)).transpose()?;
            (path.join(Replay::STDOUT), stdin)
        } else {
            (path.to_owned(), None)
        };
        Ok(Self {
            lines: open(&stdout)?,
            sent: sent.map(|lines| Sent {
                lines,
                places: Interleave::default(),
            }),
            ready: VecDeque::new(),
            rewound: rewound(path),
        })
    }

    /// Adds a line to a timeline. A rewound line becomes a part of its branch. A note does not end the branch.
    pub(crate) fn push(&self, timeline: &mut Timeline, line: &str) -> Vec<Change> {
        if !self.rewound.is_empty()
            && let Read::Entry(entry) = read(line, 0)
        {
            let branch = entry
                .uuid()
                .and_then(|uuid| self.rewound.branch(uuid.as_str()));
            return timeline.push(match branch {
                Some(branch) => Input::Rewound(&entry, branch),
                None => Input::Entry(&entry),
            });
        }
        timeline.push(Input::Line(line))
    }

    /// Waits until further lines may have arrived. Returns `false` when the session or its pipe has ended.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub(crate) async fn more(&mut self) -> io::Result<bool> {
        let has_ended = |sent: &Sent| sent.places.has_ended();
        Ok(!self.sent.as_ref().is_some_and(has_ended) && self.lines.more().await?)
    }

    /// Returns whether the file was truncated or replaced, so that it contains another session.
    pub(crate) fn is_another(&self) -> io::Result<bool> {
        self.lines.is_another()
    }

    /// Returns the next line. Returns `None` if none has arrived yet.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        if self.ready.is_empty()
            && let Some(line) = self.lines.next()?
        {
            self.take(&line)?;
        }
        Ok(self.ready.pop_front())
    }

    /// Returns the remaining lines at the end: an incomplete line, and prompts whose turns never began.
    pub(crate) fn rest(&mut self) -> io::Result<VecDeque<String>> {
        if let Some(line) = self.lines.last() {
            self.take(&line)?;
        }
        if let Some(sent) = &mut self.sent {
            sent.read()?;
            self.ready.extend(sent.places.rest());
        }
        Ok(std::mem::take(&mut self.ready))
    }

    fn take(&mut self, line: &str) -> io::Result<()> {
        if let Some(sent) = &mut self.sent
            && Interleave::<String>::is_mark(line)
        {
            sent.read()?;
            self.ready.extend(sent.places.on_received(line));
        }
        // A line may contain several records.
        let parts = records(line.as_bytes()).into_iter();
        let text = |part: Range<usize>| line.get(part).map(str::to_owned);
        self.ready.extend(parts.filter_map(text));
        Ok(())
    }
}
