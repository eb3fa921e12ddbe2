//! Makes sessions live. These are new sessions, or sessions from disk or from the store.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_client::QueryOptions;
use claw_sessions::{Sessions, on_pool};
use claw_types::options::{EffortLevel, PermissionMode, SystemPrompt};
use claw_types::{MessageUuid, SessionId};
use tokio::sync::watch;

use super::claims::Taken;
use super::found::Found;
use super::kept::ShownKept;
use super::prompts::Prompts;
use super::shared::Shared;
use super::source::FromDisk;
use super::store::Build;
use super::store_away::while_away;
use super::{Hub, HubError, LiveSession, effort, idle, model, now};
use crate::Wall;
use crate::conversation::Conversation;
use crate::quota::{LimitKind, ReachedLimit};
use crate::quota_book::{CountedCopy, Payer};
use crate::worktree::Worktree;

/// Options for opening a session: [`Hub::begin`], [`Hub::open_as`] and [`Hub::resume`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The model to begin with. `None` means the project's model.
    pub model: Option<String>,
    /// The permission mode to begin with. `None` means the project's permission mode.
    pub mode: Option<PermissionMode>,
    /// The effort level to begin with. `None` means the level in the server's options.
    pub effort: Option<EffortLevel>,
    /// The title of a new session.
    pub title: Option<String>,
    /// The configuration folder of a new session. It must be one of the hub's [`Sessions`]. `None` means the first folder that
    /// the project may use.
    pub config_dir: Option<PathBuf>,
    /// The ID of a new session, for [`Hub::begin`]. `None` means a random ID.
    pub(crate) id: Option<SessionId>,
    /// The git worktree in which a new session works. Its first process creates the worktree.
    pub(crate) worktree: Option<Worktree>,
    /// The user who opens the session, for the user's limits.
    pub(crate) user: Option<Arc<str>>,
    /// Whether the session belongs to the hosting contract: no person answers permission requests, and no viewer shows
    /// partial answers.
    pub(crate) is_hosted: bool,
}

/// Sets the configuration folder with which the CLI is started.
pub(crate) fn set_config_dir(options: &mut QueryOptions, home: &Sessions) {
    if let Some((name, value)) = home.environment() {
        let env = options.env.get_or_insert_default();
        env.insert(name, value.map(ToOwned::to_owned));
    }
}

/// The error text for a session whose configuration folder its project may not use.
const OTHER_HOME: &str = "the session is in a configuration folder that its project does not use: a project behind a wall uses \
     that of the wall, and no other project does";

/// Returns a function that builds sessions as `build` does, but starts their processes behind a wall, which is a sandbox.
/// This replaces any transport that the host program has set.
fn behind(wall: Wall, build: Build) -> Build {
    Arc::new(move |options| build(options).launcher(wall.clone()))
}

/// The sessions that are being read. A browser that opens a page requests the page and its events at once, and both need
/// the session.
#[derive(Debug, Default)]
pub(super) struct Opening(Mutex<HashMap<SessionId, watch::Receiver<()>>>);

/// A session that is being read. When this is dropped, the calls that wait for the session continue.
struct Reading<'a> {
    opening: &'a Opening,
    id: SessionId,
    _done: watch::Sender<()>,
}

impl Opening {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, watch::Receiver<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a session is being read. If it is being read already, waits until that has ended, and returns `None`.
    /// If that has failed, each of the waiting calls reads the session itself, so that they fail at the same time.
    async fn begin(&self, id: &SessionId) -> Option<Reading<'_>> {
        let mut other = {
            let mut all = self.lock();
            if let Some(other) = all.get(id) {
                other.clone()
            } else {
                let (done, ended) = watch::channel(());
                all.insert(id.clone(), ended);
                return Some(Reading {
                    opening: self,
                    id: id.clone(),
                    _done: done,
                });
            }
        };
        // Nothing is ever sent. The error says that the sender was dropped.
        let _ = other.changed().await;
        None
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.opening.lock().remove(&self.id);
    }
}

