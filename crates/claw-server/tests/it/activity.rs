//! The stream of what goes on in all sessions.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::client::{Running, soon};

/// Asks in each turn.
pub(crate) fn asks() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission(
            [
                Step::tool_result("one"),
                Step::message([Block::text("There is one.")]),
            ],
            [Step::message([Block::text("Then not.")])],
        ),
    ])])
}

/// The events of a stream of a page.
pub(crate) struct Stream(BufReader<TcpStream>);

impl Stream {
    pub(crate) async fn open(running: &Running, path: &str) -> Self {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        let head = running.head("GET", path);
        stream
            .write_all(format!("{head}\r\n").as_bytes())
            .await
            .unwrap();
        Self(BufReader::new(stream))
    }

    /// The next data of an event `activity` for which this holds.
    async fn until(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        self.until_event("activity", is).await
    }

    /// The next data of an event of this name for which this holds.
    pub(crate) async fn until_event(&mut self, wanted: &str, is: impl Fn(&Value) -> bool) -> Value {
        let mut is_wanted = false;
        loop {
            let mut line = String::new();
            let read = soon(self.0.read_line(&mut line)).await.unwrap();
            assert_ne!(read, 0, "the stream has ended");
            if let Some(name) = line.strip_prefix("event: ") {
                is_wanted = name.trim() == wanted;
            }
            let data = line.strip_prefix("data: ").filter(|_| is_wanted);
            if let Some(data) = data.map(|data| serde_json::from_str(data).unwrap())
                && is(&data)
            {
                return data;
            }
        }
    }
}

#[tokio::test]
async fn the_list_says_which_sessions_ask_oldest_first_and_each_page_how_many_others() {
    let running = Running::start(asks()).await;
    let (one, other) = (running.session().await, running.session().await);
    let mut list = Stream::open(&running, "/stream").await;
    let nothing = list.until(|_| true).await;
    assert_eq!(
        (&nothing["asking"], &nothing["sessions"]),
        (&json!(0), &json!([]))
    );
    let mut page = Stream::open(&running, &format!("/s/{other}/stream")).await;
    running.prompt(&one, "How many?").await;
    let first = list.until(|it| it["asking"] == 1).await;
    let [session] = first["sessions"].as_array().unwrap().as_slice() else {
        panic!("one is busy: {first}");
    };
    assert_eq!(
        (&session["id"], &session["phase"], &session["title"]),
        (&json!(one), &json!("asking"), &json!("How many?"))
    );
    let told = page.until(|it| it["others"] == 1).await;
    let first = json!({"asking": 1, "others": 1, "first": one, "firstTitle": "How many?"});
    assert_eq!(told, first);
    running.prompt(&other, "And now?").await;
    let both = list.until(|it| it["asking"] == 2).await;
    let ids = both["sessions"].as_array().unwrap().iter();
    assert_eq!(ids.map(|it| &it["id"]).collect::<Vec<_>>(), [&one, &other]);
    let told = page.until(|it| it["asking"] == 2).await;
    let both = json!({"asking": 2, "others": 1, "first": one, "firstTitle": "How many?"});
    assert_eq!(told, both);
    running.deny(&one).await;
    let told = page.until(|it| it["asking"] == 1).await;
    let own = json!({"asking": 1, "others": 0, "first": null, "firstTitle": null});
    assert_eq!(told, own);
    // What is closed asks nobody.
    let close = format!("/api/sessions/{other}/close");
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    list.until(|it| it["asking"] == 0 && it["sessions"] == json!([]))
        .await;
    running.end().await;
}

#[tokio::test]
async fn a_page_that_comes_late_gets_the_newest_state_and_no_backlog() {
    let running = Running::start(asks()).await;
    let mut sessions = Vec::new();
    for number in 0..5 {
        let session = running.session().await;
        sessions.push(session.clone());
        let mut list = Stream::open(&running, "/stream").await;
        running.prompt(&session, "How many?").await;
        list.until(|it| it["asking"] == number + 1).await;
    }
    let mut late = Stream::open(&running, "/stream").await;
    assert_eq!(late.until(|_| true).await["asking"], 5);
    for session in sessions {
        running.deny(&session).await;
    }
    running.end().await;
}
