//! The sessions of a server.

mod activity;
mod ask;
mod budget;
mod claimed;
mod claims;
mod clock;
mod control;
mod counted_store;
pub(crate) mod cut;
mod deferred;
mod delete;
pub(crate) mod detached;
mod disk;
mod driver;
mod edits;
mod effort;
mod error;
mod first;
mod found;
mod glance;
mod history;
mod idle;
mod kept;
mod key;
mod limits;
mod live;
mod marks;
mod model;
mod moves;
mod new_prompt;
#[cfg(feature = "notify")]
mod occasion;
mod open;
mod past;
mod paused;
mod permission_scope;
mod prompt_log;
mod prompts;
mod readable;
mod retention;
mod room;
mod shared;
mod shelf;
mod silence;
mod source;
mod store;
mod store_away;
mod stored;
mod times;
mod traced;
mod trees;
mod turn_output;
mod uploads;
mod whose;

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_client::pool::Pool;
use claw_client::store::StoreOptions;
use claw_client::{QueryOptions, Session};
use claw_sessions::{Index, Prices, Sessions, on_pool};
use claw_types::SessionId;
use claw_types::options::PermissionMode;
use futures::FutureExt as _;
use futures::future::{join, join_all};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::Project;
use crate::choices::{Learned, ProjectChoices};
use crate::kept_limits;
use crate::quota::Account;
use crate::quota_book::QuotaBook;
use crate::worktree::{self, Worktree};

pub(crate) use activity::{Activity, ActivityWatch, BusySessions};
pub(crate) use clock::now;
pub(crate) use disk::{UNKNOWN_CONFIG_DIR, Unwritten};
pub(crate) use edits::{Edit, EditWatch};
pub use error::HubError;
pub(crate) use first::{Everything, FirstState};
pub use limits::Limits;
pub use live::LiveSession;
pub use new_prompt::{Document, Image, NewPrompt};
#[cfg(feature = "notify")]
pub(crate) use occasion::{Occasion, OccasionKind};
pub use open::OpenOptions;
pub(crate) use open::set_config_dir;
pub use retention::RetentionRound;
pub(crate) use shared::Followed;
pub use shared::Viewer;
#[cfg(test)]
pub(crate) use turn_output::TurnSender;
pub(crate) use turn_output::{TurnItem, TurnReceiver};

#[cfg(feature = "cluster")]
pub(crate) use claims::Place;
use counted_store::CountedStore;
pub(crate) use cut::{Cut, CutAt};
use delete::Deletions;
use driver::OnMoved;
use marks::Marks;
use moves::Moves;
use paused::Operations;
use prompts::Refusal;
use readable::ReportedHomes;
use shared::Shared;
use source::Ended;
use store::HubStore;
pub(crate) use store::{Build, Listed};
pub(crate) use stored::WaitingDeferred;
use trees::Trees;

/// Maximum wait until the processes of sessions have ended. A process that was asked to end is killed after 9 s.
const ENDS: Duration = Duration::from_secs(10);

/// Maximum wait for operations of git that people have requested.
const OPERATIONS: Duration = Duration::from_secs(30);

/// Maximum wait for the export of the last spans.
const FLUSHED: Duration = Duration::from_secs(3);

/// Shown in a session whose process has reported an ID under which the session may not continue.
const REFUSED_ID: &str =
    "Claude reported an ID that this session cannot have. The session keeps its own ID.";

/// The sessions of a server: those that are live, and those on disk. Clones share the same hub.
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
    quotas: Option<Arc<QuotaBook>>,
    marks: Arc<Marks>,
    moves: Arc<Moves>,
    learned: Learned,
    activity: Arc<Activity>,
    live: Mutex<HashMap<SessionId, LiveSession>>,
    opening: open::Opening,
    /// The index of the sessions on disk. `None` until it is requested.
    index: Mutex<Option<Index>>,
    /// For each recently closed session, a future that completes when its process has ended.
    ending: Mutex<HashMap<SessionId, Ended>>,
    deletions: Deletions,
    operations: Operations,
    trees: Trees,
    room: room::Room,
    reported_homes: ReportedHomes,
    is_ending: AtomicBool,
    /// Set to `true` when the server begins to end. Connections with other hosts and a round of retention then end too.
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

