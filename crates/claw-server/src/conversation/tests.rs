//! Tests of a conversation, without I/O.

use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::message::UserMessage;
use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::{Json, SessionId};
use serde_json::{Value, json};

mod deferred;

use super::waiting::MOST_PENDING;
use super::*;

fn conversation() -> Conversation {
    Conversation::new(SessionId::from("s-1"), "e".to_owned(), 1 << 20)
}

fn request(body: Value) -> CanUseTool {
    let mut body = body;
    body["tool_use_id"] = json!("toolu_1");
    body["subtype"] = json!("can_use_tool");
    serde_json::from_value(body).unwrap()
}

fn bash() -> CanUseTool {
    request(json!({"tool_name": "Bash", "input": {"command": "ls"},
        "permission_suggestions": [
            {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}],
             "behavior": "allow", "destination": "localSettings"},
            {"type": "setMode", "mode": "acceptEdits", "destination": "session"}]}))
}

fn answer(value: Value) -> Answer {
    serde_json::from_value(value).unwrap()
}

fn result(conversation: &mut Conversation, id: &str, value: Value) -> Result<Value, AnswerError> {
    let (_, result) = conversation.answer(id, &answer(value), "phone")?;
    Ok(serde_json::to_value(result).unwrap())
}

fn kinds(conversation: &mut Conversation, after: u64) -> Vec<(&'static str, Value)> {
    let Next::Events(events) = conversation.next(Some(after), 99) else {
        panic!("nothing is gone")
    };
    let data = |event: &Event| serde_json::from_str(&event.data).unwrap();
    events
        .iter()
        .map(|event| (event.kind.as_str(), data(event)))
        .collect()
}

#[test]
fn the_first_answer_counts_and_who_is_late_learns_who_was_first() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    let first = result(
        &mut conversation,
        "r",
        json!({"decision": "deny", "message": "no"}),
    )
    .unwrap();
    assert_eq!(
        (&first["behavior"], &first["message"]),
        (&json!("deny"), &json!("no"))
    );
    let late = result(&mut conversation, "r", json!({"decision": "allow"})).unwrap_err();
    let AnswerError::Late(before) = late else {
        panic!("{late}")
    };
    assert_eq!((before.decision, &*before.by), (Decision::Deny, "phone"));
    let other = result(&mut conversation, "other", json!({"decision": "allow"})).unwrap_err();
    assert_eq!(other, AnswerError::Unknown);
    assert_eq!(conversation.requests().count(), 0);
}

#[test]
fn a_request_that_was_withdrawn_is_not_allowed_any_more() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    conversation.withdraw("r", "timeout");
    let late = result(&mut conversation, "r", json!({"decision": "allow"})).unwrap_err();
    assert!(matches!(late, AnswerError::Late(before) if before.by == "timeout"));
}

#[test]
fn for_this_session_nothing_is_written_and_always_is_as_suggested() {
    let mut conversation = conversation();
    for id in ["a", "b", "c", "d"] {
        conversation.ask(id.to_owned(), bash()).unwrap();
    }
    let here = result(
        &mut conversation,
        "a",
        json!({"decision": "allowForSession"}),
    )
    .unwrap();
    let places = |result: &Value| {
        let updates = result["updatedPermissions"].as_array().unwrap();
        let places = updates.iter().map(|update| update["destination"].clone());
        places.collect::<Vec<_>>()
    };
    assert_eq!(places(&here), ["session", "session"]);
    let always = json!({"decision": "allowAlways", "suggestions": [0]});
    assert_eq!(
        places(&result(&mut conversation, "b", always).unwrap()),
        ["localSettings"]
    );
    let unfit = json!({"decision": "allowAlways", "suggestions": [2]});
    let unfit = result(&mut conversation, "c", unfit).unwrap_err();
    assert!(matches!(unfit, AnswerError::Unfit(_)));
    // The request still waits, so a valid answer is accepted.
    let plain = result(&mut conversation, "c", json!({"decision": "allow"})).unwrap();
    assert_eq!(plain.get("updatedPermissions"), None);
    let mut forbidden = bash();
    forbidden.suppress_always_allow_rule = Some(true);
    conversation.ask("e".to_owned(), forbidden).unwrap();
    let unfit = result(&mut conversation, "e", json!({"decision": "allowAlways"})).unwrap_err();
    assert!(matches!(unfit, AnswerError::Unfit(_)));
}

