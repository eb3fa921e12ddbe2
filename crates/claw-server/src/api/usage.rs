//! The routes for usage limits, tokens and costs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use claw_sessions::{Usage, usage_csv};

use super::response::{Table, TableForm};
use super::{Api, ConfigDirQuery, Refusal, UsageBy, UsageFormat, UsageQuery};
use crate::LoginLimits;
use crate::actor::Actor;
use crate::usage::{Days, ProjectUsage};

pub(crate) async fn limits(
    State(api): State<Arc<Api>>,
    query: Result<Query<ConfigDirQuery>, QueryRejection>,
) -> Result<Json<LoginLimits>, Refusal> {
    let Query(query) = query?;
    let config_dir = query.config_dir.as_deref().map(Path::new);
    let limits = api.hub.activity().limits(config_dir);
    limits.map(Json).ok_or_else(Refusal::unknown_config_dir)
}

pub(crate) async fn usage(
    State(api): State<Arc<Api>>,
    actor: Actor,
    headers: HeaderMap,
    query: Result<Query<UsageQuery>, QueryRejection>,
) -> Result<Table<BTreeMap<String, Usage>>, Refusal> {
    let Query(query) = query?;
    let is_csv = match query.format {
        Some(format) => format == UsageFormat::Csv,
        None => accepts_csv(&headers),
    };
    let by = query.by.unwrap_or_default();
    let days = Days {
        since: query.since,
        until: query.until,
        newest: query.days,
    };
    let sight = actor.sight(api.hub.projects());
    let mut report = api.usage.report(&api.hub, days, sight).await?;
    let missing = report.missing.take();
    let rows = rows(report, by);
    let form = if is_csv {
        TableForm::Csv(usage_csv(by.name(), &rows))
    } else {
        TableForm::Json(rows)
    };
    Ok(Table { form, missing })
}

fn rows(usage: ProjectUsage, by: UsageBy) -> BTreeMap<String, Usage> {
    let report = usage.report;
    match by {
        UsageBy::Day => report.by_day,
        UsageBy::Week => report.by_week,
        UsageBy::Month => report.by_month,
        UsageBy::Project => usage.by_project,
        UsageBy::Model => report.by_model,
        UsageBy::Session => report.by_session,
        UsageBy::ConfigDir => report.by_config_dir,
    }
}

impl UsageBy {
    /// Returns the name of the column by which rows are grouped.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Project => "project",
            Self::Model => "model",
            Self::Session => "session",
            Self::ConfigDir => "configDir",
        }
    }
}

/// Returns whether the header `Accept` names CSV before JSON.
fn accepts_csv(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    let mut kinds = accept.unwrap_or_default().split(',');
    let kind = kinds.find_map(
        |kind| match kind.split(';').next().unwrap_or_default().trim() {
            "text/csv" => Some(true),
            "application/json" | "*/*" => Some(false),
            _ => None,
        },
    );
    kind.unwrap_or_default()
}
