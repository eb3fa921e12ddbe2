//! The list entry of a session, which is updated with each line.

use std::borrow::Cow;

use claw_types::store::SessionInfo;
use claw_types::{Json, Map, SessionId};
use serde::Deserialize;
use serde_json::Value;

use crate::cursor::Cursor;
use crate::prompt::FirstPrompt;
use crate::time;

/// The list entry of a session whose transcript is stored elsewhere. It is kept up to date line by line, so that a list
/// does not have to read the transcript.
///
/// A summary is an object with the members that `foldSessionSummary` of the official TypeScript SDK writes, so that
/// claw and that SDK can continue each other's summaries. The members of the Python SDK are accepted too, and are
/// converted when the next line is added. claw adds two members: `firstMedia` describes a first prompt that has no
/// text, and `isDeferred` is present while the conversation ends with a tool use that was deferred. Unknown members
/// stay unchanged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary(Map<Json>);

/// The names of members from the Python SDK, and the names that claw uses for them.
const OF_PYTHON: [(&str, &str); 10] = [
    ("is_sidechain", "isSidechain"),
    ("created_at", "createdAt"),
    ("first_prompt", "firstPrompt"),
    ("first_prompt_locked", "firstPromptLocked"),
    ("command_fallback", "commandFallback"),
    ("custom_title", "customTitle"),
    ("ai_title", "aiTitle"),
    ("last_prompt", "lastPrompt"),
    ("summary_hint", "summaryHint"),
    ("git_branch", "gitBranch"),
];

/// The members of a line, each with the member of the summary that holds its last value.
const LAST: [(&str, &str); 5] = [
    ("customTitle", "customTitle"),
    ("aiTitle", "aiTitle"),
    ("lastPrompt", "lastPrompt"),
    ("summary", "summaryHint"),
    ("gitBranch", "gitBranch"),
];

impl Summary {
    /// Creates a summary from a stored object.
    pub fn from_data(data: Map<Json>) -> Self {
        Self(data)
    }

    /// Returns the object to store.
    pub fn data(&self) -> &Map<Json> {
        &self.0
    }

    /// Adds the next line of the transcript. A line that is not a JSON object changes nothing.
    pub fn fold(&mut self, line: &[u8]) {
        let Some(fields) = LineFields::of(line) else {
            return;
        };
        self.rename();
        if self.0.get("isSidechain").is_none() {
            self.set("isSidechain", fields.is_sidechain);
        }
        let created = fields
            .timestamp
            .filter(|_| self.0.get("createdAt").is_none());
        if let Some(millis) = created.and_then(|text| time::parse(&text)) {
            self.set("createdAt", millis);
        }
        if let Some(cwd) = fields.cwd.filter(|_| self.0.get("cwd").is_none()) {
            self.set("cwd", &*cwd);
        }
        if fields.kind.as_deref() == Some(b"relocated")
            && let Some(cwd) = fields.relocated
        {
            self.set("cwd", &*cwd);
        }
        for ((_, name), text) in LAST.iter().zip(fields.last) {
            if let Some(text) = text {
                self.set(name, &*text);
            }
        }
        if fields.kind.as_deref() == Some(b"tag") {
            match fields.tag.filter(|tag| !tag.is_empty()) {
                Some(tag) => self.set("tag", &*tag),
                None => self.remove("tag"),
            }
        }
        match fields.kind.as_deref() {
            Some(b"user" | b"assistant") if !fields.is_sidechain => self.remove("isDeferred"),
            Some(b"attachment") if is_deferral(line) => self.set("isDeferred", true),
            _ => {}
        }
        if !self.is_true("firstPromptLocked") {
            self.find_prompt(line);
        }
    }

    /// Whether the conversation ends with a tool use that was deferred. If so, the next process begins with that tool
    /// use.
    pub fn is_deferred(&self) -> bool {
        self.is_true("isDeferred")
    }

