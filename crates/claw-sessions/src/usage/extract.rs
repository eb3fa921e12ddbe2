//! The parts of lines from which the usage of a session is counted.

use serde::Serialize;

use super::answers::{ApiUsage, Entry, NO_MODEL, is_answer};
use super::cost::CostState;
use crate::scan::first_text;

/// Extracts the parts of a session's lines that [`SessionAnswers::line`](super::SessionAnswers::line) counts, for
/// programs that store these parts instead of the transcripts. The extracted lines contain no text of the conversation,
/// except that a line that cannot be read is extracted unchanged.
///
/// `SessionAnswers` returns the same counts for the extracted lines as for the lines of the session, at any prices and
/// in any time zone.
#[derive(Debug, Default)]
pub struct UsageExtract {
    has_project: bool,
}

/// The members of an answer that are counted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_sidechain: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_from: Option<bool>,
    message: Message<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    usage: ApiUsage<'a>,
}

impl UsageExtract {
    /// Creates an extractor, which starts with the first line of a session's main transcript.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the counted parts of a line to `extracted`, as lines that end with a line feed. Appends nothing for most
    /// lines. Pass the lines of the main transcript first, in their order. `is_main` is `false` for lines of
    /// sub-agents.
    pub fn line(&mut self, line: &[u8], is_main: bool, extracted: &mut Vec<u8>) {
        if is_main
            && !self.has_project
            && let Some(project) = first_text(line, "cwd")
        {
            self.has_project = true;
            put(extracted, &serde_json::json!({ "cwd": project }));
        }
        if is_main && CostState::of(line).is_some() {
            return put_line(extracted, line);
        }
        if is_answer(line) {
            answer(line, extracted);
        }
    }
}

fn answer(line: &[u8], extracted: &mut Vec<u8>) {
    let text = crate::scan::text(line);
    let Ok(entry) = serde_json::from_str::<Entry<'_>>(&text) else {
        return put_line(extracted, line);
    };
    let Some(message) = entry.message.filter(|_| entry.kind == "assistant") else {
        return;
    };
    let Some(usage) = message.usage else { return };
    if message.model.as_deref() == Some(NO_MODEL) {
        return;
    }
    // A written cost must not be rounded. Without an ID and a UUID, only the whole line distinguishes the answer from
    // others.
    if entry.cost.is_some() || (message.id.is_none() && entry.uuid.is_none()) {
        return put_line(extracted, line);
    }
    let uuid = entry.uuid.as_deref().filter(|_| message.id.is_none());
    let answer = Answer {
        kind: "assistant",
        uuid,
        request_id: entry.request_id.as_deref(),
        timestamp: entry.timestamp.as_deref(),
        agent_id: entry.agent_id.as_deref(),
        is_sidechain: entry.is_sidechain,
        forked_from: entry.forked_from.map(|_| true),
        message: Message {
            id: message.id.as_deref(),
            model: message.model.as_deref(),
            usage,
        },
    };
    put(extracted, &answer);
}

fn put(extracted: &mut Vec<u8>, value: &impl Serialize) {
    let start = extracted.len();
    // Writing to a vector and writing these types cannot fail.
    if serde_json::to_writer(&mut *extracted, value).is_err() {
        extracted.truncate(start);
        return;
    }
    extracted.push(b'\n');
}

