//! A prompt that was accepted is answered, or found again after the server's end.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_client::Session;
use claw_client::pool::Pool;
use claw_server::{Project, Server};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};

use crate::client::{Running, soon, uuid};
use crate::disk::transcript;

const ID: &str = "11111111-1111-4111-8111-111111111111";

fn waits() -> Script {
    Script::new([Step::Turns(vec![Step::message([
        Block::text("I think.").hold(1, "half")
    ])])])
}

pub(crate) async fn view(running: &Running, session: &str) -> Value {
    let path = format!("/api/sessions/{session}");
    let view = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(view.status, 200, "{}", view.body);
    view.json()
}

pub(crate) async fn texts(running: &Running, session: &str) -> Vec<String> {
    let path = format!("/api/sessions/{session}/elements");
    let elements = running.ask("GET", &path, &Value::Null).await.json();
    let elements = elements.as_array().unwrap().iter();
    let texts = elements.filter_map(|element| element["content"]["text"].as_str());
    texts.map(str::to_owned).collect()
}

async fn listed(running: &Running) -> Value {
    let list = running.ask("GET", "/api/sessions", &Value::Null).await;
    list.json()["sessions"].clone()
}

/// The prompts that an agent has got.
pub(crate) fn prompts(agent: &Agent) -> Vec<Value> {
    let received = agent.received().into_iter();
    let prompts = received.filter(|line| line["type"] == "user");
    prompts
        .map(|line| line["message"]["content"].clone())
        .collect()
}

/// The marks of a folder, by the ends of their names.
pub(crate) fn marks(folder: &Path) -> Vec<String> {
    let servers = fs::read_dir(folder.join("config/claw/prompts"))
        .into_iter()
        .flatten();
    let folders = servers
        .map(|server| server.unwrap().path())
        .filter(|path| path.is_dir());
    let marks = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let end = |path: PathBuf| path.extension().unwrap().to_str().unwrap().to_owned();
    let mut ends: Vec<_> = marks.map(|mark| end(mark.unwrap().path())).collect();
    ends.sort();
    ends
}

