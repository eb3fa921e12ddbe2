//! The route that forks a session: it copies the whole conversation, or a part of it.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Path, State};
use claw_sessions::on_pool;
use claw_types::SessionId;

use super::disk::{find, project_of, run};
use super::response::Created;
use super::{Api, Fork, Refusal, SessionView};
use crate::actor::Actor;
use crate::audit::Act;
use crate::hub::{Cut, CutAt, LiveSession, OpenOptions, cut, detached};
use crate::object::Object;

/// Copies a session, and returns the ID of the copy.
async fn forked(api: &Api, id: String, how: Fork) -> Result<String, Refusal> {
    let (of, up_to) = (SessionId::from(&*id), how.up_to.as_deref());
    if let Some(fork) = api.hub.fork_stored(&of, up_to, how.title.clone()).await? {
        return Ok(fork.as_str().to_owned());
    }
    run(api, move |hub| {
        let session = find(hub, &id)?;
        let mut fork = session.fork();
        if let Some(message) = how.up_to {
            fork = fork.up_to(message.as_str());
        }
        if let Some(title) = how.title {
            fork = fork.title(title);
        }
        let fork = fork.run()?;
        hub.refresh(&fork);
        Ok(fork.id().as_str().to_owned())
    })
    .await
}

/// Returns the name of the project to which the copy of a session will belong.
async fn project_name(api: &Api, id: &str) -> Result<String, Refusal> {
    if let Some(project) = api.hub.stored_project(&SessionId::from(id)).await? {
        return Ok(project.name.clone());
    }
    let id = id.to_owned();
    run(api, move |hub| {
        let session = find(hub, &id)?;
        Ok(project_of(hub, &session)?.name.clone())
    })
    .await
}

/// Copies a session and opens the copy. The copy is counted before it is made. If a limit is reached, nothing is copied. If
/// the copy cannot be made or opened, it is not counted, and does not stay.
async fn forked_and_opened(
    api: Arc<Api>,
    of: String,
    fork: Fork,
    how: OpenOptions,
) -> Result<LiveSession, Refusal> {
    let project = project_name(&api, &of).await?;
    let counted = api.hub.count_copy(how.user.clone(), &project)?;
    let id = forked(&api, of, fork).await?;
    match api.hub.open_as(&id, how).await {
        Ok(live) => {
            if let Some(counted) = counted {
                counted.keep();
            }
            Ok(live)
        }
        Err(error) => {
            if let Err(error) = api.hub.delete(&id, false).await {
                tracing::warn!(session.id = id, %error, "a copy that cannot be opened stays");
            }
            Err(error.into())
        }
    }
}

pub(crate) async fn fork(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    actor: Actor,
    act: Act,
    Object(how): Object<Fork>,
) -> Result<Created<SessionView>, Refusal> {
    act.body(&how);
    act.record().await?;
    let live = fork_at(&api, id, how, OpenOptions::of_user(&actor)).await?;
    Ok(Created(SessionView::of(&live)))
}

/// Copies a session, or its beginning up to a place in the conversation. Then opens the copy.
pub(crate) async fn fork_at(
    api: &Arc<Api>,
    of: String,
    mut fork: Fork,
    how: OpenOptions,
) -> Result<LiveSession, Refusal> {
    let at = match (
        fork.up_to.is_some(),
        fork.before.take(),
        fork.through.take(),
    ) {
        (_, None, None) => None,
        (false, Some(prompt), None) => Some(CutAt::Before(prompt)),
        (false, None, Some(prompt)) => Some(CutAt::Through(prompt)),
        _ => {
            let text = "`upTo`, `before` and `through` exclude one another";
            return Err(Refusal::bad(text));
        }
    };
    if let Some(at) = at {
        match cut_of(api, &of, at).await? {
            (_, Cut::All) => {}
            (_, Cut::UpTo(message)) => fork.up_to = Some(message),
            ((project, config_dir), Cut::Nothing) => {
                let title = fork.title;
                let how = OpenOptions {
                    title,
                    config_dir,
                    ..how
                };
                return Ok(api.hub.begin(&project, how).await?);
            }
        }
    }
    // If the client closes its connection, the copy must still be counted and opened, or removed.
    let opened = detached::run(forked_and_opened(api.clone(), of, fork, how));
    opened.await?
}

/// The name of a session's project, and the session's configuration folder. A session of the store has no configuration
/// folder.
type Home = (String, Option<PathBuf>);

/// Finds the message at which a copy of a session must end. Also returns the project and the configuration folder for a new
/// session, because an empty copy becomes a new session.
async fn cut_of(api: &Api, of: &str, at: CutAt) -> Result<(Home, Cut), Refusal> {
    if let Some((project, checkout)) = api.hub.checkout(&SessionId::from(of)).await? {
        let name = project.name.clone();
        let found = on_pool::run(move || cut::find(checkout.session(), &at)).await;
        return Ok(((name, None), found?));
    }
    let of = of.to_owned();
    run(api, move |hub| {
        let session = find(hub, &of)?;
        let project = project_of(hub, &session)?.name.clone();
        // Without a store, the fork is written to the same configuration folder as the session that it is a copy of.
        let is_of_disk = hub.stored_sessions().is_none();
        let config_dir = is_of_disk.then(|| session.config_dir().to_owned());
        Ok(((project, config_dir), cut::find(&session, &at)?))
    })
    .await
}
