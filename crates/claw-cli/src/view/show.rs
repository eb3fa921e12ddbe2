//! `claw show`: a session that was recorded, or is being recorded.

use std::future::ready;
use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Write, stdout};
use std::path::Path;
use std::time::Duration;

use claw_view::{Change, Elements, Input, Timeline};

use super::source::Source;
use super::terminal::Terminal;
use crate::escape::escape_json;
use crate::interrupts::Interrupts;
use crate::outcome::{Outcome, report};

/// How often a file is looked at that may grow.
const POLL: Duration = Duration::from_millis(100);

/// How a session is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How {
    /// As JSON, a line each: the elements, or what changes where it is followed.
    pub(crate) json: bool,
    /// While it goes on.
    pub(crate) follow: bool,
    /// How wide lines may be.
    pub(crate) width: Option<usize>,
}

/// Shows the session in a file or a folder.
pub(crate) async fn show(path: &Path, how: How) -> Outcome {
    let source = match Source::open(path) {
        Ok(source) => source,
        Err(error) => return report(&error, Outcome::Unreadable),
    };
    let out = BufWriter::new(anstream::stdout());
    let shown = if how.json {
        let kept = (!how.follow).then(Elements::default);
        feed(source, Json { out, kept }, how.follow).await
    } else {
        let width = how.width.or_else(terminal_width);
        feed(source, Terminal::new(out, width), how.follow).await
    };
    match shown {
        Ok(()) => Outcome::Success,
        Err(Failed::Read(error)) => report(&error, Outcome::Unreadable),
        // Whoever reads has seen enough.
        Err(Failed::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Outcome::Success,
        Err(Failed::Write(error)) => report(&error, Outcome::BrokeOff),
    }
}

/// Where changes go.
trait View {
    fn change(&mut self, change: Change) -> io::Result<()>;
    /// Nothing more comes for now.
    fn pause(&mut self) -> io::Result<()>;
    /// Nothing more comes.
    fn end(&mut self) -> io::Result<()>;
}

impl<W: Write> View for Terminal<W> {
    fn change(&mut self, change: Change) -> io::Result<()> {
        self.change(change)
    }

    fn pause(&mut self) -> io::Result<()> {
        self.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.finish()
    }
}

struct Json<W> {
    out: W,
    /// What is written at the end.
    kept: Option<Elements>,
}

impl<W: Write> Json<W> {
    fn line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        let line = serde_json::to_string(value)?;
        if stdout().is_terminal() {
            writeln!(self.out, "{}", escape_json(&line))
        } else {
            writeln!(self.out, "{line}")
        }
    }
}

impl<W: Write> View for Json<W> {
    fn change(&mut self, change: Change) -> io::Result<()> {
        match &mut self.kept {
            Some(elements) => {
                elements.apply(change);
                Ok(())
            }
            None => self.line(&change),
        }
    }

    fn pause(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        for element in self.kept.take().unwrap_or_default().iter() {
            self.line(element)?;
        }
        self.out.flush()
    }
}

enum Failed {
    Read(io::Error),
    Write(io::Error),
}

/// Gives all lines to the view. Following ends with the session, or when the person interrupts.
async fn feed(mut source: Source, mut view: impl View, follow: bool) -> Result<(), Failed> {
    let mut timeline = Timeline::default();
    let mut push = |view: &mut dyn View, line: &str| {
        let mut changes = timeline.push(Input::Line(line)).into_iter();
        changes.try_for_each(|change| view.change(change))
    };
    let mut interrupts = follow.then(Interrupts::new);
    loop {
        while let Some(line) = source.next().map_err(Failed::Read)? {
            push(&mut view, &line).map_err(Failed::Write)?;
            if let Some(interrupts) = &mut interrupts {
                tokio::select! {
                    biased;
                    () = interrupts.next() => return view.end().map_err(Failed::Write),
                    () = ready(()) => {}
                }
            }
        }
        let Some(interrupts) = &mut interrupts else {
            break;
        };
        if source.is_ended() {
            break;
        }
        view.pause().map_err(Failed::Write)?;
        tokio::select! {
            () = interrupts.next() => return view.end().map_err(Failed::Write),
            () = tokio::time::sleep(POLL) => {}
        }
    }
    for line in source.rest().map_err(Failed::Read)? {
        push(&mut view, &line).map_err(Failed::Write)?;
    }
    view.end().map_err(Failed::Write)
}

/// How wide the terminal is, where there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(stdout()).ok()?;
        (size.ws_col > 0).then_some(size.ws_col.into())
    }
    #[cfg(not(unix))]
    {
        stdout().is_terminal().then_some(80)
    }
}
