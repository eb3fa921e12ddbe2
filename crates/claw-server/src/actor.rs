//! The sender of a request, and the rights of the sender.

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

/// The sender of a request. The guard adds this value to the extensions of each request that it has checked.
#[derive(Debug, Clone)]
pub(crate) enum Actor {
    /// The owner of the server: the only person on a server without users, or a program with the server's token.
    Owner,
    /// One of the users.
    User {
        user: Arc<User>,
        users: Users,
        /// The role in which the user acts. This is the role of the user's entry. If another host has forwarded the
        /// request, it is the lower of the user's roles on the two hosts.
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

    /// Returns the user's entry. Returns `None` for the owner.
    pub(crate) fn user(&self) -> Option<&Arc<User>> {
        match self {
            Self::Owner => None,
            Self::User { user, .. } => Some(user),
        }
    }

    /// Returns the name of the user to whom prompts are charged. Returns `None` for the owner.
    pub(crate) fn payer(&self) -> Option<Arc<str>> {
        self.user().map(|user| Arc::from(&*user.name))
    }

    /// Checks that the sender has at least this role.
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

    /// Returns which of these projects the sender may see.
    pub(crate) fn sight(&self, projects: &[Project]) -> Sight {
        match self.user().filter(|user| user.projects.is_some()) {
            None => Sight::All,
            Some(user) => {
                let seen = projects.iter().filter(|project| user.sees(project));
                Sight::Only(seen.map(|project| project.name.clone()).collect())
            }
        }
    }

    /// Completes when the user is removed from the file of users, or when the user's entry there changes. Never completes
    /// for the owner, who has no entry.
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

/// The projects that a sender may see. A sender who may see a project may see all its sessions.
#[derive(Debug, Clone)]
pub(crate) enum Sight {
    /// All projects of the server.
    All,
    /// The projects with these names.
    Only(HashSet<String>),
}

impl Sight {
    pub(crate) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Returns whether the sender may see the project with this name.
    pub(crate) fn has(&self, project: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(project),
        }
    }

    /// Checks that the sender may see the project with this name. The error is the same for a hidden project and for a
    /// project that does not exist.
    pub(crate) fn check(&self, project: &str) -> Result<(), HubError> {
        self.has(project).then_some(()).ok_or(HubError::NoProject)
    }

    /// Checks that the sender may see a session. The error is the same for a hidden session and for a session that does
    /// not exist.
    pub(crate) async fn check_session(&self, hub: &Hub, id: &str) -> Result<(), HubError> {
        if self.is_all() {
            return Ok(());
        }
        // The error may name a folder that the sender must not see. So the sender only gets the error that there is no such
        // session.
        let projects = hub.projects_of(&SessionId::from(id)).await;
        let projects = projects.map_err(|error| {
            tracing::warn!(session.id = id, %error, "the project of a session is not known");
            HubError::NoSession
        })?;
        let is_seen = !projects.is_empty() && projects.iter().all(|name| self.has(name));
        is_seen.then_some(()).ok_or(HubError::NoSession)
    }
}

/// The state of the middleware [`is_seen`] for one route.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) hub: Hub,
    /// Whether the route is about the whole server, and not about one session or project.
    pub(crate) of_server: bool,
}

/// Refuses a request if its path names a session or project that the sender may not see. If another part of a request names a
/// session or project, the route's handler checks that name.
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

/// The sender as an argument of a handler. The request is refused if the guard has not checked it.
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
