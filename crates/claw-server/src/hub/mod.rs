//! The sessions of a server.

mod driver;
mod idle;
mod live;
mod marks;
mod shared;
mod tap;
mod within;

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_client::pool::Pool;
use claw_client::{QueryOptions, Session, SessionBuilder};
use claw_sessions::{Sessions, on_pool};
use claw_types::options::{PermissionMode, SystemPrompt};
use claw_types::{MessageUuid, SessionId};
use futures::FutureExt as _;
use futures::future::{join, join_all};
use tokio::time::timeout;

use crate::Project;
use crate::room::Room;

pub use live::{Document, Image, Live, NewPrompt};
pub use shared::Viewer;
#[cfg(test)]
pub(crate) use tap::Tap;
pub(crate) use tap::{Heard, Tapped};

use marks::Marks;
use shared::Shared;
use within::Within;

/// How long processes may take to end once they were told to. After 9 s they are killed.
const ENDS: Duration = Duration::from_secs(10);

/// Makes the session of a process from its options.
pub(crate) type Build = Arc<dyn Fn(QueryOptions) -> SessionBuilder + Send + Sync>;

/// The bounds of a hub.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The log of a session, in bytes. Default: 4 MiB.
    pub log: usize,
    /// How many sessions are live at once. One more closes the one that was used longest ago of those that nobody
    /// uses. If there is none, it is refused. Default: 1,000.
    pub sessions: usize,
    /// How long a session stays live that nobody uses: it has no viewer, no turn and no request that waits. Then it is
    /// closed, and read from disk when somebody wants it again. Default: half an hour.
    pub idle: Duration,
    /// How long a permission request waits for an answer before it is denied. Default: one hour.
    pub answer: Duration,
    /// How long the CLI may be silent in the middle of a turn. Default: ten minutes.
    pub stall: Duration,
    /// How many bytes of a turn's messages wait for a client of the [hosting contract](crate::Hosting) that reads too
    /// slowly. Over that its response ends with an error, and the turn goes on. Default: 4 MiB.
    pub unread: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            log: 4 << 20,
            sessions: 1000,
            idle: Duration::from_mins(30),
            answer: Duration::from_hours(1),
            stall: Duration::from_mins(10),
            unread: 4 << 20,
        }
    }
}

