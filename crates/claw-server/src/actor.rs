//! Who sends a request, and what that person or program may do.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use claw_types::SessionId;

use crate::Project;
use crate::api::Refusal;
use crate::hub::{Hub, HubError};
use crate::role::Role;
use crate::users::{User, Users};

/// Who sends a request. The guard adds it to the extensions of a request that it has checked.
#[derive(Debug, Clone)]
pub(crate) enum Actor {
    /// The one person of the server, or a program with the server's token.
    Owner,
    /// One of the users.
    User {
        user: Arc<User>,
        users: Users,
        /// The role in which the user acts: that of the entry, or a lower one that the user has on the host that forwards
        /// the request.
        role: Role,
    },
}

impl Actor {
    pub(crate) fn of_user(user: Arc<User>, users: Users) -> Self {
        let role = user.role;
        Self::User { user, users, role }
    }

    pub(crate) fn role(&self) -> Role {
        match self {
            Self::Owner => Role::Own,
            Self::User { role, .. } => *role,
        }
    }

    /// The entry of the user. `None` for the owner.
    pub(crate) fn user(&self) -> Option<&Arc<User>> {
        match self {
            Self::Owner => None,
            Self::User { user, .. } => Some(user),
        }
    }

    /// The name of the user, to whom prompts are charged. `None` for the owner.
    pub(crate) fn payer(&self) -> Option<Arc<str>> {
        self.user().map(|user| Arc::from(&*user.name))
    }

    /// Whether the sender has this role.
    pub(crate) fn check(&self, least: Role) -> Result<(), Refusal> {
        if self.role() >= least {
            return Ok(());
        }
        let text = format!(
            "your role is `{}`, and this needs the role `{least}`",
            self.role()
        );
        Err(Refusal::new(StatusCode::FORBIDDEN, "role", text))
    }

    /// What the sender sees of these projects.
    pub(crate) fn sight(&self, projects: &[Project]) -> Sight {
        match self.user().filter(|user| user.projects.is_some()) {
            None => Sight::All,
            Some(user) => {
                let seen = projects.iter().filter(|project| user.sees(project));
                Sight::Only(seen.map(|project| project.name.clone()).collect())
            }
        }
    }

    /// Waits until the user was removed or changed. Never completes for the owner.
    pub(crate) fn gone(&self) -> impl Future<Output = ()> + Send + use<> {
        let gone = self.user_and_users().map(|(user, users)| users.gone(user));
        async move {
            match gone {
                Some(gone) => gone.await,
                None => std::future::pending().await,
            }
        }
    }

    fn user_and_users(&self) -> Option<(&Arc<User>, &Users)> {
        match self {
            Self::Owner => None,
            Self::User { user, users, .. } => Some((user, users)),
        }
    }
}

/// The projects that a sender sees, with their sessions.
#[derive(Debug, Clone)]
pub(crate) enum Sight {
    /// All projects of the server.
    All,
    /// The projects of these names.
    Only(HashSet<String>),
}

impl Sight {
    pub(crate) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether the project of this name is seen.
    pub(crate) fn has(&self, project: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(project),
        }
    }

    /// Checks that the project of this name is seen. One that is not seen does not differ from one that does not exist.
    pub(crate) fn check(&self, project: &str) -> Result<(), HubError> {
        self.has(project).then_some(()).ok_or(HubError::NoProject)
    }

    /// Checks that a session is seen. One that is not seen does not differ from one that does not exist.
    pub(crate) async fn check_session(&self, hub: &Hub, id: &str) -> Result<(), HubError> {
        if self.is_all() {
            return Ok(());
        }
        // An error may name a folder, so it counts as no session.
        let projects = hub.projects_of(&SessionId::from(id)).await;
        let projects = projects.map_err(|error| {
            tracing::warn!(session.id = id, %error, "the project of a session is not known");
            HubError::NoSession
        })?;
        let is_seen = !projects.is_empty() && projects.iter().all(|name| self.has(name));
        is_seen.then_some(()).ok_or(HubError::NoSession)
    }
}

/// What decides whether a sender sees what the requests of a route are about.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) hub: Hub,
    /// Whether the route is about the whole server.
    pub(crate) of_server: bool,
}

/// Refuses requests about sessions and projects that the sender does not see: those that the path names. The handlers of
/// other routes check it themselves.
pub(crate) async fn is_seen(State(seen): State<Seen>, request: Request, next: Next) -> Response {
    match seen.check(request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

impl Seen {
    async fn check(&self, request: Request) -> Result<Request, Refusal> {
        let actor = request.extensions().get::<Actor>();
        let sight = actor.ok_or_else(unchecked)?.sight(self.hub.projects());
        if sight.is_all() {
            return Ok(request);
        }
        if self.of_server {
            let text = "this is about the whole server, and you see only some of its projects";
            return Err(Refusal::new(StatusCode::FORBIDDEN, "role", text));
        }
        let (mut parts, body) = request.into_parts();
        let path = Path::<Vec<(String, String)>>::from_request_parts(&mut parts, &()).await;
        let Path(parameters) = path.map_err(|_| Refusal::not_found())?;
        for (name, value) in parameters {
            match &*name {
                "id" => sight.check_session(&self.hub, &value).await?,
                "project" => sight.check(&value)?,
                _ => {}
            }
        }
        Ok(Request::from_parts(parts, body))
    }
}

/// The sender as an argument of a handler. A request that the guard has not checked has none.
impl<S: Sync> FromRequestParts<S> for Actor {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let actor = parts.extensions.get::<Self>().cloned();
        actor.ok_or_else(unchecked)
    }
}

/// Refuses a request that the guard has not checked.
pub(crate) fn unchecked() -> Refusal {
    let text = "it is not known who sends the request";
    Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", text)
}

/// Refuses requests of senders who do not have the role of the route.
pub(crate) async fn has_role(State(least): State<Role>, request: Request, next: Next) -> Response {
    let actor = request.extensions().get::<Actor>();
    match actor.ok_or_else(unchecked).and_then(|it| it.check(least)) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}
