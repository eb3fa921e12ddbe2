//! The routes of sessions on disk: list, search, usage, fork, title, tag, archive.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::NoContent;
use claw_sessions::{Hit, Session, Usage, on_pool};
use claw_types::options::PermissionMode;
use claw_types::store::SessionInfo;
use serde::{Deserialize, Serialize};

use super::reply::Created;
use super::{Api, Refusal, SessionView};
use crate::hub::{CutSession, Hub, HubError};
use crate::room::{Phase, Room};

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ListQuery {
    /// Only those of the project of this name.
    pub project: Option<String>,
    /// Only those in whose title or first prompt this text stands, in any case.
    pub q: Option<String>,
    /// Whether those that are archived are listed, and no others. Default: `false`.
    pub archived: Option<bool>,
    /// How many at most. Default 50, at most 500.
    pub limit: Option<usize>,
    /// Where the list goes on: `next` of the page before.
    pub cursor: Option<usize>,
}

/// A page of sessions, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionPage {
    /// The sessions of this page.
    pub sessions: Vec<SessionItem>,
    /// Where the list goes on. Null at its end.
    pub next: Option<usize>,
}

/// A session in a list, live or on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionItem {
    /// The ID of the session.
    pub id: String,
    /// The name of the project.
    pub project: String,
    /// The title, or else the beginning of the session. Null if nothing was said yet.
    pub title: Option<String>,
    /// The tag. Null if it has none.
    pub tag: Option<String>,
    /// Whether it is archived.
    pub archived: bool,
    /// The time of the last write, in milliseconds since 1970. Null if nothing is on disk yet.
    pub modified: Option<f64>,
    /// The phase of the session. Null if the session is not live, except that a session whose last turn was cut has `cut`.
    pub phase: Option<Phase>,
}

/// Changes of a session on disk: those fields that are there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionPatch {
    /// The new title of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The new tag. Empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Whether it is archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
}

/// Settings of a live session: those fields that are there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The model that answers from the next answer on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The permission mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
}

/// The body of a fork.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Fork {
    /// The UUID of the last message that the fork has. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<String>,
    /// The title of the fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The query of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchQuery {
    /// The text, in any case.
    pub q: String,
}

/// The query of usage: by what it is counted, and of how many days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct UsageQuery {
    /// By what: `day` (the default), `project` or `model`.
    pub by: Option<UsageBy>,
    /// Of how many days, in UTC, with today as the last one. Absent: of all time.
    pub days: Option<u32>,
}

/// By what usage is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum UsageBy {
    /// By day, in UTC.
    #[default]
    Day,
    /// By the folder in which sessions began.
    Project,
    /// By model.
    Model,
}

/// How many hits a search has at most.
const MOST_HITS: usize = 100;

/// The session on disk, if it is of a project of this server.
pub(crate) fn find(hub: &Hub, id: &str) -> Result<Session, HubError> {
    let session = hub.sessions().find(id).map_err(|_| HubError::NoSession)?;
    let info = session.info()?.ok_or(HubError::NoSession)?;
    hub.project_of(info.cwd.as_deref())
        .ok_or(HubError::NoSession)?;
    Ok(session)
}

/// Runs something that waits for the disk.
pub(crate) async fn run<T: Send + 'static>(
    api: &Api,
    work: impl FnOnce(&Hub) -> Result<T, HubError> + Send + 'static,
) -> Result<T, Refusal> {
    let hub = api.hub.clone();
    Ok(on_pool::run(move || work(&hub)).await?)
}

