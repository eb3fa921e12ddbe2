//! Who sends a request, and what that person or program may do.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::api::Refusal;
use crate::role::Role;
use crate::users::{User, Users};

/// Who sends a request. The guard adds it to the extensions of a request that it has checked.
#[derive(Debug, Clone)]
pub(crate) enum Actor {
    /// The one person of the server, or a program with the server's token.
    Owner,
    /// One of the users.
    User(Arc<User>, Users),
}

impl Actor {
    pub(crate) fn role(&self) -> Role {
        match self {
            Self::Owner => Role::Own,
            Self::User(user, _) => user.role,
        }
    }

    /// The entry of the user. `None` for the owner.
    pub(crate) fn user(&self) -> Option<&Arc<User>> {
        match self {
            Self::Owner => None,
            Self::User(user, _) => Some(user),
        }
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
            Self::User(user, users) => Some((user, users)),
        }
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

fn unchecked() -> Refusal {
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