#[tokio::test]
async fn a_prompt_that_is_not_answered_when_the_server_ends_is_kept_and_goes_on_with_the_next() {
    let running = Running::start_as(waits(), |builder| {
        let pool = Pool::builder().processes(1).build();
        let builder = builder.pool(pool);
        builder.connections(|connections| connections.finish = Duration::ZERO)
    })
    .await;
    let mut sessions = Vec::new();
    for number in 0..4 {
        sessions.push(running.session().await);
        let sent = running
            .prompt_as(&sessions[number], &uuid(number), "Think")
            .await;
        assert_eq!(sent.status, 202, "{}", sent.body);
        if number == 0 {
            soon(running.agent.gates().reached("half")).await;
        }
    }
    let mut events = running.events(&sessions[1], None).await;
    let folder = running.end_and_keep().await;
    // Its viewers are told.
    let told = events.until("closed", |_| true).await;
    let state = &told[told.len() - 2].data;
    assert_eq!(state["phase"], "cut");
    let unanswered = json!([{"uuid": uuid(1), "sent": false}]);
    assert_eq!(state["unanswered"], unanswered);
    // The turn that ran was interrupted, which is no answer.
    let expected = ["accepted", "accepted", "accepted", "sent"];
    assert_eq!(marks(folder.path()), expected);

    fs::remove_dir(folder.path().join("shop")).unwrap();
    let running = Running::start_in(Script::reply("Yes."), folder, |builder| builder).await;
    let list = listed(&running).await;
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), 4, "{list:#?}");
    for item in list {
        assert_eq!(
            (&item["phase"], &item["title"], &item["project"]),
            (&json!("cut"), &json!("Think"), &json!("shop"))
        );
    }
    let state = view(&running, &sessions[1]).await["state"].clone();
    assert_eq!(
        (&state["phase"], &state["unanswered"]),
        (&json!("cut"), &unanswered)
    );
    assert_eq!(texts(&running, &sessions[1]).await, ["Think"]);
    let interrupted = view(&running, &sessions[0]).await["state"].clone();
    let may_have_run = json!([{"uuid": uuid(0), "sent": true}]);
    assert_eq!(interrupted["unanswered"], may_have_run);
    // Sent again, it runs, and once.
    let mut events = running.events(&sessions[1], None).await;
    let first = running.prompt_as(&sessions[1], &uuid(1), "Think").await;
    let again = running.prompt_as(&sessions[1], &uuid(1), "Think").await;
    assert_eq!((first.status, again.status), (202, 200));
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(texts(&running, &sessions[1]).await[..2], ["Think", "Yes."]);
    assert_eq!(prompts(&running.agent).len(), 1);
    // With another prompt the session continues as well. What was not sent is still shown.
    let mut events = running.events(&sessions[2], None).await;
    running.prompt_as(&sessions[2], &uuid(4), "Go on").await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let unsent = |number| json!([{"uuid": uuid(number), "sent": false}]);
    let state = view(&running, &sessions[2]).await["state"].clone();
    assert_eq!(state["unanswered"], unsent(2), "{state}");
    // Closing a session drops what it has left.
    let close = format!("/api/sessions/{}/close", sessions[0]);
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    let folder = running.end_and_keep().await;
    assert_eq!(marks(folder.path()), ["accepted", "accepted"]);

    // A person drops one, and sends the other one again.
    fs::remove_dir(folder.path().join("shop")).unwrap();
    let running = Running::start_in(Script::reply("Yes."), folder, |builder| builder).await;
    for number in [2, 3] {
        let state = view(&running, &sessions[number]).await["state"].clone();
        assert_eq!(state["unanswered"], unsent(number), "{state}");
    }
    let cancel = format!("/api/sessions/{}/prompts/{}/cancel", sessions[2], uuid(2));
    for expected in [204, 404] {
        let response = running.ask("POST", &cancel, &Value::Null).await;
        assert_eq!(response.status, expected, "{}", response.body);
    }
    let state = view(&running, &sessions[2]).await["state"].clone();
    assert_eq!(state["phase"], "idle", "{state}");
    assert_eq!(state["unanswered"], Value::Null, "{state}");
    assert_eq!(texts(&running, &sessions[2]).await, [""; 0]);
    let mut events = running.events(&sessions[3], None).await;
    running.prompt_as(&sessions[3], &uuid(3), "Think").await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(prompts(&running.agent), [json!("Think")]);
    let folder = running.end_and_keep().await;
    let left = fs::read_dir(folder.path().join("config/claw/prompts")).unwrap();
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn a_prompt_that_cannot_be_marked_is_not_accepted() {
    let running = Running::start(Script::reply("Yes.")).await;
    let session = running.session().await;
    let prompts_folder = running.folder.path().join("config/claw/prompts");
    fs::create_dir_all(prompts_folder.parent().unwrap()).unwrap();
    fs::write(&prompts_folder, "no folder").unwrap();
    let refused = running.prompt_as(&session, &uuid(1), "Think").await;
    assert_eq!(refused.status, 500, "{}", refused.body);
    let message = refused.json()["error"]["message"].clone();
    assert!(
        message.as_str().unwrap().contains("cannot be kept"),
        "{message}"
    );
    assert_eq!(texts(&running, &session).await, [""; 0]);
    // The same prompt again is taken when there is place.
    fs::remove_file(prompts_folder).unwrap();
    let mut events = running.events(&session, None).await;
    assert_eq!(
        running.prompt_as(&session, &uuid(1), "Think").await.status,
        202
    );
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(prompts(&running.agent).len(), 1);
    running.end().await;
}

#[tokio::test]
async fn a_prompt_whose_mark_is_gone_is_not_given_to_claude_and_may_be_sent_again() {
    let running = Running::start_as(waits(), |builder| {
        builder.pool(Pool::builder().processes(1).build())
    })
    .await;
    let mut sessions = Vec::new();
    for number in 0..2 {
        sessions.push(running.session().await);
        let sent = running
            .prompt_as(&sessions[number], &uuid(number), "Think")
            .await;
        assert_eq!(sent.status, 202, "{}", sent.body);
        if number == 0 {
            soon(running.agent.gates().reached("half")).await;
        }
    }
    let folder = running.folder.path().join("config/claw/prompts");
    let mut servers = fs::read_dir(folder).unwrap();
    let own = servers.find_map(|entry| Some(entry.unwrap().path()).filter(|path| path.is_dir()));
    for mark in fs::read_dir(own.unwrap()).unwrap() {
        fs::remove_file(mark.unwrap().path()).unwrap();
    }
    let mut events = running.events(&sessions[1], None).await;
    running.agent.gates().open("half");
    let failed = events.until("state", |state| state["queued"] == 0).await;
    let error = failed.last().unwrap().data["error"].clone();
    assert!(
        error.as_str().unwrap().contains("cannot be kept"),
        "{error}"
    );
    assert_eq!(prompts(&running.agent).len(), 1);
    let again = running.prompt_as(&sessions[1], &uuid(1), "Think").await;
    assert_eq!(again.status, 202, "{}", again.body);
    let answered = events.until("state", |state| state["queued"] == 0).await;
    assert_eq!(answered.last().unwrap().data["error"], Value::Null);
    assert_eq!(prompts(&running.agent).len(), 2);
    running.end().await;
}

