//! The tool uses of a line, and their results.

use std::borrow::Cow;

use crate::members::{Members, items};

/// The tool uses that a line makes or answers.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The ID of the answer, if the line is a part of one.
    pub(super) answer: Option<String>,
    pub(super) uses: Vec<String>,
    pub(super) results: Vec<String>,
}

/// Returns the tool uses that a line makes or answers.
pub(super) fn calls(record: &Members<'_>) -> Calls {
    let mut calls = Calls::default();
    let kind = record.text("type");
    let Some(message) = record.get("message").and_then(Members::parse) else {
        return calls;
    };
    let is_answer = kind.as_deref() == Some("assistant");
    if is_answer {
        // Without an ID, each line is a separate answer.
        let id = message.text("id").or_else(|| record.text("uuid"));
        calls.answer = id.map(Cow::into_owned);
    }
    for block in message.get("content").and_then(items).unwrap_or_default() {
        let Some(block) = Members::parse(block) else {
            continue;
        };
        match block.text("type").as_deref() {
            Some("tool_use") if is_answer => {
                calls.uses.extend(block.text("id").map(Cow::into_owned));
            }
            Some("tool_result") if !is_answer => {
                let id = block.text("tool_use_id");
                calls.results.extend(id.map(Cow::into_owned));
            }
            _ => {}
        }
    }
    calls
}
