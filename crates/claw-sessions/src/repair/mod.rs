//! Mends a broken transcript in a copy of the session.

mod calls;
mod change;
mod content;
mod copy;
mod files;
mod line;
mod picture;
mod survey;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use claw_types::SessionId;
use uuid::Uuid;

pub use self::change::{RepairChange, RepairEffect, RepairProblem};
use self::change::{RepairedFile, Report};
use self::copy::Copy;
use self::files::Claim;
use self::survey::Survey;
use crate::fork::derived_title;
use crate::lines::{LONGEST, Lines};
use crate::running::processes;
use crate::time::now;
use crate::{Error, Session, file, sidecar};

/// The maximum number of changes that a report lists.
const MOST_CHANGES: usize = 10_000;

/// Mends a session in a copy. Made by [`Session::repair`].
#[derive(Debug, Clone)]
#[must_use = "a repair does nothing until it is planned or run"]
pub struct Repair<'a> {
    session: &'a Session,
    limit: usize,
}

/// The result of a repair that was run or planned. Made by [`Repair::run`] and [`Repair::plan`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Repaired {
    /// The changes in the order of their lines: first those of the session's transcript, then those of the transcripts
    /// of sub-agents. At most 10,000 are listed.
    pub changes: Vec<RepairChange>,
    /// The number of further changes, which are not listed.
    pub more: u64,
    /// Whether the CLI loses a part of the original that it reads in the copy, or has to remove a picture of the
    /// original after an error. If neither is the case, the changes only correct flaws that the CLI tolerates.
    pub is_needed: bool,
    /// The files of the session's folder that are not in the copy, because they are neither files nor folders.
    pub left_out: Vec<PathBuf>,
    /// The ID of the process of a running `claude` that uses the session. The copy contains the transcript up to the
    /// end that it had when it was read.
    pub running: Option<u32>,
    /// The copy. `None` after [`Repair::plan`], and if there was nothing to mend.
    pub copy: Option<Session>,
}

impl Session {
    /// Begins to mend the session in a copy, which has a new ID and which the CLI can resume. The session itself is not
    /// changed.
    ///
    /// The copy has every line that can be read, including records that the CLI skips: records after another record or
    /// after a part of one, records after NUL or a byte order mark, and records with escapes that are not valid. A
    /// missing parent is [replaced](RepairProblem::MissingParent) by an earlier line. A tool use without a result gets
    /// a result that reports this, and a result without a tool use becomes text. A picture that the API refuses gets
    /// its real media type, or is replaced by a text. Each change is [listed](Repaired::changes).
    ///
    /// ```no_run
    /// use claw_sessions::Sessions;
    ///
    /// let session = Sessions::of_user()?.find("0b1c2d3e-4f50-4678-9abc-def012345678")?;
    /// let repair = session.repair();
    /// for change in repair.plan()?.changes {
    ///     println!("line {}: {}", change.line, change.problem);
    /// }
    /// if let Some(copy) = repair.run()?.copy {
    ///     println!("claude --resume {}", copy.id().as_str());
    /// }
    /// # Ok::<(), claw_sessions::Error>(())
    /// ```
    pub fn repair(&self) -> Repair<'_> {
        Repair {
            session: self,
            limit: LONGEST,
        }
    }
}