    /// Returns the list entry. Returns `None` for a sub-agent's session, and for a session without anything to show.
    ///
    /// The entry follows the rules of [`Sessions::list`](crate::Sessions::list). Information that is not in the
    /// transcript is missing: the file's size, whether the session is archived, and a title that the CLI has written
    /// into another file.
    pub fn info(&self, id: &SessionId, modified: i64) -> Option<SessionInfo> {
        if self.is_true("isSidechain") {
            return None;
        }
        let some = |name| self.text(name).filter(|text| !text.is_empty());
        let title = some("customTitle").or_else(|| some("aiTitle"));
        let first = some("firstPrompt").or_else(|| some("commandFallback"));
        let summary = title
            .clone()
            .or_else(|| first.clone())
            .or_else(|| some("firstMedia"))
            .or_else(|| some("lastPrompt"))?;
        let mut info = SessionInfo::new(id.clone(), summary, modified);
        info.custom_title = title;
        info.first_prompt = first;
        info.git_branch = self.text("gitBranch");
        info.cwd = some("cwd");
        info.tag = some("tag");
        info.created_at = self.member("createdAt").and_then(|at| at.parse().ok());
        Some(info)
    }

    fn find_prompt(&mut self, line: &[u8]) {
        let command = self.text("commandFallback");
        let media = match self.text("firstMedia").as_deref() {
            Some("Image") => Some("Image"),
            Some("Document") => Some("Document"),
            _ => None,
        };
        let had_command = command.is_some();
        let mut first = FirstPrompt::so_far(command, media);
        if first.add(line) {
            let text = first.text.unwrap_or_default();
            self.set("firstPrompt", text);
            self.set("firstPromptLocked", true);
            return;
        }
        if let Some(name) = first.text.filter(|_| !had_command) {
            self.set("commandFallback", name);
        }
        if let Some(media) = first.media.filter(|_| media.is_none()) {
            self.set("firstMedia", media);
        }
    }

    /// Returns a member by its name in the TypeScript SDK, even if the Python SDK wrote it.
    fn member(&self, name: &str) -> Option<&Json> {
        self.0.get(name).or_else(|| {
            let (python, _) = OF_PYTHON.iter().find(|(_, known)| *known == name)?;
            self.0.get(python)
        })
    }

    fn text(&self, name: &str) -> Option<String> {
        self.member(name)?.as_str().map(Cow::into_owned)
    }

    fn is_true(&self, name: &str) -> bool {
        let value = self.member(name).and_then(Json::as_bool);
        value == Some(true)
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name, Json::from(value.into()));
    }

    fn remove(&mut self, name: &str) {
        if self.0.get(name).is_some() {
            let members = std::mem::take(&mut self.0).into_iter();
            self.0 = members.filter(|(known, _)| known != name).collect();
        }
    }

    /// Renames the members of the Python SDK to the names of the TypeScript SDK, unless those names already exist.
    fn rename(&mut self) {
        let is_python = |(name, _): (&str, &Json)| name.contains('_');
        if !self.0.iter().any(is_python) {
            return;
        }
        for (python, name) in OF_PYTHON {
            if let Some(value) = self.0.get(python).cloned() {
                self.remove(python);
                if self.0.get(name).is_none() {
                    self.0.insert(name, value);
                }
            }
        }
    }
}

/// Whether an attachment marks a deferred tool use.
fn is_deferral(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        attachment: Attachment<'a>,
    }
    #[derive(Deserialize)]
    struct Attachment<'a> {
        r#type: &'a str,
    }
    // Most attachments are long and of another kind, so they are not parsed.
    memchr::memmem::find(line, b"hook_deferred_tool").is_some()
        && serde_json::from_slice(line)
            .is_ok_and(|line: Line<'_>| line.attachment.r#type == "hook_deferred_tool")
}

/// The members of a line that the summary uses.
#[derive(Default)]
struct LineFields<'a> {
    kind: Option<Cow<'a, [u8]>>,
    is_sidechain: bool,
    timestamp: Option<Cow<'a, [u8]>>,
    cwd: Option<String>,
    relocated: Option<String>,
    tag: Option<String>,
    /// The values in the order of [`LAST`].
    last: [Option<String>; LAST.len()],
}

impl<'a> LineFields<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut fields = Self::default();
        let mut cursor = Cursor::new(line);
        cursor.object(|key, value| {
            match key {
                b"type" => fields.kind = value.text()?,
                b"isSidechain" => fields.is_sidechain = value.value()? == b"true",
                b"timestamp" => fields.timestamp = value.text()?,
                b"cwd" => fields.cwd = text(value)?.filter(|cwd| !cwd.is_empty()),
                b"relocatedCwd" => fields.relocated = text(value)?.filter(|cwd| !cwd.is_empty()),
                b"tag" => fields.tag = text(value)?,
                _ => match LAST.iter().position(|(name, _)| name.as_bytes() == key) {
                    Some(at) => fields.last[at] = text(value)?,
                    None => value.skip()?,
                },
            }
            Some(())
        })?;
        cursor.is_at_end().then_some(fields)
    }
}

