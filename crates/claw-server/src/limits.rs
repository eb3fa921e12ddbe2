//! The usage limits of the login, according to the reports of sessions.

use std::sync::Arc;

use claw_types::message::{RateLimitInfo, RateLimitStatus, RateLimitType};
use claw_types::{Map, Number};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// The maximum number of stored windows. The CLI reports two to six.
const MOST: usize = 16;
/// The maximum length of a window's kind, in bytes.
const KIND: usize = 64;

/// The usage limits of the login with which the sessions of the server run, according to the newest report of a
/// session.
///
/// The CLI reports limits only for a subscription, and only with an answer of the API. So all fields are empty for an
/// API key. They are also empty until the API has answered a session for the first time. The last report is kept for
/// the next server, until its time windows are reset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoginLimits {
    /// The time of the newest report, in milliseconds since 1970. Null if no session has reported.
    pub seen: Option<f64>,
    /// Whether the API accepts requests. Null if no session has reported.
    pub status: Option<RateLimitStatus>,
    /// The limits, one for each window of time. A window that was reset after the report is left out.
    pub windows: Vec<LimitWindow>,
    /// Whether the newest request was charged in addition to the subscription's price.
    pub is_overage: bool,
}

/// The usage of one limit: the five-hour limit, the weekly limit, or the weekly limit of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LimitWindow {
    /// The kind of the limit: `five_hour`, `seven_day`, or another one that the CLI names.
    pub kind: RateLimitType,
    /// The used share of the limit, in percent. Null if the CLI did not report it.
    pub used: Option<f64>,
    /// The time at which the limit is reset, in milliseconds since 1970. Null if the CLI did not report it.
    pub resets: Option<f64>,
    /// Whether the API accepts requests under this limit. Null if the CLI did not report it.
    pub status: Option<RateLimitStatus>,
}

impl LoginLimits {
    /// Returns the report of an earlier server without the windows that have expired. Also leaves out windows without a
    /// reset time, because it is unknown when they expire.
    pub(crate) fn kept(mut self, now: f64) -> Self {
        let counts = |window: &LimitWindow| {
            window.kind.as_str().len() <= KIND && window.resets.is_some_and(|resets| resets > now)
        };
        self.windows.retain(counts);
        self.windows.truncate(MOST);
        if self.windows.is_empty() {
            return Self::default();
        }
        self
    }

    /// Returns the limits after a report that a session made at the time `now`, in milliseconds since 1970.
    fn reported(&self, info: &RateLimitInfo, now: f64) -> Self {
        let mut windows = match &info.unified_windows {
            Some(all) if !all.is_empty() => unified(all),
            // Older CLIs report only one window at a time, so the other known windows stay.
            _ => self.with_one(info),
        };
        windows.truncate(MOST);
        Self {
            seen: Some(now),
            status: Some(info.status.clone()),
            windows,
            is_overage: info.is_using_overage == Some(true),
        }
    }

    /// Returns the known windows, with the window of this report added or replaced.
    fn with_one(&self, info: &RateLimitInfo) -> Vec<LimitWindow> {
        let mut windows = self.windows.clone();
        if let Some(kind) = &info.rate_limit_type
            && kind.as_str().len() <= KIND
        {
            windows.retain(|window| window.kind != *kind);
            windows.push(LimitWindow {
                kind: kind.clone(),
                used: info.utilization.as_ref().map(percent),
                resets: info.resets_at.as_ref().map(millis),
                status: Some(info.status.clone()),
            });
            windows.sort_by_key(|window| place(&window.kind));
        }
        windows
    }

    /// Returns the limits at the time `now`, without the windows that were reset after the report.
    fn at(&self, now: f64) -> Self {
        let mut limits = self.clone();
        limits
            .windows
            .retain(|window| window.resets.is_none_or(|resets| resets > now));
        limits
    }
}

/// Reads the windows of a report that contains all windows. The shortest window is the first in the result.
fn unified(all: &Map<claw_types::message::RateLimitWindow>) -> Vec<LimitWindow> {
    let known = all.iter().filter(|(kind, _)| kind.len() <= KIND);
    let mut windows: Vec<_> = known
        .map(|(kind, window)| LimitWindow {
            kind: RateLimitType::from(kind),
            used: window.utilization.as_ref().map(percent),
            resets: window.resets_at.as_ref().map(millis),
            status: window.status.clone(),
        })
        .collect();
    windows.sort_by_key(|window| place(&window.kind));
    windows
}

/// Returns the position of a kind of window in the list. The shortest window is the first.
fn place(kind: &RateLimitType) -> usize {
    match kind.as_str() {
        "five_hour" => 0,
        "seven_day" => 1,
        _ => 2,
    }
}

/// Converts a share, such as 0.5, to percent. The result is clamped to the range from 0 to 1,000.
fn percent(share: &Number) -> f64 {
    (100.0 * share.as_f64()).clamp(0.0, 1000.0)
}

