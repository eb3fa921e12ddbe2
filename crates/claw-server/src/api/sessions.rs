//! The routes of live sessions.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::NoContent;
use claw_types::message::Priority;
use claw_types::{MessageUuid, SessionId};
use claw_view::Element;
use serde_json::Value;

use super::extract::ViewerName;
use super::fork::fork_at;
use super::response::{Accepted, Created, Written};
use super::table::SessionIn;
use super::{
    Api, CliInfo, DeleteQuery, Fork, Health, HealthStatus, NewSession, ProjectInfo, Refusal, Sent,
    SessionView, StoppedTask, disk,
};
use crate::actor::Actor;
use crate::audit::Act;
use crate::conversation::{Answer, Answered, Conversation, Decision};
use crate::hub::{LiveSession, NewPrompt, OpenOptions};
use crate::object::Object;
use crate::role::Role;

impl OpenOptions {
    /// Creates the options with which a session is opened for this sender.
    pub(crate) fn of_user(actor: &Actor) -> Self {
        Self {
            user: actor.payer(),
            ..Self::default()
        }
    }
}

impl Sent {
    pub(crate) fn of(live: &LiveSession, uuid: &MessageUuid) -> Self {
        Self {
            uuid: uuid.as_str().to_owned(),
            session: live.id().as_str().to_owned(),
        }
    }
}

impl SessionView {
    pub(crate) fn of(live: &LiveSession) -> Self {
        live.read(|conversation| Self {
            id: live.id().as_str().to_owned(),
            project: live.project().to_owned(),
            state: conversation.state().clone(),
            requests: conversation.requests().cloned().collect(),
            tasks: conversation.tasks().cloned().collect(),
            last_event: format!("{}-{}", conversation.epoch(), conversation.newest()),
        })
    }
}

pub(crate) async fn health() -> Json<Health> {
    Json(Health {
        status: HealthStatus::Ok,
    })
}

pub(crate) async fn ready(State(api): State<Arc<Api>>) -> Result<Json<Health>, Refusal> {
    api.hub.ready().await?;
    api.hub.has_room().await?;
    super::cli::is_usable(&api).await?;
    Ok(health().await)
}

pub(crate) async fn cli(State(api): State<Arc<Api>>) -> Json<CliInfo> {
    Json(api.cli.check().await)
}

pub(crate) async fn projects(State(api): State<Arc<Api>>, actor: Actor) -> Json<Vec<ProjectInfo>> {
    let sight = actor.sight(api.hub.projects());
    let info = |project: &crate::Project| ProjectInfo {
        name: project.name.clone(),
        folder: project.folder.display().to_string(),
        mode: project.mode.clone(),
        model: project.model.clone(),
    };
    let projects = api.hub.projects().iter();
    let seen = projects.filter(|project| sight.has(&project.name));
    Json(seen.map(info).collect())
}

/// The session that the body of `POST /api/sessions` resumes or forks.
pub(crate) const OPENED: SessionIn = SessionIn::Body {
    find: |body| {
        let resumed = body.get("resume").and_then(Value::as_str);
        let forked = || body.get("fork")?.get("session")?.as_str();
        resumed.or_else(forked).map(str::to_owned)
    },
    example: r#"{"resume": "{id}"}"#,
};

