//! Writes the new paths into a transcript.

use std::fs::{File, FileTimes};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use super::paths::Paths;
use crate::file;
use crate::head_tail::HeadTail;
use crate::info::{cwd, cwd_before};
use crate::lines::{LONGEST, Lines};
use crate::members::{Members, quoted};
use crate::scan::has;
use crate::sidecar;

/// Writes a note of the new directory into a transcript, and changes the paths of its file history. All other bytes and
/// the times of the file stay the same. `directory` is the new directory of the session's project.
///
/// The CLI restores a file only if its folder has the path that the file history contains. The CLI writes the same note
/// of the directory when a person moves a running session to another directory. If it is sufficient to remove a note at
/// the end, that note is removed, so that moving a session there and back leaves the same bytes.
///
/// The file is replaced in one step. A second call with the same paths changes nothing.
///
/// # Errors
///
/// Fails with `ResourceBusy` if the file was changed meanwhile. The file is not replaced then.
pub(super) fn rewrite(
    transcript: &Path,
    id: &str,
    paths: &Paths,
    directory: &str,
) -> io::Result<()> {
    let mut read = file::open(transcript)?;
    let before = read.metadata()?;
    let mut ends = HeadTail::default();
    ends.read(&mut read, before.len())?;
    let now = cwd(&ends);
    let new_cwd = match now.as_deref() {
        Some(cwd) if paths.is_new(cwd) => cwd.to_owned(),
        Some(cwd) => paths.moved(cwd).unwrap_or_else(|| directory.to_owned()),
        None => directory.to_owned(),
    };
    // A session that names no directory belongs to the directory of the folder that contains it.
    let mut has_directory = now.is_none_or(|cwd| cwd == new_cwd);
    let mut kept = before.len();
    let tail = ends.tail();
    if !has_directory && let Some(start) = note_at_end(tail) {
        kept -= (tail.len() - start) as u64;
        has_directory = cwd_before(&tail[..start], &ends).as_deref() == Some(&*new_cwd);
    }

    let folder = transcript.parent().unwrap_or(Path::new(""));
    let mut copy = Copy {
        source: read,
        done: 0,
        target: None,
    };
    let mut lines = Lines::new(file::open(transcript)?.take(kept), LONGEST);
    while let Some(line) = lines.next_record()? {
        let history = line.text.filter(|text| is_file_history(text));
        if let Some(moved) = history.and_then(|text| paths.moved_in_json(text)) {
            copy.up_to(line.offset, folder)?.write_all(&moved)?;
            copy.done = line.offset + line.length;
        }
    }
    if !has_directory {
        let is_ended = tail.ends_with(b"\n");
        let target = copy.up_to(kept, folder)?;
        target.write_all(if is_ended { b"" } else { b"\n" })?;
        target.write_all(br#"{"type":"relocated","sessionId":"#)?;
        target.write_all(&quoted(id))?;
        target.write_all(br#","relocatedCwd":"#)?;
        target.write_all(&quoted(&new_cwd))?;
        target.write_all(b"}\n")?;
    } else if kept < before.len() || copy.target.is_some() {
        copy.up_to(kept, folder)?;
    }
    // Windows does not replace a file that is open, so the file is closed first.
    drop(lines);
    let Copy { source, target, .. } = copy;
    drop(source);
    let Some(target) = target else {
        return Ok(());
    };
    let file = target.as_file();
    file.set_permissions(before.permissions())?;
    // The copy gets the times of the file, because lists and `claude --continue` compare these times.
    let mut times = FileTimes::new().set_modified(before.modified()?);
    if let Ok(accessed) = before.accessed() {
        times = times.set_accessed(accessed);
    }
    file.set_times(times)?;
    let after = transcript.symlink_metadata()?;
    if after.len() != before.len() || after.modified()? != before.modified()? {
        let text = "the transcript was changed meanwhile";
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, text));
    }
    sidecar::replace(target, transcript)
}

/// A copy of a file, which is created when it is needed.
struct Copy {
    source: File,
    /// The bytes of the source before this offset are in the target.
    done: u64,
    target: Option<tempfile::NamedTempFile>,
}

impl Copy {
    /// Copies the bytes before an offset, and returns the target.
    fn up_to(&mut self, offset: u64, folder: &Path) -> io::Result<&mut File> {
        let target = match &mut self.target {
            Some(target) => target,
            none => none.insert(sidecar::create(folder)?),
        };
        self.source.seek(SeekFrom::Start(self.done))?;
        let mut part = (&self.source).take(offset.saturating_sub(self.done));
        io::copy(&mut part, target.as_file_mut())?;
        self.done = offset;
        Ok(target.as_file_mut())
    }
}

/// Returns the start of the last line, if the line is a note of the session's directory.
fn note_at_end(tail: &[u8]) -> Option<usize> {
    let lines = tail.strip_suffix(b"\n")?;
    let start = memchr::memrchr(b'\n', lines)? + 1;
    let note = Members::parse(&lines[start..])?;
    (note.text("type")? == "relocated").then_some(start)
}

fn is_file_history(record: &[u8]) -> bool {
    has(record, b"\"file-history-")
        && Members::parse(record).is_some_and(|record| {
            let kind = record.text("type");
            kind.is_some_and(|kind| {
                matches!(&*kind, "file-history-snapshot" | "file-history-delta")
            })
        })
}
