//! `claw view --output`: writes a session as one self-contained page.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use claw_client::transport::create_private_file;
use claw_view::html::Html;
use claw_view::{Elements, Timeline};

use super::source::Source;
use crate::outcome::{Outcome, report};

/// Reads the session in a file or folder, and writes it as a page to another file. Writes to stdout if that file is
/// `-`.
pub(crate) fn view(path: &Path, page: &Path) -> Outcome {
    let elements = match elements(path) {
        Ok(elements) => elements,
        Err(error) => return report(&error, Outcome::Unreadable),
    };
    let name = path.file_name().unwrap_or(path.as_os_str());
    match write_to(page, &elements, &name.to_string_lossy()) {
        Ok(()) => Outcome::Success,
        Err(error) => report(&error, Outcome::BrokeOff),
    }
}

fn elements(path: &Path) -> io::Result<Elements> {
    let mut source = Source::open(path)?;
    let mut timeline = Timeline::default();
    let mut elements = Elements::default();
    while let Some(line) = source.next()? {
        elements.extend(source.push(&mut timeline, &line));
    }
    for line in source.rest()? {
        elements.extend(source.push(&mut timeline, &line));
    }
    elements.extend(timeline.end_of_input());
    Ok(elements)
}

fn write_to(page: &Path, elements: &Elements, title: &str) -> io::Result<()> {
    if page == Path::new("-") {
        return write(BufWriter::new(io::stdout().lock()), elements, title);
    }
    // The page contains the whole conversation, so only the user can read the file.
    let file = create_private_file(page)?;
    write(BufWriter::new(file), elements, title)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", page.display())))
}

fn write(out: impl Write, elements: &Elements, title: &str) -> io::Result<()> {
    let mut html = Html::new(out);
    html.page(elements.iter(), title)?;
    html.into_inner().flush()
}
