//! The routes for prompts that were sent: reading a prompt, cancelling a waiting one, and restoring files to their
//! contents before a prompt.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::NoContent;
use claw_types::MessageUuid;
use claw_view::element;
use serde::{Deserialize, Serialize};

use super::{Api, Refusal, Refused, disk};
use crate::audit::Act;
use crate::conversation::{Conversation, PromptParts};
use crate::file_history;
use crate::hub::{Document, HubError, Image, LiveSession, detached};
use crate::object::{self, Object};

/// A prompt of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptView {
    /// The text of the prompt.
    pub text: String,
    /// The images of the prompt, in the form in which they can be sent again.
    pub images: Vec<Image>,
    /// The documents of the prompt, in the form in which they can be sent again.
    pub documents: Vec<Document>,
    /// The number of images and documents of the prompt, including those that cannot be sent again, such as a file
    /// that the API stores.
    pub attachments: usize,
}

impl PromptView {
    fn of(prompt: PromptParts<'_>) -> Self {
        let PromptParts {
            text,
            images,
            documents,
        } = prompt;
        Self {
            text,
            attachments: images.len() + documents.len(),
            images: images.into_iter().filter_map(image).collect(),
            documents: documents.into_iter().filter_map(document).collect(),
        }
    }
}

fn image(shown: &element::Image) -> Option<Image> {
    Some(Image {
        media_type: shown.media.media_type.clone()?,
        data: shown.media.data.clone()?,
    })
}

fn document(shown: &element::Document) -> Option<Document> {
    let media = &shown.media;
    let data = match media.media_type.as_deref()? {
        "text/plain" => &media.text,
        "application/pdf" => &media.data,
        _ => return None,
    };
    Some(Document {
        media_type: media.media_type.clone()?,
        data: data.clone()?,
        title: shown.title.clone(),
    })
}

/// The body of `POST /api/sessions/{id}/rewind`: a request to restore files to an earlier state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Rewind {
    /// The UUID of a prompt. The files get the contents that they had before this prompt.
    pub prompt: String,
    /// The changes that the client expects, from the response to an earlier request without this field. If the changes
    /// would be different now, no file is changed. If this field is absent, the changes are only listed.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "object::maybe"
    )]
    pub expect: Option<FileChanges>,
}

/// Changes to files, which restore their earlier contents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct FileChanges {
    /// The paths of the changed files. A path is relative to the project's folder, or absolute for a file outside of
    /// that folder.
    pub files: Vec<String>,
    /// The number of lines that are inserted.
    pub insertions: u64,
    /// The number of lines that are deleted.
    pub deletions: u64,
}

/// The outcome of a request to restore files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Rewound {
    /// The reason why the files cannot be restored, such as that the CLI's backups are on another host. Null if they can
    /// be restored.
    pub reason: Option<String>,
    /// The changes that were made. If `done` is `false`, these are the changes that the same request with the field
    /// `expect` would make.
    pub changes: FileChanges,
    /// Whether the changes were made.
    pub done: bool,
}

impl Rewound {
    fn refused(reason: Option<String>) -> Self {
        Self {
            reason: Some(reason.unwrap_or_else(|| "the files cannot be restored".to_owned())),
            ..Self::default()
        }
    }
}

/// Returns the reason why this host cannot restore the files, if backups are missing on its disk. Returns `None` if no backup
/// is missing.
async fn missing(
    api: &Arc<Api>,
    live: &LiveSession,
    prompt: &MessageUuid,
) -> Result<Option<String>, Refusal> {
    let (id, home, prompt) = (live.id(), live.home().clone(), prompt.clone());
    let stored = api.hub.checkout(&id).await?;
    let stored = stored.map(|(_, checkout)| checkout);
    let missing = disk::run(api, move |_| {
        let session = match &stored {
            Some(checkout) => checkout.session().clone(),
            None => match home.find(id.as_str()) {
                Ok(session) => session,
                // Without a transcript there are no backups, so none is missing.
                Err(error) if error.is_not_found() => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            },
        };
        let history = home.projects().with_file_name("file-history");
        Ok(file_history::missing(&session, &prompt, &history)?)
    });
    let missing = missing.await?;
    if missing.is_empty() {
        return Ok(None);
    }
    let (count, named) = (missing.len(), missing.into_iter().take(3));
    let named = named.collect::<Vec<_>>().join(", ");
    let files = if count == 1 { "file" } else { "files" };
    let more = if count > 3 { " and more" } else { "" };
    Ok(Some(format!(
        "Claude Code's copies of {count} {files} as they were then are not on this host: {named}{more}"
    )))
}

