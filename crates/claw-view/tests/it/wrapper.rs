//! Tests of the duties of a wrapper in the document "Claude Code SDK Message Schema Specification", with the document's
//! own example.

use std::fs;

use claw_types::dialect::{self, Fill};
use claw_types::{Message, SessionId, StdoutMessage, from_line};
use claw_view::progress::{Certainty, Progress, Source};
use claw_view::wrapper::{Outgoing, ProgressUpdate, Translator, WrapperMessage};
use serde_json::{Value, json};

use crate::sessions::folder;

/// Returns the document's example of a message of `claude`. `upgrade` adds the fields that it lacks.
fn example() -> Message {
    let line = r#"{
      "type": "assistant",
      "message": {
        "content": [{
          "type": "text",
          "text": "I'll run the test suite now. Running test 5 of 20..."
        }]
      },
      "session_id": "sess_123"
    }"#;
    let fill = Fill::new("sess_123", "u-1").model("m").message_id("msg_1");
    let old = dialect::from_line(line.as_bytes()).unwrap();
    old.upgrade(&fill).unwrap().message().unwrap().clone()
}

fn json_of(sent: &Outgoing) -> Value {
    serde_json::to_value(&sent.message).unwrap()
}

#[test]
fn what_claude_says_is_a_claude_response() {
    let sent = Translator::default().message(&example());
    assert_eq!(
        json_of(&sent[0]),
        json!({
            "type": "claude_response",
            "content": "I'll run the test suite now. Running test 5 of 20...",
            "conversationId": "sess_123"
        })
    );
}

#[test]
fn progress_in_what_it_says_is_a_separate_progress_update() {
    let sent = Translator::default().message(&example());
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].conversation, "sess_123");
    assert_eq!(
        json_of(&sent[1]),
        json!({
            "type": "progress_update",
            "currentStep": "Running tests",
            "completedSteps": 5,
            "totalSteps": 20,
            "percentage": 25.0
        })
    );
    // The message has the form of the older wrapper protocol.
    let text = serde_json::to_string(&sent[1].message).unwrap();
    assert!(matches!(
        dialect::from_line(text.as_bytes()),
        Ok(dialect::Dialect::ProgressUpdate(_))
    ));
}

#[test]
fn progress_is_told_once() {
    let mut translator = Translator::default();
    assert_eq!(translator.message(&example()).len(), 2);
    assert_eq!(translator.message(&example()).len(), 1);
}

#[test]
fn progress_without_numbers_is_no_update() {
    let progress = Progress::new(Source::Thinking, Certainty::Certain);
    assert_eq!(ProgressUpdate::of(&progress), None);
}

fn recording(name: &str) -> Vec<StdoutMessage> {
    let text = fs::read_to_string(folder().join(name).join("stdout.ndjson")).unwrap();
    text.lines()
        .map(|line| from_line(line.as_bytes()).unwrap())
        .collect()
}

fn sent(translator: &mut Translator, lines: &[StdoutMessage]) -> Vec<Outgoing> {
    let mut session = SessionId::from("");
    let mut sent = Vec::new();
    for line in lines {
        match line {
            StdoutMessage::Message(message) => {
                if let Some(its) = message.session_id() {
                    session = its.clone();
                }
                sent.extend(translator.message(message));
            }
            StdoutMessage::ControlRequest(request) => {
                sent.extend(translator.asked(&session, request));
            }
            _ => {}
        }
    }
    sent
}

#[test]
fn tool_usage_that_is_asked_for_is_a_permission_request() {
    let sent = sent(&mut Translator::default(), &recording("bash_allowed"));
    let asked: Vec<_> = sent
        .iter()
        .filter(|sent| matches!(sent.message, WrapperMessage::PermissionRequest(_)))
        .map(json_of)
        .collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["type"], "permission_request");
    assert_eq!(asked[0]["title"], "Bash(echo hello | tee greeting.txt)");
    assert_eq!(asked[0]["activity"], "command");
    assert_eq!(asked[0]["toolName"], "Bash");
    assert_eq!(asked[0]["conversationId"], sent[0].conversation);
}

