//! Every recorded answer, read as the type that its question pairs it with: lossless, and nothing
//! of it left in `extra` but what is listed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use claw_types::control::internal::*;
use claw_types::control::*;
use claw_types::{Json, StdinMessage, StdoutMessage, Typed, from_line};
use serde::Serialize;

use crate::extra::extras;
use crate::support::{Sample, assert_lossless, recorded};

/// Struct, key, and why the key is not a field.
const LISTED: &[(&str, &str, &str)] = &[];

/// A question, by its folder and id.
type Asked = HashMap<(String, String), ControlRequestBody>;

fn folder(sample: &Sample) -> String {
    sample.name.split('/').next().unwrap().to_owned()
}

/// All questions and answers of the recordings, in both directions.
fn exchanged() -> (Asked, Vec<(Sample, ControlResponse)>) {
    let (mut asked, mut answers) = (Asked::new(), Vec::new());
    for (file, to_claude) in [("stdin.ndjson", true), ("stdout.ndjson", false)] {
        for sample in recorded(file) {
            let (request, response) = if to_claude {
                match from_line(sample.line.as_bytes()).unwrap() {
                    StdinMessage::ControlRequest(request) => (Some(request), None),
                    StdinMessage::ControlResponse(response) => (None, Some(response)),
                    _ => continue,
                }
            } else {
                match from_line(sample.line.as_bytes()).unwrap() {
                    StdoutMessage::ControlRequest(request) => (Some(request), None),
                    StdoutMessage::ControlResponse(response) => (None, Some(response)),
                    _ => continue,
                }
            };
            if let Some(request) = request {
                let id = (folder(&sample), request.request_id.to_string());
                asked.insert(id, request.request);
            }
            if let Some(response) = response {
                answers.push((sample, *response));
            }
        }
    }
    (asked, answers)
}

/// Reads an answer as the question's own; what is left in `extra`.
fn read<R: Request>(payload: Option<&Json>) -> Result<BTreeSet<(String, String)>, String>
where
    R::Response: Typed + Serialize + Debug,
{
    // An answer without a payload is read as null is.
    let text = payload.map_or("null", Json::as_raw);
    let answer: R::Response = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if payload.is_some() {
        assert_lossless(&answer, text);
    }
    Ok(extras(&answer))
}

/// Reads an answer as the type of its question, for each kind of question.
macro_rules! read_as {
    ($($request:ident { $($method:tt)* })+) => {
        fn read_as(
            asked: &ControlRequestBody,
            payload: Option<&Json>,
        ) -> Result<BTreeSet<(String, String)>, String> {
            match asked {
                $(ControlRequestBody::$request(_) => read::<$request>(payload),)+
                ControlRequestBody::Internal(asked) => read_internal_as(asked, payload),
                _ => Ok(BTreeSet::new()),
            }
        }
    };
}

macro_rules! read_internal_as {
    ($($request:ident { $($method:tt)* })+) => {
        fn read_internal_as(
            asked: &InternalRequest,
            payload: Option<&Json>,
        ) -> Result<BTreeSet<(String, String)>, String> {
            match asked {
                $(InternalRequest::$request(_) => read::<$request>(payload),)+
                _ => Ok(BTreeSet::new()),
            }
        }
    };
}

claw_types::each_request!(read_as);
claw_types::each_internal_request!(read_internal_as);

#[test]
fn every_recorded_answer_is_of_its_question_s_type() {
    let (asked, answers) = exchanged();
    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (sample, response) in &answers {
        let ControlResponseBody::Success(success) = &response.response else {
            continue;
        };
        let id = (folder(sample), success.request_id.to_string());
        let Some(asked) = asked.get(&id) else {
            continue;
        };
        let extras = read_as(asked, success.response.as_ref());
        found.extend(extras.unwrap_or_else(|error| panic!("{}: {error}", sample.name)));
        *read.entry(asked.subtype().into_owned()).or_default() += 1;
    }
    let listed = LISTED
        .iter()
        .map(|(owner, key, _)| ((*owner).to_owned(), (*key).to_owned()));
    assert_eq!(found, listed.collect::<BTreeSet<_>>());
    // The 13 of the classic protocol are all among them.
    for subtype in [
        "initialize",
        "interrupt",
        "can_use_tool",
        "set_permission_mode",
        "set_model",
        "set_max_thinking_tokens",
        "mcp_status",
        "mcp_message",
        "mcp_set_servers",
        "mcp_reconnect",
        "mcp_toggle",
        "hook_callback",
        "rewind_files",
    ] {
        assert!(
            read.contains_key(subtype),
            "{subtype} is answered in no recording: {read:?}"
        );
    }
}