#[test]
fn questions_are_answered_by_their_names_and_a_plan_by_another_one() {
    let mut conversation = conversation();
    let questions = json!({"tool_name": "AskUserQuestion", "input": {"questions": [
        {"question": "Which?", "header": "W", "multiSelect": true, "options": [
            {"label": "Red", "description": "r"}, {"label": "Blue", "description": "b"}]}]}});
    conversation
        .ask("q".to_owned(), request(questions))
        .unwrap();
    let plan = json!({"tool_name": "ExitPlanMode", "input": {"plan": "Old"}});
    conversation.ask("p".to_owned(), request(plan)).unwrap();
    let asked: Vec<_> = conversation
        .requests()
        .map(|request| request.kind)
        .collect();
    assert_eq!(asked, [RequestKind::Questions, RequestKind::Plan]);

    let none = result(&mut conversation, "q", json!({"decision": "allow"})).unwrap_err();
    assert!(matches!(none, AnswerError::Unfit(_)));
    let wrong = json!({"decision": "allow", "answers": {"Who?": ["Me"]}});
    assert!(matches!(
        result(&mut conversation, "q", wrong),
        Err(AnswerError::Unfit(_))
    ));
    let both = json!({"decision": "allow", "answers": {"Which?": ["Red"]}, "updatedInput": {}});
    let unfit = result(&mut conversation, "q", both).unwrap_err();
    assert!(matches!(unfit, AnswerError::Unfit(_)), "{unfit}");
    let right = json!({"decision": "allow", "answers": {"Which?": ["Red", "Blue"]}});
    let right = result(&mut conversation, "q", right).unwrap();
    assert_eq!(right["updatedInput"]["answers"]["Which?"], "Red, Blue");
    let edited = json!({"decision": "allow", "plan": "New"});
    let edited = result(&mut conversation, "p", edited).unwrap();
    assert_eq!(edited["updatedInput"]["plan"], "New");
}

#[test]
fn a_prompt_is_sent_once_and_its_turn_changes_the_phase() {
    let mut conversation = conversation();
    let prompt = UserMessage::prompt("Hello");
    assert!(conversation.prompt(&prompt));
    assert!(!conversation.prompt(&prompt));
    assert_eq!(conversation.state().phase, Phase::Waiting);
    conversation.started();
    assert_eq!(conversation.state().phase, Phase::Running);
    conversation.ask("r".to_owned(), bash()).unwrap();
    assert_eq!(conversation.state().phase, Phase::Asking);
    conversation.withdraw("r", "withdrawn");
    conversation.ended(Some("it broke".to_owned()));
    assert_eq!(conversation.state().phase, Phase::Idle);
    assert_eq!(conversation.state().error.as_deref(), Some("it broke"));
    let events = kinds(&mut conversation, 0);
    let kinds: Vec<_> = events.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        [
            "change", "state", "state", "request", "wrapper", "state", "answered", "state", "state"
        ]
    );
    assert_eq!(events[0].1["value"]["content"]["text"], "Hello");
}

#[test]
fn a_reset_has_everything_and_is_written_once_for_all_viewers() {
    let mut conversation = conversation();
    conversation.prompt(&UserMessage::prompt("Hello"));
    conversation.ask("r".to_owned(), bash()).unwrap();
    let (Next::Reset(number, data), Next::Reset(_, again)) =
        (conversation.next(None, 9), conversation.next(None, 9))
    else {
        panic!("a new viewer has nothing")
    };
    assert!(Arc::ptr_eq(&data, &again));
    assert_eq!(number, conversation.newest());
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["elements"][0]["content"]["text"], "Hello");
    assert_eq!(data["requests"][0]["title"], "Bash(ls)");
    assert_eq!(data["state"]["phase"], "asking");
}

#[test]
fn while_events_stream_a_reset_is_not_written_for_every_viewer_that_comes() {
    let mut conversation = conversation();
    conversation.prompt(&UserMessage::prompt("Hello ".repeat(1000)));
    let Next::Reset(number, first) = conversation.next(None, 9) else {
        panic!("a new viewer has nothing")
    };
    conversation.set(|state| state.title = Some("New".to_owned()));
    let Next::Reset(same, again) = conversation.next(None, 9) else {
        panic!("a new viewer has nothing")
    };
    assert!(Arc::ptr_eq(&first, &again));
    assert_eq!(same, number);
    // A viewer that got the older state then gets the events after it.
    let rest = kinds(&mut conversation, same);
    assert_eq!(rest[0].1["title"], "New");
    // The state is serialized again once the events after it are longer than the serialized state.
    conversation.set(|state| state.title = Some("t".repeat(first.len())));
    let Next::Reset(newest, anew) = conversation.next(None, 9) else {
        panic!("a new viewer has nothing")
    };
    assert_eq!(newest, conversation.newest());
    assert!(anew.contains("ttt"));
}

