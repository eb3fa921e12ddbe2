//! A conversation over REST and server-sent events.

use std::collections::BTreeMap;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::{Event, Events, Running};

/// Asks for a permission, and waits at the gate `half` in the middle of its last text.
fn script() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([
            Block::text("I count the files."),
            Block::tool_use("Bash", json!({"command": "ls | wc -l"})),
        ]),
        Step::permission(
            [
                Step::tool_result("7"),
                Step::message([Block::text("There are seven files here.").hold(1, "half")]),
            ],
            [Step::message([Block::text("Then not.")])],
        ),
    ])])
}

fn is_idle(state: &Value) -> bool {
    state["phase"] == "idle"
}

/// The elements that result from events, as a viewer has them.
#[derive(Debug, Default, PartialEq)]
struct Screen {
    order: Vec<String>,
    elements: BTreeMap<String, Value>,
}

impl Screen {
    fn of(events: &[Event]) -> Self {
        let mut screen = Self::default();
        screen.extend(events);
        screen
    }

    /// Of events before which there were others.
    fn of_rest(events: &[Event]) -> Self {
        let is_known = |event: &&Event| event.data["change"] != "grew" || event.kind != "change";
        let events: Vec<_> = events.iter().filter(is_known).cloned().collect();
        Self::of(&events)
    }

    fn add(&mut self, element: &Value) {
        let id = element["id"].as_str().unwrap().to_owned();
        if !self.elements.contains_key(&id) {
            self.order.push(id.clone());
        }
        self.elements.insert(id, element.clone());
    }

    fn extend(&mut self, events: &[Event]) {
        for event in events {
            let value = &event.data["value"];
            match (&*event.kind, event.data["change"].as_str()) {
                ("reset", _) => {
                    *self = Self::default();
                    for element in event.data["elements"].as_array().unwrap() {
                        self.add(element);
                    }
                }
                ("change", Some("added")) => {
                    assert!(!self.elements.contains_key(value["id"].as_str().unwrap()));
                    self.add(value);
                }
                ("change", Some("updated")) => self.add(value),
                ("change", Some("grew")) => {
                    let element = self
                        .elements
                        .get_mut(value["id"].as_str().unwrap())
                        .unwrap();
                    let text = element["content"]["text"].as_str().unwrap().to_owned();
                    element["content"]["text"] = json!(text + value["text"].as_str().unwrap());
                }
                ("change", Some("removed")) => {
                    let id = value.as_str().unwrap();
                    self.elements.remove(id);
                    self.order.retain(|known| known != id);
                }
                _ => {}
            }
        }
    }

    fn text(&self) -> String {
        let texts = self.order.iter().map(|id| &self.elements[id]["content"]);
        let is_said =
            |content: &&Value| content["type"] == "userInput" || content["type"] == "assistantText";
        let texts = texts
            .filter(is_said)
            .filter_map(|content| content["text"].as_str());
        texts.collect::<Vec<_>>().join(" | ")
    }
}

/// Every event is there, once and in order.
fn are_without_gaps(events: &[Event]) {
    let mut ids = std::collections::BTreeSet::new();
    let number = |event: &Event| event.id.rsplit('-').next().unwrap().parse::<u64>().unwrap();
    assert!(events.is_sorted_by(|one, next| number(one) < number(next)));
    assert!(events.iter().all(|event| ids.insert(event.id.clone())));
}

async fn asked(events: &mut Events) -> (Vec<Event>, String) {
    let seen = events.until("request", |_| true).await;
    let id = seen.last().unwrap().data["id"].as_str().unwrap().to_owned();
    (seen, id)
}

#[tokio::test]
async fn a_prompt_is_answered_after_its_permission_and_a_viewer_sees_it_grow() {
    let running = Running::start(script()).await;
    running.agent.gates().open("half");
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    let sent = running.prompt(&session, "How many files?").await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let (mut seen, request) = asked(&mut events).await;
    let asked = &seen.last().unwrap().data;
    assert_eq!(asked["title"], "Bash(ls | wc -l)");
    assert_eq!(asked["kind"], "permission");
    let path = format!("/api/sessions/{session}/requests/{request}");
    let allow = json!({"decision": "allow"});
    let answered = running
        .ask_with("POST", &path, &allow, "X-Claw-Viewer: phone\r\n")
        .await;
    assert_eq!(answered.status, 200, "{}", answered.body);
    assert_eq!(answered.json()["by"], "phone");
    seen.extend(events.until("state", is_idle).await);
    are_without_gaps(&seen);
    let screen = Screen::of(&seen);
    assert_eq!(
        screen.text(),
        "How many files? | I count the files. | There are seven files here."
    );
    // Whoever comes now is told the same.
    let mut late = running.events(&session, None).await;
    assert_eq!(Screen::of(&[late.next().await.unwrap()]), screen);
    let state = running
        .ask("GET", &format!("/api/sessions/{session}"), &Value::Null)
        .await;
    assert_eq!(state.json()["state"]["model"], "claude-scripted-1");
    running.end().await;
}

