//! Prompts and their updates.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::editor::{Editor, everything, prompt};

#[tokio::test]
async fn an_answer_comes_in_pieces_and_once() {
    let editor = Editor::new(Script::reply("Four and some more words.")).await;
    let session = editor.begin().await;
    let answer = editor.prompt(&session, "What is 2 + 2?").await.unwrap();
    assert_eq!(answer["stopReason"], "end_turn");
    assert_eq!(editor.text(), "Four and some more words.");
    // The client shows its own prompt.
    let kinds: Vec<_> = editor.updates();
    assert!(
        kinds
            .iter()
            .all(|it| it["sessionUpdate"] != "user_message_chunk"),
        "{kinds:#?}"
    );
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn the_answer_to_a_request_comes_before_the_updates_of_a_new_session() {
    let editor = Editor::new(Script::reply("Hello.")).await;
    editor.begin().await;
    let is_commands =
        |it: &Value| it["params"]["update"]["sessionUpdate"] == "available_commands_update";
    editor.wait(is_commands).await;
    let lines = editor.lines();
    let answer = lines
        .iter()
        .position(|it| it["result"].get("sessionId").is_some());
    let update = lines.iter().position(|it| it["method"] == "session/update");
    assert!(answer.unwrap() < update.unwrap());
}

#[tokio::test]
async fn the_updates_of_a_turn_come_before_its_answer() {
    let editor = Editor::new(Script::reply("one two three four five six")).await;
    let session = editor.begin().await;
    let id = editor
        .send("session/prompt", prompt(&session, "Count."))
        .await;
    editor.answer(id).await.unwrap();
    let lines = editor.lines();
    let answer = lines
        .iter()
        .position(|it| it["id"] == id && it.get("result").is_some());
    let before: String = lines[..answer.unwrap()]
        .iter()
        .filter_map(|it| it["params"]["update"]["content"]["text"].as_str())
        .collect();
    assert_eq!(before, "one two three four five six");
}

#[tokio::test]
async fn a_tool_use_is_a_tool_call_with_its_kind_and_its_place() {
    let read = Block::tool_use(
        "Read",
        json!({"file_path": "/work/project/a.rs", "offset": 7}),
    );
    let script = Script::new([Step::Turn(vec![
        Step::message([read]),
        Step::tool_result("fn main() {}"),
        Step::message([Block::text("Read.")]),
    ])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Read it.").await.unwrap();
    let updates = editor.updates();
    let call = updates.iter().find(|it| it["sessionUpdate"] == "tool_call");
    let call = call.unwrap();
    assert_eq!(call["kind"], "read");
    let calls = updates
        .iter()
        .filter(|it| it["toolCallId"] == call["toolCallId"]);
    let calls: Vec<_> = calls.collect();
    let place = calls.iter().find_map(|it| it["locations"].get(0));
    assert_eq!(
        place.unwrap(),
        &json!({"path": "/work/project/a.rs", "line": 7})
    );
    let last = calls.last().unwrap();
    assert_eq!(last["status"], "completed");
    assert_eq!(last["content"][0]["content"]["text"], "fn main() {}");
}

#[tokio::test]
async fn an_edit_is_a_diff_and_stays_one() {
    let edit = json!({"file_path": "/work/project/a.rs", "old_string": "one", "new_string": "two"});
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Edit", edit)]),
        Step::tool_result("The file was updated."),
        Step::message([Block::text("Done.")]),
    ])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Change it.").await.unwrap();
    let updates = editor.updates();
    let mut diffs = updates
        .iter()
        .filter(|it| it["content"][0]["type"] == "diff");
    let last = diffs.next_back().expect("an update with a diff");
    let diff = &last["content"][0];
    assert_eq!(
        (&diff["oldText"], &diff["newText"]),
        (&json!("one"), &json!("two"))
    );
    assert_eq!(diff["path"], "/work/project/a.rs");
    let ended = updates
        .iter()
        .rfind(|it| it["status"] == "completed")
        .unwrap();
    assert_eq!(ended["content"][0]["type"], "diff");
}

#[tokio::test]
async fn a_to_do_list_is_a_plan() {
    let todos = json!({"todos": [
        {"content": "Look", "status": "completed", "activeForm": "Looking"},
        {"content": "Jump", "status": "in_progress", "activeForm": "Jumping"},
    ]});
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("TodoWrite", todos)]),
        Step::tool_result("ok"),
    ])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Plan.").await.unwrap();
    let updates = editor.updates();
    let plan = updates
        .iter()
        .find(|it| it["sessionUpdate"] == "plan")
        .unwrap();
    assert_eq!(plan["entries"][1]["content"], "Jump");
    assert_eq!(plan["entries"][1]["status"], "in_progress");
}