#[test]
fn what_was_made_of_a_conversation_is_near_until_much_has_happened_or_it_has_moved() {
    let mut conversation = conversation();
    conversation.prompt(&UserMessage::prompt("Hello"));
    let (moment, position) = (conversation.moment(), conversation.position());
    assert_eq!(moment.number, conversation.newest());
    assert_eq!(moment.elements.len(), 1);
    assert!(conversation.is_near(&position, 1000));
    conversation.set(|state| state.title = Some("New".to_owned()));
    assert!(conversation.is_near(&position, 1000));
    assert!(!conversation.is_near(&position, 10));
    let mut other = Conversation::new(SessionId::from("s-1"), "e".to_owned(), 100);
    let position = other.position();
    other.prompt(&UserMessage::prompt("Hello ".repeat(100)));
    // The log no longer contains the events after this position.
    assert!(!other.is_near(&position, 1 << 20));
    let position = conversation.position();
    conversation.moved(&SessionId::from("s-2"));
    assert!(!conversation.is_near(&position, 1 << 20));
}

#[test]
fn an_element_that_grows_is_not_changed_for_who_has_it_from_before() {
    let mut conversation = conversation();
    let mut before = None;
    for message in recording("bash_denied") {
        conversation.message(&message);
        let moment = conversation.moment();
        let is_growing = |element: &Arc<claw_view::Element>| match &element.content {
            Content::AssistantText(text) => text.streaming && !text.text.is_empty(),
            _ => false,
        };
        before = before.or_else(|| moment.elements.iter().find(|it| is_growing(it)).cloned());
    }
    let before = before.unwrap();
    let now = conversation.elements().get(&before.id).unwrap();
    let text = |element: &claw_view::Element| match &element.content {
        Content::AssistantText(text) => text.text.clone(),
        _ => String::new(),
    };
    assert!(text(now).len() > text(&before).len());
    assert!(text(now).starts_with(&text(&before)));
}

#[test]
fn a_change_is_named_by_whether_its_element_is_there() {
    let mut conversation = conversation();
    conversation.prompt(&UserMessage::prompt("Hello"));
    let element = (*conversation.moment().elements[0]).clone();
    let of = |change: Change, elements: &Elements| match moment::named(change, elements) {
        Change::Added(_) => "added",
        Change::Updated(_) => "updated",
        _ => "other",
    };
    let (there, gone) = (conversation.elements(), Elements::default());
    let added = || Change::Added(Box::new(element.clone()));
    let updated = || Change::Updated(Box::new(element.clone()));
    assert_eq!(
        (of(added(), there), of(updated(), there)),
        ("updated", "updated")
    );
    assert_eq!(
        (of(added(), &gone), of(updated(), &gone)),
        ("added", "added")
    );
}

#[test]
fn a_prompt_waits_until_its_process_starts() {
    let mut conversation = conversation();
    conversation.starting();
    assert_eq!(conversation.state().phase, Phase::Idle);
    conversation.prompt(&UserMessage::prompt("Hello"));
    conversation.starting();
    assert_eq!(conversation.state().phase, Phase::Starting);
    conversation.started();
    assert_eq!(conversation.state().phase, Phase::Running);
    conversation.ended(None);
    conversation.prompt(&UserMessage::prompt("Again"));
    assert_eq!(conversation.state().phase, Phase::Waiting);
}

#[test]
fn a_closed_room_denies_what_waits_and_asks_nobody_any_more() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    conversation.close();
    conversation.close();
    assert!(conversation.ask("s".to_owned(), bash()).is_err());
    let last: Vec<_> = kinds(&mut conversation, 0)
        .into_iter()
        .map(|(kind, _)| kind)
        .collect();
    assert_eq!(last[last.len() - 3..], ["answered", "state", "closed"]);
}

