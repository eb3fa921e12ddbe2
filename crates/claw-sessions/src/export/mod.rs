//! Writes a session out, either as Markdown to be read or as the lines of its transcript.

mod markdown;

use std::io::{self, Read as _, Write};

use crate::members::Members;
use crate::{Branches, Error, Session, file};

use markdown::Markdown;

impl Session {
    /// Writes every line of the transcript, byte for byte. Lines that are appended after the file was opened are not
    /// included. The transcripts of sub-agents are separate files, and are not included either: see
    /// [`subagents`](Self::subagents).
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read, and with [`Error::Write`] if `out` fails. A part of
    /// the output may have been written by then.
    pub fn export_ndjson(&self, out: &mut impl Write) -> Result<(), Error> {
        let path = self.transcript();
        let io = |error| Error::io("cannot read", path, error);
        let file = file::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut rest = file.take(length);
        let mut buffer = vec![0; 64 << 10];
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => out.write_all(&buffer[..read]).map_err(Error::Write)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io(error)),
            }
        }
    }

    /// Writes the conversation as Markdown: the texts of the user and of the model, the tool uses, and their results.
    /// They are written in the order of the transcript, including the parts before a compaction. A branch that was
    /// rewound is folded (`<details>`). Only one line is held in memory at a time.
    ///
    /// The model's answers are Markdown already, and are not changed. The user's texts are quoted. The inputs and
    /// results of tools are in code blocks. Invisible characters are written as escapes. A program that shows the
    /// Markdown as a page must sanitize HTML in it, as for any untrusted Markdown.
    ///
    /// The returned list has an error for each line that could not be read. The Markdown leaves such lines out.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile, with [`Error::Io`] if the transcript cannot
    /// be read, and with [`Error::Write`] if `out` fails. A part of the output may have been written by then.
    pub fn export_markdown(&self, out: &mut impl Write) -> Result<Vec<Error>, Error> {
        let info = self.info()?;
        let mut markdown = Markdown::new(out);
        let title = info.as_ref().map_or("", |info| &info.summary);
        markdown.begin(self, title).map_err(Error::Write)?;
        let mut read = match self.conversation(Branches::Marked) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(self.not_found());
            }
            read => read?,
        };
        let mut unread = (0, 0);
        while let Some(item) = read.next() {
            let item = item?;
            let Some(line) = item.line() else { continue };
            let written = if let Ok(entry) = item.entry() {
                let fold = markdown.branch(&entry, item.branch(), &read);
                fold.and_then(|()| markdown.entry(&entry))
            } else if let Some(record) = line.raw().and_then(Members::parse) {
                // A record with a missing member is not a broken line: the record may have an older form.
                markdown.incomplete(&record)
            } else {
                // A last line without a line end is still being written, so it does not count as
                // unread.
                if line.is_ended() || line.raw().is_none() {
                    let first = if unread.0 == 0 {
                        line.number()
                    } else {
                        unread.1
                    };
                    unread = (unread.0 + 1, first);
                }
                Ok(())
            };
            written.map_err(Error::Write)?;
        }
        markdown.end_branch().map_err(Error::Write)?;
        let (count, first) = unread;
        let path = self.transcript().to_owned();
        let problem = (count > 0).then_some(Error::Broken { path, count, first });
        Ok(problem.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
