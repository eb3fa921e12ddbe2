//! The contents of a notification.

use serde::Serialize;
use serde_json::Value;

use crate::conversation::{Pending, RequestKind};
use crate::hub::{Occasion, OccasionKind};
use crate::notify::body::{self, LONGEST_TITLE, shortened};

/// Maximum length of a conversation's text in a notification, in characters. Even if every character must be escaped, the
/// message does not exceed the limit of push services.
const LONGEST: usize = 300;
/// Maximum length of a request that a notification shows completely, in characters. Every system shows a text of this length
/// without unfolding it.
const LONGEST_WHOLE: usize = 80;

/// The message to the page's service worker.
#[derive(Debug, Serialize)]
pub(super) struct Message {
    kind: &'static str,
    session: String,
    project: String,
    title: Option<String>,
    text: Option<String>,
    /// The ID of a request that a person may answer in the notification. Set only if the notification shows the request
    /// completely, because a person must not allow anything that is not visible.
    request: Option<String>,
}

impl Message {
    /// Creates the message about an occasion. `has_content` is `true` if the message may contain text of the conversation.
    /// `may_answer` is `true` if the person who uses the device may answer requests.
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

/// Returns a text that shows everything that a permission request would allow. Returns `None` if the text is too long for a
/// notification, if it contains characters other than printable ASCII, or if the request is of another kind.
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