#[test]
fn what_nobody_answers_is_bounded() {
    let mut conversation = conversation();
    for number in 0..MOST_PENDING {
        conversation.ask(number.to_string(), bash()).unwrap();
    }
    assert!(conversation.ask("more".to_owned(), bash()).is_err());
}

#[test]
fn the_input_of_a_tool_may_be_replaced() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    let other = json!({"decision": "allow", "updatedInput": {"command": "pwd"}});
    let (_, result) = conversation.answer("r", &answer(other), "me").unwrap();
    let Reply::Permission(PermissionResult::Allow(allow)) = result else {
        panic!("it is allowed")
    };
    let input: Option<Json> = allow.updated_input;
    assert_eq!(
        input.unwrap().to_value().unwrap(),
        json!({"command": "pwd"})
    );
}

#[test]
fn an_input_that_is_no_input_of_the_tool_is_refused_with_its_place() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    for (input, place) in [
        (json!({}), "original input"),
        (json!("pwd"), "an object"),
        (json!(["pwd"]), "an object"),
        (json!({"command": 5}), "command"),
        (json!({"command": "pwd", "timeout": "long"}), "timeout"),
        (json!({"cmd": "pwd"}), "command"),
    ] {
        let given = json!({"decision": "allow", "updatedInput": input});
        let error = conversation.answer("r", &answer(given), "me").unwrap_err();
        let AnswerError::Unfit(text) = &error else {
            panic!("{error}")
        };
        assert!(
            text.contains("updatedInput") && text.contains(place),
            "{text}"
        );
    }
    // The request still waits.
    assert_eq!(conversation.requests().count(), 1);
}

/// Returns the messages of a recording of the real CLI.
fn recording(name: &str) -> Vec<Message> {
    let path = format!(
        "{}/../../fixtures/{name}/stdout.ndjson",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let messages = text.lines().filter(|line| !line.contains("\"control_"));
    messages
        .map(|line| claw_types::from_line(line.as_bytes()).unwrap())
        .collect()
}

#[test]
fn what_runs_in_the_background_is_counted_and_its_turn_is_one() {
    for (name, prompts) in [("background_bash", 2), ("subagent_background", 1)] {
        let mut conversation = conversation();
        let mut prompted = 0;
        let mut seen = Vec::new();
        for message in recording(name) {
            let is_result = matches!(message, Message::ResultSuccess(_) | Message::ResultError(_));
            if matches!(&message, Message::Internal(InternalMessage::CommandLifecycle(life)) if life.state == CommandState::Queued)
            {
                conversation.prompt(&UserMessage::prompt(prompted.to_string()));
                conversation.started();
                prompted += 1;
            }
            // A turn in which the model only reads the outcome of a task answers no prompt.
            let is_of_prompt = conversation.state().queued > 0;
            conversation.message(&message);
            if is_result && is_of_prompt {
                conversation.ended(None);
            }
            let state = conversation.state();
            let now = (state.phase, state.background_tasks);
            if seen.last() != Some(&now) {
                seen.push(now);
            }
        }
        assert_eq!(prompted, prompts);
        let begins = [
            (Phase::Idle, 0),
            (Phase::Running, 0),
            (Phase::Running, 1),
            (Phase::Idle, 1),
            (Phase::Idle, 0),
            // The model reads the outcome of the task.
            (Phase::Running, 0),
            (Phase::Idle, 0),
        ];
        assert_eq!(seen[..begins.len()], begins, "{name}");
        assert_eq!(seen.last(), Some(&(Phase::Idle, 0)), "{name}");
    }
}

#[test]
fn without_lists_of_the_cli_tasks_count_from_their_start_to_their_end() {
    let mut conversation = conversation();
    let mut after = |body: Value| {
        let mut message =
            json!({"type": "system", "task_id": "b1", "uuid": "u", "session_id": "s"});
        let fields = body.as_object().unwrap().clone();
        message.as_object_mut().unwrap().extend(fields);
        conversation.message(&claw_types::from_line(message.to_string().as_bytes()).unwrap());
        conversation.state().background_tasks
    };
    let started = json!({"subtype": "task_started", "description": "Wait"});
    let updated = |patch: Value| json!({"subtype": "task_updated", "patch": patch});
    assert_eq!(after(started.clone()), 1);
    assert_eq!(after(updated(json!({"description": "Still"}))), 1);
    assert_eq!(after(updated(json!({"status": "killed"}))), 0);
    assert_eq!(after(started.clone()), 1);
    let ended = json!({"subtype": "task_notification", "status": "completed", "output_file": "", "summary": ""});
    assert_eq!(after(ended), 0);
    let mut waited_for = started;
    waited_for["is_backgrounded"] = json!(false);
    assert_eq!(after(waited_for), 0);
    assert_eq!(after(updated(json!({"is_backgrounded": true}))), 1);
    assert_eq!(after(updated(json!({"is_backgrounded": false}))), 0);
}

#[test]
fn what_ran_in_the_background_ends_with_its_process() {
    let mut conversation = conversation();
    for message in recording("background_bash") {
        conversation.message(&message);
        if conversation.state().background_tasks > 0 {
            break;
        }
    }
    let before = conversation.newest();
    conversation.process_ended();
    conversation.process_ended();
    let events = kinds(&mut conversation, before);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].1["backgroundTasks"], 0);
    assert_eq!(events[0].1["phase"], "idle");
}

