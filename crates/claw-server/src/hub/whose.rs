//! Finds the projects to which a session may belong.

use std::collections::BTreeSet;
use std::path::Path;

use claw_sessions::{Session, on_pool};
use claw_types::SessionId;

use super::key::reference;
use super::{Hub, HubError};

impl Hub {
    /// Returns the names of all projects in which a request could find a session. The session may be live, on disk or
    /// in the store, or have only unanswered prompts. The session is found under this ID, or under the ID with which it
    /// continues. Returns no names if there is no such session.
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`open`](Self::open).
    pub(crate) async fn projects_of(&self, id: &SessionId) -> Result<BTreeSet<String>, HubError> {
        if let Some(live) = self.live_of(id) {
            return Ok(BTreeSet::from([live.project().to_owned()]));
        }
        let (hub, of) = (self.clone(), id.clone());
        let newest = on_pool::run(move || hub.inner.moves.newest(&of)).await;
        let mut names = BTreeSet::new();
        for id in BTreeSet::from([id.as_str(), newest.as_str()]) {
            let id = SessionId::from(id);
            names.extend(self.live_of(&id).map(|live| live.project().to_owned()));
            for session in self.all_stored(&id).await? {
                let projects = self.projects().iter();
                let of = projects.filter(|it| reference(it, &id).is_ok_and(|own| own == session));
                names.extend(of.map(|project| project.name.clone()));
            }
            let hub = self.clone();
            names.extend(on_pool::run(move || hub.on_disk_in(&id)).await?);
        }
        #[cfg(feature = "cluster")]
        if names.is_empty() {
            names.extend(self.claimed_in(id).await?);
        }
        Ok(names)
    }

    /// Returns the projects for which this host's disk has a transcript or unanswered prompts of a session. Blocks.
    fn on_disk_in(&self, id: &SessionId) -> Result<Vec<String>, HubError> {
        let cut = self.inner.marks.cut(id).map_err(HubError::Unkept)?;
        let session = self.find_if_any(id.as_str())?;
        let info = match session.as_ref().map(Session::info) {
            Some(Err(error)) if !error.is_not_found() => return Err(error.into()),
            Some(Ok(info)) => info,
            _ => None,
        };
        let of_transcript = info.as_ref().and_then(|info| info.cwd.as_deref());
        let of_prompts = cut.as_ref().map(|cut| &*cut.folder);
        let of_transcript = of_transcript.zip(session.as_ref());
        let of_transcript = of_transcript
            .and_then(|(folder, session)| self.project_at(session.config_dir(), Path::new(folder)));
        let of_prompts = of_prompts.and_then(|folder| self.project_in(folder));
        let projects = of_transcript.into_iter().chain(of_prompts);
        Ok(projects.map(|project| project.name.clone()).collect())
    }
}
