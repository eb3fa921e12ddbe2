//! Archives sessions.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::home::names;
use crate::list::stat;
use crate::time::now;
use crate::{Error, Session, sidecar};

impl Session {
    /// Archives the session. Lists show it as archived until a person writes a prompt in it again. The session can
    /// still be read and resumed.
    ///
    /// The transcript and the session's place in lists do not change. If several projects have the session, for example
    /// after a move, it is archived in all of them. Archiving an archived session is not an error.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile, and with [`Error::Io`] if a file cannot be
    /// read or written.
    pub fn archive(&self) -> Result<(), Error> {
        self.set_archived(true)
    }

    /// Takes the session out of the archive. Changes nothing if the session is not archived.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`archive`](Self::archive).
    pub fn unarchive(&self) -> Result<(), Error> {
        self.set_archived(false)
    }

    /// Writes whether the session is archived, in every project that has the session.
    pub(crate) fn set_archived(&self, archived: bool) -> Result<(), Error> {
        let record = format!(r#"{{"archived":{archived},"at":"{}","by":"sdk"}}"#, now());
        let places = self.places()?;
        if places.is_empty() {
            return Err(self.not_found());
        }
        // Tries every transcript, even after an error, and returns the first error.
        let (mut written, mut failed) = (Vec::new(), None);
        for transcript in &places {
            match write(transcript, &record) {
                Ok(()) => written.push(transcript.with_extension("").display().to_string()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            None => Ok(()),
            Some(error) if written.is_empty() => Err(error),
            Some(error) => Err(Error::PartlyChanged {
                written: written.join(", "),
                source: Box::new(error),
            }),
        }
    }

    /// Returns the session's transcripts in all projects.
    fn places(&self) -> Result<Vec<PathBuf>, Error> {
        let projects = self.sessions().projects();
        let names = match names(&projects) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("cannot read", projects, error)),
        };
        let file = format!("{}.jsonl", self.id().as_str());
        let folders = names.iter().map(|name| projects.join(name));
        let transcripts = folders
            .filter(|folder| sidecar::is_folder(folder))
            .map(|folder| folder.join(&file));
        Ok(transcripts
            .filter(|transcript| stat(transcript).is_ok())
            .collect())
    }
}

fn write(transcript: &Path, record: &str) -> Result<(), Error> {
    let folder = transcript.with_extension("");
    let path = folder.join("archived.json");
    let written = || {
        sidecar::make_folder(&folder)?;
        let mut file = sidecar::create(&folder)?;
        file.write_all(record.as_bytes())?;
        sidecar::replace(file, &path)
    };
    written().map_err(|error| Error::io("cannot write", &path, error))
}
