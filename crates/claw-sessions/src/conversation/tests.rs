use std::fs;

use claw_types::transcript::Entry;
use serde_json::{Value, json};

use super::{Branches, Conversation};
use crate::Session;
use crate::testing::{ONE, TestHome};

fn uuid(number: u32) -> String {
    format!("aaaaaaaa-0000-4000-8000-{number:012}")
}

fn link(number: u32, parent: Option<u32>, more: Value) -> Value {
    let mut line = json!({
        "parentUuid": parent.map(uuid), "isSidechain": false, "userType": "external", "cwd": "/work/project",
        "sessionId": ONE, "version": "2.1.330", "uuid": uuid(number),
        "timestamp": format!("2026-11-20T10:00:{number:02}.000Z"),
    });
    let (Value::Object(line_members), Value::Object(more)) = (&mut line, more) else {
        unreachable!("both are objects")
    };
    line_members.extend(more);
    line
}

fn user(number: u32, parent: impl Into<Option<u32>>) -> Value {
    let message = json!({"role": "user", "content": format!("prompt {number}")});
    link(
        number,
        parent.into(),
        json!({"type": "user", "message": message}),
    )
}

/// Returns an answer that starts these sub-agents.
fn answer(number: u32, parent: u32, agents: &[&str]) -> Value {
    let text = json!({"type": "text", "text": format!("answer {number}")});
    let starts = agents.iter().map(
        |id| json!({"type": "tool_use", "id": format!("use-{id}"), "name": "Agent", "input": {}}),
    );
    let content: Vec<_> = std::iter::once(text).chain(starts).collect();
    let message = json!({
        "id": format!("m{number}"), "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    link(
        number,
        Some(parent),
        json!({"type": "assistant", "message": message}),
    )
}

fn note() -> Value {
    json!({"type": "last-prompt", "sessionId": ONE, "lastPrompt": "x"})
}

fn agent(home: &TestHome, id: &str, lines: &[Value]) {
    let name = |end: &str| format!("{ONE}/subagents/agent-{id}.{end}");
    home.write("p", &name("jsonl"), lines);
    let metadata = json!({"agentType": id, "toolUseId": format!("use-{id}")});
    fs::write(home.path("p", &name("meta.json")), metadata.to_string()).unwrap();
}

/// Returns the names of the items: the numbers of lines, the kinds of agents, and `note`. The name of a marked item
/// contains its branch.
fn names(mut read: Conversation) -> Vec<String> {
    let mut branches = Vec::new();
    let mut names = Vec::new();
    for item in read.by_ref() {
        let item = item.unwrap();
        let name = match item.entry() {
            Ok(Entry::AgentMetadata(agent)) => agent.agent_type.clone(),
            Ok(entry) => entry.uuid().map_or("note".to_owned(), |uuid| {
                uuid.as_str()[24..].trim_start_matches('0').to_owned()
            }),
            Err(_) => "unreadable".to_owned(),
        };
        assert_eq!(item.line().is_none(), name.starts_with('a'), "{name}");
        names.push(match item.branch() {
            None => name,
            Some(branch) => {
                let known = branches.iter().position(|known| *known == branch);
                let known = known.unwrap_or_else(|| {
                    branches.push(branch);
                    branches.len() - 1
                });
                format!("{name} in {known}")
            }
        });
    }
    assert!(read.take_problems().is_empty());
    names
}

fn session(home: &TestHome) -> Session {
    home.sessions().find(ONE).unwrap()
}

#[test]
fn abandoned_branches_are_left_out_marked_or_read_as_all_lines() {
    let home = TestHome::new();
    // The text has a blank line, a spliced line, and a line that is not a record.
    let text = format!(
        "{}\n{}\n\n{}{}\n{}\n{}\n{{\n{}\n{}\n",
        user(1, None),
        answer(2, 1, &[]),
        user(3, 2),
        note(),
        answer(4, 3, &[]),
        note(),
        user(5, 2),
        answer(6, 5, &[]),
    );
    fs::write(home.transcript(ONE), text).unwrap();
    let read = |branches| names(session(&home).conversation(branches).unwrap());
    let all = ["1", "2", "3", "note", "4", "note", "unreadable", "5", "6"];
    assert_eq!(read(Branches::All), all);
    let marked = all.map(|name| match name {
        "3" | "4" => format!("{name} in 0"),
        name => name.to_owned(),
    });
    assert_eq!(read(Branches::Marked), marked);
    let current = ["1", "2", "note", "note", "unreadable", "5", "6"];
    assert_eq!(read(Branches::Current), current);
    let mut read = session(&home).conversation(Branches::Marked).unwrap();
    let branch = read.find_map(|item| item.unwrap().branch()).unwrap();
    assert_eq!(read.prompts(branch), 1);
}

#[test]
fn sub_agents_follow_the_tool_uses_that_started_them() {
    let home = TestHome::new();
    let lines = [
        user(1, None),
        answer(2, 1, &["a1", "a2"]),
        user(3, 2),
        answer(4, 3, &["a4"]),
        user(5, 2),
        answer(6, 5, &[]),
    ];
    home.write("p", &format!("{ONE}.jsonl"), &lines);
    agent(
        &home,
        "a1",
        &[user(11, None), answer(12, 11, &["a3"]), user(13, 12)],
    );
    agent(&home, "a2", &[user(21, None)]);
    agent(&home, "a3", &[user(31, None)]);
    agent(&home, "a4", &[user(41, None)]);
    agent(&home, "a5", &[user(51, None)]);
    let read = |branches| {
        let session = session(&home);
        names(
            session
                .conversation(branches)
                .unwrap()
                .with_subagents(&session),
        )
    };
    let begin = ["1", "2", "a1", "11", "12", "a3", "31", "13", "a2", "21"];
    let end = ["5", "6", "a5", "51"];
    let all = [&begin[..], &["3", "4", "a4", "41"], &end].concat();
    assert_eq!(read(Branches::All), all);
    let inside = ["3 in 0", "4 in 0", "a4 in 0", "41 in 0"];
    assert_eq!(read(Branches::Marked), [&begin[..], &inside, &end].concat());
    assert_eq!(read(Branches::Current), [&begin[..], &end].concat());
}

#[test]
fn sub_agents_with_one_tool_use_are_all_read() {
    let home = TestHome::new();
    let lines = [user(1, None), answer(2, 1, &["a1"]), user(3, 2)];
    home.write("p", &format!("{ONE}.jsonl"), &lines);
    for (id, number) in [("a1", 11), ("a2", 21), ("a3", 31)] {
        agent(&home, id, &[user(number, None)]);
        let name = format!("{ONE}/subagents/agent-{id}.meta.json");
        let metadata = json!({"agentType": id, "toolUseId": "use-a1"});
        fs::write(home.path("p", &name), metadata.to_string()).unwrap();
    }
    let session = session(&home);
    let read = session.conversation(Branches::All).unwrap();
    let mut names = names(read.with_subagents(&session));
    names.sort_unstable();
    let expected = ["1", "11", "2", "21", "3", "31", "a1", "a2", "a3"];
    assert_eq!(names, expected);
}

#[test]
fn an_unreadable_sub_agent_is_a_problem_and_ends_nothing() {
    let home = TestHome::new();
    home.write(
        "p",
        &format!("{ONE}.jsonl"),
        &[user(1, None), answer(2, 1, &["a1"]), user(3, 2)],
    );
    agent(&home, "a1", &[user(11, None)]);
    let session = session(&home);
    let mut read = session
        .conversation(Branches::All)
        .unwrap()
        .with_subagents(&session);
    let file = home.path("p", &format!("{ONE}/subagents/agent-a1.jsonl"));
    fs::remove_file(file).unwrap();
    assert_eq!(read.by_ref().map(Result::unwrap).count(), 4);
    assert_eq!(read.take_problems().len(), 1);
}
