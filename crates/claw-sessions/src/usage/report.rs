//! The usage of many sessions.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::answers::{Answers, How, Key, Keys, by};
use super::{Prices, SessionUsage, Usage, UsageCache, UsageSource, Zone};
use crate::{Error, Session, Sessions};

/// A builder for a usage report. Made by [`Sessions::usage`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `run`"]
pub struct UsageOfMany<'a> {
    sessions: &'a Sessions,
    project: Option<PathBuf>,
    /// The sessions to count, instead of those of a project or of all projects.
    named: Option<Vec<UsageSource>>,
    how: How<'a>,
    days: Option<u32>,
    end: Arc<AtomicBool>,
}

/// The usage of several sessions. Made by [`UsageOfMany::run`].
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageReport {
    /// The number of sessions that have answers in this report.
    pub sessions: u64,
    /// The usage of all counted sessions together.
    pub total: Usage,
    /// The usage of each model. The keys are the names that the API gives to the models.
    pub by_model: BTreeMap<String, Usage>,
    /// The usage of each day. The keys are dates such as `2026-11-22`, or [`UNDATED`](super::UNDATED).
    pub by_day: BTreeMap<String, Usage>,
    /// The usage of each week. The keys are weeks as ISO 8601 counts them, such as `2026-W48`, or
    /// [`UNDATED`](super::UNDATED).
    pub by_week: BTreeMap<String, Usage>,
    /// The usage of each month. The keys are months such as `2026-11`, or [`UNDATED`](super::UNDATED).
    pub by_month: BTreeMap<String, Usage>,
    /// The usage of each project. The keys are the directories in which sessions began. If no line of a session names
    /// its directory, the key is the name of the folder that contains the transcript.
    pub by_project: BTreeMap<String, Usage>,
    /// The usage of each session. The keys are the IDs of the sessions. An answer that forks have copied is counted
    /// for only one session.
    pub by_session: BTreeMap<String, Usage>,
    /// The usage of each configuration folder. The keys are the paths of the folders. A session that is not on disk is
    /// not included.
    pub by_config_dir: BTreeMap<String, Usage>,
    /// The models that the table has no prices for. Their answers are counted, but are not included in the estimates.
    /// Empty if no prices were given.
    pub unpriced_models: BTreeSet<String>,
    /// Files, folders and lines that could not be read. They are not counted.
    #[serde(skip)]
    pub problems: Vec<Error>,
}

impl Sessions {
    /// Counts the usage of sessions. By default, the sessions of all projects are counted; [`UsageOfMany::project`]
    /// selects one project.
    pub fn usage(&self) -> UsageOfMany<'_> {
        UsageOfMany {
            sessions: self,
            project: None,
            named: None,
            how: How::default(),
            days: None,
            end: Arc::default(),
        }
    }
}

impl<'a> UsageOfMany<'a> {
    /// Sets the directory whose sessions are counted.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Sets the sessions that are counted. Pass the most recently changed session first. After this call,
    /// [`project`](Self::project) has no effect.
    pub fn of<S: Into<UsageSource>>(mut self, sessions: impl IntoIterator<Item = S>) -> Self {
        self.named = Some(sessions.into_iter().map(S::into).collect());
        self
    }

    /// Sets the offset of local time from UTC in minutes, which decides where days begin. The default is zero.
    pub fn utc_offset(mut self, minutes: i32) -> Self {
        self.how.zone = Zone::fixed(minutes);
        self
    }

    /// Sets the time zone, which decides where days begin. The default is UTC.
    pub fn zone(mut self, zone: Zone) -> Self {
        self.how.zone = zone;
        self
    }

    /// Sets the prices at which costs are estimated. By default nothing is estimated.
    pub fn prices(mut self, prices: &'a Prices) -> Self {
        self.how.prices = Some(prices);
        self
    }

    /// Sets the first day that is counted, such as `2026-11-22`. Answers without a date are then left out.
    pub fn since(mut self, day: impl Into<String>) -> Self {
        self.how.days.since = Some(day.into());
        self
    }