pub(crate) async fn prompt(
    State(api): State<Arc<Api>>,
    Path((id, prompt)): Path<(String, String)>,
) -> Result<Json<PromptView>, Refusal> {
    let live = api.hub.open(&id).await?;
    let found = live.read(|conversation| conversation.prompt_parts(&prompt).map(PromptView::of));
    found.map(Json).ok_or_else(Refusal::not_found)
}

pub(crate) async fn cancel(
    State(api): State<Arc<Api>>,
    Path((id, prompt)): Path<(String, String)>,
    act: Act,
) -> Result<NoContent, Refusal> {
    act.what(|| prompt.clone());
    let live = api.hub.open(&id).await?;
    act.in_live(&live);
    act.record().await?;
    let prompt = MessageUuid::from(&*prompt);
    if live.take_back(&prompt).await? || live.dismiss(&prompt).await {
        return Ok(NoContent);
    }
    if !live.read(|conversation| conversation.is_known(&prompt)) {
        return Err(Refusal::not_found());
    }
    let text = "the prompt does not wait any more: Claude has taken it already";
    Err(Refusal::new(StatusCode::CONFLICT, "taken", text))
}

/// Records that the CLI has refused a request, and returns the outcome.
async fn not_rewound(act: &Act, reason: Option<String>) -> Rewound {
    let outcome = Rewound::refused(reason);
    let refused = Refused {
        kind: "failed".to_owned(),
        message: outcome.reason.clone().unwrap_or_default(),
    };
    act.refused(&refused).await;
    outcome
}

pub(crate) async fn rewind(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
    Object(request): Object<Rewind>,
) -> Result<Json<Rewound>, Refusal> {
    act.body(&request);
    let live = api.hub.open(&id).await?;
    act.in_live(&live);
    let folder = api.hub.project(live.project())?.folder.clone();
    if live.read(Conversation::has_turn) {
        let text = "a turn is running, which may change files: wait for its end, or stop it";
        return Err(Refusal::new(StatusCode::CONFLICT, "running", text));
    }
    let prompt = MessageUuid::from(&*request.prompt);
    let found = live.rewind(&prompt, true).await?;
    if !found.can_rewind {
        let reason = found.error;
        return Ok(Json(Rewound::refused(reason)));
    }
    if let Some(reason) = missing(&api, &live, &prompt).await? {
        return Ok(Json(Rewound::refused(Some(reason))));
    }
    let name = |file: String| match std::path::Path::new(&file).strip_prefix(&folder) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => file,
    };
    let files = found.files_changed.unwrap_or_default();
    let mut changes = FileChanges {
        files: files.into_iter().map(name).collect(),
        insertions: found.insertions.map_or(0, Into::into),
        deletions: found.deletions.map_or(0, Into::into),
    };
    changes.files.sort();
    let done = match request.expect {
        None => false,
        Some(expected) if expected == changes => {
            let held = api.hub.hold(&live)?;
            act.record().await?;
            // A separate task restores the files, so it completes even if the client closes its connection. It owns `held`,
            // so new prompts wait until it has completed.
            let restored = detached::run(async move {
                let restored = live.rewind(&prompt, false).await;
                drop(held);
                restored
            });
            match restored.await? {
                Ok(made) if made.can_rewind => true,
                Ok(refused) => return Ok(Json(not_rewound(&act, refused.error).await)),
                Err(HubError::Claude(error)) if error.is_refused() => {
                    let reason = error.refused().map(|refused| refused.error.clone());
                    return Ok(Json(not_rewound(&act, reason).await));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Some(_) => {
            let text = "the changes are others than those that were listed: look at them again";
            return Err(Refusal::new(StatusCode::CONFLICT, "changed", text));
        }
    };
    Ok(Json(Rewound {
        reason: None,
        changes,
        done,
    }))
}
