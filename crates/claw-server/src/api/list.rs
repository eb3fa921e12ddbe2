//! The list of live sessions and of sessions on disk, in pages.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use claw_client::store::StoredSession;
use claw_sessions::{Cost, Cursor, Index, Indexed, PageQuery};
use claw_types::store::SessionInfo;
use claw_types::{Count, Number, SessionId};

use super::{Api, ListQuery, Refusal, SessionCost, SessionItem, SessionPage, disk};
use crate::actor::{Actor, Sight};
use crate::conversation::{Conversation, Phase};
use crate::forks;
use crate::hub::{Hub, HubError, Listed, LiveSession, Unwritten};
use crate::worktree::Worktree;

/// Maximum and default number of sessions in a page.
const MOST: usize = 500;
const SESSIONS: usize = 50;

/// Returns a page of the sessions of this server's projects. Reads the index in memory, and blocks until the index is
/// built.
pub(crate) fn page(
    hub: &Hub,
    query: &ListQuery,
    stored: &Listed,
    sight: &Sight,
) -> Result<SessionPage, HubError> {
    if let Some(name) = &query.project {
        sight.check(name)?;
        hub.project(name)?;
    }
    let after: Option<Cursor> = match &query.cursor {
        None => None,
        Some(cursor) => Some(
            cursor
                .parse()
                .map_err(|error| HubError::BadRequest(format!("`cursor`: {error}")))?,
        ),
    };
    let limit = query.limit.unwrap_or(SESSIONS).clamp(1, MOST);
    let mut on_disk = PageQuery::new()
        .archived(query.archived.unwrap_or_default())
        .text(query.q.as_deref().unwrap_or_default())
        .limit(limit);
    if let Some(name) = &query.project {
        on_disk = on_disk.project(name);
    }
    if let Some(after) = &after {
        on_disk = on_disk.after(after.clone());
    }
    let index = hub.index()?;
    // The sessions without a transcript are read before the page of the index. If the transcript of a session is created in
    // between, the session is in at least one of the two lists.
    let unwritten = hub.unwritten(&index);
    let is_large = |size: Option<u64>| {
        let least = query.larger_than;
        least.is_none_or(|least| size.is_some_and(|size| size > least))
    };
    let is_listed = |known: &Indexed| {
        let project = known.project.as_ref();
        project.is_some_and(|project| sight.has(project))
            && !stored.contains_key(&known.info.session_id)
            && is_large(known.info.file_size.map(Count::get))
    };
    let (found, is_last) = on_disk_alone(&index, on_disk, limit, is_listed);
    let is_found = |new: &Unwritten| {
        let mut found = found.iter();
        found.any(|known| hub.is_same(new, known))
    };
    let text = query.q.as_deref().unwrap_or_default().to_lowercase();
    let new = unwritten
        .into_iter()
        .filter(|new| {
            sight.has(&new.project)
                && is_large(None)
                && is_asked(new, query, &text)
                && !is_found(new)
                && !stored.contains_key(&new.id)
        })
        .map(|new| {
            (
                Cursor::new(new.began, new.id.clone()),
                SessionItem::unwritten(hub, new),
            )
        })
        .filter(|(place, _)| after.as_ref().is_none_or(|after| place < after));
    let in_store = stored
        .values()
        .filter(|(project, _)| sight.has(project))
        .filter_map(|(project, session)| stored_item(hub, &index, project, session))
        .filter(|(_, item)| is_large(item.size) && is_asked_item(item, query, &text))
        .filter(|(place, _)| after.as_ref().is_none_or(|after| place < after));
    let written = found.iter();
    let written = written.filter_map(|known| Some((known.cursor(), item(hub, &index, known)?)));
    let mut all: Vec<_> = written.chain(new).chain(in_store).collect();
    all.sort_by(|(one, _), (other, _)| other.cmp(one));
    let has_more = !is_last || all.len() > limit;
    all.truncate(limit);
    let next = all.last().filter(|_| has_more);
    let next = next.map(|(place, _)| place.to_string());
    let sessions = all.into_iter().map(|(_, item)| item).collect();
    Ok(SessionPage { sessions, next })
}

/// Returns a page of the sessions on disk for which `is_listed` returns `true`, and whether it is the last page.
/// `is_listed` leaves out sessions that are also in the store, because another host may have continued the store's copy.
fn on_disk_alone(
    index: &Index,
    mut query: PageQuery,
    limit: usize,
    is_listed: impl Fn(&Indexed) -> bool,
) -> (Vec<Arc<Indexed>>, bool) {
    let mut found = Vec::new();
    loop {
        let page = index.page(&query);
        found.extend(page.sessions.into_iter().filter(|known| is_listed(known)));
        match page.next {
            Some(next) if found.len() < limit => query = query.after(next),
            next => return (found, next.is_none()),
        }
    }
}