/// Why the hub does not do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// No project has this name.
    #[error("no project has this name")]
    NoProject,
    /// There is no such session, live or on disk, in a project of this server.
    #[error("there is no such session")]
    NoSession,
    /// A value makes no sense. The text says which.
    #[error("{0}")]
    BadRequest(String),
    /// Too much is going on. The text says what.
    #[error("{0}")]
    Busy(&'static str),
    /// Nothing is running that could be stopped.
    #[error("nothing is running")]
    NothingRuns,
    /// The CLI or its process failed.
    #[error(transparent)]
    Claude(#[from] claw_client::Error),
    /// The sessions on disk cannot be read or changed.
    #[error(transparent)]
    Disk(#[from] claw_sessions::Error),
}

/// The sessions of a server: those that are live, and those on disk. Cheap to clone; every clone is the same hub.
///
/// # Drop
///
/// With the last clone, all sessions are closed and their processes end.
#[derive(Debug, Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    projects: Vec<Project>,
    options: QueryOptions,
    build: Build,
    pool: Pool,
    sessions: Sessions,
    limits: Limits,
    marks: Arc<Marks>,
    live: Mutex<HashMap<SessionId, Live>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub")
            .field("projects", &self.projects)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

/// A new conversation, or one that goes on: [`Hub::open`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Open {
    /// The model to begin with. `None`: that of the project.
    pub model: Option<String>,
    /// The permission mode to begin with. `None`: that of the project.
    pub mode: Option<PermissionMode>,
    /// The title of a new session.
    pub title: Option<String>,
    /// There is nobody to ask for permission, and nobody who watches answers grow.
    pub(crate) is_hosted: bool,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hub {
    pub(crate) fn new(
        projects: Vec<Project>,
        options: QueryOptions,
        build: Option<Build>,
        pool: Pool,
        sessions: Sessions,
        limits: Limits,
    ) -> std::io::Result<Self> {
        let marks = Arc::new(Marks::of(&sessions)?);
        let inner = Inner {
            projects,
            options,
            build: build.unwrap_or_else(|| Arc::new(Session::builder)),
            pool,
            sessions,
            limits,
            marks,
            live: Mutex::default(),
        };
        let inner = Arc::new(inner);
        idle::watch(&inner);
        Ok(Self { inner })
    }

    /// The projects, in their order.
    pub fn projects(&self) -> &[Project] {
        &self.inner.projects
    }

    /// The project of this name.
    ///
    /// # Errors
    ///
    /// [`HubError::NoProject`].
    pub fn project(&self, name: &str) -> Result<&Project, HubError> {
        let found = self.projects().iter().find(|project| project.name == name);
        found.ok_or(HubError::NoProject)
    }

    /// The sessions on disk.
    pub fn sessions(&self) -> &Sessions {
        &self.inner.sessions
    }

    /// The pool in which sessions run.
    pub fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// [`Limits::unread`].
    pub(crate) fn unread(&self) -> usize {
        self.inner.limits.unread
    }

    /// The sessions that are live, in no particular order.
    pub fn live(&self) -> Vec<Live> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Live>> {
        self.inner.lock()
    }

    /// Begins a conversation in a project. No process is started before its first prompt.
    ///
    /// # Errors
    ///
    /// [`HubError::NoProject`], [`HubError::Busy`].
    pub fn begin(&self, project: &str, how: Open) -> Result<Live, HubError> {
        let project = self.project(project)?;
        let id = SessionId::from(MessageUuid::random().as_str());
        let mut room = self.room(&id);
        room.set(|state| state.title.clone_from(&how.title));
        self.join(id, project, how, room, false)
    }

    /// A live session, or one from disk, which becomes live. Only sessions in folders of this server's projects.
    ///
    /// # Errors
    ///
    /// [`HubError::NoSession`], [`HubError::Busy`], [`HubError::Disk`].
    pub async fn open(&self, id: &str) -> Result<Live, HubError> {
        self.open_as(id, Open::default()).await
    }

    /// As [`open`](Self::open), with another model or mode if the session is not live yet.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub async fn open_as(&self, id: &str, how: Open) -> Result<Live, HubError> {
        let id = SessionId::from(id);
        if let Some(live) = self.lock().get(&id) {
            live.touch();
            return Ok(live.clone());
        }
        let (sessions, hub, of) = (self.inner.sessions.clone(), self.clone(), id.clone());
        let found = on_pool::run(move || hub.read(&sessions, &of)).await?;
        let (project, room) = found;
        let project = self.project(&project)?;
        self.join(id, project, how, room, true)
    }

    /// The session of this ID: live, from disk, or a new one in this project. Of several calls at once, one makes it and
    /// all have it. Nobody is asked for permission in it, unless it was live before.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); [`HubError::BadRequest`] if its transcript is of no project, or empty.
    pub(crate) async fn host(&self, id: &SessionId, project: &str) -> Result<Live, HubError> {
        let how = Open {
            is_hosted: true,
            ..Open::default()
        };
        match self.open_as(id.as_str(), how.clone()).await {
            Err(HubError::NoSession) => {}
            found => return found,
        }
        let (sessions, of) = (self.inner.sessions.clone(), id.clone());
        on_pool::run(move || is_new(&sessions, &of)).await?;
        let project = self.project(project)?;
        self.join(id.clone(), project, how, self.room(id), false)
    }

    /// Reads a session from disk. Blocks.
    fn read(&self, sessions: &Sessions, id: &SessionId) -> Result<(String, Room), HubError> {
        let not_found = |error: claw_sessions::Error| match error {
            error if error.is_not_found() => HubError::NoSession,
            error => error.into(),
        };
        let session = sessions
            .find(id.as_str())
            // Whatever is no session's ID names none.
            .map_err(|_| HubError::NoSession)?;
        let info = session
            .info()
            .map_err(not_found)?
            .ok_or(HubError::NoSession)?;
        let project = self
            .project_of(info.cwd.as_deref())
            .ok_or(HubError::NoSession)?;
        let mut room = self.room(id);
        for line in session.entries().map_err(not_found)? {
            if let Ok(entry) = line?.entry() {
                room.history(&entry);
            }
        }
        room.set(|state| state.title = Some(info.summary.clone()));
        if self.is_cut(id) {
            room.cut();
        }
        Ok((project.name.clone(), room))
    }

    /// Whether an earlier server ended in the middle of the session's last turn.
    pub(crate) fn is_cut(&self, id: &SessionId) -> bool {
        self.inner.marks.is_cut(id)
    }

    /// The project of this server in which a directory is.
    pub fn project_of(&self, directory: Option<&str>) -> Option<&Project> {
        let directory = std::path::Path::new(directory?);
        let projects = self.projects().iter();
        projects
            .filter(|project| project.contains(directory))
            .max_by_key(|project| {
                // The innermost one, where projects are in one another.
                project.folder.components().count()
            })
    }

    /// Whether sessions of a project may have this mode: see [`Project::allows_mode`].
    ///
    /// # Errors
    ///
    /// [`HubError::BadRequest`] if not.
    pub fn allows(&self, project: &str, mode: &PermissionMode) -> Result<(), HubError> {
        if self.project(project)?.allows_mode(mode) {
            return Ok(());
        }
        let text = "the project does not allow this mode";
        Err(HubError::BadRequest(text.to_owned()))
    }

    fn room(&self, id: &SessionId) -> Room {
        let epoch = uuid::Uuid::new_v4().simple().to_string();
        Room::new(id.clone(), epoch, self.inner.limits.log)
    }

    /// Makes a session live, unless it has become so meanwhile.
    fn join(
        &self,
        id: SessionId,
        project: &Project,
        how: Open,
        mut room: Room,
        is_kept: bool,
    ) -> Result<Live, HubError> {
        let inner = &self.inner;
        let mode = how.mode.unwrap_or_else(|| project.mode.clone());
        self.allows(&project.name, &mode)?;
        let mut options = project.options(&inner.options, how.model, mode.clone());
        room.set(|state| {
            state.mode = Some(mode);
            state.model.clone_from(&options.model);
        });
        options
            .include_partial_messages
            .get_or_insert(!how.is_hosted);
        options
            .system_prompt
            .get_or_insert_with(SystemPrompt::claude_code);
        if is_kept {
            options.resume = Some(id.clone());
        } else {
            options.session_id = Some(id.clone());
        }
        let mut live = self.lock();
        if let Some(live) = live.get(&id) {
            return Ok(live.clone());
        }
        if live.len() >= inner.limits.sessions && !idle::make_room(&mut live) {
            return Err(HubError::Busy("too many sessions are in use"));
        }
        let limit = (!how.is_hosted).then_some(inner.limits.answer);
        let shared = Arc::new(Shared::new(
            room,
            id.clone(),
            project.name.clone(),
            limit,
            inner.marks.clone(),
            Within::new(project),
        ));
        let joined = Live::start(
            shared,
            &inner.pool,
            options,
            &inner.build,
            inner.limits.stall,
        );
        live.insert(id, joined.clone());
        Ok(joined)
    }

    /// Ends all live sessions: turns may finish within this time, and are interrupted after it. What is given back waits
    /// until their processes have ended, or for a time in which they are killed.
    pub(crate) async fn end(&self, within: Duration) -> impl Future<Output = ()> + use<> {
        let all: Vec<_> = self.lock().drain().map(|(_, live)| live).collect();
        let idle = join_all(all.iter().map(Live::idle));
        if timeout(within, idle).await.is_err() {
            let stops = all.iter().map(Live::interrupt);
            let stops = join_all(stops);
            // What does not even let itself be interrupted is ended with its process.
            let _ = timeout(Duration::from_secs(5), stops).await;
        }
        let ends: Vec<_> = all.iter().map(Live::end_process).collect();
        // Those of sessions that were closed a moment ago.
        let others = self.pool().ended();
        for live in all {
            live.close();
        }
        // What claude has not written yet would be lost with it, if the program ended first.
        timeout(ENDS, join(join_all(ends), others)).map(drop)
    }

    /// Closes a live session: what waits is denied, and its process ends. It stays on disk.
    ///
    /// # Errors
    ///
    /// [`HubError::NoSession`] if no live session has this ID.
    pub fn close(&self, id: &str) -> Result<(), HubError> {
        let closed = self.lock().remove(&SessionId::from(id));
        closed.ok_or(HubError::NoSession)?.leave();
        Ok(())
    }
}

/// Refuses a session that no project of this server has, and that is there all the same: the CLI would not begin it anew.
/// Blocks.
fn is_new(sessions: &Sessions, id: &SessionId) -> Result<(), HubError> {
    let session = match sessions.find(id.as_str()) {
        Err(error) if error.is_not_found() => return Ok(()),
        found => found?,
    };
    let text = if session.info()?.is_some() {
        "the session began in a folder that is not a project of this server"
    } else {
        // A process was killed at its very beginning. The CLI neither resumes such a session nor begins it anew.
        "nothing was said yet in the session's transcript: remove it to begin anew"
    };
    let transcript = session.transcript().display();
    Err(HubError::BadRequest(format!("{text}: {transcript}")))
}
