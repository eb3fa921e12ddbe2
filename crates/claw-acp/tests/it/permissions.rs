//! Permission requests and questions.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::editor::{Editor, everything, prompt, soon};

fn asks(tool: &str, input: Value) -> Script {
    Script::new([Step::Turn(vec![
        Step::message([Block::tool_use(tool, input)]),
        Step::permission(
            [
                Step::tool_result("ran"),
                Step::message([Block::text("Allowed.")]),
            ],
            [Step::message([Block::text("Denied.")])],
        ),
    ])])
}

fn chosen(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

async fn answered(answer: Value) -> String {
    let script = asks("Bash", json!({"command": "ls"}));
    let editor = Editor::with(script, everything(), move |method, _| {
        (method == "session/request_permission").then(|| answer.clone())
    });
    let editor = editor.await;
    let session = editor.begin().await;
    editor.prompt(&session, "List.").await.unwrap();
    editor.text()
}

#[tokio::test]
async fn a_chosen_option_decides() {
    assert_eq!(answered(chosen("allow")).await, "Allowed.");
    assert_eq!(answered(chosen("reject")).await, "Denied.");
}

#[tokio::test]
async fn an_unknown_option_and_a_cancelled_request_deny() {
    assert_eq!(answered(chosen("nonsense")).await, "Denied.");
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    assert!(!answered(cancelled).await.contains("Allowed."));
}

#[tokio::test]
async fn an_answer_of_another_shape_denies() {
    for answer in [Value::Null, json!({}), json!(5), json!([]), json!("allow")] {
        let said = soon(answered(answer.clone())).await;
        assert_eq!(said, "Denied.", "{answer}");
    }
}

/// The protocol's crate drops such responses, and the tool use would wait for ever.
#[tokio::test]
async fn a_response_with_null_for_the_other_member_decides_all_the_same() {
    for (members, said) in [
        (
            json!({"result": chosen("allow"), "error": null}),
            "Allowed.",
        ),
        (
            json!({"result": null, "error": {"code": 1, "message": "no"}}),
            "Denied.",
        ),
        (json!({"result": null, "error": null}), "Denied."),
        (json!({"result": null}), "Denied."),
        (json!({"error": "no"}), "Denied."),
        (json!({}), "Denied."),
    ] {
        let editor = Editor::new(asks("Bash", json!({"command": "ls"}))).await;
        let session = editor.begin().await;
        let id = editor
            .send("session/prompt", prompt(&session, "List."))
            .await;
        let request = editor
            .wait(|it| it["method"] == "session/request_permission")
            .await;
        let mut response = members.clone();
        response["jsonrpc"] = json!("2.0");
        response["id"] = request["id"].clone();
        editor.write(&response.to_string()).await;
        editor.answer(id).await.unwrap();
        assert_eq!(editor.text(), said, "{members}");
    }
}

#[tokio::test]
async fn a_request_names_the_tool_use_and_its_command() {
    let script = asks("Bash", json!({"command": "rm -r build"}));
    let editor = Editor::with(script, everything(), |method, _| {
        (method == "session/request_permission").then(|| chosen("allow"))
    });
    let editor = editor.await;
    let session = editor.begin().await;
    editor.prompt(&session, "Clean.").await.unwrap();
    let request = editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    let call = &request["params"]["toolCall"];
    assert_eq!(call["rawInput"]["command"], "rm -r build");
    assert_eq!(call["kind"], "execute");
    assert!(call["title"].as_str().unwrap().contains("rm -r build"));
}

/// A request replaces what the client shows of the call, so it must have that as well.
#[tokio::test]
async fn a_request_shows_the_change_or_the_terminal_before_its_reasons() {
    let edit = json!({"file_path": "/work/project/a.rs", "old_string": "one", "new_string": "two"});
    let diff =
        json!({"type": "diff", "path": "/work/project/a.rs", "oldText": "one", "newText": "two"});
    let write = json!({"file_path": "/work/project/b.rs", "content": "one\n"});
    let new = json!({"type": "diff", "path": "/work/project/b.rs", "newText": "one\n"});
    for (tool, input, shown) in [("Edit", edit, diff), ("Write", write, new)] {
        let content = content_of_request(tool, input).await;
        assert_eq!(content[0], shown);
    }
    let content = content_of_request("Bash", json!({"command": "ls"})).await;
    assert_eq!(content[0]["type"], "terminal");
}

/// The content of the permission request for a tool use.
async fn content_of_request(tool: &str, input: Value) -> Value {
    let editor = Editor::with(asks(tool, input), everything(), |method, _| {
        (method == "session/request_permission").then(|| chosen("allow"))
    });
    let editor = editor.await;
    let session = editor.begin().await;
    editor.prompt(&session, "Go on.").await.unwrap();
    let request = editor
        .wait(|it| it["method"] == "session/request_permission")
        .await;
    request["params"]["toolCall"]["content"].clone()
}

/// A question with two choices, at which a person answers. Returns the answer that the CLI gets.
async fn asked(
    capabilities: Value,
    person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Value {
    let question = json!({"questions": [{"question": "Which colour?", "header": "Colour",
        "multiSelect": false, "options": [
            {"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}]}]});
    let script = asks("AskUserQuestion", question);
    let editor = Editor::with(script, capabilities, person).await;
    let session = editor.begin().await;
    editor.prompt(&session, "Ask.").await.unwrap();
    let received = editor.scripted.received();
    let answer = received.iter().rfind(|it| it["type"] == "control_response");
    answer.unwrap()["response"]["response"]["updatedInput"]["answers"]["Which colour?"].clone()
}

#[tokio::test]
async fn questions_are_a_form_if_the_client_has_forms() {
    let answer = asked(everything(), |method, params| {
        assert_eq!(method, "elicitation/create");
        let field = &params["requestedSchema"]["properties"]["question1"];
        assert_eq!(field["title"], "Which colour?");
        Some(json!({"action": "accept", "content": {"question1": "Blue"}}))
    });
    assert_eq!(answer.await, "Blue");
}

#[tokio::test]
async fn a_question_in_a_form_may_be_answered_in_own_words() {
    let answer = asked(everything(), |_, params| {
        let other = &params["requestedSchema"]["properties"]["question1-other"];
        assert_eq!(other["type"], "string");
        let content = json!({"question1": "Blue", "question1-other": "Green"});
        Some(json!({"action": "accept", "content": content}))
    });
    assert_eq!(answer.await, "Green");
}

#[tokio::test]
async fn questions_are_options_if_the_client_has_no_forms() {
    let answer = asked(json!({}), |method, params| {
        assert_eq!(method, "session/request_permission");
        assert_eq!(params["options"][1]["name"], "Blue");
        Some(chosen("1"))
    });
    assert_eq!(answer.await, "Blue");
}

#[tokio::test]
async fn a_path_is_called_outside_only_of_the_folders_of_the_session() {
    let asks = |path: &str| {
        let body = json!({"tool_name": "Bash", "input": {"command": "touch x"}, "tool_use_id": "toolu_1",
            "blocked_path": path});
        let said = Step::message([Block::text("It goes on.")]);
        let turn = Step::Turn(vec![Step::request("can_use_tool", body), said]);
        Script::new([turn])
    };
    let path = "/etc/hosts";
    for (cwd, expected) in [
        (
            "/usr",
            "It needs a path outside of the session's folders: /etc/hosts",
        ),
        ("/etc", "It needs the path /etc/hosts"),
    ] {
        let editor = Editor::with(asks(path).cwd(cwd), everything(), |method, _| {
            (method == "session/request_permission").then(|| chosen("reject"))
        });
        let editor = editor.await;
        let params = json!({"cwd": cwd, "mcpServers": []});
        let session = editor.ask("session/new", params).await.unwrap();
        let session = session["sessionId"].as_str().unwrap().to_owned();
        editor.prompt(&session, "Go on.").await.unwrap();
        let request = editor
            .wait(|it| it["method"] == "session/request_permission")
            .await;
        let content = request["params"]["toolCall"]["content"].to_string();
        assert!(content.contains(expected), "{content}");
    }
}