/// The settings of a hub.
pub(crate) struct HubSetup {
    pub(crate) projects: Vec<Project>,
    pub(crate) options: QueryOptions,
    pub(crate) build: Option<Build>,
    pub(crate) pool: Pool,
    pub(crate) sessions: Sessions,
    pub(crate) store: Option<StoreOptions>,
    /// Whether this host is one of several. Each session runs on the host that has claimed it.
    pub(crate) is_claiming: bool,
    pub(crate) limits: Limits,
    pub(crate) quotas: Option<Arc<QuotaBook>>,
    pub(crate) prices: Arc<Prices>,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, LiveSession>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to end the process of a session. A call that opens the session again waits until the process has ended.
    fn end_process(&self, live: &LiveSession) {
        let ended: Ended = live.end_process().boxed().shared();
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        ending.retain(|_, ended| ended.clone().now_or_never().is_none());
        ending.insert(live.id(), ended);
    }

    /// Returns the function that the driver of this session calls when claude continues the session under a new ID.
    fn on_moved(self: &Arc<Self>, shared: &Arc<Shared>) -> OnMoved {
        let (hub, shared) = (Arc::downgrade(self), shared.clone());
        Box::new(move |to| {
            let (hub, shared) = (hub.upgrade(), shared.clone());
            let moved = async move {
                if let Some(hub) = hub {
                    hub.moved(&shared, to).await;
                }
            };
            moved.boxed()
        })
    }

    /// Whether a session may continue under a new ID that its process has reported. It may not continue under the ID of
    /// another live session, or of a session in another project. Returns `false` if the projects cannot be determined.
    async fn may_move(self: &Arc<Self>, shared: &Shared, to: &SessionId) -> bool {
        let hub = Hub {
            inner: self.clone(),
        };
        let is_own = |names: BTreeSet<String>| names.iter().all(|name| *name == shared.project);
        hub.live_of(to).is_none()
            && hub
                .patiently(|| hub.projects_of(to))
                .await
                .is_ok_and(is_own)
    }

