//! Tests that the recordings violate no rule, and that each violation of a changed recording is found at its line.

use std::fs;

use claw_view::{Flow, Rule};
use serde_json::{Value, json};

use crate::sessions::{folder, sessions};

mod bad_endings;
use bad_endings::BAD_ENDINGS;

/// Whether the transcripts of the recording contain only the conversation. Other entries, which may be parents of the
/// remaining ones, were left out.
fn is_cut(name: &str) -> bool {
    let recipe = folder().join(format!(
        "../xtask/recordings/{}.json",
        name.split('.').next().unwrap()
    ));
    let recipe: Value = serde_json::from_str(&fs::read_to_string(recipe).unwrap()).unwrap();
    recipe["transcripts"] == "conversation"
}

#[test]
fn recordings_and_transcripts_break_no_rule() {
    let mut all = Vec::new();
    for session in sessions() {
        for (number, lines) in session.files().enumerate() {
            // A recording of a CLI in a terminal has only transcripts, and no stdout.
            let is_transcript = number > 0 || session.stdout.is_empty();
            let cut = is_transcript && is_cut(&session.name);
            let mut flow = Flow::default();
            if cut {
                flow = flow.with_gaps();
            }
            let mut found: Vec<_> = lines.iter().flat_map(|line| flow.push(line)).collect();
            found.extend(flow.end());
            let found = found
                .iter()
                .map(|found| format!("{} {number}: {found:?}", session.name));
            all.extend(found);
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Returns the lines of a recording as JSON values.
fn recording(name: &str) -> Vec<Value> {
    let path = folder().join(name).join("stdout.ndjson");
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the index of the first line of this type, and of this subtype, event or block if `what` is not empty.
fn at(lines: &[Value], kind: &str, what: &str) -> usize {
    let is_it = |line: &Value| {
        line["type"] == kind
            && (what.is_empty()
                || line["subtype"] == what
                || line["event"]["type"] == what
                || line["message"]["content"][0]["type"] == what)
    };
    lines
        .iter()
        .position(is_it)
        .unwrap_or_else(|| panic!("no {kind} {what}"))
}

/// A function that makes a valid recording invalid. Returns the index of the line at which the violation must be found.
type Spoil = fn(&mut Vec<Value>) -> usize;

fn again(lines: &mut Vec<Value>, kind: &str, what: &str) -> usize {
    let from = at(lines, kind, what);
    let mut line = lines[from].clone();
    line["uuid"] = "another".into();
    lines.insert(from + 1, line);
    from + 1
}

fn swapped(lines: &mut [Value], first: usize, second: usize) -> usize {
    lines.swap(first, second);
    first
}

const BAD: [(&str, Rule, Spoil); 25] = [
    ("no init at all", Rule::InitFirst, |lines| {
        let init = at(lines, "system", "init");
        lines.remove(init);
        at(lines, "stream_event", "message_start")
    }),
    ("an answer before the init", Rule::InitFirst, |lines| {
        let answer = at(lines, "assistant", "");
        let line = lines.remove(answer);
        let init = at(lines, "system", "init");
        lines.insert(init, line);
        init
    }),
    (
        "a result of a tool that was not used",
        Rule::ResultAnswersUse,
        |lines| {
            let result = at(lines, "user", "tool_result");
            lines[result]["message"]["content"][0]["tool_use_id"] = "toolu_none".into();
            result
        },
    ),
    ("a result before its use", Rule::ResultAnswersUse, |lines| {
        let (used, result) = (
            at(lines, "assistant", "tool_use"),
            at(lines, "user", "tool_result"),
        );
        swapped(lines, used, result)
    }),
    (
        "a tool that is answered twice",
        Rule::AnsweredOnce,
        |lines| again(lines, "user", "tool_result"),
    ),
    ("a tool that is not answered", Rule::AllAnswered, |lines| {
        let result = at(lines, "user", "tool_result");
        lines.remove(result);
        at(lines, "result", "")
    }),
    ("a denial that is no error", Rule::DenialShape, |lines| {
        let result = at(lines, "user", "tool_result");
        lines[result]["message"]["content"][0]["is_error"] = false.into();
        result
    }),
    (
        "a denial that is listed and was not used",
        Rule::DenialShape,
        |lines| {
            let result = at(lines, "result", "");
            lines[result]["permission_denials"][0]["tool_use_id"] = "toolu_none".into();
            result
        },
    ),
    (
        "a denial that is listed and went well",
        Rule::DenialShape,
        |lines| {
            let given = at(lines, "user", "tool_result");
            lines[given]["message"]["content"][0]["is_error"] = false.into();
            lines[given]["message"]["content"][0]["content"] = "fine".into();
            lines[given]["tool_result_meta"] = Value::Null;
            at(lines, "result", "")
        },
    ),
    ("two results", Rule::ResultClosesTurn, |lines| {
        again(lines, "result", "")
    }),
    ("no result", Rule::ResultClosesTurn, |lines| {
        let result = at(lines, "result", "");
        lines.remove(result);
        lines.len() - 1
    }),
    (
        "a recording that breaks off",
        Rule::ResultClosesTurn,
        |lines| {
            lines.truncate(at(lines, "user", "tool_result") + 1);
            lines.len() - 1
        },
    ),
    ("an answer after the result", Rule::InitFirst, |lines| {
        let mut line = lines[at(lines, "assistant", "text")].clone();
        line["uuid"] = "another".into();
        let result = at(lines, "result", "");
        lines.insert(result + 1, line);
        result + 1
    }),
    (
        "an error that says that it is none",
        Rule::ErrorResult,
        |lines| {
            let result = at(lines, "result", "");
            lines[result]["subtype"] = "error_max_turns".into();
            lines[result]["is_error"] = false.into();
            result
        },
    ),
    (
        "a sub-agent that nobody started",
        Rule::ParentExists,
        |lines| {
            let answer = at(lines, "assistant", "tool_use");
            lines[answer]["parent_tool_use_id"] = "toolu_none".into();
            answer
        },
    ),
    (
        "a prompt to a sub-agent that nobody started",
        Rule::ParentExists,
        |lines| {
            let line = json!({"type": "user", "message": {"role": "user", "content": "Go."},
            "parent_tool_use_id": "toolu_none", "uuid": "another"});
            let answer = at(lines, "assistant", "");
            lines.insert(answer, line);
            answer
        },
    ),
    ("two lines of one name", Rule::UniqueUuid, |lines| {
        let name = lines[at(lines, "system", "init")]["uuid"].clone();
        let answer = at(lines, "assistant", "");
        lines[answer]["uuid"] = name;
        answer
    }),
    ("a line that is no JSON", Rule::Readable, |lines| {
        let init = at(lines, "system", "init");
        lines.insert(init + 1, "\u{0}broken".into());
        init + 1
    }),
    (
        "a line of a known kind with another body",
        Rule::Readable,
        |lines| {
            let result = at(lines, "result", "");
            lines[result]["num_turns"] = "two".into();
            // The turn then has no result either, which is reported at the last line.
            result
        },
    ),
    (
        "a piece of a block that has not begun",
        Rule::StreamNests,
        |lines| {
            let start = at(lines, "stream_event", "content_block_start");
            lines.remove(start);
            at(lines, "stream_event", "content_block_delta")
        },
    ),
    ("a block that begins twice", Rule::StreamNests, |lines| {
        again(lines, "stream_event", "content_block_start")
    }),
    (
        "an answer that ends before its block",
        Rule::StreamNests,
        |lines| {
            let stop = at(lines, "stream_event", "content_block_stop");
            lines.remove(stop);
            // The next block starts as usual. The violation is found at the end of the response.
            at(lines, "stream_event", "message_stop")
        },
    ),
    ("a task that nobody started", Rule::TaskStarted, |lines| {
        let line = json!({"type": "system", "subtype": "task_notification", "task_id": "b1", "status": "completed",
            "output_file": "", "summary": "Over.", "uuid": "another", "session_id": lines[1]["session_id"]});
        let result = at(lines, "result", "");
        lines.insert(result, line);
        result
    }),
    (
        "a request that is cancelled and was not asked",
        Rule::CancelsRequest,
        |lines| {
            let init = at(lines, "system", "init");
            lines.insert(
                init,
                json!({"type": "control_cancel_request", "request_id": "none"}),
            );
            init
        },
    ),
    ("another session in mid-turn", Rule::OneSession, |lines| {
        let answer = at(lines, "assistant", "");
        lines[answer]["session_id"] = "another".into();
        answer
    }),
];

#[test]
fn bad_recordings_are_found_each_at_its_line() {
    let plain = BAD.map(|(what, rule, spoil)| (what, "bash_denied", rule, spoil));
    for (what, good, rule, spoil) in plain.into_iter().chain(BAD_ENDINGS) {
        let mut lines = recording(good);
        let line = spoil(&mut lines) as u64 + 1;
        let texts: Vec<_> = lines
            .iter()
            .map(|line| {
                line.as_str()
                    .map_or_else(|| line.to_string(), str::to_owned)
            })
            .collect();
        let found = Flow::check(texts.iter().map(String::as_str));
        let first = found.iter().find(|found| found.rule == rule);
        assert_eq!(
            first.map(|first| first.line),
            Some(line),
            "{what}: {found:?}"
        );
        assert!(
            found.iter().all(|found| found.line >= line),
            "{what}: {found:?}"
        );
    }
}

/// The violation names the line at which the turn began, so that a person finds the turn.
#[test]
fn an_open_turn_is_named_by_the_line_at_which_it_began() {
    let mut lines = recording("bash_denied");
    let began = at(&lines, "system", "init") + 1;
    lines.remove(at(&lines, "result", ""));
    let texts: Vec<_> = lines.iter().map(Value::to_string).collect();
    let found = Flow::check(texts.iter().map(String::as_str));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].line, texts.len() as u64);
    assert_eq!(
        found[0].text,
        format!("the turn that began on line {began} has no result")
    );
}

/// Each of two turns without a result is a violation.
#[test]
fn each_open_turn_is_told() {
    let mut lines = recording("subagent_background_closed");
    lines.retain(|line| line["type"] != "result");
    let began = (1..).zip(&lines);
    let began = began.filter(|(_, line)| line["type"] == "system" && line["subtype"] == "init");
    let expected: Vec<_> = began
        .map(|(line, _)| format!("the turn that began on line {line} has no result"))
        .collect();
    let texts: Vec<_> = lines.iter().map(Value::to_string).collect();
    let found = Flow::check(texts.iter().map(String::as_str));
    let found: Vec<_> = found.into_iter().map(|found| found.text).collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), 2);
}

