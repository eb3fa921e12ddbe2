//! Lines around the conversation that a fork takes over.

use std::collections::HashSet;

use crate::members::{Members, array, items, quoted, text};

/// Where a line stands in the transcript.
pub(super) type Place = (u64, usize);

/// What stands in a transcript beside the conversation, as far as a fork needs it. Of what may be long, the place.
#[derive(Debug, Default)]
pub(super) struct Notes {
    is_suppressed: bool,
    organizations: Vec<String>,
    /// What the model reads in the place of content that was too long.
    pub(super) replacements: Vec<Place>,
    /// What answers were made from.
    pub(super) data_flow: Vec<Place>,
    /// Kinds of which the last line counts: the line.
    last: [Option<Vec<u8>>; LAST.len()],
    /// Sessions that this one, or the one before it, was forked from.
    forked_from: Vec<String>,
    seen: HashSet<String>,
}

/// The kinds of which the last line counts, in the order in which they are written; and the member that says it.
const LAST: [(&str, &str); 4] = [
    ("atis-latch", "atis"),
    ("tools-used", "tools"),
    (DERIVED, "sessions"),
    ("relocated", "relocatedCwd"),
];
const DERIVED: &str = "derived-from";

impl Notes {
    /// Takes note of a line, if it is one of this session's that a fork needs.
    pub(super) fn add(&mut self, line: &Members<'_>, offset: u64, raw: &[u8], session: &str) {
        let Some(kind) = line.text("type") else {
            return;
        };
        let of = line.text("sessionId");
        let place = (offset, raw.len());
        match &*kind {
            "history-suppression" => self.is_suppressed = true,
            "hybrid-organization" => {
                let organization = line
                    .text("organizationUuid")
                    .map(|id| id.to_ascii_lowercase());
                let new = organization
                    .filter(|id| crate::home::is_session_id(id) && self.seen.insert(id.clone()));
                self.organizations.extend(new);
            }
            "data-flow-records" | "data-flow-incomplete"
                if of.is_some() && line.get("agentId").is_none() =>
            {
                self.data_flow.push(place);
            }
            _ if of.as_deref() != Some(session) => {}
            "content-replacement" if line.get("replacements").and_then(items).is_some() => {
                self.replacements.push(place);
            }
            kind => {
                let at = LAST
                    .iter()
                    .position(|(last, member)| *last == kind && is_complete(line, kind, member));
                if let Some(at) = at {
                    self.last[at] = Some(raw.to_owned());
                }
            }
        }
    }

    /// Takes note of the session that a line was copied from.
    pub(super) fn add_forked_from(&mut self, line: &Members<'_>) {
        let forked_from = line.get("forkedFrom").and_then(Members::parse);
        let Some(id) = forked_from.as_ref().and_then(|from| from.text("sessionId")) else {
            return;
        };
        if !self.seen.contains(&*id) {
            self.seen.insert(id.clone().into_owned());
            self.forked_from.push(id.into_owned());
        }
    }

    /// The lines before the conversation.
    pub(super) fn before(&self, fork: &str, now: &str) -> Vec<String> {
        let suppression = format!(
            r#"{{"type":"history-suppression","sessionId":"{fork}","cause":"fork_inherit","ts":"{now}"}}"#
        );
        let organizations = self.organizations.iter().map(|id| {
            format!(
                r#"{{"type":"hybrid-organization","sessionId":"{fork}","organizationUuid":"{id}"}}"#
            )
        });
        let suppression = self.is_suppressed.then_some(suppression);
        suppression.into_iter().chain(organizations).collect()
    }

    /// The lines of which the last counts, for the fork.
    pub(super) fn last(&self, source: &str, fork: &str) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for ((kind, _), raw) in LAST.iter().zip(&self.last) {
            let mut line = raw.as_deref().and_then(Members::parse);
            if *kind == DERIVED {
                line = self.derived(line, source);
            }
            if let Some(mut line) = line {
                line.set("sessionId", quoted(fork));
                line.remove(&["uuid", "timestamp"]);
                lines.push(line.to_text());
            }
        }
        lines
    }

    /// The sessions that the fork comes from, where the source keeps an account of such things.
    fn derived<'a>(&self, line: Option<Members<'a>>, source: &str) -> Option<Members<'a>> {
        if line.is_none() && self.data_flow.is_empty() {
            return None;
        }
        let mut line = line.or_else(|| Members::parse(br#"{"type":"derived-from","v":1}"#))?;
        let known = line.get("sessions").and_then(items).unwrap_or_default();
        let mut sessions: Vec<Vec<u8>> = known.iter().map(|session| session.to_vec()).collect();
        let mut ids: HashSet<String> = HashSet::new();
        for session in known {
            let session = Members::parse(session);
            ids.extend(session.and_then(|it| Some(text(it.get("id")?)?.into_owned())));
        }
        let more = self.forked_from.iter().map(String::as_str).chain([source]);
        for id in more {
            if ids.insert(id.to_owned()) {
                let id = String::from_utf8_lossy(&quoted(id)).into_owned();
                let session = format!(r#"{{"type":"claude_code_session","id":{id},"via":"fork"}}"#);
                sessions.push(session.into_bytes());
            }
        }
        line.set("sessions", array(sessions));
        Some(line)
    }
}

/// Whether a line says what one of its kind has to.
fn is_complete(line: &Members<'_>, kind: &str, member: &str) -> bool {
    match kind {
        "tools-used" | DERIVED => line.get(member).and_then(items).is_some(),
        "atis-latch" => {
            let said = line.text(member);
            said.is_some_and(|said| said.bytes().all(|byte| byte.is_ascii_graphic()))
        }
        _ => line.text(member).is_some_and(|said| !said.is_empty()),
    }
}
