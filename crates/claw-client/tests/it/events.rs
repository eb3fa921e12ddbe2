//! Turns as simple events.

use claw_client::types::from_line;
use claw_client::{Error, Message, Query, TurnEvent, TurnEvents};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::{Stream, StreamExt, TryStreamExt};
use serde_json::{Value, json};

use crate::agent::{Agent, builder, connect, soon};

/// What an event is, in a line.
fn told(event: &TurnEvent) -> String {
    match event {
        TurnEvent::Text(text) => format!("text {text}"),
        TurnEvent::Thinking(text) => format!("thinking {text}"),
        TurnEvent::BlockEnd => "other block end".to_owned(),
        TurnEvent::Withdrawn(gone) => format!("withdrawn {}{}", gone.thinking, gone.text),
        TurnEvent::ToolUse(tool) => format!("use {}", tool.name),
        TurnEvent::ToolResult(result) => format!("result {}", result.text()),
        TurnEvent::Subagent(inside) => {
            format!("{}: {}", inside.tool_use_id.as_str(), told(&inside.event))
        }
        TurnEvent::Result(result) => format!("end {}", result.text()),
        TurnEvent::Unreadable(line) => format!("unreadable {}", line.number()),
        TurnEvent::UnconnectedServers(servers) => {
            let names: Vec<_> = servers.iter().map(|server| &*server.name).collect();
            format!("other unconnected {}", names.join(" "))
        }
        TurnEvent::Other(message) => format!("other {}", message.kind()),
        other => panic!("{other:?}"),
    }
}

async fn all(events: impl Stream<Item = Result<TurnEvent, Error>>) -> Vec<TurnEvent> {
    soon(events.try_collect()).await.unwrap()
}

/// Events in lines, pieces of text and reasoning put together, the others left out.
async fn story(events: impl Stream<Item = Result<TurnEvent, Error>>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for event in all(events).await {
        let line = told(&event);
        let is_piece = matches!(event, TurnEvent::Text(_) | TurnEvent::Thinking(_));
        let (kind, piece) = line.split_once(' ').unwrap();
        match lines.last_mut() {
            Some(last) if is_piece && last.starts_with(&format!("{kind} ")) => last.push_str(piece),
            _ if line.contains("other ") => {}
            _ => lines.push(line),
        }
    }
    lines
}

async fn query(script: Script) -> Query {
    let (pipe, _) = Agent::start(script);
    soon(builder().transport(pipe).query("Go")).await.unwrap()
}

fn work() -> Script {
    Script::new([Step::Turn(vec![
        Step::message([
            Block::thinking("let me see", "signed"),
            Block::text("one two "),
            Block::text("three"),
        ]),
        Step::message([Block::tool_use("Bash", json!({"command": "true"}))]),
        Step::tool_result("done"),
        Step::message([Block::text("four")]),
    ])])
}

#[tokio::test]
async fn text_tools_and_the_result_come_in_one_stream_and_once() {
    for partial in [true, false] {
        let mut script = work();
        script.partial_messages = partial;
        let expected = [
            "thinking let me see",
            "text one two three",
            "use Bash",
            "result done",
            "text four",
            "end four",
        ];
        let (session, _agent) = connect(script.clone()).await;
        let turn = session.send("Go").await.unwrap();
        assert_eq!(story(turn.events()).await, expected, "partial: {partial}");
        assert_eq!(story(query(script).await.events()).await, expected);
    }
}

#[tokio::test]
async fn a_query_has_text_a_result_and_an_answer() {
    let mut text = query(work()).await.text_stream();
    let pieces: Vec<String> = soon(text.by_ref().try_collect()).await.unwrap();
    assert_eq!(pieces.concat(), "one two threefour");
    assert_eq!(text.result().unwrap().text(), "four");
    assert!(text.get_ref().session().process().exit().is_some());

    assert_eq!(
        soon(query(work()).await.result()).await.unwrap().text(),
        "four"
    );
    assert_eq!(soon(query(work()).await.answer()).await.unwrap(), "four");
    let failing = Script::new([Step::Turn(vec![
        serde_json::from_value(
            json!({"fail": {"subtype": "error_max_turns", "errors": ["enough"]}}),
        )
        .unwrap(),
    ])]);
    let error = soon(query(failing.clone()).await.answer())
        .await
        .unwrap_err();
    assert!(error.is_turn_failed(), "{error}");
    assert!(
        soon(query(failing).await.result())
            .await
            .unwrap()
            .is_error()
    );
}