/// Each invalid transcript is a valid one with one line changed.
#[test]
fn bad_transcripts_are_found_each_at_its_line() {
    let path = folder().join("text/transcript.ndjson");
    let text = fs::read_to_string(path).unwrap();
    let good: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answer = at(&good, "assistant", "");
    let parent = good[answer]["parentUuid"].clone();
    let result = json!([{"type": "tool_result", "tool_use_id": "none"}]);
    let bad = [
        (Rule::ParentExists, json!({"parentUuid": "none"})),
        (Rule::UniqueUuid, json!({"uuid": parent})),
        (
            Rule::ResultAnswersUse,
            json!({"type": "user", "message": {"role": "user", "content": result}}),
        ),
    ];
    for (rule, spoilt) in bad {
        let mut lines = good.clone();
        for (key, value) in spoilt.as_object().unwrap() {
            lines[answer][key] = value.clone();
        }
        let texts: Vec<_> = lines.iter().map(Value::to_string).collect();
        let found = Flow::check(texts.iter().map(String::as_str));
        let first = found.iter().find(|found| found.rule == rule);
        assert_eq!(
            first.map(|first| first.line),
            Some(answer as u64 + 1),
            "{rule:?}: {found:?}"
        );
    }
}

#[test]
fn of_a_transcript_with_gaps_a_parent_may_lack_and_not_come_later() {
    let line = |uuid: &str, parent: Value| {
        let line = json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": false,
            "userType": "external", "cwd": "/", "version": "2.1.329", "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": "Hello."}});
        line.to_string()
    };
    let lines = [
        line("a", Value::Null),
        line("b", json!("a")),
        line("d", json!("c")),
        line("f", json!("e")),
        line("e", json!("d")),
    ];
    let found = |mut flow: Flow| -> Vec<_> {
        let found = lines.iter().flat_map(|line| flow.push(line));
        found.map(|found| (found.line, found.rule)).collect()
    };
    let parent = Rule::ParentExists;
    assert_eq!(found(Flow::default()), [(3, parent), (4, parent)]);
    assert_eq!(found(Flow::default().with_gaps()), [(5, parent)]);
}