fn put_line(extracted: &mut Vec<u8>, line: &[u8]) {
    extracted.extend(line);
    extracted.push(b'\n');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::usage::{Prices, UsageCache, UsageReport, Zone};
    use crate::{SessionAnswers, Sessions};

    fn report(cache: &mut UsageCache, answers: SessionAnswers) -> UsageReport {
        let answers = Arc::new(answers.of_folder("-work-project"));
        let sessions = Sessions::new("/nowhere");
        sessions.usage().of([answers]).run_cached(cache).unwrap()
    }

    /// Returns the report on these lines, and the report on the lines that are extracted from them. Each line has the
    /// ID of its sub-agent.
    fn both(lines: &[(Option<&str>, String)]) -> [(UsageReport, u64); 2] {
        let id = claw_types::SessionId::from("s");
        let mut cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
        let (mut whole, mut short) = (cache.answers(&id), cache.answers(&id));
        let mut extract = UsageExtract::new();
        for (subagent, line) in lines {
            whole.line(line.as_bytes(), *subagent);
            let mut extracted = Vec::new();
            extract.line(line.as_bytes(), subagent.is_none(), &mut extracted);
            for line in extracted.split(|byte| *byte == b'\n') {
                if !line.is_empty() {
                    short.line(line, *subagent);
                }
            }
        }
        [whole, short].map(|answers| {
            let unreadable = answers.unreadable();
            (report(&mut cache, answers), unreadable)
        })
    }

    fn any_line() -> impl Strategy<Value = (Option<&'static str>, String)> {
        let id = prop_oneof![
            Just(Value::Null),
            Just(json!("m1")),
            Just(json!("m2")),
            Just(json!(3))
        ];
        let uuid = prop_oneof![
            Just(Value::Null),
            Just(json!("u1")),
            Just(json!("\u{e4}\"\\"))
        ];
        let model = prop_oneof![
            Just(json!("claude-opus-4-1")),
            Just(json!(NO_MODEL)),
            Just(json!("other")),
            Just(Value::Null)
        ];
        let kind = prop_oneof![
            4 => Just("assistant"),
            1 => Just("user"),
            1 => Just("cost-state")
        ];
        let cost = prop_oneof![
            2 => Just(Value::Null),
            1 => Just(json!(0.123_456_789)),
            1 => Just(json!("none"))
        ];
        let count = prop_oneof![
            Just(Value::Null),
            Just(json!(0)),
            Just(json!(7.0)),
            Just(json!(1200)),
            Just(json!(-1))
        ];
        let fork = prop_oneof![Just(Value::Null), Just(json!({"sessionId": "o"}))];
        let parts = (
            id,
            uuid,
            model,
            kind,
            cost,
            count,
            fork,
            any::<(bool, bool, bool)>(),
        );
        parts.prop_map(
            |(id, uuid, model, kind, cost, count, fork, (is_agent, is_side, is_fast))| {
                let line = json!({
                    "type": kind, "uuid": uuid, "requestId": "r", "cwd": "/work/project",
                    "timestamp": "2026-11-22T10:00:00.000Z", "isSidechain": is_side,
                    "forkedFrom": fork, "costUSD": cost, "totalCostUSD": 0.5,
                    "message": {
                        "id": id, "model": model, "content": [{"type": "text", "text": "a secret"}],
                        "usage": {
                            "input_tokens": 4, "output_tokens": count,
                            "cache_creation_input_tokens": 9,
                            "cache_creation": {"ephemeral_1h_input_tokens": 2},
                            "server_tool_use": {"web_search_requests": 1},
                            "speed": if is_fast { "fast" } else { "standard" },
                        },
                    },
                });
                (is_agent.then_some("a1"), line.to_string())
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_extracted_counts_as_the_whole(
            lines in proptest::collection::vec(any_line(), 1..12),
        ) {
            let [(whole, unreadable), (short, others)] = both(&lines);
            prop_assert_eq!(unreadable, others);
            let text = |report: &UsageReport| serde_json::to_value(report).unwrap();
            prop_assert_eq!(text(&whole), text(&short));
        }
    }

    #[test]
    fn the_extract_has_no_text_of_the_conversation() {
        let line = json!({
            "type": "assistant", "cwd": "/work/project", "uuid": "u",
            "message": {"id": "m", "model": "claude-a", "content": [{"type": "text", "text": "a secret"}],
                "usage": {"input_tokens": 4, "speed": "fast"}},
        });
        let mut extracted = Vec::new();
        UsageExtract::new().line(line.to_string().as_bytes(), true, &mut extracted);
        let extracted = String::from_utf8(extracted).unwrap();
        assert_eq!(
            extracted,
            "{\"cwd\":\"/work/project\"}\n{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"model\":\"claude-a\",\
             \"usage\":{\"input_tokens\":4,\"speed\":\"fast\"}}}\n"
        );
    }
}