#[tokio::test]
async fn a_model_that_goes_on_after_a_refusal_is_the_model_of_the_session() {
    for (scope, expected) in [("session", Some("claude-other")), ("local", None)] {
        let line = json!({"type": "system", "subtype": "model_refusal_fallback", "uuid": "fallback",
            "session_id": "11111111-2222-4333-8444-555555555555", "trigger": "refusal",
            "direction": "sticky", "original_model": "claude-first", "scope": scope,
            "fallback_model": "claude-other", "request_id": null, "content": "Another one answers."});
        let script = Script::new([Step::Turn(vec![
            Step::Line(line),
            Step::message([Block::text("Yes.")]),
        ])]);
        let editor = Editor::new(script).await;
        let session = editor.begin().await;
        editor.prompt(&session, "Hello?").await.unwrap();
        let lines = editor.lines();
        let updates = lines.iter().map(|line| &line["params"]["update"]);
        let mut options = updates.filter_map(|update| update["configOptions"].as_array());
        let model = options.find_map(|options| {
            let model = options.iter().find(|option| option["id"] == "model");
            model.map(|model| model["currentValue"].clone())
        });
        assert_eq!(model, expected.map(Value::from), "{scope}");
    }
}

/// The compactions that a client sees of a turn with these lines: their IDs, their statuses, and their errors.
async fn compactions(lines: impl IntoIterator<Item = Value>) -> Vec<(Value, Value, Value)> {
    let lines = lines.into_iter().map(Step::Line);
    let script = Script::new([Step::Turn(lines.collect())]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    editor.prompt(&session, "/compact").await.unwrap();
    let updates = editor.updates().into_iter();
    let updates = updates.filter(|it| it["sessionUpdate"] == "compaction_update");
    updates
        .map(|it| {
            (
                it["compactionId"].clone(),
                it["status"].clone(),
                it["error"].clone(),
            )
        })
        .collect()
}

fn status(uuid: &str, more: &Value) -> Value {
    let mut line = json!({"type": "system", "subtype": "status", "status": null, "uuid": uuid,
        "session_id": "11111111-2222-4333-8444-555555555555"});
    for (name, value) in more.as_object().unwrap() {
        line[name] = value.clone();
    }
    line
}

#[tokio::test]
async fn a_compaction_begins_and_ends_with_one_id() {
    let session = "11111111-2222-4333-8444-555555555555";
    let seen = compactions([
        status("begins", &json!({"status": "compacting"})),
        status(
            "goes-on",
            &json!({"status": "compacting", "compact_output_chars": 7}),
        ),
        status("ends", &json!({"compact_result": "success"})),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "boundary",
            "session_id": session, "compact_metadata": {"trigger": "auto", "pre_tokens": 9}}),
        json!({"type": "user", "uuid": "summary", "session_id": session, "isSynthetic": true,
            "parent_tool_use_id": null, "message": {"role": "user", "content": "They said hello."}}),
    ]);
    let seen = seen.await;
    assert_eq!(
        seen[0],
        (json!("begins"), json!("in_progress"), Value::Null)
    );
    assert!(seen.len() > 1);
    for update in &seen[1..] {
        assert_eq!(*update, (json!("begins"), json!("completed"), Value::Null));
    }
}

