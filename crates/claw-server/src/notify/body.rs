//! The bodies of notices, in the forms that receivers expect.

use axum::http::uri::PathAndQuery;
use serde_json::{Value, json};

use super::http::Target;
use super::{Notice, NotifyError, NotifyFormat};
use crate::hub::OccasionKind;

/// Maximum length of a conversation's text in a notice, in characters.
pub(super) const LONGEST: usize = 2_000;
/// Maximum length of a title in a notice, in characters.
pub(crate) const LONGEST_TITLE: usize = 200;

/// The form of bodies.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Json,
    Ntfy { topic: String },
    Slack,
    Telegram { chat: String },
}

impl Form {
    /// Returns the form of the bodies for a target. Removes the parts that belong into the body from the target's
    /// address.
    pub(super) fn new(format: NotifyFormat, target: &mut Target) -> Result<Self, NotifyError> {
        Ok(match format {
            NotifyFormat::Json => Self::Json,
            NotifyFormat::Slack => Self::Slack,
            NotifyFormat::Ntfy => {
                // ntfy accepts JSON only at the root of the server. The JSON contains the topic. JSON is used because
                // headers cannot contain all characters.
                let path = target.path.path().trim_end_matches('/');
                let (above, topic) = path.rsplit_once('/').ok_or(NotifyError::Topic)?;
                if topic.is_empty() {
                    return Err(NotifyError::Topic);
                }
                let topic = topic.to_owned();
                target.path = path_of(&format!("{above}/"))?;
                Self::Ntfy { topic }
            }
            NotifyFormat::Telegram => {
                let query = target.path.query().unwrap_or_default();
                let mut parts = query.split('&');
                let chat = parts.find_map(|part| part.strip_prefix("chat_id="));
                let chat = chat.filter(|chat| !chat.is_empty());
                let chat = chat.ok_or(NotifyError::Chat)?.replace("%40", "@");
                target.path = path_of(target.path.path())?;
                Self::Telegram { chat }
            }
        })
    }

    pub(super) fn body(&self, notice: &Notice) -> String {
        let body = match self {
            Self::Json => json!({
                "kind": notice.kind, "session": notice.session, "project": notice.project,
                "title": notice.title, "time": notice.time, "link": notice.link, "content": notice.content,
            }),
            Self::Ntfy { topic } => {
                let mut body =
                    json!({"topic": topic, "title": heading(notice), "message": message(notice)});
                if let Some(link) = &notice.link {
                    body["click"] = json!(link);
                }
                if notice.kind != FINISHED {
                    body["priority"] = json!(4);
                }
                body
            }
            Self::Slack => {
                // The text is escaped, so that Slack finds no markup and no mention of a person in it.
                let text = format!("{}\n{}", heading(notice), message(notice));
                let text = text.replace('&', "&amp;").replace('<', "&lt;");
                let text = with_link(text.replace('>', "&gt;"), notice);
                json!({"text": text, "unfurl_links": false, "unfurl_media": false})
            }
            Self::Telegram { chat } => {
                let text = format!("{}\n{}", heading(notice), message(notice));
                // Without `parse_mode`, Telegram shows the text literally.
                json!({"chat_id": chat, "text": with_link(text, notice),
                    "link_preview_options": {"is_disabled": true}})
            }
        };
        Value::to_string(&body)
    }
}

const REQUEST: &str = "request";
const FINISHED: &str = "finished";
const FAILED: &str = "failed";

/// Returns the kind of an occasion. If `has_text` is `true`, also returns its text.
pub(crate) fn content(kind: OccasionKind, has_text: bool) -> (&'static str, Option<String>) {
    let (kind, text) = match kind {
        OccasionKind::Request(request) => (REQUEST, Some(request.title)),
        OccasionKind::Finished(text) => (FINISHED, text),
        OccasionKind::Failed(error) => (FAILED, error),
    };
    let text = text.filter(|_| has_text);
    (kind, text.map(|text| shortened(&text, LONGEST)))
}

/// Shortens a text to `most` characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a short sentence about the occasion.
fn heading(notice: &Notice) -> String {
    let what = match notice.kind {
        REQUEST => "Claude asks",
        FAILED => "Claude has failed",
        _ => "Claude is done",
    };
    format!("{what}: {}", notice.project)
}

fn message(notice: &Notice) -> String {
    let parts = [&notice.title, &notice.content];
    let parts: Vec<_> = parts.into_iter().flatten().map(|part| &**part).collect();
    if parts.is_empty() {
        return format!("Session {}", notice.session);
    }
    parts.join("\n")
}

fn with_link(text: String, notice: &Notice) -> String {
    match &notice.link {
        Some(link) => format!("{text}\n{link}"),
        None => text,
    }
}

fn path_of(text: &str) -> Result<PathAndQuery, NotifyError> {
    text.parse().map_err(|_| NotifyError::Address)
}