#[tokio::test]
async fn a_mark_is_its_servers_alone_and_is_there_until_its_prompt_is_answered() {
    let running = Running::start(waits()).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    assert_eq!(marks(running.folder.path()), [""; 0]);
    for number in [1, 2] {
        let sent = running.prompt_as(&session, &uuid(number), "Think").await;
        assert_eq!(sent.status, 202);
        assert_eq!(marks(running.folder.path()).len(), number);
    }
    soon(running.agent.gates().reached("half")).await;
    // Another server on the same folder, which begins and ends meanwhile.
    let other = Server::builder()
        .project(Project::new(running.folder.path().join("shop")).unwrap())
        .sessions(Sessions::new(running.folder.path().join("config")))
        .build()
        .unwrap();
    assert!(
        other.hub().open(&session).await.is_err(),
        "it is not its own"
    );
    other.end(Duration::ZERO).await;
    drop(other);
    assert_eq!(marks(running.folder.path()).len(), 2);
    running.agent.gates().open("half");
    events.until("state", |state| state["queued"] == 0).await;
    assert_eq!(marks(running.folder.path()), [""; 0]);
    running.end().await;
}

/// What a server leaves behind that is killed in the middle of a turn: the marks, which nobody keeps locked.
async fn left_behind(running: &Running) -> tempfile::TempDir {
    let mut events = running.events(ID, None).await;
    let sent = running.prompt_as(ID, &uuid(1), "Think").await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    soon(running.agent.gates().reached("half")).await;
    events
        .until("state", |state| state["phase"] == "running")
        .await;
    let left = tempfile::tempdir().unwrap();
    let from = running.folder.path().join("config/claw/prompts");
    let to = left.path().join("claw/prompts");
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&to).unwrap();
            for mark in fs::read_dir(entry.path()).unwrap() {
                let mark = mark.unwrap();
                fs::copy(mark.path(), to.join(mark.file_name())).unwrap();
            }
        } else {
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(entry.path(), to).unwrap();
        }
    }
    left
}

#[tokio::test]
async fn a_prompt_that_claude_may_have_got_is_not_sent_again_and_the_session_goes_on() {
    let running = Running::start(waits()).await;
    transcript(&running, ID);
    let left = left_behind(&running).await;
    // A mark that was not written to its end: nobody was told that the prompt was accepted.
    let folder = fs::read_dir(left.path().join("claw/prompts")).unwrap();
    let mut folders = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    let half = folders
        .next()
        .unwrap()
        .join(format!("{}.accepted", uuid(9)));
    fs::write(&half, r#"{"session":"#).unwrap();
    fs::create_dir(left.path().join("shop")).unwrap();
    fs::rename(
        running.folder.path().join("config/projects"),
        left.path().join("projects"),
    )
    .unwrap();
    let project = Project::new(running.folder.path().join("shop")).unwrap();
    let agent = Agent::new(Script::reply("Yes."));
    let of_session = agent.clone();
    let next = Server::builder()
        .project(project)
        .sessions(Sessions::new(left.path()))
        .session(move |options| Session::builder(options).transport(of_session.clone()))
        .build()
        .unwrap();
    let live = next.hub().open(ID).await.unwrap();
    let state = live.read(|conversation| conversation.state().clone());
    assert_eq!(state.phase, claw_server::Phase::Cut);
    assert_eq!(state.unanswered.len(), 1);
    assert!(state.unanswered[0].sent);
    let prompt = |number, text: &str| {
        let prompt = json!({"uuid": uuid(number), "text": text});
        serde_json::from_value(prompt).unwrap()
    };
    let (_, is_new) = live.prompt(prompt(1, "Think")).await.unwrap();
    assert!(!is_new, "it ran twice");
    let mut viewer = live.viewer(None);
    let (_, is_new) = live.prompt(prompt(2, "Go on")).await.unwrap();
    assert!(is_new);
    while live.read(|conversation| conversation.state().queued > 0) {
        soon(viewer.next()).await.unwrap();
    }
    assert!(live.read(|conversation| conversation.state().unanswered.is_empty()));
    assert_eq!(prompts(&agent).len(), 1);
    drop((live, viewer));
    soon(next.end(Duration::ZERO)).await;
    drop(next);
    let mut left = fs::read_dir(left.path().join("claw/prompts")).unwrap();
    assert!(left.next().is_none(), "marks stay");
    running.agent.gates().open("half");
    running.end().await;
}

#[tokio::test]
async fn a_prompt_of_an_earlier_life_is_known_by_its_transcript() {
    let running = Running::start(Script::reply("Yes.")).await;
    transcript(&running, ID);
    let earlier = "a0000000-0000-4000-8000-000000000001";
    let again = running.prompt_as(ID, earlier, "Where?").await;
    assert_eq!(again.status, 200, "{}", again.body);
    assert_eq!(prompts(&running.agent).len(), 0);
    running.end().await;
}