#[tokio::test]
async fn a_query_without_a_result_says_so() {
    let lost = Script::new([Step::Turn(vec![
        Step::message([Block::text("so")]),
        Step::LoseResult,
    ])]);
    let error = soon(query(lost).await.answer()).await.unwrap_err();
    assert!(error.is_result_lost(), "{error}");
    let dies = Script::new([Step::Turn(vec![
        Step::message([Block::text("so")]),
        Step::Exit(3),
    ])]);
    let error = soon(query(dies).await.result()).await.unwrap_err();
    // It says how the process ended, and not only that there is no result.
    assert!(!error.is_result_lost(), "{error}");
}

fn assistant(parent: Option<&str>, blocks: &Value) -> Step {
    Step::Line(
        json!({"type": "assistant", "parent_tool_use_id": parent, "uuid": "$uuid",
        "session_id": "$session_id", "message": {"id": "m", "type": "message", "role": "assistant",
        "model": "m", "content": blocks, "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    )
}

fn event(parent: Option<&str>, event: &Value) -> Step {
    Step::Line(
        json!({"type": "stream_event", "event": event, "parent_tool_use_id": parent,
        "uuid": "$uuid", "session_id": "$session_id"}),
    )
}

fn start(parent: Option<&str>) -> [Step; 2] {
    [
        event(
            parent,
            &json!({"type": "message_start", "message": {"id": "m", "type": "message",
            "role": "assistant", "model": "m", "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        ),
        event(
            parent,
            &json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}}),
        ),
    ]
}

fn delta(parent: Option<&str>, text: &str) -> Step {
    event(
        parent,
        &json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": text}}),
    )
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn script(steps: impl IntoIterator<Item = Step>) -> Script {
    let mut turn: Vec<Step> = steps.into_iter().collect();
    turn.push(Step::message([Block::text("end")]));
    let mut script = Script::new([Step::Turn(turn)]);
    script.partial_messages = false;
    script
}

#[tokio::test]
async fn what_sub_agents_say_is_told_apart() {
    let steps = start(None).into_iter().chain(start(Some("t1"))).chain([
        delta(None, "main "),
        delta(Some("t1"), "inner "),
        delta(None, "text"),
        delta(Some("t1"), "text"),
        assistant(Some("t1"), &text("inner text")),
        assistant(
            Some("t1"),
            &json!([{"type": "tool_use", "id": "u", "name": "Read", "input": {}}]),
        ),
        assistant(None, &text("main text")),
        assistant(Some("t2"), &text("another")),
    ]);
    let events = query(script(steps)).await.events();
    let expected = [
        "text main ",
        "t1: text inner ",
        "text text",
        "t1: text text",
        "t1: use Read",
        "t2: text another",
        "text end",
        "end end",
    ];
    let told: Vec<_> = all(events).await.iter().map(told).collect();
    let told: Vec<_> = told
        .iter()
        .filter(|line| !line.contains("other "))
        .collect();
    assert_eq!(told, expected);
}

#[tokio::test]
async fn an_answer_that_does_not_go_on_as_it_began_loses_nothing() {
    let whole = |begun: &str, whole: &str| {
        let steps = start(None).into_iter();
        steps.chain([delta(None, begun), assistant(None, &text(whole))])
    };
    for (begun, said, expected) in [
        ("Hello", "Hello, world", "Hello, world"),
        ("Hello, wor", "Hello, ", "Hello, wor"),
        ("Hel", "Other", "HelOther"),
        ("", "Hello", "Hello"),
    ] {
        let events = query(script(whole(begun, said))).await.events();
        let first = story(events).await.remove(0);
        assert_eq!(first, format!("text {expected}end"), "{begun:?} {said:?}");
    }
    // The beginning went to another reader: the whole is told, and no piece of it before.
    let late = [delta(None, "world"), assistant(None, &text("Hello, world"))];
    let first = story(query(script(late)).await.events()).await.remove(0);
    assert_eq!(first, "text Hello, worldend");
}

fn stop(abandoned_from: u64) -> Step {
    Step::Line(
        json!({"type": "stream_event", "event": {"type": "message_stop"}, "parent_tool_use_id": null,
        "uuid": "$uuid", "session_id": "$session_id",
        "abandoned_blocks": {"api_message_id": "m", "from_block_index": abandoned_from}}),
    )
}

#[tokio::test]
async fn what_a_new_attempt_replaces_is_withdrawn() {
    let begun = || start(None).into_iter().chain([delta(None, "Half an ")]);
    // The CLI says what it abandons, an older one only begins again, and without streaming there is no beginning.
    let cases: [(&str, Vec<Step>); 4] = [
        (
            "said",
            begun().chain([stop(0)]).chain(start(None)).collect(),
        ),
        ("older", begun().chain(start(None)).collect()),
        ("no stream", begun().chain([stop(0)]).collect()),
        ("kept", begun().chain([stop(1)]).collect()),
    ];
    for (name, steps) in cases {
        let whole = assistant(None, &text("A whole answer."));
        let lines = story(
            query(script(steps.into_iter().chain([whole])))
                .await
                .events(),
        )
        .await;
        let expected: &[&str] = match name {
            "kept" => &["text Half an A whole answer.end", "end end"],
            _ => &[
                "text Half an ",
                "withdrawn Half an ",
                "text A whole answer.end",
                "end end",
            ],
        };
        assert_eq!(lines, expected, "{name}");
    }
    // An interrupt: the CLI sends what there is, after it has abandoned it.
    let steps = begun().chain([stop(0), assistant(None, &text("Half an "))]);
    let lines = story(query(script(steps)).await.events()).await;
    assert_eq!(lines, ["text Half an end", "end end"]);
    // Nothing follows.
    let steps = begun().chain([stop(0)]).collect();
    let lost = Step::Turn(steps);
    let mut script = Script::new([lost]);
    script.partial_messages = false;
    let lines = story(query(script).await.events()).await;
    assert_eq!(lines[..2], ["text Half an ", "withdrawn Half an "]);
}

#[tokio::test]
async fn a_block_has_an_end_and_joined_blocks_come_once() {
    let block = |index: u64, text: &str| {
        let begin = json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}});
        let delta = json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
        [event(None, &begin), event(None, &delta)]
    };
    let [first, _] = start(None);
    let steps = [first]
        .into_iter()
        .chain(block(0, "one "))
        .chain(block(1, "two"));
    let joined = steps.clone().chain([assistant(None, &text("one two"))]);
    let apart = steps.chain([
        assistant(None, &text("one ")),
        assistant(None, &text("two")),
    ]);
    for (steps, ends) in [(joined.collect::<Vec<_>>(), 2), (apart.collect(), 3)] {
        let events = all(query(script(steps)).await.events()).await;
        let texts = events.iter().filter_map(|event| match event {
            TurnEvent::Text(text) => Some(&**text),
            _ => None,
        });
        assert_eq!(texts.collect::<String>(), "one twoend");
        let is_end = |event: &&TurnEvent| matches!(event, TurnEvent::BlockEnd);
        assert_eq!(events.iter().filter(is_end).count(), ends);
    }
}

#[tokio::test]
async fn servers_that_are_not_connected_come_before_the_message_that_has_them() {
    let servers = json!([{"name": "calc", "status": "connected"}, {"name": "off", "status": "disabled"},
        {"name": "web", "status": "failed"}, {"name": "slow", "status": "pending"}]);
    let init = json!({"type": "system", "subtype": "init", "apiKeySource": "none", "claude_code_version": "2.1.330",
        "cwd": "/work", "tools": [], "mcp_servers": servers, "model": "m", "permissionMode": "default",
        "slash_commands": [], "output_style": "default", "skills": [], "plugins": [], "uuid": "u", "session_id": "s"});
    let events = all(query(script([Step::Line(init)])).await.events()).await;
    let at = |event: &TurnEvent| matches!(event, TurnEvent::UnconnectedServers(_));
    let found: Vec<_> = events.iter().filter(|event| at(event)).map(told).collect();
    assert_eq!(found, ["other unconnected web slow"]);
    let place = events.iter().position(at).unwrap();
    let TurnEvent::Other(next) = &events[place + 1] else {
        panic!("{events:?}")
    };
    let Message::SystemInit(init) = &**next else {
        panic!("{next:?}")
    };
    let connected = ["calc", "off", "web", "none"].map(|name| init.is_server_connected(name));
    assert_eq!(connected, [true, false, false, false]);
}

#[tokio::test]
async fn every_message_gives_an_event() {
    let steps = [
        assistant(
            None,
            &json!([{"type": "text", "text": "look: "},
            {"type": "server_tool_use", "id": "u", "name": "web_search", "input": {}}]),
        ),
        Step::Line(
            json!({"type": "user", "parent_tool_use_id": null, "uuid": "$uuid",
            "session_id": "$session_id", "tool_use_result": {"stdout": "x"}, "message":
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "u", "content": "no", "is_error": true}]}}),
        ),
        Step::Line(
            json!({"type": "user", "parent_tool_use_id": null, "uuid": "$uuid",
            "session_id": "$session_id", "message":
            {"role": "user", "content": [{"type": "text", "text": "[interrupted]"}]}}),
        ),
        Step::Line(json!({"type": "tomorrow", "what": "?"})),
        Step::Text("{\"type\":".to_owned()),
    ];
    let events = all(query(script(steps)).await.events()).await;
    let lines: Vec<_> = events.iter().map(told).collect();
    let expected = [
        "text look: ",
        "other block end",
        "other assistant",
        "result no",
        "other user",
        "other tomorrow",
    ];
    let at = lines.iter().position(|line| line == expected[0]).unwrap();
    assert_eq!(lines[at..at + 6], expected, "{lines:?}");
    assert!(lines[at + 6].starts_with("unreadable "), "{lines:?}");
    let result = events.iter().find_map(|event| match event {
        TurnEvent::ToolResult(result) => Some(result),
        _ => None,
    });
    let result = result.unwrap();
    assert!(result.is_error());
    assert_eq!(result.tool_use_id().as_str(), "u");
    assert_eq!(
        result.output.as_ref().unwrap().as_raw(),
        r#"{"stdout":"x"}"#
    );
    // The start of the run, too.
    assert!(lines.contains(&"other system/init".to_owned()), "{lines:?}");
}