impl Hub {
    /// Begins a conversation in a project. Its process is started with the first prompt.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoProject`] if no project has this name, with [`HubError::Busy`] if too many sessions
    /// are in use or the server ends, with [`HubError::BadRequest`] if the project does not allow the permission mode or the
    /// configuration folder is none of the hub's, and with [`HubError::Stored`] if the session cannot be claimed.
    pub async fn begin(
        &self,
        project: &str,
        mut how: OpenOptions,
    ) -> Result<LiveSession, HubError> {
        let project = self.project(project)?;
        if how.config_dir.is_some() && self.inner.store.is_some() {
            let text = "`configDir`: a session of a store is not kept in a configuration folder";
            return Err(HubError::BadRequest(text.to_owned()));
        }
        let home = self.new_home(project, how.config_dir.as_deref())?;
        let random = || SessionId::from(MessageUuid::random().as_str());
        let id = how.id.take().unwrap_or_else(random);
        let mut conversation = self.new_conversation(&id);
        conversation.set(|state| state.title.clone_from(&how.title));
        let taken = self.patiently(|| self.take_in(project, &id)).await?;
        self.join(id, how, Found::new(project, home, conversation), taken)
    }

    /// Returns the live session with this ID. If the session is not live yet, the call reads it from disk and makes it
    /// live. The session must be in a folder of one of this server's projects. If the conversation has continued under
    /// another ID, as after `/clear`, this returns the session with that ID.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoSession`] if there is no such session, with [`HubError::Busy`] if too many sessions are
    /// in use or the server ends, with [`HubError::BadRequest`] if the project does not allow the permission mode, with
    /// [`HubError::Disk`] if the sessions on disk cannot be read or several configuration folders have the session, and
    /// with [`HubError::Stored`] if the store fails.
    pub async fn open(&self, id: &str) -> Result<LiveSession, HubError> {
        self.open_as(id, OpenOptions::default()).await
    }

    /// Returns a live session as [`open`](Self::open) does. If the session is not live yet, it becomes live with the
    /// model and permission mode in `how`.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open).
    pub async fn open_as(&self, id: &str, how: OpenOptions) -> Result<LiveSession, HubError> {
        let asked = SessionId::from(id);
        if let Some(live) = self.of(&asked) {
            self.update_kept(&live);
            return Ok(live);
        }
        // The future is boxed, because it is large, and most calls find a live session and do not need it.
        Box::pin(self.read_in(asked, how)).await
    }

    /// Makes a session live under the newest ID of its conversation.
    async fn read_in(&self, asked: SessionId, how: OpenOptions) -> Result<LiveSession, HubError> {
        let hub = self.clone();
        let id = on_pool::run({
            let asked = asked.clone();
            move || hub.inner.moves.newest(&asked)
        })
        .await;
        match self.resume(id.as_str(), how.clone()).await {
            // The conversation has moved to `id` and has received no message there yet. So only the earlier ID has a
            // transcript.
            Err(HubError::NoSession) if id != asked => {
                let Found { project, home, .. } = self.found(&asked, None).await?;
                let project = self.project(&project)?;
                let found = Found::new(project, home, self.new_conversation(&id));
                let taken = self.patiently(|| self.take_in(project, &id)).await?;
                self.join(id, how, found, taken)
            }
            found => found,
        }
    }

    /// Returns a live session as [`open_as`](Self::open_as) does, but always the session with this ID, even if its
    /// conversation has continued under another ID.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open).
    pub async fn resume(&self, id: &str, how: OpenOptions) -> Result<LiveSession, HubError> {
        let id = SessionId::from(id);
        if let Some(live) = self.of(&id) {
            return Ok(live);
        }
        // While this host ends, another host may claim the session. So this call must not report that the session does
        // not exist.
        if self.is_ending() {
            return Err(HubError::Busy("the server ends"));
        }
        let _reading = self.inner.opening.begin(&id).await;
        if let Some(live) = self.of(&id) {
            return Ok(live);
        }
        let read = || async {
            // The session is claimed before it is read, so that no other host writes to it from now on.
            let mut taken = self.take(&id).await?;
            let found = self.found(&id, taken.as_mut()).await?;
            Ok((found, taken))
        };
        let (found, taken) = self.patiently(read).await?;
        self.join(id, how, found, taken)
    }

    /// Returns the maximum time for which a call waits for an unreachable store. Without a store, the time is zero.
    fn patience(&self) -> Duration {
        let store = self.inner.store.as_ref();
        store.map_or(Duration::ZERO, |store| store.patience)
    }

