//! The limits of users and projects. They limit how many sessions, processes and waiting prompts a user or project may
//! have at the same time, how many turns may begin within an hour, and how much a day or a month may cost.

use std::collections::BTreeMap;
use std::fmt;

use claw_types::Number;
use serde::{Deserialize, Serialize};

/// The limits of one user or of one project. `None` means that there is no such limit.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Quota {
    /// The maximum number of sessions that have a process at the same time. A prompt that would exceed this limit
    /// waits.
    pub processes: Option<u32>,
    /// The maximum number of live sessions. A new session that would exceed this limit closes the session that has been
    /// unused for the longest time. If all sessions are in use, the new session is refused.
    pub sessions: Option<u32>,
    /// The maximum number of prompts that are accepted within an hour. A prompt that would exceed this limit is
    /// refused. Each copy of a session (fork) counts as a prompt. The effective maximum is 10,000.
    pub turns_per_hour: Option<u32>,
    /// The maximum number of accepted prompts that no process has received yet. A prompt that would exceed this limit
    /// is refused.
    pub waiting: Option<u32>,
    /// The maximum cost per day in UTC, in US dollars. The costs come from the results of the CLI. When the limit is
    /// reached, further prompts are refused, and a running turn ends.
    pub cost_per_day: Option<f64>,
    /// The maximum cost per month in UTC, in US dollars. Reaching it has the same effects as reaching the limit per
    /// day.
    pub cost_per_month: Option<f64>,
}

impl Quota {
    /// Maximum number of turns whose times are stored for the limit per hour.
    const MOST_TURNS: u32 = 10_000;

    /// Returns the limit of this kind. Returns `None` if there is no such limit.
    pub(crate) fn limit(&self, kind: LimitKind) -> Option<f64> {
        let count = match kind {
            LimitKind::CostPerDay => return self.cost_per_day,
            LimitKind::CostPerMonth => return self.cost_per_month,
            LimitKind::Processes => self.processes,
            LimitKind::Sessions => self.sessions,
            LimitKind::TurnsPerHour => self.turns_per_hour.map(|most| most.min(Self::MOST_TURNS)),
            LimitKind::Waiting => self.waiting,
        };
        count.map(f64::from)
    }
}

/// The limits of the users and projects of a server. Set with [`ServerBuilder::quotas`](crate::ServerBuilder::quotas).
///
/// A user or project can have its own limits. All other users have the limits of [`other_users`](Self::other_users),
/// and all other projects those of [`other_projects`](Self::other_projects). A prompt is charged to the user who sends
/// it and to the project of its session. A prompt of the server's owner is charged only to the project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quotas {
    users: BTreeMap<String, Quota>,
    other_users: Option<Quota>,
    projects: BTreeMap<String, Quota>,
    other_projects: Option<Quota>,
}

impl Quotas {
    /// Creates a value without any limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits of the user with this name.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>, quota: Quota) -> Self {
        self.users.insert(name.into(), quota);
        self
    }

    /// Sets the limits of each user without own limits.
    #[must_use]
    pub fn other_users(mut self, quota: Quota) -> Self {
        self.other_users = Some(quota);
        self
    }

    /// Sets the limits of the project with this name.
    #[must_use]
    pub fn project(mut self, name: impl Into<String>, quota: Quota) -> Self {
        self.projects.insert(name.into(), quota);
        self
    }

    /// Sets the limits of each project without own limits.
    #[must_use]
    pub fn other_projects(mut self, quota: Quota) -> Self {
        self.other_projects = Some(quota);
        self
    }

    /// Returns the limits of a user or project. Returns `None` if there are none.
    pub(crate) fn of(&self, account: &Account) -> Option<&Quota> {
        match account {
            Account::User(name) => self.users.get(name).or(self.other_users.as_ref()),
            Account::Project(name) => self.projects.get(name).or(self.other_projects.as_ref()),
        }
    }

    /// Returns the names of the users who have own limits.
    pub(crate) fn users(&self) -> impl Iterator<Item = &str> {
        self.users.keys().map(String::as_str)
    }
}