impl Repair<'_> {
    /// Returns what [`run`](Self::run) would change, and writes nothing.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile, with [`Error::Changed`] if another program
    /// rewrote a transcript while it was read, and with [`Error::Io`] if a file cannot be read.
    pub fn plan(&self) -> Result<Repaired, Error> {
        self.repair(false)
    }

    /// Makes the copy, if there is something to mend. The transcripts are read a line at a time, four times in all.
    /// Memory grows with the number of lines, by about four hundred bytes each, and not with their length.
    ///
    /// The transcript of the copy gets its name last, when the whole copy is on the disk. So the copy exists either
    /// completely or not. If the process is killed, the next repair in the project removes the remains. Nothing is
    /// overwritten. The folder with the transcripts of sub-agents and the file history of the session are copied.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`plan`](Self::plan), and with [`Error::Io`] if the copy cannot be written.
    pub fn run(&self) -> Result<Repaired, Error> {
        let planned = self.repair(false)?;
        if planned.changes.is_empty() {
            return Ok(planned);
        }
        self.repair(true)
    }

    fn repair(&self, is_run: bool) -> Result<Repaired, Error> {
        let source = self.session;
        let config = source.sessions().config_dir();
        let mut running = processes(config)
            .map_err(|error| Error::io("cannot read", config.join("sessions"), error))?;
        let mut report = Report::new(MOST_CHANGES);
        let copy = source.beside(SessionId::from(Uuid::new_v4().to_string()));
        let mut left_out = Vec::new();
        let mended = if is_run {
            self.write(&copy, &mut report, &mut left_out)?;
            Some(copy)
        } else {
            self.transcript(&copy, &mut report, io::sink())?;
            for agent in files::subagents(source)? {
                let read = |error| Error::io("cannot read", source.folder().join(&agent), error);
                let mut file = file::open(&source.folder().join(&agent)).map_err(read)?;
                report.file = Some(agent.clone());
                self.file(&mut file, &agent, &copy, &mut report, io::sink())?;
            }
            None
        };
        let Report {
            changes,
            more,
            is_needed,
            ..
        } = report;
        Ok(Repaired {
            changes,
            more,
            is_needed,
            left_out,
            running: running.remove(source.id().as_str()),
            copy: mended,
        })
    }

    /// Writes all files of the copy.
    fn write(
        &self,
        copy: &Session,
        report: &mut Report,
        left_out: &mut Vec<PathBuf>,
    ) -> Result<(), Error> {
        let source = self.session;
        let write = |error| Error::io("cannot write", copy.transcript(), error);
        let folder = source.transcript().parent().unwrap_or(Path::new(""));
        let claim = Claim::new(folder, copy).map_err(write)?;
        let new = sidecar::create(folder).map_err(write)?;
        self.transcript(copy, report, BufWriter::new(new.as_file()))?;
        let from = source.folder();
        files::copy_folder(&from, &copy.folder(), left_out, &mut |path, out| {
            let name = path.strip_prefix(&from).unwrap_or(path);
            let mut file =
                file::open(path).map_err(|error| Error::io("cannot read", path, error))?;
            report.file = Some(name.to_owned());
            self.file(&mut file, name, copy, report, out)
        })?;
        let history = |session: &Session| files::history(session);
        files::copy_folder(
            &history(source),
            &history(copy),
            left_out,
            &mut |path, out| files::copy_bytes(path, out),
        )?;
        sidecar::publish(new, copy.transcript()).map_err(write)?;
        drop(claim);
        Ok(())
    }

    /// Mends the transcript of the session.
    fn transcript(
        &self,
        copy: &Session,
        report: &mut Report,
        out: impl io::Write,
    ) -> Result<(), Error> {
        let path = self.session.transcript();
        let mut file = match file::open(path) {
            Err(error) if crate::append::is_gone(&error) => return Err(self.session.not_found()),
            file => file.map_err(|error| Error::io("cannot read", path, error))?,
        };
        self.mend(&mut file, RepairedFile::Main, path, copy, report, out)
    }

    /// Mends or copies a file of the session's folder.
    fn file(
        &self,
        file: &mut File,
        name: &Path,
        copy: &Session,
        report: &mut Report,
        out: impl io::Write,
    ) -> Result<(), Error> {
        let path = self.session.folder().join(name);
        if files::is_subagent(name) {
            self.mend(file, RepairedFile::Subagent, &path, copy, report, out)
        } else {
            files::copy_bytes(&path, out)
        }
    }

    fn mend(
        &self,
        file: &mut File,
        kind: RepairedFile,
        path: &Path,
        copy: &Session,
        report: &mut Report,
        out: impl io::Write,
    ) -> Result<(), Error> {
        let read = |error| Error::io("cannot read", path, error);
        // Lines that are written after this point are not part of the copy.
        let length = file.metadata().map_err(read)?.len();
        let title = match kind {
            RepairedFile::Main if length == 0 => return Err(self.session.not_found()),
            RepairedFile::Main => {
                let title = derived_title(file, length, self.session).map_err(read)?;
                Some(format!("{title} (repaired)"))
            }
            RepairedFile::Subagent => None,
        };
        let survey =
            Survey::read(lines(file, length, self.limit).map_err(read)?, kind).map_err(read)?;
        let mut copier = Copy::new(self.session.id(), copy.id(), &survey, report, kind);
        // Lines that are read by their places need a handle with a separate position.
        let mut places = file::open(path).map_err(read)?;
        copier.write(
            lines(file, length, self.limit).map_err(read)?,
            &mut places,
            path,
            out,
            title.as_deref().map(|title| (title, now())),
        )
    }
}

/// Reads the lines of a file from its beginning.
fn lines(file: &mut File, length: u64, limit: usize) -> io::Result<Lines<io::Take<&mut File>>> {
    use std::io::Read as _;
    file.seek(SeekFrom::Start(0))?;
    Ok(Lines::new(file.take(length), limit))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Sessions;

    #[test]
    fn a_long_line_is_copied_unchanged_and_stops_no_other() {
        let id = "0a0a0a0a-0000-4000-8000-000000000001";
        let line = |uuid: &str, parent: &str, text: &str| {
            format!(
                r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"sessionId":"{id}","message":{{"role":"user","content":"{text}"}}}}"#
            )
        };
        let long = line("b", "\"a\"", &"long ".repeat(200));
        let lines = [
            line("a", "null", "One"),
            long.clone(),
            format!("\0{}", line("c", "\"b\"", "Three")),
        ];
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("projects/-work");
        fs::create_dir_all(&project).unwrap();
        let transcript = project.join(format!("{id}.jsonl"));
        fs::write(&transcript, lines.join("\n")).unwrap();
        let session = Sessions::new(folder.path()).find(id).unwrap();
        let repair = Repair {
            session: &session,
            limit: 500,
        };
        let repaired = repair.run().unwrap();
        let changes = repaired.changes.iter();
        let changes: Vec<_> = changes
            .map(|change| (change.line, change.problem.name()))
            .collect();
        // The parent of the third line is not reported as missing, because the line that was not examined may have its
        // UUID.
        assert_eq!(changes, [(2, "too_long"), (3, "nul")]);
        let copy = fs::read_to_string(repaired.copy.unwrap().transcript()).unwrap();
        let copy: Vec<_> = copy.lines().collect();
        assert_eq!((copy.len(), copy[1]), (4, &*long));
        assert!(copy[2].contains(r#""parentUuid":"b""#));
    }
}