    /// Repeats a call while the store is unreachable and the server does not end.
    pub(super) async fn patiently<T, F>(&self, call: impl FnMut() -> F) -> Result<T, HubError>
    where
        F: Future<Output = Result<T, HubError>>,
    {
        while_away(self.patience(), call, |_| !self.is_ending()).await
    }

    /// Returns the live session with this ID, and records that the session is in use.
    pub(super) fn of(&self, id: &SessionId) -> Option<LiveSession> {
        let live = self.lock();
        let live = live.get(id)?;
        live.touch();
        Some(live.clone())
    }

    async fn found(&self, id: &SessionId, taken: Option<&mut Taken>) -> Result<Found, HubError> {
        // The store is read first, because another host may have continued a session whose older lines are on this
        // disk.
        let found = if let Some(found) = self.read_stored(id).await? {
            Ok(found)
        } else {
            self.check_tombstone(id).await?;
            let (hub, of) = (self.clone(), id.clone());
            on_pool::run(move || hub.read(&of)).await
        };
        let Some(taken) = taken else { return found };
        let mut found = match found {
            // Prompts of the session were accepted, but there is no transcript yet. So the session begins without a transcript.
            Err(HubError::NoSession) if !taken.left.prompts.is_empty() => {
                let project = self.project(&taken.project)?;
                let home = self.new_home(project, None)?;
                Found::new(project, home, self.new_conversation(id))
            }
            found => found?,
        };
        for line in std::mem::take(&mut taken.left.unreadable) {
            found.conversation.unreadable_history(&line);
        }
        for cut in &taken.left.prompts {
            found.conversation.unanswered(&cut.prompt, cut.is_sent);
        }
        Ok(found)
    }