#[test]
fn a_task_in_the_background_may_ask_while_no_turn_runs() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    assert_eq!(conversation.state().phase, Phase::Asking);
    conversation.withdraw("r", "withdrawn");
    assert_eq!(conversation.state().phase, Phase::Idle);
}

#[test]
fn a_room_that_moves_says_where_and_whoever_comes_then_knows_it() {
    let mut conversation = conversation();
    let Next::Reset(_, before) = conversation.next(None, 9) else {
        panic!("a new viewer has nothing")
    };
    assert!(before.contains(r#""session":"s-1""#));
    conversation.set(|state| state.title = Some("Apples".to_owned()));
    conversation.moved(&SessionId::from("s-2"));
    let events = kinds(&mut conversation, 0);
    let moved = json!({"from": "s-1", "session": "s-2"});
    assert_eq!(events[1], ("moved", moved));
    assert_eq!(events[2].1["title"], Value::Null);
    let Next::Reset(_, after) = conversation.next(None, 9) else {
        panic!("a new viewer has nothing")
    };
    assert!(after.contains(r#""session":"s-2""#), "{after}");
}

#[test]
fn prompts_of_an_earlier_server_are_shown_and_only_those_that_were_not_sent_are_taken_again() {
    let mut conversation = conversation();
    let prompts = ["One", "Two", "Three"].map(UserMessage::prompt);
    let [one, two, three] = prompts.map(|prompt| prompt.uuid(MessageUuid::random()));
    conversation.unanswered(&one, true);
    conversation.unanswered(&two, false);
    assert_eq!(conversation.state().phase, Phase::Cut);
    let shown = |conversation: &Conversation| {
        let all = conversation.elements().iter();
        all.map(|element| match &element.content {
            Content::UserInput(input) => input.text.clone(),
            Content::Notice(notice) => notice.text.clone(),
            other => panic!("{other:?}"),
        })
        .collect::<Vec<_>>()
    };
    let expected = ["One", "This turn was cut off before its end.", "Two"];
    assert_eq!(shown(&conversation), expected);
    assert!(!conversation.prompt(&one));
    assert!(conversation.prompt(&two));
    // The prompt that is sent again keeps its position among the elements.
    assert_eq!(shown(&conversation), expected);
    assert_eq!(conversation.state().unanswered.len(), 1);
    conversation.unanswered(&three, false);
    conversation.settled();
    conversation.ended(None);
    assert_eq!(conversation.state().phase, Phase::Idle);
    // A prompt that was not sent stays until a person dismisses it.
    let uuid = three.uuid.clone().unwrap();
    assert_eq!(conversation.unsent(), std::slice::from_ref(&uuid));
    assert!(conversation.dismiss(&uuid) && !conversation.dismiss(&uuid));
    assert!(conversation.state().unanswered.is_empty());
    assert_eq!(shown(&conversation), expected);
}

#[test]
fn a_turn_whose_process_ended_is_listed_until_a_later_prompt_is_answered() {
    let mut conversation = conversation();
    let sent = |conversation: &mut Conversation| {
        let prompt = UserMessage::prompt("Hello").uuid(MessageUuid::random());
        conversation.prompt(&prompt);
        prompt.uuid.unwrap()
    };
    let listed = |conversation: &Conversation| {
        let unanswered = conversation.state().unanswered.iter();
        unanswered.map(|cut| cut.uuid.clone()).collect::<Vec<_>>()
    };
    // Of several such turns in succession, the last one.
    for _ in 0..2 {
        let uuid = sent(&mut conversation);
        let before = conversation.newest();
        conversation.broken_off(&uuid);
        conversation.ended(Some("claude was killed".to_owned()));
        assert_eq!(listed(&conversation), [uuid.as_str()]);
        let events = kinds(&mut conversation, before);
        let (_, state) = events.last().unwrap();
        assert_eq!(state["phase"], "idle");
        assert_eq!(
            state["unanswered"],
            json!([{"uuid": uuid.as_str(), "sent": true}])
        );
    }
    let before = listed(&conversation);
    sent(&mut conversation);
    assert_eq!(listed(&conversation), before);
    conversation.settled();
    conversation.ended(None);
    assert!(listed(&conversation).is_empty());

    // The server ends before the mark of such a prompt is removed.
    let uuid = sent(&mut conversation);
    conversation.broken_off(&uuid);
    let cut = Unanswered {
        uuid: uuid.as_str().to_owned(),
        sent: true,
    };
    conversation.cut_off(vec![cut], "the server ended");
    assert_eq!(listed(&conversation), [uuid.as_str()]);
}

#[test]
fn a_room_that_is_cut_off_tells_its_viewers_before_it_closes() {
    let mut conversation = conversation();
    let prompt = UserMessage::prompt("Hello").uuid(MessageUuid::random());
    conversation.prompt(&prompt);
    let before = conversation.newest();
    let cut = Unanswered {
        uuid: "u".to_owned(),
        sent: false,
    };
    conversation.cut_off(vec![cut], "the server ended");
    conversation.close();
    // No event follows the end of the conversation.
    conversation.ended(None);
    let events = kinds(&mut conversation, before);
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!((events[0].0, events[1].0), ("state", "closed"));
    assert_eq!(events[0].1["phase"], "cut");
    assert_eq!(events[0].1["error"], "the server ended");
    assert_eq!(events[0].1["unanswered"][0]["uuid"], "u");
}

#[test]
fn a_plan_is_approved_with_a_mode_that_is_offered_and_with_no_other() {
    let mut conversation = conversation();
    let plan = || request(json!({"tool_name": "ExitPlanMode", "input": {"plan": "Old"}}));
    let mut asked = Asked::from(plan());
    if let Asked::Tool(tool) = &mut asked {
        tool.modes = vec![claw_types::options::PermissionMode::AcceptEdits];
    }
    conversation.ask("p".to_owned(), asked).unwrap();
    conversation.ask("none".to_owned(), plan()).unwrap();
    conversation.ask("tool".to_owned(), bash()).unwrap();
    let with = |mode: &str| json!({"decision": "allow", "mode": mode});
    for (id, mode) in [
        ("p", "bypassPermissions"),
        ("none", "acceptEdits"),
        ("tool", "acceptEdits"),
    ] {
        let refused = result(&mut conversation, id, with(mode)).unwrap_err();
        assert!(matches!(refused, AnswerError::Unfit(_)), "{id}");
    }
    let approved = result(&mut conversation, "p", with("acceptEdits")).unwrap();
    assert_eq!(
        approved["updatedPermissions"],
        json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}])
    );
}

#[test]
fn a_request_names_the_current_folder_if_it_is_not_that_of_the_project() {
    let mut conversation = conversation();
    let init = json!({"type": "system", "subtype": "init", "apiKeySource": "none", "claude_code_version": "2.1.330",
        "cwd": "/shop/inner", "tools": [], "mcp_servers": [], "model": "m", "permissionMode": "default",
        "slash_commands": [], "output_style": "default", "skills": [], "plugins": [], "uuid": "u", "session_id": "s-1"});
    conversation.message(&serde_json::from_value(init).unwrap());
    for (id, folder) in [("a", "/shop"), ("b", "/shop/inner")] {
        let mut body = bash();
        body.blocked_path = Some("/etc".to_owned());
        let mut asked = Asked::from(body);
        if let Asked::Tool(tool) = &mut asked {
            tool.folder = Some(folder.to_owned());
        }
        conversation.ask(id.to_owned(), asked).unwrap();
    }
    let folders: Vec<_> = conversation
        .requests()
        .map(|request| {
            (
                request.directory.as_deref(),
                request.blocked_path.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        folders,
        [(Some("/shop/inner"), Some("/etc")), (None, Some("/etc"))]
    );
}