#[test]
fn sub_agents_are_told_of_from_their_beginning_to_their_end() {
    let sent = sent(&mut Translator::default(), &recording("subagent"));
    let told: Vec<_> = sent
        .iter()
        .map(json_of)
        .filter(|message| message["type"] == "sub_agent_progress")
        .collect();
    let status: Vec<_> = told
        .iter()
        .map(|message| message["status"].as_str().unwrap())
        .collect();
    let over = status.iter().position(|status| *status != "running");
    assert!(over.is_some_and(|over| over > 1), "{status:?}");
    assert!(
        status[over.unwrap()..]
            .iter()
            .all(|status| *status == "completed")
    );
    assert!(
        told.iter()
            .all(|message| message["agentId"] == "toolu_0001")
    );
    assert!(
        told.iter()
            .any(|message| message["agentType"] == "general-purpose")
    );
    assert!(
        told.iter()
            .any(|message| message["currentStep"] == "Running Count")
    );
    // Texts of a sub-agent are not sent as texts of `claude`.
    let said: Vec<_> = sent
        .iter()
        .map(json_of)
        .filter(|message| message["type"] == "claude_response")
        .collect();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["content"], "Two files, says the agent.");
}

#[test]
fn a_session_is_a_conversation_of_a_project() {
    let lines = recording("bash_allowed");
    let mut translator = Translator::default();
    let sent_to = sent(&mut translator, &lines);
    // Without an assignment, the conversation has the ID of the session, and the project is the working directory.
    assert_eq!(sent_to[0].conversation, sent_to[0].session.as_str());
    assert_eq!(sent_to[0].project.as_deref(), Some("/work/project"));
    assert_eq!(translator.sessions("/work/project").count(), 1);
    // After an assignment, the conversation and the project are the assigned ones.
    let mut translator = Translator::default();
    translator.assign(
        sent_to[0].session.as_str(),
        "chat-7",
        Some("shop".to_owned()),
    );
    let assigned = sent(&mut translator, &lines);
    assert!(assigned.iter().all(|sent| sent.conversation == "chat-7"));
    assert!(
        assigned
            .iter()
            .all(|sent| sent.project.as_deref() == Some("shop"))
    );
    assert_eq!(json_of(&assigned[0])["conversationId"], "chat-7");
    let session = assigned[0].session.clone();
    translator.forget(&session);
    assert_eq!(translator.conversation(&session), session.as_str());
    assert_eq!(translator.project(&session), None);
}

#[test]
fn a_conversation_goes_on_after_a_clear_in_another_session() {
    let lines = recording("clear");
    let mut translator = Translator::default();
    let sent = sent(&mut translator, &lines);
    let sessions: std::collections::HashSet<_> =
        sent.iter().map(|sent| sent.session.clone()).collect();
    let conversations: std::collections::HashSet<_> =
        sent.iter().map(|sent| &sent.conversation).collect();
    assert_eq!((sessions.len(), conversations.len()), (2, 1));
}

#[test]
fn two_sessions_do_not_mix() {
    let mut translator = Translator::default();
    let (one, two) = (recording("text"), recording("thinking"));
    let mut all = Vec::new();
    for at in 0..one.len().max(two.len()) {
        for line in [one.get(at), two.get(at)].into_iter().flatten() {
            all.extend(sent(&mut translator, std::slice::from_ref(line)));
        }
    }
    assert!(all.len() >= 2);
    assert!(
        all.iter()
            .all(|sent| sent.conversation == sent.session.as_str())
    );
}

fn line(value: &Value) -> Message {
    from_line(value.to_string().as_bytes()).unwrap()
}

fn block(uuid: &str, parent: Option<&str>, block: &Value) -> Message {
    line(&json!({
        "type": "assistant", "parent_tool_use_id": parent, "uuid": uuid, "session_id": "s",
        "message": {
            "id": format!("msg_{uuid}"), "type": "message", "role": "assistant", "model": "m",
            "content": [block], "stop_reason": null, "stop_sequence": null, "usage": {"output_tokens": 1}
        }
    }))
}

fn says(text: &str) -> Message {
    block(text, None, &json!({"type": "text", "text": text}))
}

fn uses(id: &str, tool: &str, input: &Value) -> Message {
    block(
        id,
        None,
        &json!({"type": "tool_use", "id": id, "name": tool, "input": input}),
    )
}

fn gave(id: &str, is_error: bool) -> Message {
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": "x", "is_error": is_error});
    line(&json!({
        "type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": null,
        "uuid": format!("r-{id}"), "session_id": "s"
    }))
}

fn launches(id: &str, kind: &str) -> Message {
    let input = json!({"description": "Look", "prompt": "Look.", "subagent_type": kind});
    uses(id, "Agent", &input)
}

