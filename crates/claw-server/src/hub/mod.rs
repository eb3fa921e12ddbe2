//! The sessions of a server.

mod activity;
mod ask;
mod claims;
mod clock;
pub(crate) mod cut;
mod driver;
mod edits;
mod effort;
mod first;
mod found;
mod glance;
mod history;
mod idle;
mod index;
mod live;
mod marks;
mod moves;
#[cfg(feature = "notify")]
mod occasion;
mod past;
mod permission_scope;
mod prompt_log;
mod prompts;
mod shared;
mod shelf;
mod source;
mod store;
mod turn_output;

use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use claw_client::pool::Pool;
use claw_client::store::StoreOptions;
use claw_client::{QueryOptions, Session, SessionBuilder};
use claw_sessions::{Index, Prices, Sessions, on_pool};
use claw_types::options::{EffortLevel, PermissionMode, SystemPrompt};
use claw_types::{MessageUuid, SessionId};
use futures::FutureExt as _;
use futures::future::{join, join_all};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::Project;
use crate::choices::{Learned, ProjectChoices};
use crate::conversation::Conversation;
use crate::worktree::{self, Worktree};

pub(crate) use activity::{Activity, ActivityWatch, BusySessions};
pub(crate) use edits::{Edit, EditWatch};
pub(crate) use first::{Everything, FirstState};
pub(crate) use index::Unwritten;
pub use live::{Document, Image, LiveSession, NewPrompt};
#[cfg(feature = "notify")]
pub(crate) use occasion::{Occasion, OccasionKind};
pub(crate) use shared::Followed;
pub use shared::Viewer;
#[cfg(test)]
pub(crate) use turn_output::TurnSender;
pub(crate) use turn_output::{TurnItem, TurnReceiver};

#[cfg(feature = "cluster")]
pub(crate) use claims::Place;
use claims::Taken;
pub(crate) use cut::{Cut, CutAt};
use found::{Found, is_new};
pub(crate) use marks::CutSession;
use marks::Marks;
use moves::Moves;
use prompts::Prompts;
use shared::Shared;
use source::{Ended, FromDisk};
use store::HubStore;
pub(crate) use store::Listed;

/// How long processes may take to end once they were told to. After 9 s they are killed.
const ENDS: Duration = Duration::from_secs(10);

/// Makes the session of a process from its options.
pub(crate) type Build = Arc<dyn Fn(QueryOptions) -> SessionBuilder + Send + Sync>;

/// The limits of a hub.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a session's log of events, in bytes. Default: 4 MiB.
    pub log: usize,
    /// The maximum number of live sessions. If it is reached, a new session closes the session that has been unused
    /// for the longest time. If all are in use, the new session is refused. Default: 1,000.
    pub sessions: usize,
    /// How long an unused session stays live: one without a viewer, a turn, or a request that waits for an answer.
    /// After that time the server closes it. When it is opened again, it is read from disk. Default: half an hour.
    pub idle: Duration,
    /// How long a permission request waits for an answer before it is denied. Default: one hour.
    pub answer: Duration,
    /// How long the CLI may write nothing in the middle of a turn before the turn fails. Default: ten minutes.
    pub stall: Duration,
    /// The maximum size of a turn's messages that wait for a slow client of the [hosting contract](crate::Hosting),
    /// in bytes. Over this limit, the client's response ends with an error, and the turn continues. Default: 4 MiB.
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