pub(crate) async fn open(
    State(api): State<Arc<Api>>,
    actor: Actor,
    act: Act,
    Object(new): Object<NewSession>,
) -> Result<Created<SessionView>, Refusal> {
    act.body(&new);
    let continued = new.fork.as_ref().map(|of| &of.session);
    if let Some(id) = continued.or(new.resume.as_ref()) {
        // The audit log records the project of the session, even if the request names another project.
        act.in_session(id);
    } else if let Some(project) = &new.project {
        act.in_project(project);
    }
    if new.mode.is_some() {
        actor.check(WITH_MODE)?;
    }
    let sight = actor.sight(api.hub.projects());
    if let Some(project) = &new.project {
        sight.check(project)?;
    }
    let forked = new.fork.as_ref().map(|of| &of.session);
    for id in new.resume.iter().chain(forked) {
        sight.check_session(&api.hub, id).await?;
    }
    let mut how = OpenOptions {
        model: new.model,
        mode: new.mode,
        effort: new.effort,
        title: new.title,
        config_dir: new.config_dir.clone().map(Into::into),
        user: actor.payer(),
        ..OpenOptions::default()
    };
    if new.config_dir.is_some() && (new.resume.is_some() || new.fork.is_some()) {
        return Err(Refusal::bad(
            "`configDir` is for new conversations: it needs `project` alone",
        ));
    }
    if new.worktree.is_some() && (new.resume.is_some() || new.fork.is_some()) {
        return Err(Refusal::bad(
            "`worktree` is for new conversations: it needs `project` alone",
        ));
    }
    let live = match (new.project, new.resume, new.fork) {
        (None, None, Some(of)) => {
            let fork = Fork {
                up_to: of.up_to,
                before: of.before,
                through: of.through,
                title: how.title.clone(),
            };
            act.record().await?;
            fork_at(&api, of.session, fork, how).await?
        }
        (_, Some(id), None) => {
            act.record().await?;
            api.hub.resume(&id, how).await?
        }
        (Some(project), None, None) => {
            if let Some(worktree) = new.worktree {
                let planned = api.hub.plan_worktree(&project, worktree.name.as_deref());
                how.worktree = Some(planned.await?);
            }
            let id = SessionId::from(MessageUuid::random().as_str());
            act.in_session(id.as_str());
            how.id = Some(id);
            act.record().await?;
            api.hub.begin(&project, how).await?
        }
        _ => {
            return Err(Refusal::bad(
                "one of `project`, `resume` and `fork` is needed",
            ));
        }
    };
    Ok(Created(SessionView::of(&live)))
}