fn ends() -> Message {
    line(&json!({
        "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1,
        "num_turns": 1, "result": "", "stop_reason": null, "total_cost_usd": 0, "usage": {"output_tokens": 1},
        "modelUsage": {}, "permission_denials": [], "uuid": "end", "session_id": "s"
    }))
}

/// Returns the messages that are sent for these messages, without texts of `claude` and ends of turns.
fn told(messages: &[Message]) -> Vec<Value> {
    let mut translator = Translator::default();
    let sent = messages
        .iter()
        .flat_map(|message| translator.message(message));
    let sent = sent.map(|sent| json_of(&sent));
    sent.filter(|sent| sent["type"] != "claude_response" && sent["type"] != "turn_ended")
        .collect()
}

fn mention(
    agent: &str,
    kind: Option<&str>,
    status: &str,
    step: Option<&str>,
    numbers: Option<(u64, u64)>,
) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let percentage = numbers.map(|(done, total)| 100.0 * done as f64 / total as f64);
    json!({
        "type": "sub_agent_progress", "conversationId": "s", "agentId": agent, "agentType": kind,
        "description": "", "status": status, "currentStep": step,
        "completedSteps": numbers.map(|numbers| numbers.0), "totalSteps": numbers.map(|numbers| numbers.1),
        "percentage": percentage, "tokens": null
    })
}

#[test]
fn a_sub_agent_that_is_mentioned_is_sub_agent_progress() {
    let text = "The test-runner subagent is now checking the integration tests.";
    let step = Some("The test-runner subagent is now checking the integration tests");
    assert_eq!(
        told(&[says(text)]),
        [mention(
            "mentioned:test-runner",
            Some("test-runner"),
            "running",
            step,
            None
        )]
    );
    let text = "I've launched a sub-agent to look at the logs.";
    let step = Some("I've launched a sub-agent to look at the logs");
    assert_eq!(
        told(&[says(text)]),
        [mention("mentioned", None, "running", step, None)]
    );
}

#[test]
fn numbers_of_a_sub_agent_are_not_the_conversation_s() {
    for (text, agent, kind) in [
        ("The sub-agent finished 3 of 5.", "mentioned", None),
        (
            "The docs-writer agent has finished 3 of 5 pages.",
            "mentioned:docs-writer",
            Some("docs-writer"),
        ),
        (
            "Subagent `docs-writer` has finished 3 of 5 pages.",
            "mentioned:docs-writer",
            Some("docs-writer"),
        ),
    ] {
        let sent = told(&[says(text)]);
        let [sent] = &sent[..] else {
            panic!("{text}: {sent:?}")
        };
        let step = sent["currentStep"].as_str();
        assert_eq!(
            *sent,
            mention(agent, kind, "running", step, Some((3, 5))),
            "{text}"
        );
    }
}

/// A count of sub-agents is progress of the main conversation.
#[test]
fn a_count_of_sub_agents_is_the_conversation_s() {
    let sent = told(&[says("2 of 4 subagents have finished.")]);
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (&sent[0]["type"], &sent[0]["completedSteps"]),
        (&json!("progress_update"), &json!(2))
    );
}

#[test]
fn a_mention_is_of_the_agent_that_runs() {
    let sent = told(&[
        launches("t1", "Explore"),
        says("The sub-agent finished 3 of 5."),
    ]);
    let last = &sent[1];
    assert_eq!(
        (&last["agentId"], &last["agentType"]),
        (&json!("t1"), &json!("Explore"))
    );
    assert_eq!(
        (&last["completedSteps"], &last["status"]),
        (&json!(3), &json!("running"))
    );
    assert_eq!(last["description"], "Look");
    // If several sub-agents run, the mention belongs to the named one.
    let sent = told(&[
        launches("t1", "Explore"),
        launches("t2", "docs-writer"),
        says("The explore agent finished 3 of 5."),
        says("The sub-agent finished 4 of 5."),
    ]);
    let agents: Vec<_> = sent.iter().map(|sent| &sent["agentId"]).collect();
    assert_eq!(agents, ["t1", "t2", "t1", "mentioned"]);
    // A mention does not change the state of a sub-agent that has ended.
    let sent = told(&[
        launches("t1", "Explore"),
        gave("t1", false),
        says("The Explore agent has reported back."),
    ]);
    let agents: Vec<_> = sent
        .iter()
        .map(|sent| (&sent["agentId"], &sent["status"]))
        .collect();
    let (one, running, over) = (json!("t1"), json!("running"), json!("completed"));
    assert_eq!(agents, [(&one, &running), (&one, &over), (&one, &over)]);
}