#[tokio::test]
async fn of_two_viewers_the_first_answer_counts_and_the_other_one_is_told() {
    let running = Running::start(script()).await;
    running.agent.gates().open("half");
    let session = running.session().await;
    let mut one = running.events(&session, None).await;
    let mut other = running.events(&session, None).await;
    running.prompt(&session, "How many files?").await;
    let (_, request) = asked(&mut one).await;
    let (_, same) = asked(&mut other).await;
    assert_eq!(request, same);
    let path = format!("/api/sessions/{session}/requests/{request}");
    let deny = json!({"decision": "deny", "message": "not now"});
    let first = running
        .ask_with("POST", &path, &deny, "X-Claw-Viewer: phone\r\n")
        .await;
    assert_eq!(first.status, 200, "{}", first.body);
    let late = running
        .ask("POST", &path, &json!({"decision": "allow"}))
        .await;
    assert_eq!(late.status, 409);
    assert_eq!(late.json()["error"]["answered"]["by"], "phone");
    assert_eq!(late.json()["error"]["answered"]["decision"], "deny");
    for events in [&mut one, &mut other] {
        let told = events.until("answered", |_| true).await;
        assert_eq!(told.last().unwrap().data, first.json());
        let rest = events.until("state", is_idle).await;
        assert!(
            Screen::of_rest(&rest).text().ends_with("Then not."),
            "{rest:#?}"
        );
    }
    running.end().await;
}

#[tokio::test]
async fn a_viewer_that_was_cut_off_in_mid_turn_misses_nothing_and_sees_nothing_twice() {
    let running = Running::start(script()).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "How many files?").await;
    let (mut seen, request) = asked(&mut events).await;
    drop(events);
    // Things happen that it does not see.
    let path = format!("/api/sessions/{session}/requests/{request}");
    running
        .ask("POST", &path, &json!({"decision": "allow"}))
        .await;
    crate::client::soon(running.agent.gates().reached("half")).await;
    let last = seen.last().unwrap().id.clone();
    let mut events = running.events(&session, Some(&last)).await;
    running.agent.gates().open("half");
    seen.extend(events.until("state", is_idle).await);
    are_without_gaps(&seen);
    assert_eq!(seen.iter().filter(|event| event.kind == "reset").count(), 1);
    let mut whole = running.events(&session, None).await;
    assert_eq!(
        Screen::of(&[whole.next().await.unwrap()]),
        Screen::of(&seen)
    );
    // An ID of another server's life is of no use: everything is sent again.
    let mut foreign = running.events(&session, Some("other-1")).await;
    assert_eq!(foreign.next().await.unwrap().kind, "reset");
    running.end().await;
}

#[tokio::test]
async fn a_prompt_with_a_uuid_is_sent_once_and_closing_ends_its_turn() {
    let hanging = Script::new([Step::Turn(vec![
        Step::message([Block::text("I think.")]),
        Step::Hang,
    ])]);
    let running = Running::start(hanging).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    let path = format!("/api/sessions/{session}/prompts");
    let prompt = json!({"text": "Think", "uuid": "11111111-1111-4111-8111-111111111111"});
    let first = running.ask("POST", &path, &prompt).await;
    let again = running.ask("POST", &path, &prompt).await;
    assert_eq!((first.status, again.status), (202, 200));
    assert_eq!(first.json(), again.json());
    events
        .until("change", |change| {
            change["value"]["content"]["text"] == "I think."
        })
        .await;
    let prompts = running
        .agent
        .received()
        .into_iter()
        .filter(|line| line["type"] == "user");
    assert_eq!(prompts.count(), 1);
    let close = format!("/api/sessions/{session}/close");
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    events.until("closed", |_| true).await;
    assert_eq!(events.next().await, None);
    running.end().await;
}

#[tokio::test]
async fn the_uuid_that_a_client_is_told_is_that_of_the_prompt() {
    let running = Running::start(Script::reply("Yes.")).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    let sent = running.prompt(&session, "Is it?").await;
    events
        .until("change", |change| {
            change["value"]["content"]["type"] == "turnEnd"
        })
        .await;
    let mut received = running.agent.received().into_iter();
    let prompt = received.find(|line| line["type"] == "user").unwrap();
    assert_eq!(sent.json()["uuid"], prompt["uuid"]);
    running.end().await;
}

#[tokio::test]
async fn a_line_that_cannot_be_read_is_shown_and_the_turn_goes_on() {
    let script = Script::new([Step::Turns(vec![
        Step::Line(json!({"type": "assistant", "message": "cannot be one"})),
        Step::message([Block::text("Yes.")]),
    ])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Is it?").await;
    let seen = events.until("state", is_idle).await;
    let screen = Screen::of(&seen);
    let mut contents = screen.elements.values().map(|element| &element["content"]);
    let unknown = contents.find(|content| content["type"] == "unknown");
    let text = unknown.unwrap()["text"].as_str().unwrap();
    assert!(text.contains("cannot be one"), "{text}");
    assert_eq!(screen.text(), "Is it? | Yes.");
    running.end().await;
}