#[tokio::test]
async fn recordings_tell_the_same_text_as_their_messages() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut with_pieces = 0;
    for folder in std::fs::read_dir(fixtures).unwrap() {
        let Ok(lines) = std::fs::read(folder.unwrap().path().join("stdout.ndjson")) else {
            continue;
        };
        let messages: Vec<Message> = lines
            .split(|byte| *byte == b'\n')
            .filter_map(|line| from_line(line).ok())
            .collect();
        let is_main = |message: &&Message| match message {
            Message::Assistant(answer) => answer.parent_tool_use_id.is_none(),
            _ => false,
        };
        let whole: String = messages.iter().filter(is_main).map(Message::text).collect();
        with_pieces += usize::from(
            messages
                .iter()
                .any(|m| matches!(m, Message::StreamEvent(_))),
        );
        let count = messages.len();
        let received = messages
            .into_iter()
            .map(|message| Ok(claw_client::Received::Message(message)));
        let events = all(TurnEvents::from(futures::stream::iter(received))).await;
        let told: String = events
            .iter()
            .filter_map(|event| match event {
                TurnEvent::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert!(events.len() >= count);
        assert!(
            told.contains(&whole) || told.len() >= whole.len(),
            "{told:?} {whole:?}"
        );
        assert_eq!(told, whole);
    }
    assert!(with_pieces > 10, "{with_pieces}");
}

#[tokio::test]
async fn all_messages_of_a_session_have_events_too() {
    let (session, _agent) = connect(work()).await;
    let mut events = session.messages().unwrap().events();
    let turn = session.send("Go").await.unwrap();
    loop {
        if let Some(TurnEvent::Result(result)) = soon(events.try_next()).await.unwrap() {
            assert_eq!(result.text(), "four");
            break;
        }
    }
    assert_eq!(soon(turn.answer()).await.unwrap(), "four");
}
