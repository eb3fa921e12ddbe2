//! Lists of sessions and transcripts.

use claw_store::{ListedSession, SessionRef, StoreError, Subpath, Summary};
use futures::future::ready;
use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};

use crate::Store;
use crate::session::Transcript;

/// The number of sessions that are read ahead while a list is consumed.
const AHEAD: usize = 8;

impl Store {
    /// Returns the list entry of a session, or `None` if the session has no main transcript.
    pub(crate) async fn entry_of(
        &self,
        session: SessionRef,
    ) -> Result<Option<ListedSession>, StoreError> {
        let deadline = self.requests.deadline();
        let folder = self.paths.transcript(&session.main())?;
        let parts = self.list_parts(&folder, deadline).await?;
        let head = self.open_chain(&folder, &parts, deadline).await?.head;
        if head.lines == 0 {
            return Ok(None);
        }
        let written = head.written.unwrap_or(head.from);
        let written = parts.iter().find(|part| part.number == written);
        let modified = written.map_or(0, |part| part.modified);
        let bytes = head.bytes();
        let summary = head.summary.map(Summary::from_data);
        let listed = ListedSession::new(session, modified).summary(summary);
        Ok(Some(listed.size(bytes)))
    }

    pub(crate) async fn subkeys_of(
        &self,
        session: &SessionRef,
    ) -> Result<Vec<Subpath>, StoreError> {
        let seen = self.seen(session, self.requests.deadline()).await?;
        let keys = seen
            .record
            .keys(session, |state| state == Transcript::Live)?;
        Ok(keys
            .iter()
            .filter_map(|key| key.subpath().cloned())
            .collect())
    }

    pub(crate) fn list_sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let folder = match self.paths.sessions(project) {
            Ok(folder) => folder,
            Err(error) => return stream::iter([Err(error)]).boxed(),
        };
        let objects = self.requests.list(&folder);
        let listed = objects.map(move |meta| async move {
            let session = self.paths.session_of(&meta?.location)?;
            self.entry_of(session).await
        });
        listed
            .buffered(AHEAD)
            .try_filter_map(|listed| ready(Ok(listed)))
            .boxed()
    }
}
