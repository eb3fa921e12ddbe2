//! Reports about the usage of the sessions on disk and in the store.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use claw_sessions::{PageQuery, Prices, Usage, UsageCache, UsageReport, UsageSource, Zone};
use claw_types::SessionId;
use tokio::sync::Mutex;

use crate::actor::Sight;
use crate::hub::{Hub, HubError};
use crate::queries::QueryLimiter;
use crate::stored_usage::{StoredAnswers, StoredUsage};

/// The days in UTC whose usage a report contains.
#[derive(Debug, Clone, Default)]
pub(crate) struct Days {
    /// The first day, such as `2026-11-22`.
    pub(crate) since: Option<String>,
    /// The last day.
    pub(crate) until: Option<String>,
    /// The number of days of the report. The last day is today. If it is set, `since` is ignored.
    pub(crate) newest: Option<u32>,
}

/// The usage of a server's sessions.
#[derive(Debug)]
pub(crate) struct ProjectUsage {
    pub(crate) report: UsageReport,
    /// The usage of each project. The keys are the names of the projects.
    pub(crate) by_project: BTreeMap<String, Usage>,
    /// The titles of the sessions in the report. The keys are the IDs of the sessions.
    pub(crate) titles: BTreeMap<String, String>,
    /// A sentence about what is not counted. `None` if everything is counted.
    pub(crate) missing: Option<String>,
}

/// Creates reports, one at a time. Caches the read answers of the model, so that the next report reads only the
/// transcripts that have changed.
#[derive(Debug)]
pub(crate) struct UsageReports {
    kept: Arc<Mutex<KeptAnswers>>,
    limiter: QueryLimiter,
}

#[derive(Debug)]
struct KeptAnswers {
    on_disk: UsageCache,
    stored: StoredAnswers,
}

impl UsageReports {
    pub(crate) fn new(prices: &Prices) -> Self {
        let kept = KeptAnswers {
            on_disk: UsageCache::new(prices.clone(), Zone::default()),
            stored: StoredAnswers::default(),
        };
        Self {
            kept: Arc::new(Mutex::new(kept)),
            limiter: QueryLimiter::default(),
        }
    }

    /// Counts the usage of the sessions in the projects that the sender of the request may see. Includes sessions in
    /// the store. A session that is both on disk and in the store is counted once. The work runs on a thread for
    /// blocking calls.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::Busy`] if too many reports wait, with [`HubError::BadRequest`] if a day is not a valid
    /// date, and with [`HubError::Index`] or [`HubError::Disk`] if the sessions cannot be read.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the report ends before the next session. The answers that were read remain in the
    /// cache.
    pub(crate) async fn report(
        &self,
        hub: &Hub,
        days: Days,
        sight: Sight,
    ) -> Result<ProjectUsage, HubError> {
        let slot = self.limiter.acquire().await?;
        let mut kept = self.kept.clone().lock_owned().await;
        let KeptAnswers { on_disk, stored } = &mut *kept;
        let stored = stored.read(hub, on_disk).await;
        let hub = hub.clone();
        let report = slot.run(move |is_cancelled| {
            read(&hub, &mut kept.on_disk, days, stored, &sight, is_cancelled)
        });
        report.await
    }
}

/// A session that the report counts.
struct Counted {
    modified: i64,
    id: SessionId,
    project: Option<String>,
    title: Option<String>,
    source: UsageSource,
}

/// Returns the sessions on disk and in the store, newest first. A session that is in both places is in the list once.
fn all(hub: &Hub, stored: StoredUsage) -> Result<Vec<Counted>, HubError> {
    // The index contains only sessions of the server's projects, so their projects are not checked here.
    let known = hub.index()?.page(&PageQuery::new()).sessions;
    let mut on_disk: HashMap<_, Vec<_>> = HashMap::new();
    for known in known {
        let id = known.info.session_id.clone();
        on_disk.entry(id).or_default().push(known);
    }
    let mut all = Vec::new();
    for stored in stored.sessions {
        let id = SessionId::from(stored.listed.session.session());
        let mut source = UsageSource::from(stored.answers);
        if let Some(known) = on_disk.get_mut(&id).and_then(Vec::pop) {
            source = source.and_on_disk(known.session.clone());
        }
        all.push(Counted {
            modified: stored.listed.modified,
            id,
            project: Some(stored.project),
            title: stored.listed.info.map(|info| info.summary),
            source,
        });
    }
    let alone = on_disk.into_values().flatten();
    all.extend(alone.map(|known| Counted {
        modified: known.info.last_modified.as_i64().unwrap_or_default(),
        id: known.info.session_id.clone(),
        project: known.project.clone(),
        title: Some(known.info.summary.clone()),
        source: known.session.clone().into(),
    }));
    all.sort_by_key(|counted| std::cmp::Reverse(counted.modified));
    Ok(all)
}

/// Returns a sentence about what a report does not count. Returns `None` if everything is counted.
fn missing(not_counted: usize, is_part: bool, problems: usize) -> Option<String> {
    let of = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts = [
        of(
            not_counted,
            "session of the store is not counted",
            "sessions of the store are not counted",
        ),
        is_part.then(|| "the list of the store's sessions may lack some".to_owned()),
        of(
            problems,
            "file or line of this host's disk cannot be read",
            "files and lines of this host's disk cannot be read",
        ),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn read(
    hub: &Hub,
    cache: &mut UsageCache,
    days: Days,
    stored: StoredUsage,
    sight: &Sight,
    is_cancelled: &Arc<AtomicBool>,
) -> Result<ProjectUsage, HubError> {
    let (not_counted, is_part) = (stored.not_counted, stored.is_part);
    let mut all = all(hub, stored)?;
    if !sight.is_all() {
        all.retain(|counted| {
            let project = counted.project.as_ref();
            project.is_some_and(|project| sight.has(project))
        });
    }
    let mut usage = hub.sessions().usage().end_when(is_cancelled.clone());
    usage = usage.of(all.iter().map(|counted| counted.source.clone()));
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
        .filter(|project| sight.has(&project.name))
        .map(|project| (project.name.clone(), Usage::default()))
        .collect();
    let mut titles = BTreeMap::new();
    let mut seen = HashSet::new();
    for counted in all {
        let id = counted.id.as_str();
        // Two configuration folders may contain a session with this ID. The report already contains the sum of both.
        if !seen.insert(counted.id.clone()) {
            continue;
        }
        if let (Some(usage), Some(project)) = (report.by_session.get(id), counted.project) {
            *by_project.entry(project).or_default() += *usage;
            let title = counted.title.filter(|title| !title.is_empty());
            titles.extend(title.map(|title| (id.to_owned(), title)));
        }
    }
    Ok(ProjectUsage {
        missing: if sight.is_all() {
            missing(not_counted, is_part, report.problems.len())
        } else {
            // The user has no access to some projects. The counts of unreadable sessions and files would include those of
            // these projects, so the text has no counts.
            let is_whole = not_counted == 0 && !is_part && report.problems.is_empty();
            (!is_whole).then(|| "some sessions may not be counted".to_owned())
        },
        report,
        by_project,
        titles,
    })
}
