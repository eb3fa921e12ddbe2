//! Access to the sessions that are not live: on this disk, or in a store.

use std::env::temp_dir;
use std::path::{Path, PathBuf};

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ListSessionsRequest, ListSessionsResponse, Meta, SessionId, SessionInfo,
};
use claw_client::store::{Checkout, Owner, SessionRef, StoreOptions, StoredError, project_name};
use claw_sessions::{Session, Sessions, on_pool};
use claw_types::store;
use serde_json::json;
use uuid::Uuid;

use crate::failure::{failed, invalid, unknown_session};
use crate::time::timestamp;

/// The number of sessions in a page of the list.
const PAGE: usize = 100;

/// The location of the sessions.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    Disk(Sessions),
    Store(Box<(StoreOptions, Owner)>),
}

/// A session that can be read from this disk.
pub(crate) struct Opened {
    pub(crate) session: Session,
    /// The folder into which a session of a store was copied. The folder is removed when this `Opened` is dropped.
    _checkout: Option<Checkout>,
}

impl Stored {
    /// Lists sessions, the newest first. The cursor is the number of sessions before the page.
    pub(crate) async fn list(
        &self,
        request: &ListSessionsRequest,
    ) -> Result<ListSessionsResponse, Error> {
        let offset = match &request.cursor {
            Some(cursor) => cursor
                .parse()
                .map_err(|_| invalid("cursor: this agent has not given it"))?,
            None => 0_usize,
        };
        let cwd = request.cwd.as_deref();
        let mut found = match self {
            Self::Disk(sessions) => of_disk(sessions.clone(), cwd, offset).await?,
            Self::Store(store) => of_store(&store.0, cwd, offset).await?,
        };
        let has_more = found.len() > PAGE;
        found.truncate(PAGE);
        let response = ListSessionsResponse::new(found);
        Ok(response.next_cursor(has_more.then(|| (offset + PAGE).to_string())))
    }

    /// Opens a session to read it.
    pub(crate) async fn open(&self, id: &SessionId) -> Result<Opened, Error> {
        match self {
            Self::Disk(sessions) => Ok(Opened {
                session: on_disk(sessions, id).await?,
                _checkout: None,
            }),
            Self::Store(store) => {
                let session = in_store(&store.0, id).await?;
                let sessions = store.0.sessions();
                let checkout = sessions.checkout(&session, &temp_dir()).await;
                let checkout = checkout.map_err(|error| of_stored(id, &error))?;
                Ok(Opened {
                    session: checkout.session().clone(),
                    _checkout: Some(checkout),
                })
            }
        }
    }

