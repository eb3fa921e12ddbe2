//! `claw sessions export`: writes a session to a file or to stdout.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use claw_client::transport::create_private_file;
use claw_sessions::Session;

use super::{Done, Failed, report_problems};
use crate::args::sessions::Format;
use crate::outcome::Outcome;
use crate::view;

impl Format {
    fn of(name: &Path) -> Option<Self> {
        match name.extension()?.to_str()? {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            _ => None,
        }
    }
}

pub(super) fn export(session: &Session, output: &Path, format: Option<Format>) -> Done {
    let Some(format) = format.or_else(|| Format::of(output)) else {
        anstream::eprintln!(
            "claw: say --format: the file's name ends in none of .md, .html, .ndjson"
        );
        return Err(Failed::Reported(Outcome::Usage));
    };
    if format == Format::Html {
        return match view::html::view(session.transcript(), output) {
            Outcome::Success => Ok(()),
            outcome => Err(Failed::Reported(outcome)),
        };
    }
    if output == Path::new("-") {
        return write(session, format, io::stdout().lock());
    }
    // Only the user can read the file, because it contains the conversation.
    write(session, format, create_private_file(output)?)
}

fn write(session: &Session, format: Format, out: impl Write) -> Done {
    let mut out = BufWriter::new(out);
    let problems = match format {
        Format::Ndjson => session.export_ndjson(&mut out).map(|()| Vec::new())?,
        _ => session.export_markdown(&mut out)?,
    };
    out.flush()?;
    report_problems(&problems);
    Ok(())
}