    /// Moves a session to the new ID under which it continues. If the session may not have this ID, its process goes on,
    /// and the session stays under its own ID.
    async fn moved(self: &Arc<Self>, shared: &Arc<Shared>, to: SessionId) {
        let from = shared.id();
        if from == to {
            return;
        }
        if !self.may_move(shared, &to).await {
            let (id, reported) = (from.as_str(), to.as_str());
            tracing::warn!(
                session.id = id,
                reported,
                "the ID that claude has reported is refused"
            );
            shared.with(|conversation| conversation.notice(REFUSED_ID));
            return;
        }
        tracing::Span::current().record("session.id", to.as_str());
        let (moves, noted) = (self.moves.clone(), (from.clone(), to.clone()));
        let noted = on_pool::run(move || moves.record(&noted.0, &noted.1)).await;
        if let Err(error) = noted {
            tracing::warn!(session.id = from.as_str(), %error, "where a session has gone on is not kept");
        }
        let claimed = (shared.clone(), to.clone());
        {
            let mut all = self.lock();
            shared.moved(&to);
            // The session may have been closed meanwhile. Then the map no longer contains it.
            let live = all.get(&from).filter(|live| live.is_of(shared)).cloned();
            if let Some(live) = live {
                all.remove(&from);
                if let Some(other) = all.insert(to, live) {
                    // No such session was live before the move was recorded. So a request has just opened the session with
                    // the new ID. It has no messages yet, and the moved session replaces it.
                    other.close();
                }
            }
        }
        self.take_moved(&claimed.0, &claimed.1).await;
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
            quotas,
            prices,
        } = setup;
        let moves = Arc::new(Moves::of(&sessions));
        let is_own = |folder: &Path, config_dir: Option<&Path>| {
            let mut folders = projects.iter().map(|project| &project.folder);
            let is_home = |dir| sessions.each().any(|home| home.config_dir() == dir);
            folders.any(|own| own == folder) && config_dir.is_none_or(is_home)
        };
        let marks = Marks::of(&sessions, is_own, |id| moves.newest(id))?;
        let marks = Arc::new(marks);
        let limits_file = |home: &Sessions| {
            if disk::is_of_wall(&projects, home.config_dir()) {
                kept_limits::file_of_wall(&sessions, home)
            } else {
                kept_limits::file(home)
            }
        };
        let kept = |home: &Sessions| kept_limits::read(&limits_file(home), now());
        let homes = sessions.each();
        let activity = Activity::new(homes.map(|home| (home.config_dir().to_owned(), kept(&home))));
        let activity = Arc::new(activity);
        for home in sessions.each() {
            if let Some(limits) = activity.limits_of(Some(home.config_dir())) {
                kept_limits::keep(limits, limits_file(&home));
            }
        }
        let inner = Inner {
            learned: Learned::new(&projects, &sessions),
            projects,
            options,
            build: build.unwrap_or_else(|| Arc::new(Session::builder)),
            pool,
            store: store.map(|options| {
                let counted = |store| CountedStore::wrap(store, activity.clone());
                HubStore::new(options.wrap_store(counted), &sessions, is_claiming)
            }),
            sessions,
            limits,
            prices,
            quotas,
            marks,
            moves,
            activity,
            live: Mutex::default(),
            index: Mutex::default(),
            ending: Mutex::default(),
            deletions: Deletions::default(),
            operations: Operations::default(),
            trees: Trees::default(),
            room: room::Room::default(),
            reported_homes: ReportedHomes::default(),
            opening: open::Opening::default(),
            is_ending: AtomicBool::new(false),
            ending_soon: watch::Sender::new(false),
        };
        let inner = Arc::new(inner);
        idle::watch(&inner);
        silence::watch(&inner);
        stored::watch(&inner);
        retention::watch(&inner);
        Ok(Self { inner })
    }

    /// Returns the projects of the server, in the order in which they were added.
    pub fn projects(&self) -> &[Project] {
        &self.inner.projects
    }

    /// Returns the project with this name.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoProject`] if no project has this name.
    pub fn project(&self, name: &str) -> Result<&Project, HubError> {
        let found = self.projects().iter().find(|project| project.name == name);
        found.ok_or(HubError::NoProject)
    }

    /// Returns the choices that the processes of a project have reported, such as models. They belong to the
    /// configuration folder of the project's new sessions, which is the first folder that the project may use.
    pub(crate) fn learned(&self, project: &str) -> ProjectChoices {
        let home = self
            .project(project)
            .and_then(|of| self.new_home(of, None))
            .unwrap_or_else(|_| self.sessions().clone());
        self.inner.learned.of(project, home.config_dir())
    }

    /// Returns the sessions on disk, of all configuration folders.
    pub fn sessions(&self) -> &Sessions {
        &self.inner.sessions
    }

    /// Returns the prices at which costs are estimated.
    pub(crate) fn prices(&self) -> &Arc<Prices> {
        &self.inner.prices
    }

    /// Returns the process pool in which sessions run.
    pub fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// Returns the busy sessions of this hub.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.inner.activity
    }

    /// Returns the book that records how much of their limits users and projects have used. Returns `None` if there are no
    /// limits.
    pub(crate) fn quotas(&self) -> Option<&Arc<QuotaBook>> {
        self.inner.quotas.as_ref()
    }

    /// Returns the number of live sessions that are charged to a user or project.
    pub(crate) fn sessions_of(&self, account: &Account) -> f64 {
        let live = self.lock();
        let own = live.values().filter(|it| it.shared.payer().is_of(account));
        u32::try_from(own.count()).unwrap_or(u32::MAX).into()
    }

    /// Returns [`Limits::silence`].
    pub(crate) fn silence_limit(&self) -> Duration {
        self.inner.limits.silence
    }

    /// Returns [`Limits::unread`].
    pub(crate) fn unread(&self) -> usize {
        self.inner.limits.unread
    }

    /// Waits until the server begins to end.
    pub(crate) fn ending(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ending = self.inner.ending_soon.subscribe();
        async move { drop(ending.wait_for(|ending| *ending).await) }
    }

    /// Checks whether this host can write to its disk. The disk holds the records of accepted prompts, and the transcripts.
    /// The folder for temporary files is checked too, because sessions of a store are copied into it.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Busy`] if this host cannot write to one of these folders.
    pub(crate) async fn has_room(&self) -> Result<(), HubError> {
        let mut folders = vec![self.sessions().projects().with_file_name("claw")];
        folders.extend(self.inner.store.as_ref().map(|_| std::env::temp_dir()));
        self.inner.room.is_in(folders).await.map_err(HubError::Busy)
    }

    /// Whether the server is ending.
    pub(crate) fn is_ending(&self) -> bool {
        self.inner.is_ending.load(Ordering::Relaxed)
    }

    /// Returns the sessions that are live, in no particular order.
    pub fn live(&self) -> Vec<LiveSession> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, LiveSession>> {
        self.inner.lock()
    }

    /// Whether the session has prompts that an earlier server accepted and did not answer.
    pub(crate) fn is_cut(&self, id: &SessionId) -> bool {
        self.inner.marks.is_cut(id)
    }

    /// Returns the project of this server that contains a directory. A session on disk belongs to this project if its
    /// configuration folder is not the home of another project's [wall](crate::Wall).
    pub fn project_of(&self, directory: Option<&str>) -> Option<&Project> {
        self.project_in(Path::new(directory?))
    }

    fn project_in(&self, directory: &Path) -> Option<&Project> {
        disk::innermost(self.projects(), directory)
    }

    /// Returns the project to which a session belongs. `directory` is the working directory that its transcript names,
    /// and `config_dir` is the configuration folder that contains the transcript. The home of a wall contains sessions of
    /// its own project only, because what runs behind the wall can write transcripts that name any directory.
    pub(crate) fn project_at(&self, config_dir: &Path, directory: &Path) -> Option<&Project> {
        disk::owner(self.projects(), config_dir, directory)
    }

    /// Checks whether sessions of a project may have this permission mode (see [`Project::allows_mode`]).
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if the project does not allow the mode, and with [`HubError::NoProject`] if
    /// no project has this name.
    pub fn allows(&self, project: &str, mode: &PermissionMode) -> Result<(), HubError> {
        let project = self.project(project)?;
        if project.allows_mode(mode) {
            return Ok(());
        }
        let allowed: Vec<_> = project.modes().map(PermissionMode::as_str).collect();
        let allowed = allowed.join(", ");
        let text = format!("the project does not allow this mode; it allows: {allowed}");
        Err(HubError::BadRequest(text))
    }

    /// Plans a git worktree for a new session of a project. Generates a name if `name` is `None`.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoProject`] if no project has this name, and with [`HubError::BadRequest`] and the reason
    /// if there can be no such worktree.
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
        // A live session may have planned a worktree with this name that has no folder yet.
        let is_same = |live: &LiveSession| live.worktree().as_ref() == Some(&worktree);
        if self.live().iter().any(is_same) {
            let text = format!("there is a worktree {} already", worktree.name);
            return Err(HubError::BadRequest(text));
        }
        Ok(worktree)
    }

    /// Ends all live sessions. From now on, no prompts are accepted. Running turns may finish within the time `within`.
    /// After this time, they are interrupted. The records of unanswered prompts stay, so that a restarted server finds the
    /// prompts. The returned future waits until the processes have ended, or until the time at which they are killed has
    /// passed.
    pub(crate) async fn end(&self, within: Duration) -> impl Future<Output = ()> + use<> {
        let all: Vec<_> = {
            let mut live = self.lock();
            self.inner.is_ending.store(true, Ordering::Relaxed);
            self.inner.ending_soon.send_replace(true);
            live.drain().map(|(_, live)| live).collect()
        };
        for live in &all {
            live.refuse(Refusal::ServerEnds);
        }
        all.iter().for_each(LiveSession::defer);
        let is_claiming = self.owner().is_some();
        let idle = join_all(all.iter().map(|live| async move {
            live.idle().await;
            if is_claiming {
                // Each session is closed as soon as it is idle, so that another host can continue it.
                self.inner.end_process(live);
                live.close();
            }
        }));
        if timeout(within, idle).await.is_err() {
            let stops = join_all(all.iter().map(LiveSession::stop));
            // If a turn cannot be interrupted in this time, it ends with its process.
            let _ = timeout(Duration::from_secs(5), stops).await;
        }
        let ends: Vec<_> = all.iter().map(LiveSession::end_process).collect();
        // This also waits for the processes of sessions that were closed shortly before.
        let others = self.pool().wait_for_endings();
        for live in all {
            live.close();
        }
        // The server waits for the processes, because otherwise lines that claude has not written yet would be lost.
        let marks = self.inner.marks.clone();
        let quotas = self.inner.quotas.clone();
        let ended = timeout(ENDS, join(join_all(ends), others));
        let operations = self.inner.operations.clone();
        // The server also waits for git. If git were ended in the middle of a merge, the repository would stay in that
        // state.
        let ended = join(ended, async move {
            timeout(OPERATIONS, operations.ended()).await
        });
        let hub = self.clone();
        ended.then(async move |_| {
            let kept = move || {
                marks.release();
                if let Some(quotas) = quotas {
                    quotas.save();
                }
            };
            on_pool::run(kept).await;
            hub.released().await;
            let _ = timeout(FLUSHED, hub.activity().spans.flushed()).await;
        })
    }

    /// Closes a live session. Requests that wait for an answer are denied, and the session's process ends. The session
    /// stays on disk.
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