    /// Deletes a session. Deleting a session that does not exist is not an error.
    pub(crate) async fn delete(&self, id: &SessionId) -> Result<(), Error> {
        let deleted = match self {
            Self::Disk(sessions) => match on_disk(sessions, id).await {
                Ok(session) => {
                    let deleted = on_pool::run(move || session.delete()).await;
                    deleted.map_err(|error| failed("the session was not deleted", &error))
                }
                Err(error) => Err(error),
            },
            Self::Store(store) => match in_store(&store.0, id).await {
                Ok(session) => {
                    let deleted = store.0.sessions().delete(&session, &store.1).await;
                    deleted.map_err(|error| of_stored(id, &error))
                }
                Err(error) => Err(error),
            },
        };
        match deleted {
            Err(error) if error != unknown_session(&id.0) => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the title of a session. Returns `None` for sessions in a store, because reading the title would need a
    /// request to the store.
    pub(crate) async fn title(&self, id: &SessionId) -> Option<String> {
        let Self::Disk(sessions) = self else {
            return None;
        };
        let session = on_disk(sessions, id).await.ok()?;
        let info = on_pool::run(move || session.info()).await;
        info.ok().flatten().map(|info| info.summary)
    }

    /// Forks a session: creates a session that begins with the conversation of another one.
    pub(crate) async fn fork(&self, id: &SessionId) -> Result<SessionId, Error> {
        let forked = match self {
            Self::Disk(sessions) => {
                let session = on_disk(sessions, id).await?;
                let forked = on_pool::run(move || session.fork().run()).await;
                let forked =
                    forked.map_err(|error| failed("the session was not forked", &error))?;
                forked.id().to_string()
            }
            Self::Store(store) => {
                let session = in_store(&store.0, id).await?;
                let sessions = store.0.sessions();
                let forked = sessions.fork(&session).run().await;
                let forked = forked.map_err(|error| of_stored(id, &error))?;
                forked.session().to_owned()
            }
        };
        Ok(SessionId::new(forked))
    }

    /// Changes the title of a session, or whether it is archived.
    pub(crate) async fn change(
        &self,
        id: &SessionId,
        changes: claw_client::store::Changes,
    ) -> Result<(), Error> {
        match self {
            Self::Disk(sessions) => {
                let session = on_disk(sessions, id).await?;
                let done = on_pool::run(move || session.change(&changes)).await;
                done.map_err(|error| failed("the session was not changed", &error))
            }
            Self::Store(store) => {
                let session = in_store(&store.0, id).await?;
                let done = store.0.sessions().change(&session, &changes).await;
                done.map_err(|error| of_stored(id, &error))
            }
        }
    }
}

/// Fails unless the ID is a complete UUID. Without this check, a store would also find a session whose ID only begins
/// with the text.
fn check_id(id: &SessionId) -> Result<(), Error> {
    match Uuid::try_parse(&id.0) {
        Ok(_) => Ok(()),
        Err(_) => Err(unknown_session(&id.0)),
    }
}

/// Finds a session on this disk, in all configuration folders.
pub(crate) async fn on_disk(sessions: &Sessions, id: &SessionId) -> Result<Session, Error> {
    check_id(id)?;
    let (sessions, text) = (sessions.clone(), id.0.to_string());
    let found = on_pool::run(move || sessions.find(&text)).await;
    found.map_err(|error| {
        if error.is_not_found() {
            unknown_session(&id.0)
        } else if matches!(error, claw_sessions::Error::InSeveral { .. }) {
            invalid(error.to_string())
        } else {
            failed("the session cannot be found", &error)
        }
    })
}

async fn in_store(store: &StoreOptions, id: &SessionId) -> Result<SessionRef, Error> {
    check_id(id)?;
    let found = store.sessions().find(None, &id.0).await;
    found.map_err(|error| of_stored(id, &error))
}

fn of_stored(id: &SessionId, error: &StoredError) -> Error {
    if error.is_not_found() {
        return unknown_session(&id.0);
    }
    failed("the store of the sessions failed", error)
}

async fn of_disk(
    sessions: Sessions,
    cwd: Option<&Path>,
    offset: usize,
) -> Result<Vec<SessionInfo>, Error> {
    let cwd = cwd.map(Path::to_owned);
    let listed = sessions.clone();
    let listing = on_pool::run(move || {
        let list = listed.list().offset(offset).limit(PAGE + 1);
        match cwd {
            Some(cwd) => list.project(cwd).run(),
            None => list.run(),
        }
    });
    let listing = listing.await;
    let listing = listing.map_err(|error| failed("the sessions cannot be listed", &error))?;
    let all = listing.sessions.into_iter().zip(&listing.on_disk);
    let shown = all.map(|(listed, session)| {
        let config_dir = sessions.has_several().then(|| session.config_dir());
        of_config_dir(info(listed), config_dir)
    });
    Ok(shown.collect())
}

async fn of_store(
    store: &StoreOptions,
    cwd: Option<&Path>,
    offset: usize,
) -> Result<Vec<SessionInfo>, Error> {
    let project = cwd.map(project_name);
    let listing = store.sessions().list(project.as_deref()).await;
    let listing = listing.map_err(|error| failed("the store cannot list sessions", &error))?;
    let shown = listing.sessions.into_iter().filter_map(|it| it.info);
    Ok(shown.skip(offset).take(PAGE + 1).map(info).collect())
}

/// Adds the configuration folder to the information about a session. Adds nothing if there is only one configuration
/// folder.
fn of_config_dir(info: SessionInfo, config_dir: Option<&Path>) -> SessionInfo {
    let Some(config_dir) = config_dir else {
        return info;
    };
    let claw = json!({ "configDir": config_dir.display().to_string() });
    info.meta(Meta::from_iter([("claudeCode".to_owned(), claw)]))
}

fn info(session: store::SessionInfo) -> SessionInfo {
    // A session whose directory is unknown can be loaded from any directory.
    let cwd = session
        .cwd
        .map_or_else(|| PathBuf::from("/"), PathBuf::from);
    let id = SessionId::new(session.session_id.as_str());
    let info = SessionInfo::new(id, cwd).title(session.summary);
    info.updated_at(timestamp(session.last_modified.as_f64()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use claw_client::store::{Batch, Line, MemoryStore, SessionStore as _, WriterId};

    use super::*;

    #[tokio::test]
    async fn the_beginning_of_an_id_deletes_nothing() {
        let id = "0b9f2a51-6c3e-4d0e-9a57-3d1c5b7f8e21";
        let session = SessionRef::new("-work", id).unwrap();
        let store = Arc::new(MemoryStore::new());
        let (writer, lines) = (
            WriterId::new("w"),
            [Line::new(r#"{"type":"note"}"#).unwrap()],
        );
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines: &lines,
            epoch: None,
        };
        store.append(&session.main(), batch).await.unwrap();
        let options = StoreOptions::new(store);
        let stored = Stored::Store(Box::new((options.clone(), Owner::new("o"))));
        for begins in ["", "0b9f2a51"] {
            stored.delete(&SessionId::new(begins)).await.unwrap();
            assert!(options.sessions().has(&session).await.unwrap());
        }
        stored.delete(&SessionId::new(id)).await.unwrap();
        assert!(!options.sessions().has(&session).await.unwrap());
    }
}
