//! `GET /api/quotas`: the limits of users and projects, and how much of each limit is used.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use claw_types::Number;

use super::{Api, LimitUse, QuotaUse};
use crate::actor::Actor;
use crate::hub::{Hub, now};
use crate::quota::{Account, LimitKind};
use crate::quota_book::QuotaBook;

pub(crate) async fn quotas(State(api): State<Arc<Api>>, actor: Actor) -> Json<Vec<QuotaUse>> {
    Json(uses(&api.hub, &actor))
}

/// Returns the limits that a sender may see, and how much of each limit is used.
pub(crate) fn uses(hub: &Hub, actor: &Actor) -> Vec<QuotaUse> {
    let Some(book) = hub.quotas() else {
        return Vec::new();
    };
    let sight = actor.sight(hub.projects());
    let users = match actor.user() {
        Some(user) => vec![user.name.clone()],
        None => book.users(),
    };
    let projects = hub.projects().iter().map(|project| &project.name);
    let projects = projects.filter(|name| sight.has(name)).cloned();
    let accounts = users.into_iter().map(Account::User);
    let accounts = accounts.chain(projects.map(Account::Project));
    let all = accounts.filter_map(|account| QuotaUse::of(hub, book, &account));
    all.collect()
}

impl QuotaUse {
    /// Returns how much of each limit a user or project has used. Returns `None` if there are no limits.
    fn of(hub: &Hub, book: &QuotaBook, account: &Account) -> Option<Self> {
        let now = now();
        let limits = LimitKind::ALL.into_iter().filter_map(|kind| {
            let value = book.limit(account, kind)?;
            let (used, free_at) = match kind {
                LimitKind::Sessions => (hub.sessions_of(account), None),
                _ => book.used(account, kind, now),
            };
            Some(LimitUse {
                kind,
                value,
                used,
                free_at: free_at.map(|at| Number::from(at).as_f64()),
            })
        });
        let limits: Vec<_> = limits.collect();
        (!limits.is_empty()).then(|| Self {
            of: account.owner(),
            name: account.name().to_owned(),
            limits,
        })
    }
}
