//! Finds the message at which a copy of a conversation must end. A request for a copy can name a prompt. The copy then
//! ends before this prompt, or after the turn of this prompt.

use std::collections::HashSet;

use claw_sessions::Session;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::HubError;

/// Describes where a copy of a conversation ends. The field is the UUID of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CutAt {
    /// The copy ends before this prompt.
    Before(String),
    /// The copy ends with the last message of the turn that this prompt began.
    Through(String),
}

/// The part of the conversation that is copied.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing, because the conversation begins with the prompt.
    Nothing,
    /// Everything up to this message.
    UpTo(String),
    /// The whole conversation.
    All,
}

/// The fields of a transcript line from which the line's position in the conversation follows. A line without these
/// fields does not belong to the conversation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    uuid: String,
    #[serde(default)]
    parent_uuid: Option<String>,
    #[serde(default)]
    logical_parent_uuid: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    /// Only the lines of prompts have this field. So it shows whether a line is a prompt.
    permission_mode: Option<IgnoredAny>,
    sent_as_uuid: Option<String>,
    #[serde(default)]
    merged_send_uuids: Vec<String>,
    attachment: Option<Attachment>,
}

#[derive(Deserialize)]
struct Attachment {
    source_uuid: Option<String>,
}

impl Link {
    /// Whether this line contains the prompt that was sent under this UUID. A line can contain several prompts, because the
    /// CLI merges waiting prompts.
    fn is_named(&self, name: &str) -> bool {
        let queued = self.attachment.as_ref();
        let queued = queued.and_then(|queued| queued.source_uuid.as_deref());
        self.uuid == name
            || self.sent_as_uuid.as_deref() == Some(name)
            || queued == Some(name)
            || self.merged_send_uuids.iter().any(|merged| merged == name)
    }

    fn parent(self) -> Option<String> {
        self.parent_uuid.or(self.logical_parent_uuid)
    }
}

/// Finds the end of a copy in the transcript. Blocks.
pub(crate) fn find(session: &Session, at: &CutAt) -> Result<Cut, HubError> {
    let (CutAt::Before(name) | CutAt::Through(name)) = at;
    // The UUIDs of the prompt and of the lines that follow the prompt on its branch.
    let mut turn: Option<HashSet<String>> = None;
    for entry in session.entries()? {
        let entry = entry?;
        let link = entry.raw().map(serde_json::from_slice::<Link>);
        let Some(Ok(link)) = link else { continue };
        if link.is_sidechain {
            continue;
        }
        let Some(turn) = &mut turn else {
            if link.is_named(name) {
                if let CutAt::Before(_) = at {
                    return Ok(link.parent().map_or(Cut::Nothing, Cut::UpTo));
                }
                turn = Some(HashSet::from([link.uuid]));
            }
            continue;
        };
        let follows = link
            .parent_uuid
            .as_ref()
            .is_some_and(|it| turn.contains(it));
        if follows && link.permission_mode.is_some() {
            return Ok(link.parent().map_or(Cut::All, Cut::UpTo));
        }
        if follows {
            turn.insert(link.uuid);
        }
    }
    if turn.is_some() {
        return Ok(Cut::All);
    }
    let text = "this prompt is not in the transcript: Claude has not got it, or has read it together with another one";
    Err(HubError::BadRequest(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use claw_sessions::Sessions;
    use serde_json::{Value, json};

    use super::*;

    fn session(lines: &[Value]) -> (tempfile::TempDir, Session) {
        let folder = tempfile::tempdir().unwrap();
        let id = "11111111-1111-4111-8111-111111111111";
        let project = folder.path().join("projects/p");
        std::fs::create_dir_all(&project).unwrap();
        let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
        let text = lines.join("\n");
        std::fs::write(project.join(format!("{id}.jsonl")), text).unwrap();
        let session = Sessions::new(folder.path()).find(id).unwrap();
        (folder, session)
    }

    #[test]
    fn a_copy_ends_before_a_prompt_or_with_its_turn_on_its_own_branch() {
        let link = |kind: &str, uuid: &str, parent: Option<&str>| json!({"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false});
        let prompt = |uuid: &str, parent: Option<&str>| {
            let mut prompt = link("user", uuid, parent);
            prompt["permissionMode"] = json!("default");
            prompt
        };
        let mut queued = link("attachment", "q", Some("a1"));
        queued["attachment"] = json!({"type": "queued_command", "source_uuid": "sent"});
        let mut merged = prompt("p3", Some("a2"));
        merged["mergedSendUuids"] = json!(["m1", "m2"]);
        let mut side = prompt("side", Some("p1"));
        side["isSidechain"] = json!(true);
        let lines = [
            json!({"type": "summary", "summary": "no link"}),
            prompt("p1", None),
            side,
            link("assistant", "a1", Some("p1")),
            queued,
            link("assistant", "a2", Some("q")),
            // This prompt begins another branch at the root.
            prompt("other", None),
            link("assistant", "o1", Some("other")),
            merged,
            link("system", "s1", Some("p3")),
        ];
        let (_folder, session) = session(&lines);
        let before = |name: &str| find(&session, &CutAt::Before(name.to_owned())).unwrap();
        let through = |name: &str| find(&session, &CutAt::Through(name.to_owned())).unwrap();
        let up_to = |name: &str| Cut::UpTo(name.to_owned());
        assert_eq!((before("p1"), through("p1")), (Cut::Nothing, up_to("a2")));
        assert_eq!(
            (before("sent"), through("sent")),
            (up_to("a1"), up_to("a2"))
        );
        assert_eq!((before("m1"), through("m1")), (up_to("a2"), Cut::All));
        assert_eq!(
            (before("other"), through("other")),
            (Cut::Nothing, Cut::All)
        );
        for nobody in ["nobody", "side", ""] {
            let missing = find(&session, &CutAt::Before(nobody.to_owned()));
            assert!(matches!(missing, Err(HubError::BadRequest(_))), "{nobody}");
        }
    }
}
