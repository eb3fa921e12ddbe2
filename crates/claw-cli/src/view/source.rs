//! Where the lines of a session come from.

use std::collections::VecDeque;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use claw_client::transport::Replay;
use claw_view::{DamageKind, Interleave, Recording};
use tokio::sync::mpsc::{Receiver, channel};

use crate::escape::one_line;

/// How often a file is looked at that may grow.
const POLL: Duration = Duration::from_millis(100);

/// How long the text of a damage may be, in characters.
const DAMAGE: usize = 300;

/// How many lines of a pipe are read ahead.
const AHEAD: usize = 64;

/// The lines of a file that may still grow.
pub(crate) struct Lines {
    from: From,
    /// No line was taken out yet.
    is_first: bool,
    /// A line whose end has not come yet.
    begun: Vec<u8>,
}

enum From {
    /// Read when it is asked for.
    Reader(Box<dyn BufRead>),
    /// A file that may grow, be cut, or be replaced by another one, and how much of it was read.
    File(BufReader<File>, PathBuf, u64),
    /// Read by a thread, so that nothing waits for it. It ends with what it reads, or with the process.
    Thread(Receiver<io::Result<Vec<u8>>>),
}

impl Lines {
    /// Those of a file; of stdin, where it is `-`. Waits for what comes through a pipe.
    pub(crate) fn open(file: &Path) -> io::Result<Self> {
        let reader: Box<dyn BufRead> = if file == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(opened(file)?.0))
        };
        Ok(Self::new(From::Reader(reader)))
    }

    /// Opens a file, a pipe or stdin (`-`) whose lines are read as they are written.
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
            is_first: true,
            begun: Vec::new(),
        }
    }

    /// The next whole line. `None` where there is none for now. What is not UTF-8 is replaced.
    pub(crate) fn next(&mut self) -> io::Result<Option<String>> {
        match &mut self.from {
            From::Reader(reader) => {
                reader.read_until(b'\n', &mut self.begun)?;
            }
            From::File(reader, _, read) => {
                let more = reader.read_until(b'\n', &mut self.begun)?;
                *read += u64::try_from(more).unwrap_or_default();
            }
            // What `more` has left there.
            From::Thread(_) if self.begun.ends_with(b"\n") => {}
            From::Thread(lines) => {
                if let Ok(line) = lines.try_recv() {
                    self.begun.extend(line?);
                }
            }
        }
        Ok(self.begun.ends_with(b"\n").then(|| self.taken()))
    }

    /// What stands behind the last line end, once nothing more comes.
    pub(crate) fn last(&mut self) -> Option<String> {
        (!self.begun.is_empty()).then(|| self.taken())
    }

    /// Waits until there may be more. Whether there may.
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

    /// Whether the file is no longer what it was: cut, or another one.
    fn is_another(&self) -> io::Result<bool> {
        let From::File(reader, path, read) = &self.from else {
            return Ok(false);
        };
        let here = reader.get_ref().metadata()?;
        if here.len() < *read {
            return Ok(true);
        }
        // While there is none, the other one has not come yet.
        Ok(fs::metadata(path).is_ok_and(|there| !is_same(&here, &there)))
    }

    fn taken(&mut self) -> String {
        let line = std::mem::take(&mut self.begun);
        let mut line = &*String::from_utf8_lossy(&line);
        // What some programs write files with begins with a mark of its own.
        if std::mem::take(&mut self.is_first) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        line.trim_end_matches(['\n', '\r']).to_owned()
    }
}

fn opened(file: &Path) -> io::Result<(File, Metadata)> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    let opened = File::open(file).map_err(named)?;
    let metadata = opened.metadata().map_err(named)?;
    // Some systems open a folder, and fail when it is read.
    if metadata.is_dir() {
        return Err(named(ErrorKind::IsADirectory.into()));
    }
    Ok((opened, metadata))
}

/// Whether that is one file. Where the system does not say, it is.
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

fn read_in_thread(mut reader: Box<dyn BufRead + Send>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, lines) = channel(AHEAD);
    thread::spawn(move || {
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

/// What was sent to `claude`, of which prompts are shown.
struct Sent {
    lines: Lines,
    places: Interleave<String>,
}

impl Sent {
    fn read(&mut self) -> io::Result<()> {
        while let Some(line) = self.lines.next()? {
            // None of them is given back here: the order is not known.
            self.places.sent(&line, line.clone());
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
}

impl Source {
    /// Opens a session that is read to its end.
    /// What is wrong with a recording is told on stderr.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return Self::of(path, Lines::open);
        }
        let recording = Recording::open(path)?;
        for damage in recording.damage() {
            // An older recording is no worse for it.
            if damage.kind != DamageKind::NoOrder {
                anstream::eprintln!("{}", one_line(&damage.to_string(), DAMAGE));
            }
        }
        Ok(Self {
            lines: Lines::new(From::Reader(Box::new(io::empty()))),
            sent: None,
            ready: recording.drawn().map(|line| line.text.clone()).collect(),
        })
    }

    /// Opens a session that may grow while it is read.
    pub(crate) fn follow(path: &Path) -> io::Result<Self> {
        Self::of(path, Lines::follow)
    }

    fn of(path: &Path, open: fn(&Path) -> io::Result<Lines>) -> io::Result<Self> {
        let (stdout, sent) = if path.is_dir() {
            let stdin = path.join(Replay::STDIN);
            // A recording of what was only read has none.
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
        })
    }

    /// Waits until there may be more, and looks whether the session was ended: in an orderly way, or with
    /// the pipe that it comes through.
    ///
    /// # Cancel safety
    /// Nothing is lost.
    pub(crate) async fn more(&mut self) -> io::Result<bool> {
        let has_ended = |sent: &Sent| sent.places.has_ended();
        Ok(!self.sent.as_ref().is_some_and(has_ended) && self.lines.more().await?)
    }

    /// Whether there is another session in that place: the file was cut, or replaced.
    pub(crate) fn is_another(&self) -> io::Result<bool> {
        self.lines.is_another()
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
            self.ready.extend(sent.places.rest());
        }
        Ok(std::mem::take(&mut self.ready))
    }

    fn take(&mut self, line: String) -> io::Result<()> {
        if let Some(sent) = &mut self.sent
            && Interleave::<String>::is_mark(&line)
        {
            sent.read()?;
            self.ready.extend(sent.places.heard(&line));
        }
        self.ready.push_back(line);
        Ok(())
    }
}