    /// Sets the last day that is counted, such as `2026-11-22`. Answers without a date are then left out.
    pub fn until(mut self, day: impl Into<String>) -> Self {
        self.how.days.until = Some(day.into());
        self
    }

    /// Sets the number of days to count, of which today is the last. By default all days are counted. If a number is
    /// set, answers without a date are left out, and [`since`](Self::since) is ignored.
    pub fn days(mut self, days: u32) -> Self {
        self.days = Some(days);
        self
    }

    /// Ends the report once this flag is true. The flag is read before each session. That session and the sessions
    /// after it are then not counted.
    pub fn end_when(mut self, flag: Arc<AtomicBool>) -> Self {
        self.end = flag;
        self
    }

    /// Reads all transcripts, one line at a time. The call holds the answers of one session in memory, and 16 bytes for
    /// each answer of other sessions.
    ///
    /// Each answer of the API is counted once, even if forks have copies of it. It is counted for the session from
    /// which it was copied, if the copy names that session and the session exists. Otherwise, it is counted for the
    /// session that was changed first.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::InvalidDay`] if the first or the last day is not a valid date, and with [`Error::Io`] if the
    /// folder that contains all projects exists but cannot be read. Other files, folders and lines that cannot be read
    /// are [problems](UsageReport::problems) of the report.
    pub fn run(self) -> Result<UsageReport, Error> {
        self.count(None)
    }

    /// Makes the report as [`run`](Self::run) does, but reads only the transcripts that have changed since the last
    /// report with this cache. The report uses the prices and the zone of the cache.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`run`](Self::run).
    pub fn run_cached(self, cache: &mut UsageCache) -> Result<UsageReport, Error> {
        let prices = cache.prices.clone();
        let mut of: UsageOfMany<'_> = self;
        of.how.prices = Some(&prices);
        of.how.zone = cache.zone.clone();
        let end = of.end.clone();
        let report = of.count(Some(cache));
        // A report that was ended early has not seen all existing sessions, so it removes none from
        // the cache.
        if !end.load(Ordering::Relaxed) {
            cache.end_report();
        }
        report
    }

    fn count(mut self, cache: Option<&mut UsageCache>) -> Result<UsageReport, Error> {
        if let Some(days) = self.days {
            self.how.days.since = Some(self.how.zone.first_day(days));
        }
        self.how.days.check()?;
        let (sessions, problems) = if let Some(sessions) = self.named {
            (sessions, Vec::new())
        } else {
            let found = self.sessions.scope(self.project.as_deref())?;
            let sessions = found.sessions.into_iter().map(UsageSource::from);
            (sessions.collect(), found.problems)
        };
        let mut sum = Sum {
            how: self.how,
            problems,
            cache,
            ..Sum::default()
        };
        let mut forks = Vec::new();
        // The oldest session is counted first, because a fork that the CLI made is newer and does not name its origin.
        let end = self.end;
        let is_running = |_: &UsageSource| !end.load(Ordering::Relaxed);
        for session in sessions.into_iter().rev().take_while(is_running) {
            if sum.own(&session) {
                forks.push(session);
            }
        }
        // This loop counts copies whose originals do not exist any more.
        for session in forks.into_iter().take_while(is_running) {
            sum.copies(&session);
        }
        Ok(sum.report())
    }
}

#[derive(Default)]
struct Sum<'a> {
    keys: Keys,
    how: How<'a>,
    cache: Option<&'a mut UsageCache>,
    counted: HashSet<Key>,
    sessions: HashSet<PathBuf>,
    total: Usage,
    by_model: BTreeMap<String, Usage>,
    by_day: BTreeMap<String, Usage>,
    by_week: BTreeMap<String, Usage>,
    by_month: BTreeMap<String, Usage>,
    by_project: BTreeMap<String, Usage>,
    by_session: BTreeMap<String, Usage>,
    by_config_dir: BTreeMap<String, Usage>,
    unpriced_models: BTreeSet<String>,
    problems: Vec<Error>,
}

