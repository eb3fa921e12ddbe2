//! Moves the files of a session from a checkout to the disk's own folders, without overwriting other files.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{
    self, BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _,
};
use std::path::Path;

use claw_sessions::Entries;
use tempfile::{Builder, TempPath};

use super::relation::line;
use crate::Line;
use crate::stored::import::{is_of_kind, with_session};
use crate::stored::private::make_folders;

/// Moves a file of a checkout from `from` to `to`. If the file at `to` is the beginning of `from`, appends the rest to
/// it. Returns `false`, and changes nothing, if another file exists at `to`. If this process is killed, a later process
/// removes the files that remain in the checkout.
pub(super) fn place(from: &Path, to: &Path) -> io::Result<bool> {
    if to.symlink_metadata().is_err() {
        move_file(from, to)?;
        return Ok(true);
    }
    let (mut source, target) = (File::open(from)?, open(to)?);
    let (new, old) = (source.metadata()?.len(), target.metadata()?.len());
    let common = new.min(old);
    if !are_equal(&source, &target, common)? {
        return Ok(false);
    }
    if new > old {
        source.seek(SeekFrom::Start(common))?;
        let mut all = Builder::new()
            .prefix(".claw-")
            .suffix(".tmp")
            .tempfile_in(folder(from))?;
        io::copy(&mut open(to)?, &mut all)?;
        io::copy(&mut source, &mut all)?;
        all.persist(to)?;
    }
    Ok(true)
}

/// Moves a file. Fails if a file already exists at the path `to`.
pub(super) fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    make_folders(folder(to))?;
    let mut file = TempPath::try_from_path(from)?;
    // If the move fails, the file must remain. So the cleanup on drop is disabled.
    file.disable_cleanup(true);
    file.persist_noclobber(to).map_err(|error| error.error)
}

/// Adds to the transcript `to` the lines that it lacks. `from` is a file of a checkout that contains these lines. The
/// transcript's file is replaced atomically. Returns the number of added lines.
///
/// # Errors
///
/// Fails with `ResourceBusy` if another program has changed the transcript during the call. The call then changes
/// nothing.
pub(super) fn extend(from: &Path, to: &Path) -> io::Result<u64> {
    let other = |error: claw_sessions::Error| io::Error::other(error.to_string());
    let before = to.symlink_metadata()?;
    let (mut uuids, mut notes) = (HashSet::new(), HashMap::<String, u32>::new());
    for entry in Entries::open(to).map_err(other)? {
        let Some(line) = line(entry.map_err(other)?.raw()) else {
            continue;
        };
        match line.uuid() {
            Some(uuid) => drop(uuids.insert(uuid.to_owned())),
            None => *notes.entry(note(&line)).or_default() += 1,
        }
    }
    let mut all = Builder::new()
        .prefix(".claw-")
        .suffix(".tmp")
        .tempfile_in(folder(from))?;
    io::copy(&mut open(to)?, &mut all)?;
    if !ends_a_line(to)? {
        all.write_all(b"\n")?;
    }
    let mut added = 0;
    for entry in Entries::open(from).map_err(other)? {
        let Some(line) = line(entry.map_err(other)?.raw()) else {
            continue;
        };
        let is_there = match line.uuid() {
            Some(uuid) => uuids.contains(uuid),
            // This line records the session's directory. It is not copied, because each machine has another directory.
            None if is_of_kind(&line, "relocated") => true,
            None => {
                let left = notes.get_mut(&note(&line)).filter(|left| **left > 0);
                left.map(|left| *left -= 1).is_some()
            }
        };
        if !is_there {
            all.write_all(line.as_str().as_bytes())?;
            all.write_all(b"\n")?;
            added += 1;
        }
    }
    all.as_file().set_permissions(before.permissions())?;
    all.as_file().sync_all()?;
    let after = to.symlink_metadata()?;
    if after.len() != before.len() || after.modified()? != before.modified()? {
        let text = "the transcript was changed meanwhile";
        return Err(io::Error::new(ErrorKind::ResourceBusy, text));
    }
    all.persist(to)?;
    Ok(added)
}

/// Replaces the session ID `from` by `to` in the lines of a transcript.
pub(super) fn rename_session(path: &Path, from: &str, to: &str) -> io::Result<()> {
    let mut renamed = Builder::new().tempfile_in(folder(path))?;
    let mut lines = BufReader::new(File::open(path)?);
    let mut text = Vec::new();
    loop {
        text.clear();
        if lines.read_until(b'\n', &mut text)? == 0 {
            break;
        }
        let own = text.strip_suffix(b"\n").unwrap_or(&text);
        match line(Some(own)).and_then(|line| with_session(&line, from, to)) {
            Some(line) => {
                renamed.write_all(line.as_str().as_bytes())?;
                renamed.write_all(b"\n")?;
            }
            None => renamed.write_all(&text)?,
        }
    }
    drop(lines);
    renamed.persist(path)?;
    Ok(())
}

/// Returns a line without a UUID in a form in which its members are sorted by name. So two lines that differ only in
/// the order of members become equal.
fn note(line: &Line) -> String {
    match serde_json::from_str::<serde_json::Value>(line.as_str()) {
        // This call is necessary if serde_json has the feature `preserve_order`. Without it, serde_json sorts the
        // members itself.
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string()
        }
        Err(_) => line.as_str().to_owned(),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Opens a regular file. Fails for a symbolic link and for any other kind of file.
fn open(path: &Path) -> io::Result<File> {
    if !path.symlink_metadata()?.is_file() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    OpenOptions::new().read(true).open(path)
}

fn ends_a_line(path: &Path) -> io::Result<bool> {
    let mut file = open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Whether the first `length` bytes of two files are equal.
fn are_equal(one: &File, other: &File, length: u64) -> io::Result<bool> {
    let mut readers = [one, other].map(|file| BufReader::new(file.take(length)));
    loop {
        let [one, other] = &mut readers;
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let common = left.len().min(right.len());
        if common == 0 {
            return Ok(left.is_empty() && right.is_empty());
        }
        if left[..common] != right[..common] {
            return Ok(false);
        }
        one.consume(common);
        other.consume(common);
    }
}

/// Returns the length of a file, and the number of its lines.
pub(super) fn size(path: &Path) -> io::Result<(u64, u64)> {
    let mut reader = BufReader::new(File::open(path)?);
    let (mut bytes, mut lines) = (0, 0);
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok((bytes, lines));
        }
        bytes += buffer.len() as u64;
        lines += buffer.split(|byte| *byte == b'\n').count() as u64 - 1;
        let read = buffer.len();
        reader.consume(read);
    }
}

/// Whether a file exists.
pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