#[expect(
    clippy::option_option,
    reason = "the outer is whether the line can be read, the inner whether it has the value"
)]
fn text(value: &mut Cursor<'_>) -> Option<Option<String>> {
    let text = value.text()?;
    Some(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(lines: &[&str]) -> Summary {
        let mut summary = Summary::default();
        for line in lines {
            summary.fold(line.as_bytes());
        }
        summary
    }

    fn assert_data(summary: &Summary, expected: &str) {
        let data = serde_json::to_string(summary.data()).unwrap();
        assert!(claw_types::json_equal(&data, expected), "{data}");
    }

    // The expected values are the results of the official function for the same lines.
    #[test]
    fn a_summary_has_what_the_official_one_has() {
        let fields = r#"{"type":"user","uuid":"u","message":{"content":"hello"},"timestamp":"2026-11-22T04:05:58.960Z","cwd":"/w","gitBranch":"main","isSidechain":false}"#;
        let later = r#"{"type":"user","uuid":"v","message":{"content":"later"},"timestamp":"2026-11-23T04:05:58.960Z","cwd":"/v","gitBranch":"other","isSidechain":true}"#;
        let summary = folded(&[fields, later]);
        assert_data(
            &summary,
            r#"{"isSidechain":false,"createdAt":1795320358960,"cwd":"/w","firstPrompt":"hello","firstPromptLocked":true,"gitBranch":"other"}"#,
        );
        let summary = folded(&[
            r#"{"type":"custom-title","customTitle":"A"}"#,
            r#"{"type":"x","customTitle":"B","aiTitle":"q","lastPrompt":"lp","summary":"S","tag":"t"}"#,
            r#"{"type":"tag","tag":"t"}"#,
            r#"{"type":"x","timestamp":"soon","cwd":"","message":{"gitBranch":"no"}}"#,
            r#"{"type":"relocated","relocatedCwd":"/r"}"#,
            "{broken",
        ]);
        assert_data(
            &summary,
            r#"{"isSidechain":false,"customTitle":"B","aiTitle":"q","lastPrompt":"lp","summaryHint":"S","tag":"t","cwd":"/r"}"#,
        );
        let summary = folded(&[
            r#"{"type":"tag","tag":"t"}"#,
            r#"{"type":"tag","tag":null}"#,
        ]);
        assert_data(&summary, r#"{"isSidechain":false}"#);
    }

    #[test]
    fn what_python_has_gathered_goes_on() {
        let data = r#"{"is_sidechain":false,"created_at":7,"custom_title":"A","command_fallback":"/x","git_branch":"m","own":1}"#;
        let mut summary = Summary::from_data(serde_json::from_str(data).unwrap());
        let id = SessionId::from("s");
        let before = summary.info(&id, 1).unwrap();
        assert_eq!(before.summary, "A");
        assert_eq!(before.first_prompt.as_deref(), Some("/x"));
        summary.fold(br#"{"type":"user","message":{"content":"hello"},"timestamp":"2026-11-22"}"#);
        assert_data(
            &summary,
            r#"{"isSidechain":false,"createdAt":7,"customTitle":"A","commandFallback":"/x","gitBranch":"m","own":1,"firstPrompt":"hello","firstPromptLocked":true}"#,
        );
    }

    #[test]
    fn a_picture_stands_for_a_prompt() {
        let image = r#"{"type":"user","message":{"content":[{"type":"image"}]}}"#;
        let info = folded(&[image]).info(&SessionId::from("s"), 1).unwrap();
        assert_eq!(info.summary, "Image");
        let sidechain = r#"{"type":"user","isSidechain":true,"message":{"content":"x"}}"#;
        assert!(
            folded(&[sidechain])
                .info(&SessionId::from("s"), 1)
                .is_none()
        );
        assert!(folded(&[]).info(&SessionId::from("s"), 1).is_none());
    }
}