impl Sum<'_> {
    /// Counts a session's own answers. Returns whether the session also contains copies.
    fn own(&mut self, session: &UsageSource) -> bool {
        let Some((answers, problems)) = self.read(session) else {
            return false;
        };
        self.problems.extend(problems);
        let mut is_fork = false;
        let mut new = HashSet::new();
        for (key, is_copy) in answers.keys() {
            is_fork |= is_copy;
            if !is_copy && self.counted.insert(key) {
                new.insert(key);
            }
        }
        let usage = answers.sum(&session.id, &self.how.days, |key| new.contains(key));
        self.add(session, usage);
        is_fork
    }

    /// Counts the answers that a fork has copied from another session, unless they were already counted there.
    fn copies(&mut self, session: &UsageSource) {
        // Errors were already reported when the session's own answers were counted.
        let Some((answers, _)) = self.read(session) else {
            return;
        };
        let keys = answers.keys();
        let new: HashSet<_> = keys
            .filter(|(key, is_copy)| *is_copy && self.counted.insert(*key))
            .map(|(key, _)| key)
            .collect();
        let usage = answers.sum_of_copies(&session.id, &self.how.days, |key| new.contains(key));
        self.add(session, usage);
    }

    fn read(&mut self, source: &UsageSource) -> Option<(Arc<Answers>, Vec<Error>)> {
        let on_disk = source.on_disk.as_ref();
        let on_disk = on_disk.and_then(|session| self.read_disk(session));
        let Some(elsewhere) = &source.elsewhere else {
            return on_disk;
        };
        Some(match on_disk {
            Some((answers, problems)) => (Arc::new(elsewhere.answers.merged(&answers)), problems),
            None => (elsewhere.answers.clone(), Vec::new()),
        })
    }

    fn read_disk(&mut self, session: &Session) -> Option<(Arc<Answers>, Vec<Error>)> {
        let read = match &mut self.cache {
            Some(cache) => cache.read(session, &self.how),
            None => Answers::read(session, &self.keys, &self.how)
                .map(|(answers, problems)| (Arc::new(answers), problems)),
        };
        match read {
            Ok(read) => Some(read),
            // The session was deleted after its name was read.
            Err(error) if error.is_not_found() => None,
            Err(error) => {
                self.problems.push(error);
                None
            }
        }
    }

    fn add(&mut self, source: &UsageSource, usage: SessionUsage) {
        if usage.total.all.answers == 0 && usage.total.cost.is_none() {
            return;
        }
        let id = source.id.as_str();
        let transcript = source.on_disk.as_ref().map(Session::transcript);
        let folder = source.elsewhere.as_ref().and_then(|it| it.folder.as_ref());
        let elsewhere = folder.map_or_else(|| PathBuf::from(id), |name| Path::new(name).join(id));
        let place = transcript.unwrap_or(&elsewhere);
        self.sessions.insert(place.to_owned());
        let project = usage.project.unwrap_or_else(|| {
            let folder = place.parent().and_then(Path::file_name);
            folder.unwrap_or_default().to_string_lossy().into_owned()
        });
        self.total += usage.total;
        self.unpriced_models.extend(usage.unpriced_models);
        *by(&mut self.by_session, id) += usage.total;
        *by(&mut self.by_project, &project) += usage.total;
        if let Some(session) = &source.on_disk {
            let config = session.config_dir().display().to_string();
            *by(&mut self.by_config_dir, &config) += usage.total;
        }
        for (sums, parts) in [
            (&mut self.by_model, &usage.by_model),
            (&mut self.by_day, &usage.by_day),
            (&mut self.by_week, &usage.by_week),
            (&mut self.by_month, &usage.by_month),
        ] {
            for (name, usage) in parts {
                *by(sums, name) += *usage;
            }
        }
    }

    fn report(self) -> UsageReport {
        UsageReport {
            sessions: self.sessions.len() as u64,
            total: self.total,
            by_model: self.by_model,
            by_day: self.by_day,
            by_week: self.by_week,
            by_month: self.by_month,
            by_project: self.by_project,
            by_session: self.by_session,
            by_config_dir: self.by_config_dir,
            unpriced_models: self.unpriced_models,
            problems: self.problems,
        }
    }
}
