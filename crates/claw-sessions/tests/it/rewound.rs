//! Branches that the conversation left. What each of these conversations is, `claude --resume` has shown by what it sent
//! to the API.

use claw_sessions::{Rewound, Session};
use serde_json::{Value, json};

use crate::folder::{Folder, uuid};

fn link(number: usize, parent: Option<usize>, more: &Value) -> String {
    let mut line = json!({"parentUuid": parent.map(uuid), "isSidechain": false, "sessionId": "s",
        "uuid": uuid(number), "timestamp": format!("2026-11-20T10:00:{number:02}.000Z")});
    let more = more.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    line.to_string()
}

fn user(number: usize, parent: impl Into<Option<usize>>, text: &str) -> String {
    let more = json!({"type": "user", "message": {"role": "user", "content": text}});
    link(number, parent.into(), &more)
}

fn answer(number: usize, parent: usize, text: &str) -> String {
    let message = json!({"id": format!("m{number}"), "role": "assistant", "type": "message", "model": "m",
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1}});
    link(
        number,
        Some(parent),
        &json!({"type": "assistant", "message": message}),
    )
}

fn call(number: usize, parent: usize, id: &str, message: &str) -> String {
    let content = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {}}]);
    let more = json!({"type": "assistant", "message": {"id": message, "role": "assistant", "content": content}});
    link(number, Some(parent), &more)
}

fn result(number: usize, parent: usize, id: &str) -> String {
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]);
    let more = json!({"type": "user", "message": {"role": "user", "content": content}});
    link(number, Some(parent), &more)
}

/// The numbers of the lines that were rewound, one list a branch, with the prompts of each.
fn branches(session: &Session) -> Vec<(u64, Vec<usize>)> {
    let rewound = session.rewound().unwrap();
    let mut found: Vec<(u32, Vec<usize>)> = Vec::new();
    for number in 0..40 {
        let Some(branch) = rewound.branch(&uuid(number)) else {
            continue;
        };
        match found.iter_mut().find(|(known, _)| *known == branch) {
            Some((_, numbers)) => numbers.push(number),
            None => found.push((branch, vec![number])),
        }
    }
    assert_eq!(rewound.is_empty(), found.is_empty());
    let of = |(branch, numbers)| (rewound.prompts(branch), numbers);
    found.into_iter().map(of).collect()
}

fn history(session: &Session) -> Vec<usize> {
    let read = session.messages().read().unwrap();
    let number = |uuid: &str| usize::from_str_radix(&uuid[..8], 16).unwrap();
    let messages = read.messages.iter();
    messages
        .map(|message| number(message.uuid.as_str()))
        .collect()
}

/// Of a transcript with these lines: what was rewound, and what the model has.
fn check(lines: &[String], rewound: &[(u64, &[usize])], kept: &[usize]) {
    let (_folder, session) = Folder::with(lines);
    let rewound: Vec<_> = rewound.iter().map(|(n, of)| (*n, of.to_vec())).collect();
    assert_eq!(branches(&session), rewound, "{}", lines.join("\n"));
    assert_eq!(history(&session), kept, "{}", lines.join("\n"));
}

fn begun() -> Vec<String> {
    vec![user(1, None, "fruit"), answer(2, 1, "apple")]
}

fn with(more: impl IntoIterator<Item = String>) -> Vec<String> {
    begun().into_iter().chain(more).collect()
}

#[test]
fn a_prompt_that_was_rewound_is_a_branch() {
    let lines = with([
        user(3, 2, "colour"),
        answer(4, 3, "blue"),
        user(5, 2, "city"),
        answer(6, 5, "Paris"),
    ]);
    check(&lines, &[(1, &[3, 4])], &[1, 2, 5, 6]);
}

