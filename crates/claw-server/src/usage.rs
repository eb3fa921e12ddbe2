//! Reports of what the sessions on disk have used.

use std::collections::BTreeMap;
use std::sync::Arc;

use claw_sessions::{PageQuery, Prices, Usage, UsageCache, UsageReport, Zone, on_pool};
use tokio::sync::{Mutex, Semaphore};

use crate::hub::{Hub, HubError};

/// How many reports are made or wait at once. One more is refused.
const MOST_WAITING: usize = 32;

/// The days that a report counts, in UTC.
#[derive(Debug, Clone, Default)]
pub(crate) struct Days {
    /// The first day, such as `2026-11-22`.
    pub(crate) since: Option<String>,
    /// The last day.
    pub(crate) until: Option<String>,
    /// The number of days up to today, in place of the first day.
    pub(crate) newest: Option<u32>,
}

/// What the sessions of a server have used.
#[derive(Debug)]
pub(crate) struct ProjectUsage {
    pub(crate) report: UsageReport,
    /// By the names of the server's projects.
    pub(crate) by_project: BTreeMap<String, Usage>,
    /// The titles of the sessions in the report, by their IDs.
    pub(crate) titles: BTreeMap<String, String>,
}

/// Makes reports, one at a time. It keeps the answers that it has read, so that the next report reads only the
/// transcripts that have changed.
#[derive(Debug)]
pub(crate) struct UsageReports {
    cache: Arc<Mutex<UsageCache>>,
    places: Semaphore,
}

impl UsageReports {
    pub(crate) fn new(prices: &Prices) -> Self {
        Self {
            cache: Arc::new(Mutex::new(UsageCache::new(prices.clone(), Zone::default()))),
            places: Semaphore::new(MOST_WAITING),
        }
    }

    /// Counts what the sessions of the server's projects have used, on a thread for blocking calls.
    ///
    /// # Errors
    ///
    /// [`HubError::Busy`] if too many reports wait, [`HubError::BadRequest`] if a day is none of the calendar, and
    /// [`HubError::Index`] and [`HubError::Disk`].
    ///
    /// # Cancel safety
    ///
    /// A report that has begun is made to its end.
    pub(crate) async fn report(&self, hub: &Hub, days: Days) -> Result<ProjectUsage, HubError> {
        let busy = |_| HubError::Busy("too many reports of the usage are being made");
        let _place = self.places.try_acquire().map_err(busy)?;
        let mut cache = self.cache.clone().lock_owned().await;
        let hub = hub.clone();
        on_pool::run(move || read(&hub, &mut cache, days)).await
    }
}

fn read(hub: &Hub, cache: &mut UsageCache, days: Days) -> Result<ProjectUsage, HubError> {
    // The index has the sessions of the server's projects, and no others.
    let known = hub.index()?.page(&PageQuery::new()).sessions;
    let sessions = known.iter().map(|known| known.session.clone());
    let mut usage = hub.sessions().usage().of(sessions.collect());
    if let Some(day) = days.since {
        usage = usage.since(day);
    }
    if let Some(day) = days.until {
        usage = usage.until(day);
    }
    if let Some(newest) = days.newest {
        usage = usage.days(newest);
    }
    let report = usage.run_cached(cache).map_err(|error| match error {
        claw_sessions::Error::InvalidDay { .. } => HubError::BadRequest(error.to_string()),
        error => error.into(),
    })?;
    for error in &report.problems {
        tracing::warn!(%error, "a report of the usage leaves out what cannot be read");
    }
    let mut by_project: BTreeMap<_, Usage> = hub
        .projects()
        .iter()
        .map(|project| (project.name.clone(), Usage::default()))
        .collect();
    let mut titles = BTreeMap::new();
    for known in known {
        let id = known.info.session_id.as_str();
        if let (Some(usage), Some(project)) = (report.by_session.get(id), &known.project) {
            *by_project.entry(project.clone()).or_default() += *usage;
            titles.insert(id.to_owned(), known.info.summary.clone());
        }
    }
    Ok(ProjectUsage {
        report,
        by_project,
        titles,
    })
}