/// Returns whether the query selects a session without a transcript. `text` is in lower case.
fn is_asked(new: &Unwritten, query: &ListQuery, text: &str) -> bool {
    let has_text = |title: &String| title.to_lowercase().contains(text);
    query.archived != Some(true)
        && query
            .project
            .as_ref()
            .is_none_or(|name| *name == new.project)
        && (text.is_empty() || new.title.as_ref().is_some_and(has_text))
}

impl SessionItem {
    /// Sets the configuration folder, if the server uses several.
    fn of_config_dir(mut self, hub: &Hub, config_dir: Option<&FilePath>) -> Self {
        let name = config_dir.and_then(|folder| hub.sessions().short_name(folder));
        self.config_dir = config_dir
            .filter(|_| name.is_some())
            .map(|folder| folder.display().to_string());
        self.config_name = name;
        self
    }

    /// Creates the item of a session without a transcript.
    fn unwritten(hub: &Hub, new: Unwritten) -> Self {
        let config_dir = new.config_dir.clone();
        Self::from(new).of_config_dir(hub, config_dir.as_deref())
    }
}

impl From<Unwritten> for SessionItem {
    fn from(new: Unwritten) -> Self {
        Self {
            id: new.id.as_str().to_owned(),
            project: new.project,
            title: new.title,
            tag: None,
            branch: new.branch,
            worktree: None,
            last_message: None,
            fork_depth: None,
            archived: false,
            modified: new.modified.map(|at| Number::from(at).as_f64()),
            size: None,
            phase: Some(new.phase),
            cost: new.cost.and_then(SessionCost::live),
            config_dir: None,
            config_name: None,
        }
    }
}

impl SessionCost {
    /// Returns the cost of a live session. Returns `None` if it is zero.
    fn live((usd, is_estimate): (f64, bool)) -> Option<Self> {
        (usd > 0.0).then_some(Self { usd, is_estimate })
    }

    /// Returns the cost that a transcript contains.
    fn written(cost: Cost) -> Self {
        Self {
            usd: cost.usd.dollars(),
            is_estimate: !cost.is_whole,
        }
    }
}

/// Returns the phase and the cost of a live session.
fn of_live(live: &LiveSession) -> (Phase, Option<SessionCost>) {
    live.read(|conversation| {
        let state = conversation.state();
        let cost = (state.cost_usd, state.cost_is_estimate);
        (state.phase, SessionCost::live(cost))
    })
}

/// Returns the branch on which a session worked last.
fn branch(info: &SessionInfo) -> Option<String> {
    let branch = info.git_branch.clone();
    // Outside of a repository, the CLI writes an empty text. If no branch is checked out, it writes `HEAD`. Neither is a
    // branch.
    branch.filter(|branch| !branch.is_empty() && branch != "HEAD")
}

/// Returns the name of a session's project and the session's own worktree. Returns `None` if the session has no
/// worktree.
fn worktree_of(
    hub: &Hub,
    known: &Indexed,
    live: Option<&LiveSession>,
) -> Option<(String, Worktree)> {
    let project = hub.project(known.project.as_deref()?).ok()?;
    let of_folder = || {
        let folder = FilePath::new(known.info.cwd.as_deref()?);
        Worktree::around(project, folder, branch(&known.info).as_deref())
    };
    let worktree = live.and_then(LiveSession::worktree).or_else(of_folder)?;
    Some((project.name.clone(), worktree))
}

/// Creates the item of a session with a transcript. Returns `None` if the session is in no project, which does not
/// occur for a session of the index.
fn item(hub: &Hub, index: &Index, known: &Indexed) -> Option<SessionItem> {
    let info = &known.info;
    let config_dir = known.session.config_dir();
    let live = hub.live_of(&info.session_id);
    let live = live.filter(|live| live.home().config_dir() == config_dir);
    let (phase, cost) = live.as_ref().map(of_live).unzip();
    let cut = || hub.is_cut(&info.session_id).then_some(Phase::Cut);
    let title = Some(info.summary.clone()).filter(|title| !title.is_empty());
    let item = SessionItem {
        id: info.session_id.as_str().to_owned(),
        branch: branch(info),
        worktree: worktree_of(hub, known, live.as_ref())
            .and_then(|(project, it)| hub.peek_tree(&info.session_id, &project, &it)),
        last_message: known.last_message.clone(),
        // A fork is in the configuration folder of its original.
        fork_depth: forks::depth(known.forked_from.clone(), |id| {
            index.get_in(config_dir, id)?.forked_from.clone()
        })
        .or_else(|| forks::depth_in(&info.summary)),
        project: known.project.clone()?,
        title: title.or_else(|| live.as_ref()?.read(Conversation::title)),
        tag: info.tag.clone(),
        archived: info.archived.unwrap_or_default(),
        modified: Some(info.last_modified.as_f64()),
        size: info.file_size.map(Count::get),
        phase: phase.or_else(cut),
        cost: cost.flatten().or(known.cost.map(SessionCost::written)),
        config_dir: None,
        config_name: None,
    };
    Some(item.of_config_dir(hub, Some(config_dir)))
}

