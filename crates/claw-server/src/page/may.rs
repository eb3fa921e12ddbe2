//! The operations that the person who sees a page may use. Each control of a page uses a route, and the table of routes
//! defines the role that the route needs.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::actor::Actor;
use crate::api::table::Roles;
use crate::api::{Api, Refusal};
use crate::role::Role;

/// The operations that a person may use. A page contains only the controls for these operations.
#[derive(Debug, Clone)]
pub(super) struct May {
    role: Role,
    roles: Arc<Roles>,
}

impl May {
    pub(super) fn new(role: Role, roles: &Arc<Roles>) -> Self {
        let roles = roles.clone();
        Self { role, roles }
    }

    /// Returns the role of the person.
    pub(super) fn role(&self) -> Role {
        self.role
    }

    /// Returns whether the person may use the operation with this name.
    pub(super) fn does(&self, operation: &str) -> bool {
        let least = self.roles.of(operation);
        least.is_some_and(|least| self.has(least))
    }

    /// Returns whether the person has at least this role.
    pub(super) fn has(&self, least: Role) -> bool {
        self.role >= least
    }

    /// Returns the names of all operations that the person may use, separated by spaces. The scripts of the page read
    /// them.
    pub(super) fn names(&self) -> String {
        let names = self.roles.names().filter(|name| self.does(name));
        names.collect::<Vec<_>>().join(" ")
    }

    /// Returns the roles that may use an operation, in words.
    pub(super) fn who(&self, operation: &str) -> String {
        let least = self.roles.of(operation).unwrap_or(Role::Own);
        let names = Role::ALL.into_iter().filter(|role| *role >= least);
        let names: Vec<_> = names.map(Role::name).collect();
        match &*names {
            [others @ .., own] if !others.is_empty() => format!("{} or {own}", others.join(", ")),
            names => names.join(""),
        }
    }
}

impl FromRequestParts<Arc<Api>> for May {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, api: &Arc<Api>) -> Result<Self, Refusal> {
        let actor = Actor::from_request_parts(parts, api).await?;
        Ok(Self::new(actor.role(), &api.roles))
    }
}