/// After the turn, the status of a sub-agent that only texts mention is unknown, and its last numbers are repeated.
#[test]
fn a_mention_is_unknown_after_the_turn_or_where_its_agent_begins() {
    let text = "The code-reviewer sub-agent is running test 3 of 9.";
    let agent = "mentioned:code-reviewer";
    let kind = Some("code-reviewer");
    let sent = told(&[says(text), ends(), ends()]);
    let step = sent[0]["currentStep"].as_str();
    let numbers = Some((3, 9));
    // The percentage is reported with one decimal.
    let reported = |status| {
        let mut sent = mention(agent, kind, status, step, numbers);
        sent["percentage"] = json!(33.3);
        sent
    };
    assert_eq!(sent, [reported("running"), reported("unknown")]);
    let text = "I'm launching the docs-writer subagent to draft the guide.";
    let sent = told(&[says(text), launches("t1", "docs-writer"), ends()]);
    let agents: Vec<_> = sent
        .iter()
        .map(|sent| {
            (
                sent["agentId"].as_str().unwrap(),
                sent["status"].as_str().unwrap(),
                &sent["percentage"],
            )
        })
        .collect();
    assert_eq!(
        agents,
        [
            ("mentioned:docs-writer", "running", &Value::Null),
            ("mentioned:docs-writer", "unknown", &Value::Null),
            ("t1", "running", &Value::Null)
        ]
    );
}

#[test]
fn a_text_may_tell_of_both() {
    let sent = told(&[says(
        "Running test 5 of 20. The docs agent has finished 1 of 2 pages.",
    )]);
    let kinds: Vec<_> = sent
        .iter()
        .map(|sent| (&sent["type"], &sent["completedSteps"]))
        .collect();
    let (update, agent) = (json!("progress_update"), json!("sub_agent_progress"));
    assert_eq!(kinds, [(&update, &json!(5)), (&agent, &json!(1))]);
}

fn activity(id: &str, title: &str, activity: &str, status: &str) -> Value {
    json!({
        "type": "tool_activity", "conversationId": "s", "agentId": null, "toolUseId": id, "title": title,
        "activity": activity, "status": status
    })
}

/// The document requires: "Monitor Tool Usage: File operations, Command execution, Code modifications."
#[test]
fn reads_searches_edits_and_commands_are_tool_activity() {
    for (tool, input, title, kind) in [
        (
            "Read",
            json!({"file_path": "/a/b/c.rs"}),
            "Read(.../c.rs)",
            "fileRead",
        ),
        (
            "Grep",
            json!({"pattern": "fn"}),
            "Grep(pattern: \"fn\")",
            "fileSearch",
        ),
        (
            "Glob",
            json!({"pattern": "*.rs"}),
            "Glob(pattern: \"*.rs\")",
            "fileSearch",
        ),
        (
            "Edit",
            json!({"file_path": "/a/b/c.rs", "old_string": "a", "new_string": "b"}),
            "Update(.../c.rs)",
            "codeChange",
        ),
        (
            "Write",
            json!({"file_path": "/a/b/c.rs", "content": "a"}),
            "Write(.../c.rs)",
            "codeChange",
        ),
        ("Bash", json!({"command": "make"}), "Bash(make)", "command"),
        ("mcp__a__b", json!({}), "a: b", "mcp"),
    ] {
        for (is_error, status) in [(false, "completed"), (true, "failed")] {
            let sent = told(&[
                uses("t1", tool, &input),
                gave("t1", is_error),
                gave("t1", is_error),
            ]);
            let expected = [
                activity("t1", title, kind, "running"),
                activity("t1", title, kind, status),
            ];
            assert_eq!(sent, expected, "{tool}");
        }
    }
}

#[test]
fn the_activity_of_a_sub_agent_s_tools_is_its_own() {
    let read = json!({"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "a"}});
    let sent = told(&[launches("t1", "Explore"), block("b", Some("t1"), &read)]);
    let mut expected = activity("t2", "Read(a)", "fileRead", "running");
    expected["agentId"] = "t1".into();
    assert_eq!(sent[1..], [expected]);
}