/// Creates the item for a session in the store, and the cursor that marks its place in the list. Returns `None` if the store
/// has no information about the session.
fn stored_item(
    hub: &Hub,
    index: &Index,
    project: &str,
    session: &StoredSession,
) -> Option<(Cursor, SessionItem)> {
    let info = session.info.as_ref()?;
    let live = hub.live_of(&info.session_id);
    let (phase, cost) = live.as_ref().map(of_live).unzip();
    let cut = || hub.is_cut(&info.session_id).then_some(Phase::Cut);
    let deferred = || session.is_deferred.then_some(Phase::Deferred);
    let place = Cursor::new(session.modified, info.session_id.clone());
    let item = SessionItem {
        id: info.session_id.as_str().to_owned(),
        branch: branch(info),
        worktree: None,
        last_message: None,
        fork_depth: forks::depth_in(&info.summary),
        project: project.to_owned(),
        title: Some(info.summary.clone()).filter(|title| !title.is_empty()),
        tag: info.tag.clone(),
        // If the session is also on this host's disk, its archived state is in a file there.
        archived: match hub.known_of(index, project, &info.session_id) {
            Some(known) => known.info.archived == Some(true),
            None => hub.has_shelved(&info.session_id, session.modified),
        },
        modified: Some(info.last_modified.as_f64()),
        size: session.size,
        phase: phase.or_else(cut).or_else(deferred),
        cost: cost.flatten(),
        config_dir: None,
        config_name: None,
    };
    let config_dir = live.as_ref().map(|live| live.home().config_dir());
    Some((place, item.of_config_dir(hub, config_dir)))
}

/// Returns whether the query selects a session of the store. `text` is in lower case.
fn is_asked_item(item: &SessionItem, query: &ListQuery, text: &str) -> bool {
    let has_text = |part: &Option<String>| {
        part.as_ref()
            .is_some_and(|part| part.to_lowercase().contains(text))
    };
    query.archived.unwrap_or_default() == item.archived
        && query
            .project
            .as_ref()
            .is_none_or(|name| *name == item.project)
        && (text.is_empty() || has_text(&item.title) || has_text(&item.tag))
}

/// Creates the item of a session, from the store, the index or the sessions without a transcript.
fn entry_of(hub: &Hub, id: &SessionId, stored: &Listed) -> Result<SessionItem, HubError> {
    let index = hub.index()?;
    let in_store = stored.get(id);
    let in_store = in_store.and_then(|(project, it)| stored_item(hub, &index, project, it));
    if let Some((_, item)) = in_store {
        return Ok(item);
    }
    if let Some(item) = hub
        .known(&index, id)
        .and_then(|known| item(hub, &index, &known))
    {
        return Ok(item);
    }
    let new = hub.unwritten(&index).into_iter().find(|new| new.id == *id);
    let new = new.map(|new| SessionItem::unwritten(hub, new));
    new.ok_or(HubError::NoSession)
}

pub(crate) async fn entry(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<Json<SessionItem>, Refusal> {
    let stored = api.hub.stored().await;
    let id = SessionId::from(id);
    let of = id.clone();
    let (mut item, worktree) = disk::run(&api, move |hub| {
        let item = entry_of(hub, &of, &stored)?;
        let known = hub.known(&hub.index()?, &of);
        let live = hub.live_of(&of);
        let worktree = known.and_then(|known| worktree_of(hub, &known, live.as_ref()));
        Ok((item, worktree))
    })
    .await?;
    // A list shows the state of a worktree that was last read. This response waits until git has read the state again.
    if let Some((project, worktree)) = worktree {
        // The slot is acquired before git is started. So the number of concurrent git processes is limited.
        let _slot = api.worktrees.acquire().await?;
        item.worktree = api.hub.read_tree(&id, &project, &worktree).await;
    }
    Ok(Json(item))
}

pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    actor: Actor,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<SessionPage>, Refusal> {
    let Query(query) = query?;
    let sight = actor.sight(api.hub.projects());
    let stored = api.hub.stored().await;
    let page = disk::run(&api, move |hub| page(hub, &query, &stored, &sight)).await?;
    api.hub.read_trees();
    Ok(Json(page))
}