#[test]
fn branches_at_several_places_and_within_branches_are_found() {
    let lines = with([
        user(3, 2, "x1"),
        answer(4, 3, "a"),
        user(5, 4, "x2"),
        answer(6, 5, "a"),
        user(7, 4, "x3"),
        user(9, 2, "q2"),
        answer(10, 9, "a"),
        user(11, 10, "y"),
        user(12, 10, "z"),
        user(13, 10, "q3"),
    ]);
    let rewound: [(u64, &[usize]); 3] = [(3, &[3, 4, 5, 6, 7]), (1, &[11]), (1, &[12])];
    check(&lines, &rewound, &[1, 2, 9, 10, 13]);
}

#[test]
fn what_was_rewound_to_the_beginning_is_a_branch() {
    let lines = with([user(3, None, "q2"), answer(4, 3, "a")]);
    check(&lines, &[(1, &[1, 2])], &[3, 4]);
}

#[test]
fn an_answer_that_was_replaced_is_a_branch() {
    let lines = with([answer(3, 1, "pear"), user(4, 3, "q2")]);
    check(&lines, &[(0, &[2])], &[1, 3, 4]);
}

#[test]
fn calls_made_side_by_side_are_no_branches() {
    let side_by_side = |from: usize| {
        [
            call(from + 1, from, "t1", "m"),
            call(from + 2, from + 1, "t2", "m"),
            result(from + 3, from + 1, "t1"),
            result(from + 4, from + 2, "t2"),
            answer(from + 5, from + 4, "done"),
        ]
    };
    let lines = with(side_by_side(2));
    check(&lines, &[], &[1, 2, 3, 4, 5, 6, 7]);
    // In a branch they are parts of it.
    let mut lines = with([user(3, 2, "x")]);
    lines.extend(side_by_side(3));
    lines.push(user(10, 2, "q2"));
    check(&lines, &[(1, &[3, 4, 5, 6, 7, 8])], &[1, 2, 10]);
}

#[test]
fn a_turn_that_was_cut_is_no_branch() {
    let lines = with([call(3, 2, "t1", "m"), user(4, 2, "q2"), answer(5, 4, "a")]);
    check(&lines, &[], &[1, 2, 4, 5]);
}

#[test]
fn notes_beside_the_conversation_are_no_branches() {
    let hook = json!({"type": "attachment", "attachment": {"type": "hook_success", "content": ""}});
    let system = json!({"type": "system", "subtype": "turn_duration"});
    let lines = with([
        link(3, Some(2), &hook),
        link(4, Some(3), &system),
        user(5, 2, "q2"),
        link(6, Some(5), &hook),
    ]);
    check(&lines, &[], &[1, 2, 5]);
    // Before a prompt that was rewound they belong to it.
    let lines = with([link(3, Some(2), &hook), user(4, 3, "x"), user(5, 2, "q2")]);
    check(&lines, &[(1, &[3, 4])], &[1, 2, 5]);
}

#[test]
fn a_compaction_is_no_rewinding_and_branches_before_it_are_found() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "logicalParentUuid": uuid(6),
        "compactMetadata": {"trigger": "manual", "preTokens": 1}});
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"role": "user", "content": "sum"}});
    let lines = with([
        user(3, 2, "x"),
        answer(4, 3, "a"),
        user(5, 2, "q2"),
        answer(6, 5, "a"),
        link(7, None, &boundary),
        link(8, Some(7), &summary),
        user(9, 8, "q3"),
        answer(10, 9, "a"),
        user(11, 10, "y"),
        user(12, 10, "q4"),
    ]);
    check(&lines, &[(1, &[3, 4]), (1, &[11])], &[8, 9, 10, 12]);
    // A compaction that was rewound is a branch as well.
    let lines = with([
        link(7, None, &boundary),
        link(8, Some(7), &summary),
        user(9, 8, "x"),
        user(10, 2, "q2"),
    ]);
    check(&lines, &[(1, &[7, 8, 9])], &[1, 2, 10]);
}

