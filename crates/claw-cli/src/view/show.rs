//! `claw show`: shows a transcript or a recording, also while it is being written.

use std::collections::HashMap;
use std::future::ready;
use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Write, stdout};
use std::path::Path;

use claw_view::element::ElementId;
use claw_view::{Change, Elements, Timeline};

use super::markdown::Rendering;
use super::source::Source;
use super::terminal::Terminal;
use super::terminal_width;
use crate::escape::escape_json;
use crate::interrupts::Interrupts;
use crate::outcome::{Outcome, report};

/// The options with which a session is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct How {
    /// Whether to print JSON with one object per line. The objects are the elements, or the changes if `follow` is set.
    pub(crate) json: bool,
    /// Whether to continue while the session runs.
    pub(crate) follow: bool,
    /// Whether branches that were rewound are unfolded.
    pub(crate) rewound: bool,
    /// The maximum width of lines.
    pub(crate) width: Option<usize>,
}

/// Shows the session in a file or folder.
pub(crate) async fn show(path: &Path, how: How) -> Outcome {
    // The lines of a pipe are drawn while they arrive.
    let is_growing = how.follow || path == Path::new("-");
    let out = BufWriter::new(anstream::stdout());
    let shown = if how.json {
        let kept = if how.follow {
            Kept::Ids(Ids::default())
        } else {
            Kept::All(Elements::default())
        };
        feed(path, Json { out, kept }, is_growing).await
    } else {
        let width = how.width.or_else(terminal_width);
        feed(
            path,
            Terminal::new(out, width)
                .with_rendering(Rendering::of_stdout())
                .unfolding(how.rewound),
            is_growing,
        )
        .await
    };
    match shown {
        Ok(outcome) => outcome,
        Err(Failed::Read(error)) => report(&error, Outcome::Unreadable),
        // The reader has closed the pipe, which is not an error.
        Err(Failed::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Outcome::Success,
        Err(Failed::Write(error)) => report(&error, Outcome::BrokeOff),
    }
}

/// Shows the changes to the elements of a session.
trait View {
    fn apply(&mut self, change: Change) -> io::Result<()>;
    /// Called when all lines that have arrived are processed.
    fn pause(&mut self) -> io::Result<()>;
    /// Called when another session follows.
    fn reset(&mut self) -> io::Result<()>;
    /// Called after the last change.
    fn end(&mut self) -> io::Result<()>;
}

impl<W: Write> View for Terminal<W> {
    fn apply(&mut self, change: Change) -> io::Result<()> {
        self.change(change)
    }

    fn pause(&mut self) -> io::Result<()> {
        self.flush()
    }

    fn reset(&mut self) -> io::Result<()> {
        self.finish()?;
        self.notice("· Another session is there now.\n")
    }

    fn end(&mut self) -> io::Result<()> {
        self.finish()
    }
}

struct Json<W> {
    out: W,
    kept: Kept,
}

/// The elements that must be remembered.
enum Kept {
    /// All elements. They are written at the end.
    All(Elements),
    /// The IDs of the elements that were written.
    Ids(Ids),
}

/// IDs in the order in which they appeared.
#[derive(Default)]
struct Ids {
    numbers: HashMap<ElementId, u64>,
    next: u64,
}

impl Ids {
    fn in_order(self) -> impl Iterator<Item = ElementId> {
        let mut ids: Vec<_> = self.numbers.into_iter().collect();
        ids.sort_by_key(|(_, number)| *number);
        ids.into_iter().map(|(id, _)| id)
    }
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
    fn apply(&mut self, change: Change) -> io::Result<()> {
        match (&mut self.kept, &change) {
            (Kept::All(elements), _) => {
                elements.apply(change);
                return Ok(());
            }
            (Kept::Ids(ids), Change::Added(element)) => {
                ids.next += 1;
                ids.numbers.insert(element.id.clone(), ids.next);
            }
            (Kept::Ids(ids), Change::Removed(id)) => {
                ids.numbers.remove(id);
            }
            _ => {}
        }
        self.line(&change)
    }

    fn pause(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Forgets the elements of the previous session.
    fn reset(&mut self) -> io::Result<()> {
        let ids = match &mut self.kept {
            Kept::All(elements) => {
                *elements = Elements::default();
                return Ok(());
            }
            Kept::Ids(ids) => std::mem::take(ids),
        };
        let mut removed = ids.in_order().map(Change::Removed);
        removed.try_for_each(|change| self.line(&change))
    }

    fn end(&mut self) -> io::Result<()> {
        if let Kept::All(elements) = &mut self.kept {
            for element in std::mem::take(elements).iter() {
                self.line(element)?;
            }
        }
        self.out.flush()
    }
}

enum Failed {
    Read(io::Error),
    Write(io::Error),
}

/// Passes all lines to the view. If the source grows, reads until the session ends or the user interrupts.
async fn feed(path: &Path, mut view: impl View, is_growing: bool) -> Result<Outcome, Failed> {
    let open = || {
        let source = if is_growing {
            Source::follow(path)
        } else {
            Source::open(path)
        };
        source.map_err(Failed::Read)
    };
    let mut source = open()?;
    let mut timeline = Timeline::default();
    let push = |source: &Source, timeline: &mut Timeline, view: &mut dyn View, line: &str| {
        let mut changes = source.push(timeline, line).into_iter();
        let pushed = changes.try_for_each(|change| view.apply(change));
        pushed.map_err(Failed::Write)
    };
    let mut interrupts = is_growing.then(Interrupts::new);
    loop {
        while let Some(line) = source.next().map_err(Failed::Read)? {
            push(&source, &mut timeline, &mut view, &line)?;
            if let Some(interrupts) = &mut interrupts {
                tokio::select! {
                    biased;
                    () = interrupts.next() => return interrupted(view),
                    () = ready(()) => {}
                }
            }
        }
        let Some(interrupts) = &mut interrupts else {
            break;
        };
        view.pause().map_err(Failed::Write)?;
        let more = tokio::select! {
            () = interrupts.next() => return interrupted(view),
            more = source.more() => more.map_err(Failed::Read)?,
        };
        if !more {
            break;
        }
        if source.is_another().map_err(Failed::Read)? {
            source = open()?;
            timeline = Timeline::default();
            view.reset().map_err(Failed::Write)?;
        }
    }
    for line in source.rest().map_err(Failed::Read)? {
        push(&source, &mut timeline, &mut view, &line)?;
    }
    let mut rest = timeline.end_of_input().into_iter();
    rest.try_for_each(|change| view.apply(change))
        .map_err(Failed::Write)?;
    view.end().map_err(Failed::Write)?;
    Ok(Outcome::Success)
}

fn interrupted(mut view: impl View) -> Result<Outcome, Failed> {
    view.end().map_err(Failed::Write)?;
    Ok(Outcome::Interrupted)
}