pub(crate) async fn view(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<Json<SessionView>, Refusal> {
    Ok(Json(SessionView::of(&api.hub.open(&id).await?)))
}

pub(crate) async fn elements(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<Written<Vec<Element>>, Refusal> {
    // The slot is acquired before the session is read. So only a few sessions are read at once.
    let slot = api.elements.acquire().await?;
    let live = api.hub.open(&id).await?;
    let all = slot.run(move |_| {
        let moment = live.read(Conversation::moment);
        Written::of(moment.elements.iter().map(|it| (**it).clone()).collect())
    });
    Ok(all.await)
}

/// A request to begin a session needs this role if it sets the permission mode. Such a mode may allow actions that otherwise
/// need a person's answer.
const WITH_MODE: Role = Role::Own;
/// A prompt needs this role if it interrupts the running turn.
const URGENT: Role = Role::Answer;
/// The role that [`Decision::AllowAlways`] needs.
const ALWAYS: Role = Role::Own;

/// The parts of operations that need another role than the rest of the operation. A page has the control of such a part only
/// for people with this role. The form of a name is `OPERATION.PART`.
pub(crate) const PARTS: [(&str, Role); 3] = [
    ("openSession.mode", WITH_MODE),
    ("sendPrompt.now", URGENT),
    ("answerRequest.always", ALWAYS),
];

/// Checks that the sender may send this prompt. A prompt that interrupts the running turn needs the role [`URGENT`].
pub(crate) fn may_send(actor: &Actor, prompt: &NewPrompt) -> Result<(), Refusal> {
    let is_urgent = prompt.priority == Some(Priority::Now);
    actor.check(if is_urgent { URGENT } else { Role::Prompt })
}

/// Checks that the sender may send this answer. An answer that changes a settings file needs the role [`ALWAYS`].
pub(crate) fn may_answer(actor: &Actor, answer: &Answer) -> Result<(), Refusal> {
    let is_setting = answer.decision == Decision::AllowAlways;
    actor.check(if is_setting { ALWAYS } else { Role::Answer })
}

/// Sets the description of the act to the text of a prompt, with the number of attachments before it.
pub(crate) fn prompted(act: &Act, prompt: &NewPrompt) {
    act.what(
        || match (prompt.images.len() + prompt.documents.len(), &prompt.text) {
            (0, text) => text.clone(),
            (1, text) => format!("[1 attachment] {text}"),
            (attachments, text) => format!("[{attachments} attachments] {text}"),
        },
    );
}

/// Describes the answer to a request in the audit entry of this act. The description has the decision, the request, and
/// what the answer adds to them. It leaves out the values of a form, because they may be secrets.
pub(crate) fn answered(act: &Act, live: &LiveSession, request: &str, answer: &Answer) {
    act.in_live(live);
    act.what(|| {
        let asked = live.read(|conversation| {
            let mut requests = conversation.requests();
            let asked = requests.find(|asked| asked.id == request)?;
            // The title contains only the beginning of a command. The input contains the whole command.
            Some(match &asked.tool {
                Some(_) => format!("{} {}", asked.title, asked.input.as_raw()),
                None => asked.title.clone(),
            })
        });
        let asked = asked.unwrap_or_else(|| "a request that does not wait".to_owned());
        let mut added = answer.clone();
        added.content = None;
        let mut added = serde_json::to_value(&added).unwrap_or_default();
        let decision = added["decision"].take();
        let decision = decision.as_str().unwrap_or_default();
        if let Some(added) = added.as_object_mut() {
            added.remove("decision");
        }
        match added.as_object() {
            Some(none) if none.is_empty() => format!("{decision}: {asked}"),
            _ => format!("{decision} {added}: {asked}"),
        }
    });
}

pub(crate) async fn prompt(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    actor: Actor,
    act: Act,
    Object(prompt): Object<NewPrompt>,
) -> Result<Accepted<Sent>, Refusal> {
    prompted(&act, &prompt);
    may_send(&actor, &prompt)?;
    let live = api.hub.open_as(&id, OpenOptions::of_user(&actor)).await?;
    act.in_live(&live);
    act.record().await?;
    let (uuid, is_new) = live.prompt_of(actor.payer(), prompt).await?;
    let what = Sent::of(&live, &uuid);
    Ok(Accepted { is_new, what })
}

pub(crate) async fn interrupt(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
) -> Result<NoContent, Refusal> {
    let live = api.hub.open(&id).await?;
    act.in_live(&live);
    act.record().await?;
    live.interrupt().await?;
    Ok(NoContent)
}

pub(crate) async fn stop_task(
    State(api): State<Arc<Api>>,
    Path((id, task)): Path<(String, String)>,
    act: Act,
) -> Result<Json<StoppedTask>, Refusal> {
    act.what(|| task.clone());
    let live = api.hub.open(&id).await?;
    act.in_live(&live);
    act.record().await?;
    let stopped = live.stop_task(&task).await?;
    Ok(Json(StoppedTask { stopped }))
}

pub(crate) async fn answer(
    State(api): State<Arc<Api>>,
    Path((id, request)): Path<(String, String)>,
    name: ViewerName,
    actor: Actor,
    act: Act,
    Object(answer): Object<Answer>,
) -> Result<Json<Answered>, Refusal> {
    let live = api.hub.open(&id).await?;
    answered(&act, &live, &request, &answer);
    may_answer(&actor, &answer)?;
    act.record().await?;
    let mut answered = live.answer(&request, &answer, &name.to_others())?;
    answered.by = name.to_itself();
    Ok(Json(answered))
}

pub(crate) async fn close(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
) -> Result<NoContent, Refusal> {
    act.record().await?;
    let live = api.hub.live_of(&SessionId::from(&*id));
    let home = live.map_or_else(|| api.hub.sessions().clone(), |live| live.home().clone());
    api.hub.close(&id)?;
    // The session may be on disk and not yet in the index. Without the refresh, lists would not contain it for a
    // moment.
    disk::run(&api, move |hub| {
        if let Ok(session) = home.find(&id) {
            hub.refresh(&session);
        }
        Ok(())
    })
    .await?;
    Ok(NoContent)
}

pub(crate) async fn delete(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
    query: Result<Query<DeleteQuery>, QueryRejection>,
) -> Result<NoContent, Refusal> {
    let Query(query) = query?;
    act.body(&query);
    act.record().await?;
    api.hub.delete(&id, query.end.unwrap_or_default()).await?;
    Ok(NoContent)
}