#[test]
fn what_was_summarised_from_a_prompt_on_is_no_branch() {
    let kept = json!({"headUuid": uuid(1), "anchorUuid": uuid(7), "tailUuid": uuid(2)});
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "logicalParentUuid": uuid(2),
        "compactMetadata": {"trigger": "manual", "preTokens": 1, "messagesSummarized": 2, "preservedSegment": kept}});
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"role": "user", "content": "sum"},
        "summarizeMetadata": {"messagesSummarized": 2, "direction": "from"}});
    let lines = with([
        user(3, 2, "x"),
        answer(4, 3, "a"),
        user(5, 2, "q2"),
        answer(6, 5, "a"),
        link(7, None, &boundary),
        link(8, Some(7), &summary),
        user(9, 8, "q3"),
        answer(10, 9, "a"),
    ]);
    check(&lines, &[(1, &[3, 4])], &[1, 2, 8, 9, 10]);
}

#[test]
fn a_chain_whose_parent_is_missing_continues_with_what_stands_before() {
    let lines = with([user(3, 2, "q2"), user(6, 5, "q3"), answer(7, 6, "a")]);
    check(&lines, &[], &[1, 2, 3, 6, 7]);
    let lines = with([
        user(3, 2, "x"),
        answer(4, 3, "a"),
        user(5, 2, "q2"),
        user(8, 7, "q3"),
        answer(9, 8, "a"),
    ]);
    check(&lines, &[(1, &[3, 4])], &[1, 2, 5, 8, 9]);
}

#[test]
fn sub_agents_and_recordings_have_no_branches() {
    let of_agent =
        json!({"type": "user", "isSidechain": true, "message": {"role": "user", "content": "x"}});
    let lines = with([
        link(3, None, &of_agent),
        link(4, Some(3), &of_agent),
        user(5, 2, "q2"),
    ]);
    check(&lines, &[], &[1, 2, 5]);
    // Lines of stdout name no parents.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stdout.ndjson");
    let line = |number| json!({"type": "user", "uuid": uuid(number), "message": {"role": "user", "content": "x"}});
    std::fs::write(&path, format!("{}\n{}\n", line(1), line(2))).unwrap();
    assert!(Rewound::open(&path).unwrap().is_empty());
}

#[test]
fn every_whole_record_of_a_line_is_read() {
    let (a, b, c) = (user(1, None, "q1"), answer(2, 1, "a1"), user(3, 2, "q2"));
    let torn = answer(4, 3, "a2");
    let text = format!(
        "\u{feff}{a}\n\0\0{b}{c}\0\0\n{}{}\n{}",
        &torn[..150],
        user(5, 3, "q3"),
        &torn[..20]
    );
    let folder = Folder::new();
    let session = folder.add(crate::folder::ID, &text);
    assert_eq!(history(&session), [1, 2, 3, 5]);
    let unreadable = |problems: &[claw_sessions::Error]| {
        let problem = problems.iter().map(ToString::to_string);
        problem.collect::<Vec<_>>().join(";")
    };
    let read = session.messages().read().unwrap();
    let mut markdown = Vec::new();
    let exported = session.export_markdown(&mut markdown).unwrap();
    let told = unreadable(&read.problems);
    assert!(told.contains('1'), "{told}");
    assert_eq!(unreadable(&exported), told);
    let usage = folder.sessions().usage().run().unwrap();
    assert_eq!(unreadable(&usage.problems), told);
    let markdown = String::from_utf8(markdown).unwrap();
    for said in ["q1", "a1", "q2", "q3"] {
        assert!(markdown.contains(said), "{markdown}");
    }
    let info = session.info().unwrap().unwrap();
    assert_eq!(info.first_prompt.as_deref(), Some("q1"));
    let lines: Vec<_> = session.entries().unwrap().map(Result::unwrap).collect();
    let numbers: Vec<_> = lines
        .iter()
        .map(|line| (line.number(), line.entry().is_ok()))
        .collect();
    assert_eq!(
        numbers,
        [
            (1, true),
            (2, true),
            (2, true),
            (3, false),
            (3, true),
            (4, false)
        ]
    );
    let next = lines.last().map(claw_sessions::EntryLine::next_offset);
    assert_eq!(next, Some(text.len() as u64));
}
