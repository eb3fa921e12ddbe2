//! A record that shows which files of a checkout came from the store.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::private::make_file;
use crate::{KeyError, SessionRef};

/// The files of a checkout that came from the store.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Contents {
    project: String,
    session: String,
    /// The files of the transcripts, with the lengths that they had when they were loaded.
    files: Vec<(PathBuf, u64)>,
    /// The CLI's own configuration folder. Set if the session's files are there and not in the checkout's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<PathBuf>,
}

/// The folder that contains the main transcript of a checkout. Further main transcripts in it belong to sessions that
/// began there. `None` if the checkout has no transcript.
pub(super) struct Mains(Option<PathBuf>);

impl Mains {
    /// Returns the IDs of the sessions. Blocks on the disk.
    pub(super) fn ids(&self) -> Vec<String> {
        let entries = self.0.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let names = entries.into_iter().flatten().flatten();
        let ids = names.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".jsonl")?.to_owned())
        });
        ids.collect()
    }
}

impl Contents {
    /// The name of the file in which this record is stored.
    pub(super) const NAME: &str = "claw-checkout.json";

    pub(super) fn write(
        folder: &Path,
        session: &SessionRef,
        transcripts: impl Iterator<Item = impl AsRef<Path>>,
    ) -> std::io::Result<()> {
        let length = |path: &Path| Some((path.to_owned(), path.metadata().ok()?.len()));
        let contents = Self {
            project: session.project().to_owned(),
            session: session.session().to_owned(),
            files: transcripts
                .filter_map(|path| length(path.as_ref()))
                .collect(),
            own: None,
        };
        contents.write_to(folder)
    }

    /// Records that a session is written in the CLI's own configuration folder.
    pub(super) fn write_own(
        folder: &Path,
        session: &SessionRef,
        config: &Path,
    ) -> std::io::Result<()> {
        let contents = Self {
            project: session.project().to_owned(),
            session: session.session().to_owned(),
            files: Vec::new(),
            own: Some(config.to_owned()),
        };
        contents.write_to(folder)
    }

    fn write_to(&self, folder: &Path) -> std::io::Result<()> {
        serde_json::to_writer(make_file(&folder.join(Self::NAME))?, self)?;
        Ok(())
    }

    /// Returns the configuration folder that contains the transcripts. `folder` is the folder from which this record
    /// was read.
    pub(super) fn config<'a>(&'a self, folder: &'a Path) -> &'a Path {
        self.own.as_deref().unwrap_or(folder)
    }

    pub(super) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(Self::NAME)).ok()?).ok()
    }

    pub(super) fn session(&self) -> Result<SessionRef, KeyError> {
        SessionRef::new(&*self.project, &*self.session)
    }

    /// Returns the folder that contains the main transcripts.
    pub(super) fn mains(&self) -> Mains {
        let first = self.files.first();
        let project = first.and_then(|(main, _)| main.parent().map(Path::to_owned));
        Mains(project)
    }

    /// Whether a folder that was left behind may contain data that the store lacks.
    pub(super) fn is_changed(folder: &Path) -> bool {
        let Some(contents) = Self::read(folder) else {
            return false;
        };
        if contents.own.is_some() {
            return true;
        }
        let is_as_it_was = |(path, length): &(PathBuf, u64)| {
            path.metadata().is_ok_and(|found| found.len() == *length)
        };
        let beside = contents
            .files
            .first()
            .map(|(main, _)| main.with_extension("").join("subagents"));
        let agents = beside
            .and_then(|folder| fs::read_dir(folder).ok())
            .into_iter()
            .flatten()
            .flatten();
        let new = agents.filter(|entry| {
            let is_transcript = entry.path().extension().is_some_and(|end| end == "jsonl");
            is_transcript && !contents.files.iter().any(|(path, _)| *path == entry.path())
        });
        !contents.files.iter().all(is_as_it_was)
            || new.count() > 0
            || contents.mains().ids().len() > 1
    }
}
