//! The routes for the choices in a project: models, permission modes, commands and files.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use claw_client::files::{self, Bounds, FileMatches};
use serde::{Deserialize, Serialize};

use super::{Api, Refusal};
use crate::choices::Choices;

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

pub(crate) async fn read(
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
    let slot = api.files.acquire().await?;
    let search = slot.run(move |is_cancelled| {
        let mut bounds = Bounds::default();
        bounds.end = is_cancelled.clone();
        files::search(&folder, &query.q, &bounds)
    });
    Ok(Json(search.await))
}