/// A user or a project to which prompts and processes are charged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Account {
    /// The user with this name.
    User(String),
    /// The project with this name.
    Project(String),
}

impl Account {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::User(name) | Self::Project(name) => name,
        }
    }

    pub(crate) fn owner(&self) -> LimitOwner {
        match self {
            Self::User(_) => LimitOwner::User,
            Self::Project(_) => LimitOwner::Project,
        }
    }
}

/// Whether a limit is that of a user or of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum LimitOwner {
    /// The limit is that of a user.
    User,
    /// The limit is that of a project.
    Project,
}

/// The kind of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum LimitKind {
    /// The number of sessions with a process.
    Processes,
    /// The number of live sessions.
    Sessions,
    /// The number of prompts that were accepted within the last hour.
    TurnsPerHour,
    /// The number of accepted prompts that no process has received yet.
    Waiting,
    /// The cost in the current day of UTC, in US dollars.
    CostPerDay,
    /// The cost in the current month of UTC, in US dollars.
    CostPerMonth,
}

impl LimitKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 6] = [
        Self::Processes,
        Self::Sessions,
        Self::TurnsPerHour,
        Self::Waiting,
        Self::CostPerDay,
        Self::CostPerMonth,
    ];

    /// The kinds of limits for costs.
    pub(crate) const COSTS: [Self; 2] = [Self::CostPerDay, Self::CostPerMonth];
}

/// A limit of a user or project that is reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReachedLimit {
    /// The kind of the limit.
    pub kind: LimitKind,
    /// Whether the limit is that of a user or of a project.
    pub of: LimitOwner,
    /// The name of the user or project.
    pub name: String,
    /// The limit, in dollars for a cost, else a number of sessions, processes or prompts.
    pub value: f64,
    /// The time at which the limit is free again, in milliseconds since 1970. Null if no time frees it, but the end of a
    /// turn or of a session.
    pub free_at: Option<f64>,
}

impl ReachedLimit {
    pub(crate) fn new(
        account: &Account,
        kind: LimitKind,
        value: f64,
        free_at: Option<i64>,
    ) -> Self {
        Self {
            kind,
            of: account.owner(),
            name: account.name().to_owned(),
            value,
            free_at: free_at.map(|at| Number::from(at).as_f64()),
        }
    }

    /// Returns the time until the limit is free again, in whole seconds, but at least one second. Returns `None` if
    /// there is no such time. `now` is in milliseconds since 1970.
    pub(crate) fn seconds(&self, now: i64) -> Option<u64> {
        let left = (self.free_at? - Number::from(now).as_f64()) / 1000.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is positive, and saturates"
        )]
        Some(left.ceil().max(1.0) as u64)
    }
}

impl fmt::Display for ReachedLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.of {
            LimitOwner::User => "user",
            LimitOwner::Project => "project",
        };
        let (name, value) = (&self.name, self.value);
        write!(f, "a limit of the {of} {name} is reached: ")?;
        match self.kind {
            LimitKind::Processes => write!(
                f,
                "{value} sessions with a process at once; it is free again when one of their turns ends"
            ),
            LimitKind::Sessions => write!(
                f,
                "{value} live sessions, all of which are in use; it is free again when one is closed, or unused"
            ),
            LimitKind::TurnsPerHour => write!(
                f,
                "{value} turns within an hour; it is free again one hour after the oldest of them"
            ),
            LimitKind::Waiting => write!(
                f,
                "{value} waiting prompts; it is free again when one of them gets a process, or is taken back"
            ),
            LimitKind::CostPerDay => {
                write!(f, "${value} a day; it is free again at midnight (UTC)")
            }
            LimitKind::CostPerMonth => write!(
                f,
                "${value} a month; it is free again on the first day of the next month (UTC)"
            ),
        }
    }
}