/// All sessions of this server's projects: those on disk joined with those that are live.
pub(crate) fn all(hub: &Hub, query: &ListQuery) -> Result<SessionPage, HubError> {
    if let Some(name) = &query.project {
        hub.project(name)?;
    }
    let mut live: HashMap<_, _> = hub
        .live()
        .into_iter()
        .map(|live| (live.id().as_str().to_owned(), live))
        .collect();
    // Where a folder is, is asked once.
    let mut places: HashMap<Option<String>, Option<String>> = HashMap::new();
    let mut place = |cwd: &Option<String>| {
        let known = places.entry(cwd.clone());
        let found = known.or_insert_with(|| Some(hub.project_of(cwd.as_deref())?.name.clone()));
        found.clone()
    };
    let listing = hub.sessions().list().run()?;
    let on_disk: Vec<_> = listing
        .sessions
        .into_iter()
        .filter_map(|info| {
            let project = place(&info.cwd)?;
            let live = live.remove(info.session_id.as_str());
            Some(item(hub, &info, project, live.as_ref()))
        })
        .collect();
    let new = live.into_values().map(|live| {
        live.read(|room| SessionItem {
            id: live.id().as_str().to_owned(),
            project: live.project().to_owned(),
            title: room.title(),
            tag: None,
            archived: false,
            modified: None,
            phase: Some(room.state().phase),
        })
    });
    let mut sessions: Vec<_> = new.collect();
    sessions.extend(never_begun(hub, &on_disk, &sessions));
    sessions.sort_by(|one, other| one.id.cmp(&other.id));
    sessions.extend(on_disk);
    let text = query.q.as_deref().map(str::to_lowercase);
    sessions.retain(|item| {
        let has = |text: &String| {
            item.title
                .as_ref()
                .is_some_and(|title| title.to_lowercase().contains(text))
        };
        query
            .project
            .as_ref()
            .is_none_or(|name| *name == item.project)
            && item.archived == query.archived.unwrap_or_default()
            && text.as_ref().is_none_or(has)
    });
    let limit = query.limit.unwrap_or(50).clamp(1, 500);
    let from = query.cursor.unwrap_or_default();
    let next = from.saturating_add(limit);
    let next = (next < sessions.len()).then_some(next);
    let sessions = sessions.into_iter().skip(from).take(limit).collect();
    Ok(SessionPage { sessions, next })
}

/// The sessions with prompts that an earlier server has accepted and not answered, as far as they are neither on disk
/// nor live: claude has written nothing of them yet.
fn never_begun(hub: &Hub, on_disk: &[SessionItem], live: &[SessionItem]) -> Vec<SessionItem> {
    let cut = hub.cut();
    if cut.is_empty() {
        return Vec::new();
    }
    let listed: HashSet<_> = on_disk.iter().chain(live).map(|item| &*item.id).collect();
    let cut = cut.into_iter();
    let cut = cut.filter(|(cut, _)| !listed.contains(cut.id.as_str()));
    let item = |(cut, project): (CutSession, String)| SessionItem {
        id: cut.id.as_str().to_owned(),
        project,
        title: Some(cut.title).filter(|title| !title.is_empty()),
        tag: None,
        archived: false,
        modified: Some(cut.at),
        phase: Some(Phase::Cut),
    };
    cut.map(item).collect()
}

fn item(hub: &Hub, info: &SessionInfo, project: String, live: Option<&crate::Live>) -> SessionItem {
    let phase = live.map(|live| live.read(|room| room.state().phase));
    let cut = || hub.is_cut(&info.session_id).then_some(Phase::Cut);
    let title = Some(info.summary.clone()).filter(|title| !title.is_empty());
    let title = title.or_else(|| live?.read(Room::title));
    SessionItem {
        id: info.session_id.as_str().to_owned(),
        project,
        title,
        tag: info.tag.clone(),
        archived: info.archived.unwrap_or_default(),
        modified: Some(info.last_modified.as_f64()),
        phase: phase.or_else(cut),
    }
}