    /// Returns the session with this ID, for the hosting contract. If the session is neither live nor on disk, the call
    /// creates it in this project. If several calls for one ID run at once, one of them creates the session and all
    /// return it. Permission requests in the session are denied, unless it was already live.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open). Also fails with [`HubError::BadRequest`] if the ID's
    /// transcript belongs to no project of this server, or contains no conversation.
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
        let project = self.project(project)?;
        let home = self.new_home(project, None)?;
        let (hub, of, own) = (self.clone(), id.clone(), home.clone());
        on_pool::run(move || hub.check_new(&of, &own)).await?;
        let taken = self.patiently(|| self.take_in(project, id)).await?;
        let found = Found::new(project, home, self.new_conversation(id));
        self.join(id.clone(), how, found, taken)
    }

    pub(super) fn new_conversation(&self, id: &SessionId) -> Conversation {
        let epoch = uuid::Uuid::new_v4().simple().to_string();
        let mut conversation = Conversation::new(id.clone(), epoch, self.inner.limits.log);
        conversation.set_prices(self.inner.prices.clone());
        conversation
    }

    /// Closes unused sessions until this payer can have one more live session.
    fn make_room(
        &self,
        live: &mut HashMap<SessionId, LiveSession>,
        payer: &Payer,
    ) -> Result<(), HubError> {
        let inner = &*self.inner;
        for account in payer.accounts() {
            let limit = inner.quotas.as_ref();
            let limit = limit.and_then(|book| book.limit(account, LimitKind::Sessions));
            let Some(most) = limit else { continue };
            let is_of = |live: &LiveSession| live.shared.payer().is_of(account);
            let count = live.values().filter(|live| is_of(live)).count();
            let mut count = u32::try_from(count).unwrap_or(u32::MAX);
            while f64::from(count) >= most {
                if count == 0 || !idle::evict_unused(inner, live, is_of) {
                    let reached = ReachedLimit::new(account, LimitKind::Sessions, most, None);
                    return Err(reached.into());
                }
                count -= 1;
            }
        }
        if live.len() >= inner.limits.sessions && !idle::evict_unused(inner, live, |_| true) {
            return Err(HubError::Busy("too many sessions are in use"));
        }
        Ok(())
    }

    /// Counts a copy of a session in the limits of a user and of the session's project, and makes room for it as a live
    /// session. Call this method before the copy is made. Returns `None` if there are no limits.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Limit`] if a limit is reached, and with [`HubError::Busy`] if too many sessions are in use.
    /// Nothing is counted then.
    pub(crate) fn count_copy(
        &self,
        user: Option<Arc<str>>,
        project: &str,
    ) -> Result<Option<CountedCopy>, HubError> {
        let book = self.inner.quotas.as_ref();
        let payer = Payer::new(book, user, project);
        let counted = book
            .map(|book| book.count_copy(&payer, now()))
            .transpose()?;
        self.make_room(&mut self.lock(), &payer)?;
        Ok(counted)
    }

    /// Makes a session live. If another call has already done so meanwhile, returns that live session.
    fn join(
        &self,
        id: SessionId,
        how: OpenOptions,
        found: Found,
        mut taken: Option<Taken>,
    ) -> Result<LiveSession, HubError> {
        let inner = &self.inner;
        let project = self.project(&found.project)?;
        let mut conversation = found.conversation;
        let mode = how.mode.unwrap_or_else(|| project.mode.clone());
        self.allows(&project.name, &mode)?;
        model::check(how.model.as_deref())?;
        let mut options = project.options(&inner.options, how.model, mode.clone());
        let home = found.home;
        if !self.has_home(project, &home) {
            return Err(HubError::BadRequest(OTHER_HOME.to_owned()));
        }
        set_config_dir(&mut options, &home);
        let learned = inner.learned.of(&project.name, home.config_dir());
        effort::check(how.effort.as_ref(), &learned)?;
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
        // The CLI must send the text of sub-agents, because the cards of sub-agents show it.
        options.forward_subagent_text.get_or_insert(!how.is_hosted);
        options
            .system_prompt
            .get_or_insert_with(SystemPrompt::claude_code);
        if let Some(worktree) = how.worktree.or(found.worktree) {
            // If the worktree was removed, it is not created again, because that would also create its branch again.
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
        inner.deletions.check(&id)?;
        let payer = Payer::new(inner.quotas.as_ref(), how.user, &project.name);
        self.make_room(&mut live, &payer)?;
        let limit = (!how.is_hosted).then_some(inner.limits.answer);
        let deferred = taken
            .as_mut()
            .map(|taken| std::mem::take(&mut taken.deferred));
        let (log, left) = taken.map(|taken| (taken.log, taken.left)).unzip();
        let prompts = Prompts::new(
            inner.marks.clone(),
            inner.moves.clone(),
            project.folder.clone(),
            inner
                .sessions
                .has_several()
                .then(|| home.config_dir().to_owned()),
            found.unsaid,
            log.clone(),
            left.unwrap_or_default(),
        );
        let mut shared = Shared::new(
            conversation,
            id.clone(),
            project,
            limit,
            prompts,
            learned,
            inner.activity.clone(),
        );
        shared.defer_after = inner.limits.defer.filter(|_| log.is_some());
        shared.patience = self.patience();
        shared.operations = inner.operations.clone();
        shared.quotas.clone_from(&inner.quotas);
        shared.set_payer(payer);
        *shared.kept() = ShownKept::new(found.kept);
        let shared = Arc::new(shared);
        shared.add_deferred(deferred.unwrap_or_default());
        if let Some(log) = &log {
            inner.close_when_lost(&shared, log);
        }
        let ending = inner.ending.lock();
        let before = ending.unwrap_or_else(PoisonError::into_inner).remove(&id);
        let source = FromDisk {
            shared: shared.clone(),
            home,
            store: inner.store.as_ref().map(|store| store.of(project)),
            before: Mutex::new(before),
        };
        let build = match &project.wall {
            Some(wall) => behind(wall.clone(), inner.build.clone()),
            None => inner.build.clone(),
        };
        let build = match &inner.store {
            Some(store) => store.build(&build, project),
            None => build,
        };
        let on_moved = inner.on_moved(&shared);
        let joined = LiveSession::start(
            shared,
            on_moved,
            &inner.pool,
            options,
            source,
            &build,
            &inner.limits,
        );
        live.insert(id, joined.clone());
        Ok(joined)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn calls_for_a_session_that_is_being_read_wait_for_it() {
        let opening = Opening::default();
        let [id, other] = ["one", "other"].map(SessionId::from);
        let reading = opening.begin(&id).now_or_never().flatten();
        assert!(reading.is_some());
        assert!(opening.begin(&other).now_or_never().flatten().is_some());
        let mut waiting = [opening.begin(&id).boxed(), opening.begin(&id).boxed()];
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        drop(reading);
        for one in waiting {
            assert!(matches!(one.now_or_never(), Some(None)));
        }
        assert!(opening.lock().is_empty());
        assert!(opening.begin(&id).now_or_never().flatten().is_some());
    }
}