/// Why the hub could not carry out a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// No project has this name.
    #[error("no project has this name")]
    NoProject,
    /// There is no such session, live or on disk, in a project of this server.
    #[error("there is no such session")]
    NoSession,
    /// A value in the request is invalid. The text names it.
    #[error("{0}")]
    BadRequest(String),
    /// The server is busy. The text says with what.
    #[error("{0}")]
    Busy(&'static str),
    /// No turn is running that could be stopped.
    #[error("nothing is running")]
    NothingRuns,
    /// The CLI or its process failed.
    #[error(transparent)]
    Claude(#[from] claw_client::Error),
    /// The sessions on disk cannot be read or changed.
    #[error(transparent)]
    Disk(#[from] claw_sessions::Error),
    /// The list of sessions cannot be made, because no thread can be started.
    #[error("the list of sessions cannot be kept: {0}")]
    Index(#[source] std::io::Error),
    /// The mark of an accepted prompt, on disk or in the store, cannot be written. The prompt was not accepted.
    #[error("the prompt cannot be kept: {0}")]
    Unkept(#[source] std::io::Error),
    /// The file that marks a session as archived cannot be written.
    #[error("the session cannot be archived: {0}")]
    Unarchived(#[source] std::io::Error),
    /// Another program has the session.
    #[error("another program has the session: {0}")]
    Elsewhere(Box<claw_client::store::Owner>),
    /// The sessions in the store cannot be read or changed.
    #[error(transparent)]
    Stored(#[from] claw_client::store::StoredError),
}

/// The sessions of a server: those that are live, and those on disk. Cheap to clone; every clone is the same hub.
///
/// # Drop
///
/// When the last clone is dropped, all sessions are closed and their processes end.
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
    store: Option<HubStore>,
    limits: Limits,
    prices: Arc<Prices>,
    marks: Arc<Marks>,
    moves: Arc<Moves>,
    learned: Learned,
    activity: Arc<Activity>,
    live: Mutex<HashMap<SessionId, LiveSession>>,
    /// The sessions on disk, once they were asked for.
    index: Mutex<Option<Index>>,
    /// The ends of processes whose sessions were closed a moment ago.
    ending: Mutex<HashMap<SessionId, Ended>>,
    is_ending: AtomicBool,
    /// The server ends: what concerns other hosts ends too.
    ending_soon: watch::Sender<bool>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub")
            .field("projects", &self.projects)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

/// Options for opening a session: [`Hub::begin`], [`Hub::open_as`] and [`Hub::resume`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The model to begin with. `None` for the project's model.
    pub model: Option<String>,
    /// The permission mode to begin with. `None` for the project's permission mode.
    pub mode: Option<PermissionMode>,
    /// The effort level to begin with. `None`: that of the options.
    pub effort: Option<EffortLevel>,
    /// The title of a new session.
    pub title: Option<String>,
    /// The git worktree in which a new session works, which its first process makes.
    pub(crate) worktree: Option<Worktree>,
    /// There is nobody to ask for permission, and nobody who watches answers grow.
    pub(crate) is_hosted: bool,
}

/// How a hub is set up.
pub(crate) struct HubSetup {
    pub(crate) projects: Vec<Project>,
    pub(crate) options: QueryOptions,
    pub(crate) build: Option<Build>,
    pub(crate) pool: Pool,
    pub(crate) sessions: Sessions,
    pub(crate) store: Option<StoreOptions>,
    /// Whether this host is one of several, which run each session on the one that has claimed it.
    pub(crate) is_claiming: bool,
    pub(crate) limits: Limits,
    pub(crate) prices: Arc<Prices>,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, LiveSession>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the process of a session ends, for whoever opens the session anew.
    fn end_process(&self, live: &LiveSession) {
        let ended: Ended = live.end_process().boxed().shared();
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        ending.retain(|_, ended| ended.clone().now_or_never().is_none());
        ending.insert(live.id(), ended);
    }

    /// Has a session be found under the ID under which it goes on.
    async fn moved(hub: &Weak<Self>, shared: &Arc<Shared>, to: SessionId) {
        let Some(hub) = hub.upgrade() else { return };
        let from = shared.id();
        let (moves, noted) = (hub.moves.clone(), (from.clone(), to.clone()));
        let noted = on_pool::run(move || moves.record(&noted.0, &noted.1)).await;
        if let Err(error) = noted {
            tracing::warn!(%error, "where a session has gone on is not kept");
        }
        let mut all = hub.lock();
        shared.moved(&to);
        let claimed = (shared.clone(), to.clone());
        // Unless it was closed meanwhile.
        let live = all.get(&from).filter(|live| live.is_of(shared)).cloned();
        if let Some(live) = live {
            all.remove(&from);
            if let Some(other) = all.insert(to, live) {
                // Somebody has opened it from disk at this very moment, where nothing is to be seen yet.
                other.close();
            }
        }
        drop(all);
        hub.take_moved(&claimed.0, &claimed.1).await;
    }
}

impl Hub {
    pub(crate) fn new(setup: HubSetup) -> std::io::Result<Self> {
        let HubSetup {
            projects,
            options,
            build,
            pool,
            sessions,
            store,
            is_claiming,
            limits,
            prices,
        } = setup;
        let moves = Arc::new(Moves::of(&sessions));
        let is_own = |folder: &Path| {
            let mut folders = projects.iter().map(|project| &project.folder);
            folders.any(|own| own == folder)
        };
        let marks = Marks::of(&sessions, is_own, |id| moves.newest(id))?;
        let marks = Arc::new(marks);
        let inner = Inner {
            learned: Learned::new(&projects),
            projects,
            options,
            build: build.unwrap_or_else(|| Arc::new(Session::builder)),
            pool,
            store: store.map(|options| HubStore::new(options, &sessions, is_claiming)),
            sessions,
            limits,
            prices,
            marks,
            moves,
            activity: Arc::default(),
            live: Mutex::default(),
            index: Mutex::default(),
            ending: Mutex::default(),
            is_ending: AtomicBool::new(false),
            ending_soon: watch::Sender::new(false),
        };
        let inner = Arc::new(inner);
        idle::watch(&inner);
        Ok(Self { inner })
    }

    /// The projects of the server, in the order in which they were added.
    pub fn projects(&self) -> &[Project] {
        &self.inner.projects
    }

    /// Returns the project of this name.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoProject`] if no project has this name.
    pub fn project(&self, name: &str) -> Result<&Project, HubError> {
        let found = self.projects().iter().find(|project| project.name == name);
        found.ok_or(HubError::NoProject)
    }

    /// What the processes of a project have reported.
    pub(crate) fn learned(&self, project: &str) -> ProjectChoices {
        self.inner.learned.of(project)
    }

    /// The sessions on disk.
    pub fn sessions(&self) -> &Sessions {
        &self.inner.sessions
    }

    /// The prices at which costs are estimated.
    pub(crate) fn prices(&self) -> &Arc<Prices> {
        &self.inner.prices
    }

    /// The process pool in which sessions run.
    pub fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// What goes on in all sessions.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.inner.activity
    }

    /// [`Limits::unread`].
    pub(crate) fn unread(&self) -> usize {
        self.inner.limits.unread
    }

    /// Waits until the server is told to end.
    #[cfg(feature = "cluster")]
    pub(crate) fn ending(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ending = self.inner.ending_soon.subscribe();
        async move { drop(ending.wait_for(|ending| *ending).await) }
    }

    /// Whether the server was told to end.
    pub(crate) fn is_ending(&self) -> bool {
        self.inner.is_ending.load(Ordering::Relaxed)
    }

    /// The sessions that are live, in no particular order.
    pub fn live(&self) -> Vec<LiveSession> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, LiveSession>> {
        self.inner.lock()
    }

    /// Begins a conversation in a project. Its process is started with the first prompt.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoProject`] if no project has this name, with [`HubError::Busy`] if too many sessions
    /// are in use or the server ends, with [`HubError::BadRequest`] if the project does not allow the permission mode, and
    /// with [`HubError::Stored`] if the session cannot be claimed.
    pub async fn begin(&self, project: &str, how: OpenOptions) -> Result<LiveSession, HubError> {
        let project = self.project(project)?;
        let id = SessionId::from(MessageUuid::random().as_str());
        let mut conversation = self.new_conversation(&id);
        conversation.set(|state| state.title.clone_from(&how.title));
        let taken = self.take_in(project, &id).await?;
        self.join(id, how, Found::new(project, conversation), taken)
    }

    /// Returns a live session, or makes a session on disk live. The session must be in a folder of one of this
    /// server's projects. If the conversation has continued under another ID, as after `/clear`, this returns the
    /// session with that ID.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoSession`] if there is no such session, with [`HubError::Busy`] if too many sessions are
    /// in use or the server ends, with [`HubError::BadRequest`] if the project does not allow the permission mode, with
    /// [`HubError::Disk`] if the sessions on disk cannot be read, and with [`HubError::Stored`] if the store fails.
    pub async fn open(&self, id: &str) -> Result<LiveSession, HubError> {
        self.open_as(id, OpenOptions::default()).await
    }

    /// Like [`open`](Self::open), but with the model and permission mode of `how` if the session is not live yet.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open).
    pub async fn open_as(&self, id: &str, how: OpenOptions) -> Result<LiveSession, HubError> {
        let asked = SessionId::from(id);
        if let Some(live) = self.of(&asked) {
            return Ok(live);
        }
        let hub = self.clone();
        let id = on_pool::run({
            let asked = asked.clone();
            move || hub.inner.moves.newest(&asked)
        })
        .await;
        match self.resume(id.as_str(), how.clone()).await {
            // Nothing was said since it moved.
            Err(HubError::NoSession) if id != asked => {
                let project = self.found(&asked, None).await?.project;
                let project = self.project(&project)?;
                let found = Found::new(project, self.new_conversation(&id));
                let taken = self.take_in(project, &id).await?;
                self.join(id, how, found, taken)
            }
            found => found,
        }
    }

    /// Like [`open_as`](Self::open_as), but always returns the session with this ID, even if its conversation has
    /// continued under another one.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open).
    pub async fn resume(&self, id: &str, how: OpenOptions) -> Result<LiveSession, HubError> {
        let id = SessionId::from(id);
        if let Some(live) = self.of(&id) {
            return Ok(live);
        }
        // Before it is read: nobody else writes to it from now on.
        let mut taken = self.take(&id).await?;
        let found = self.found(&id, taken.as_mut()).await?;
        self.join(id, how, found, taken)
    }

    /// The live session of this ID.
    fn of(&self, id: &SessionId) -> Option<LiveSession> {
        let live = self.lock();
        let live = live.get(id)?;
        live.touch();
        Some(live.clone())
    }

    async fn found(&self, id: &SessionId, taken: Option<&mut Taken>) -> Result<Found, HubError> {
        // The store is asked first: another host may have gone on with what this disk has.
        let found = match self.read_stored(id).await? {
            Some(found) => Ok(found),
            None => {
                let (hub, of) = (self.clone(), id.clone());
                on_pool::run(move || hub.read(&of)).await
            }
        };
        let Some(taken) = taken else { return found };
        let mut found = match found {
            // Prompts were accepted, and nothing was said yet.
            Err(HubError::NoSession) if !taken.left.prompts.is_empty() => {
                Found::new(self.project(&taken.project)?, self.new_conversation(id))
            }
            found => found?,
        };
        for cut in std::mem::take(&mut taken.left.prompts) {
            found.conversation.unanswered(&cut.prompt, cut.is_sent);
        }
        Ok(found)
    }

    /// The session of this ID: live, from disk, or a new one in this project. Of several calls at once, one makes it and
    /// all have it. Nobody is asked for permission in it, unless it was live before.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); [`HubError::BadRequest`] if its transcript is of no project, or empty.
    pub(crate) async fn host(
        &self,
        id: &SessionId,
        project: &str,
    ) -> Result<LiveSession, HubError> {
        let how = OpenOptions {
            is_hosted: true,
            ..OpenOptions::default()
        };
        match self.open_as(id.as_str(), how.clone()).await {
            Err(HubError::NoSession) => {}
            found => return found,
        }
        let (sessions, of) = (self.inner.sessions.clone(), id.clone());
        on_pool::run(move || is_new(&sessions, &of)).await?;
        let project = self.project(project)?;
        let taken = self.take_in(project, id).await?;
        self.join(
            id.clone(),
            how,
            Found::new(project, self.new_conversation(id)),
            taken,
        )
    }

    /// Whether an earlier server has not answered prompts of the session.
    pub(crate) fn is_cut(&self, id: &SessionId) -> bool {
        self.inner.marks.is_cut(id)
    }

    /// Returns the project of this server that contains a directory.
    pub fn project_of(&self, directory: Option<&str>) -> Option<&Project> {
        self.project_in(Path::new(directory?))
    }

    fn project_in(&self, directory: &Path) -> Option<&Project> {
        index::innermost(self.projects(), directory)
    }

    /// Checks whether sessions of a project may have this mode: see [`Project::allows_mode`].
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if the project does not allow the mode, with [`HubError::NoProject`] if no
    /// project has this name.
    pub fn allows(&self, project: &str, mode: &PermissionMode) -> Result<(), HubError> {
        if self.project(project)?.allows_mode(mode) {
            return Ok(());
        }
        let text = "the project does not allow this mode";
        Err(HubError::BadRequest(text.to_owned()))
    }

    /// Plans a git worktree for a new session of a project. Without a name, one is made.
    ///
    /// # Errors
    ///
    /// [`HubError::NoProject`], and [`HubError::BadRequest`] with the reason why there can be no such worktree.
    pub(crate) async fn plan_worktree(
        &self,
        project: &str,
        name: Option<&str>,
    ) -> Result<Worktree, HubError> {
        if self.inner.store.is_some() {
            let text = "sessions of a server with a store cannot have worktrees of their own";
            return Err(HubError::BadRequest(text.to_owned()));
        }
        let planned = worktree::plan(self.project(project)?, name).await;
        let worktree = planned.map_err(HubError::BadRequest)?;
        // One that is planned has no folder yet.
        let is_same = |live: &LiveSession| live.worktree().as_ref() == Some(&worktree);
        if self.live().iter().any(is_same) {
            let text = format!("there is a worktree {} already", worktree.name);
            return Err(HubError::BadRequest(text));
        }
        Ok(worktree)
    }

    fn new_conversation(&self, id: &SessionId) -> Conversation {
        let epoch = uuid::Uuid::new_v4().simple().to_string();
        let mut conversation = Conversation::new(id.clone(), epoch, self.inner.limits.log);
        conversation.set_prices(self.inner.prices.clone());
        conversation
    }

    /// Makes a session live, unless it has become so meanwhile.
    fn join(
        &self,
        id: SessionId,
        how: OpenOptions,
        found: Found,
        taken: Option<Taken>,
    ) -> Result<LiveSession, HubError> {
        let inner = &self.inner;
        let project = self.project(&found.project)?;
        let mut conversation = found.conversation;
        let mode = how.mode.unwrap_or_else(|| project.mode.clone());
        self.allows(&project.name, &mode)?;
        let mut options = project.options(&inner.options, how.model, mode.clone());
        effort::check(how.effort.as_ref(), &inner.learned.of(&project.name))?;
        options.effort = how.effort.or(options.effort);
        conversation.set(|state| {
            state.effort.clone_from(&options.effort);
            state.mode = Some(mode);
            state.model.clone_from(&options.model);
        });
        options
            .include_partial_messages
            .get_or_insert(!how.is_hosted);
        options
            .enable_file_checkpointing
            .get_or_insert(!how.is_hosted);
        // The cards of sub-agents show their transcripts.
        options.forward_subagent_text.get_or_insert(!how.is_hosted);
        options
            .system_prompt
            .get_or_insert_with(SystemPrompt::claude_code);
        if let Some(worktree) = how.worktree.or(found.worktree) {
            // One that is gone is not made anew: its branch would begin anew as well.
            if !found.is_kept || worktree.exists() {
                worktree.add_to(&mut options);
            }
            conversation.set(|state| state.worktree = Some(worktree));
        }
        if found.is_kept {
            options.resume = Some(id.clone());
        } else {
            options.session_id = Some(id.clone());
        }
        let mut live = self.lock();
        if inner.is_ending.load(Ordering::Relaxed) {
            return Err(HubError::Busy("the server ends"));
        }
        if let Some(live) = live.get(&id) {
            return Ok(live.clone());
        }
        if live.len() >= inner.limits.sessions && !idle::evict_unused(inner, &mut live) {
            return Err(HubError::Busy("too many sessions are in use"));
        }
        let limit = (!how.is_hosted).then_some(inner.limits.answer);
        let (log, left) = taken.map(|taken| (taken.log, taken.left.logs)).unzip();
        let prompts = Prompts::new(
            inner.marks.clone(),
            inner.moves.clone(),
            project.folder.clone(),
            found.unsaid,
            log.clone(),
            left.unwrap_or_default(),
        );
        let shared = Arc::new(Shared::new(
            conversation,
            id.clone(),
            project,
            limit,
            prompts,
            inner.learned.of(&project.name),
            inner.activity.clone(),
        ));
        if let Some(log) = &log {
            inner.close_when_lost(&shared, log);
        }
        let ending = inner.ending.lock();
        let before = ending.unwrap_or_else(PoisonError::into_inner).remove(&id);
        let source = FromDisk {
            shared: shared.clone(),
            sessions: inner.sessions.clone(),
            store: inner.store.as_ref().map(|store| store.of(project)),
            before: Mutex::new(before),
        };
        let build = inner.store.as_ref().map_or_else(
            || inner.build.clone(),
            |store| store.build(&inner.build, project),
        );
        let joined = LiveSession::start(
            shared,
            Arc::downgrade(inner),
            &inner.pool,
            options,
            source,
            &build,
            inner.limits.stall,
        );
        live.insert(id, joined.clone());
        Ok(joined)
    }

    /// Ends all live sessions: no more prompts are accepted, turns may finish within this time, and are interrupted after
    /// it. What is not answered then keeps its mark. What is given back waits until the processes have ended, or for a
    /// time in which they are killed.
    pub(crate) async fn end(&self, within: Duration) -> impl Future<Output = ()> + use<> {
        let all: Vec<_> = {
            let mut live = self.lock();
            self.inner.is_ending.store(true, Ordering::Relaxed);
            self.inner.ending_soon.send_replace(true);
            live.drain().map(|(_, live)| live).collect()
        };
        all.iter().for_each(LiveSession::refuse);
        let is_claiming = self.owner().is_some();
        let idle = join_all(all.iter().map(|live| async move {
            live.idle().await;
            if is_claiming {
                // At once: another host goes on with it.
                self.inner.end_process(live);
                live.close();
            }
        }));
        if timeout(within, idle).await.is_err() {
            let stops = join_all(all.iter().map(LiveSession::stop));
            // What does not even let itself be interrupted is ended with its process.
            let _ = timeout(Duration::from_secs(5), stops).await;
        }
        let ends: Vec<_> = all.iter().map(LiveSession::end_process).collect();
        // Those of sessions that were closed a moment ago.
        let others = self.pool().ended();
        for live in all {
            live.close();
        }
        // What claude has not written yet would be lost with it, if the program ended first.
        let marks = self.inner.marks.clone();
        let ended = timeout(ENDS, join(join_all(ends), others));
        let hub = self.clone();
        ended.then(async move |_| {
            on_pool::run(move || marks.release()).await;
            hub.released().await;
        })
    }

    /// Closes a live session: requests that wait for an answer are denied, and its process ends. The session stays on
    /// disk.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoSession`] if no live session has this ID.
    pub fn close(&self, id: &str) -> Result<(), HubError> {
        let closed = self.lock().remove(&SessionId::from(id));
        let closed = closed.ok_or(HubError::NoSession)?;
        self.inner.end_process(&closed);
        closed.leave();
        Ok(())
    }
}