#[tokio::test]
async fn a_compaction_without_a_summary_has_failed_or_was_cancelled() {
    let begins = || status("begins", &json!({"status": "compacting"}));
    let failed = json!({"compact_result": "failed", "compact_error": "No summary today"});
    let seen = compactions([begins(), status("ends", &failed)]).await;
    let failed = (json!("begins"), json!("failed"), json!("No summary today"));
    assert_eq!(seen[1..], [failed]);
    // The turn ends before it.
    let seen = compactions([begins()]).await;
    let cancelled = (json!("begins"), json!("cancelled"), Value::Null);
    assert_eq!(seen[1..], [cancelled]);
}

#[tokio::test]
async fn texts_of_sub_agents_go_to_clients_that_show_them_and_name_their_sub_agent() {
    let line = |kind: &str, text: &str| {
        let block = json!({"type": kind, kind: text, "signature": "c2ln"});
        Step::Line(
            json!({"type": "assistant", "uuid": "$uuid", "session_id": "$session_id",
            "parent_tool_use_id": "toolu_agent", "message": {"id": text, "type": "message",
            "role": "assistant", "model": "m", "content": [block], "stop_reason": null,
            "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        )
    };
    for shows in [false, true] {
        let script = Script::new([Step::Turn(vec![
            line("thinking", "How many?"),
            line("text", "There are two files."),
            Step::message([Block::text("Two.")]),
        ])]);
        let mut offer = everything();
        offer["_meta"]["subagent-transcript"] = json!(shows);
        let editor = Editor::with(script, offer, |_, _| None).await;
        let session = editor.begin().await;
        editor.prompt(&session, "Count.").await.unwrap();
        let texts = editor.updates().into_iter().map(|it| {
            let parent = &it["_meta"]["claudeCode"]["parentToolUseId"];
            json!([it["sessionUpdate"], it["content"]["text"], parent])
        });
        let (own, others): (Vec<_>, Vec<_>) = texts.partition(|it| it[2].is_null());
        let own: String = own.iter().filter_map(|it| it[1].as_str()).collect();
        assert_eq!(own, "Two.");
        let expected = [
            json!(["agent_thought_chunk", "How many?", "toolu_agent"]),
            json!(["agent_message_chunk", "There are two files.", "toolu_agent"]),
        ];
        assert_eq!(others, if shows { &expected[..] } else { &[] });
        editor.leave().await.unwrap();
    }
}

#[tokio::test]
async fn two_prompts_at_once_both_get_an_answer() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let session = editor.begin().await;
    let first = editor
        .send("session/prompt", prompt(&session, "One?"))
        .await;
    let second = editor
        .send("session/prompt", prompt(&session, "Two?"))
        .await;
    for id in [first, second] {
        assert_eq!(editor.answer(id).await.unwrap()["stopReason"], "end_turn");
    }
}

#[tokio::test]
async fn a_failed_turn_is_an_error_with_its_text() {
    let script = Script::new([Step::Turn(vec![Step::api_failure(
        500,
        "api_error",
        "API Error: 500 overloaded",
    )])]);
    let editor = Editor::new(script).await;
    let session = editor.begin().await;
    let error = editor.prompt(&session, "Hello?").await.unwrap_err();
    assert!(
        error["message"].as_str().unwrap().contains("500"),
        "{error}"
    );
}

#[tokio::test]
async fn audio_is_refused_and_names_its_place() {
    let editor = Editor::new(Script::reply("Yes.")).await;
    let session = editor.begin().await;
    let params = json!({"sessionId": session, "prompt": [
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}]});
    let error = editor.ask("session/prompt", params).await.unwrap_err();
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("prompt[0]"));
}