pub(super) async fn list(
    State(api): State<Arc<Api>>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<SessionPage>, Refusal> {
    let Query(query) = query?;
    Ok(Json(run(&api, move |hub| all(hub, &query)).await?))
}

pub(super) async fn patch(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: Result<Json<SessionPatch>, JsonRejection>,
) -> Result<NoContent, Refusal> {
    let Json(patch) = body?;
    let title = patch.title.clone();
    let of = id.clone();
    run(&api, move |hub| {
        let session = find(hub, &of)?;
        if let Some(title) = &patch.title {
            session.rename(title)?;
        }
        match patch.tag.as_deref() {
            Some("") => session.untag()?,
            Some(tag) => session.tag(tag)?,
            None => {}
        }
        match patch.archived {
            Some(true) => session.archive()?,
            Some(false) => session.unarchive()?,
            None => {}
        }
        Ok(())
    })
    .await?;
    let live = api
        .hub
        .live()
        .into_iter()
        .find(|live| live.id().as_str() == id);
    if let (Some(live), Some(title)) = (live, title) {
        live.set_title(&title);
    }
    Ok(NoContent)
}

pub(super) async fn settings(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: Result<Json<Settings>, JsonRejection>,
) -> Result<Json<SessionView>, Refusal> {
    let Json(settings) = body?;
    let live = api.hub.open(&id).await?;
    if let Some(mode) = settings.mode {
        api.hub.allows(live.project(), &mode)?;
        live.set_mode(mode).await?;
    }
    if let Some(model) = settings.model {
        live.set_model(model).await?;
    }
    Ok(Json(SessionView::of(&live)))
}

/// Copies a session, and gives the ID of the copy.
pub(super) async fn forked(api: &Arc<Api>, id: String, how: Fork) -> Result<String, Refusal> {
    run(api, move |hub| {
        let session = find(hub, &id)?;
        let mut fork = session.fork();
        if let Some(message) = how.up_to {
            fork = fork.up_to(message.as_str());
        }
        if let Some(title) = how.title {
            fork = fork.title(title);
        }
        Ok(fork.run()?.id().as_str().to_owned())
    })
    .await
}

pub(super) async fn fork(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: Result<Json<Fork>, JsonRejection>,
) -> Result<Created<SessionView>, Refusal> {
    let Json(how) = body?;
    let fork = forked(&api, id, how).await?;
    let live = api.hub.open(&fork).await?;
    Ok(Created(SessionView::of(&live)))
}

pub(super) async fn search(
    State(api): State<Arc<Api>>,
    query: Result<Query<SearchQuery>, QueryRejection>,
) -> Result<Json<Vec<Hit>>, Refusal> {
    let Query(query) = query?;
    let hits = run(&api, move |hub| {
        let mut own: HashMap<String, bool> = HashMap::new();
        let hits = hub.sessions().search(query.q).ignore_case().run()?;
        let hits = hits.filter_map(Result::ok).filter(|hit| {
            let id = hit.session_id.as_str();
            *own.entry(id.to_owned())
                .or_insert_with(|| find(hub, id).is_ok())
        });
        Ok(hits.take(MOST_HITS).collect())
    })
    .await?;
    Ok(Json(hits))
}

pub(super) async fn usage(
    State(api): State<Arc<Api>>,
    query: Result<Query<UsageQuery>, QueryRejection>,
) -> Result<Json<BTreeMap<String, Usage>>, Refusal> {
    let Query(query) = query?;
    let all = usage_of_all(&api, query.days).await?;
    Ok(Json(match query.by.unwrap_or_default() {
        UsageBy::Day => all.days,
        UsageBy::Project => all.projects,
        UsageBy::Model => all.models,
    }))
}

/// What the sessions of all projects have used.
#[derive(Debug, Default)]
pub(crate) struct UsageOfAll {
    pub(crate) days: BTreeMap<String, Usage>,
    /// By the names of the projects.
    pub(crate) projects: BTreeMap<String, Usage>,
    pub(crate) models: BTreeMap<String, Usage>,
}

/// Counts the usage of all days, or of the newest ones. Each transcript is read once.
pub(crate) async fn usage_of_all(api: &Api, days: Option<u32>) -> Result<UsageOfAll, Refusal> {
    run(api, move |hub| {
        let mut all = UsageOfAll::default();
        for project in hub.projects() {
            let mut usage = hub.sessions().usage().project(&project.folder);
            if let Some(days) = days {
                usage = usage.days(days);
            }
            let report = usage.run()?;
            merge(&mut all.days, report.by_day);
            merge(&mut all.models, report.by_model);
            all.projects.insert(project.name.clone(), report.total);
        }
        Ok(all)
    })
    .await
}

/// Adds what other sessions have used.
fn merge(all: &mut BTreeMap<String, Usage>, more: BTreeMap<String, Usage>) {
    for (name, more) in more {
        let usage = all.entry(name).or_default();
        usage.all += more.all;
        usage.subagents += more.subagents;
        if let Some(cost) = more.cost {
            match &mut usage.cost {
                Some(before) => *before += cost,
                none => *none = Some(cost),
            }
        }
    }
}
