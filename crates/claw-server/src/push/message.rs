//! The contents of a notification.

use serde::Serialize;
use serde_json::Value;

use crate::conversation::{Pending, RequestKind};
use crate::hub::{Occasion, OccasionKind};
use crate::notify::body::{self, LONGEST_TITLE, shortened};

/// Maximum length of a conversation's text in a notification, in characters. With all escapes, it fits into the limit
/// of push services.
const LONGEST: usize = 300;
/// Maximum length of a request that a notification shows completely, in characters: every system shows that much
/// without unfolding.
const LONGEST_WHOLE: usize = 80;

/// The message to the page's service worker.
#[derive(Debug, Serialize)]
pub(super) struct Message {
    kind: &'static str,
    session: String,
    project: String,
    title: Option<String>,
    text: Option<String>,
    /// The ID of a request that may be answered in the notification, because the notification shows it completely. A
    /// person must not allow anything invisible.
    request: Option<String>,
}

impl Message {
    /// `may_answer`: whether the person of the device may answer requests.
    pub(super) fn new(occasion: &Occasion, has_content: bool, may_answer: bool) -> Self {
        let whole = match &occasion.kind {
            OccasionKind::Request(request) if has_content && may_answer => {
                whole(request).map(|text| (text, request.id.clone()))
            }
            _ => None,
        };
        let (kind, content) = body::content(occasion.kind.clone(), has_content);
        let (text, request) = match whole {
            Some((text, request)) => (Some(text), Some(request)),
            None => (content.map(|text| shortened(&text, LONGEST)), None),
        };
        let title = if has_content {
            &occasion.name
        } else {
            &occasion.title
        };
        let short = |title: &String| shortened(title, LONGEST_TITLE / 2);
        Self {
            kind,
            session: occasion.session.as_str().to_owned(),
            project: occasion.project.clone(),
            title: title.as_ref().map(short),
            text,
            request,
        }
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Everything that a request would allow, if it is short and plain enough to be shown as it is.
fn whole(request: &Pending) -> Option<String> {
    if request.kind != RequestKind::Permission {
        return None;
    }
    let input: Value = request.input.parse().ok()?;
    let parts = input.as_object()?;
    let command = parts.get("command").and_then(Value::as_str);
    let description = parts.get("description").and_then(Value::as_str);
    let tool = request.tool.as_deref()?;
    let text = match (tool, parts.len(), command, description) {
        ("Bash", 1, Some(command), None) => format!("Bash: {command}"),
        ("Bash", 2, Some(command), Some(description)) => format!("Bash: {command} ({description})"),
        _ => format!("{tool}: {input}"),
    };
    let is_plain = |text: &str| {
        text.bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
    };
    (text.len() <= LONGEST_WHOLE && is_plain(&text)).then_some(text)
}