fn millis(seconds: &Number) -> f64 {
    1000.0 * seconds.as_f64()
}

/// The newest report of the limits. Each [`LimitsWatch`] receives it.
#[derive(Debug)]
pub(crate) struct ReportedLimits(watch::Sender<Arc<LoginLimits>>);

impl ReportedLimits {
    /// Creates a report from the limits that an earlier server has recorded.
    pub(crate) fn new(known: LoginLimits) -> Self {
        Self(watch::Sender::new(Arc::new(known)))
    }

    /// Records a report that a session made at the time `now`, in milliseconds since 1970.
    pub(crate) fn report(&self, info: &RateLimitInfo, now: i64) {
        let now = Number::from(now).as_f64();
        self.0
            .send_modify(|limits| *limits = Arc::new(limits.reported(info, now)));
    }

    /// Returns the limits at the time `now`, in milliseconds since 1970.
    pub(crate) fn at(&self, now: i64) -> LoginLimits {
        self.0.borrow().at(Number::from(now).as_f64())
    }

    /// Creates a watch for the newest report.
    pub(crate) fn watch(&self) -> LimitsWatch {
        let mut newest = self.0.subscribe();
        if newest.borrow().seen.is_some() {
            newest.mark_changed();
        }
        LimitsWatch(newest)
    }

    /// Creates a receiver of all later reports. The channel is closed when the server ends.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<LoginLimits>> {
        self.0.subscribe()
    }
}

/// Receives the newest report, and skips older reports that it has not received yet.
#[derive(Debug)]
pub(crate) struct LimitsWatch(watch::Receiver<Arc<LoginLimits>>);

impl LimitsWatch {
    /// Creates a watch that receives nothing.
    pub(crate) fn ended() -> Self {
        Self(watch::Sender::default().subscribe())
    }

    /// Waits for a report. The first call returns the newest report at once, if there is one. Never completes after the
    /// server has ended.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) -> Arc<LoginLimits> {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.0.borrow_and_update().clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn info(value: Value) -> RateLimitInfo {
        serde_json::from_value(value).unwrap()
    }

    fn used(limits: &LoginLimits) -> Vec<(&str, Option<f64>)> {
        let windows = limits.windows.iter();
        windows
            .map(|window| (window.kind.as_str(), window.used))
            .collect()
    }

    #[test]
    fn the_newest_report_counts_until_its_windows_are_reset() {
        let reported = ReportedLimits::new(LoginLimits::default());
        assert_eq!(reported.at(0), LoginLimits::default());
        let both = json!({"status": "allowed_warning", "isUsingOverage": true, "unifiedWindows": {
            "seven_day": {"utilization": 0.13, "resetsAt": 900, "status": "allowed"},
            "five_hour": {"utilization": 0.5, "resetsAt": 100, "status": "allowed_warning"}}});
        reported.report(&info(both), 1_000);
        let limits = reported.at(2_000);
        assert_eq!(
            used(&limits),
            [("five_hour", Some(50.0)), ("seven_day", Some(13.0))]
        );
        assert_eq!((limits.seen, limits.is_overage), (Some(1_000.0), true));
        assert_eq!(limits.status, Some(RateLimitStatus::AllowedWarning));
        // The five-hour window has expired.
        assert_eq!(used(&reported.at(100_000)), [("seven_day", Some(13.0))]);
    }

    #[test]
    fn an_older_cli_reports_one_window_and_the_others_stay() {
        let reported = ReportedLimits::new(LoginLimits::default());
        let one = |kind: &str, used: f64| json!({"status": "allowed", "rateLimitType": kind, "utilization": used});
        reported.report(&info(one("seven_day_opus", 0.25)), 1);
        reported.report(&info(one("five_hour", 0.5)), 2);
        reported.report(&info(one("seven_day_opus", 0.5)), 3);
        let expected = [("five_hour", Some(50.0)), ("seven_day_opus", Some(50.0))];
        assert_eq!(used(&reported.at(4)), expected);
        // A report without a window changes no window.
        reported.report(&info(json!({"status": "rejected"})), 5);
        assert_eq!(used(&reported.at(6)), expected);
        assert_eq!(reported.at(6).status, Some(RateLimitStatus::Rejected));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let reported = ReportedLimits::new(LoginLimits::default());
        let many: serde_json::Map<_, _> = (0..1000)
            .map(|n| {
                (
                    format!("{}{n}", "k".repeat(n)),
                    json!({"utilization": 1e300}),
                )
            })
            .collect();
        let all = json!({"status": "allowed", "unifiedWindows": many});
        reported.report(&info(all), 1);
        let limits = reported.at(1);
        assert_eq!(limits.windows.len(), MOST);
        let is_bounded = |window: &LimitWindow| {
            window.kind.as_str().len() <= KIND && window.used == Some(1000.0)
        };
        assert!(limits.windows.iter().all(is_bounded), "{limits:?}");
    }
}
