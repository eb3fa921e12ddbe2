//! The routes of what can be chosen in a project: models, modes, commands, files.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use claw_client::files::{self, Bounds, FileMatches};
use claw_sessions::on_pool;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::{Api, Refusal};
use crate::choices::Choices;

/// How many searches for files run at once. Others wait, each for half a second at most for one before it.
static SEARCHES: Semaphore = Semaphore::const_new(2);

/// The query parameters of a search for files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FilesQuery {
    /// A part of the file's name, or some of its letters in their order, ignoring case. Absent means all files.
    #[serde(default)]
    pub q: String,
}

pub(crate) async fn choices(
    State(api): State<Arc<Api>>,
    Path(project): Path<String>,
) -> Result<Json<Choices>, Refusal> {
    let project = api.hub.project(&project)?;
    Ok(Json(api.hub.learned(&project.name).read(project)))
}

pub(crate) async fn files(
    State(api): State<Arc<Api>>,
    Path(project): Path<String>,
    query: Result<Query<FilesQuery>, QueryRejection>,
) -> Result<Json<FileMatches>, Refusal> {
    let Query(query) = query?;
    let folder = api.hub.project(&project)?.folder.clone();
    // Held until the search is over, also if nobody waits for it any more.
    let permit = SEARCHES.acquire().await;
    let search = move || {
        let _permit = permit;
        files::search(&folder, &query.q, Bounds::default())
    };
    Ok(Json(on_pool::run(search).await))
}
