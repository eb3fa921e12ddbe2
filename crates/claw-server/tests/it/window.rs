//! What the page of a long conversation gets: a part of it, other parts when it asks for them, and where a text is.

use std::fmt::Write as _;

use claw_testkit::agent::Script;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Response, Running, soon};

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Writes the transcript of a session with these prompts.
fn transcript(running: &Running, prompts: impl Iterator<Item = String>) {
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    let projects = running.folder.path().join("config/projects");
    let project = projects.join(claw_sessions::slug(&shop));
    std::fs::create_dir_all(&project).unwrap();
    let uuid = |number: usize| format!("a0000000-0000-4000-8000-{number:012}");
    let mut text = String::new();
    for (number, prompt) in prompts.enumerate() {
        let line = json!({"type": "user", "uuid": uuid(number), "parentUuid": number.checked_sub(1).map(uuid),
            "sessionId": ID, "cwd": shop, "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": false,
            "userType": "external", "version": "2.1.330", "message": {"role": "user", "content": prompt}});
        writeln!(text, "{line}").unwrap();
    }
    std::fs::write(project.join(format!("{ID}.jsonl")), text).unwrap();
    let hub = running.server.hub();
    hub.refresh(&hub.sessions().find(ID).unwrap());
}

async fn get(running: &Running, what: &str) -> Response {
    let head = running.head("GET", &format!("/s/{ID}/{what}"));
    let request = format!("{head}Connection: close\r\n\r\n");
    running.raw(&request).await
}

/// The IDs of a window's elements, with how many are before and after.
fn shown(window: &Value) -> (u64, Vec<&str>, u64) {
    let html = window["html"].as_str().unwrap();
    let sections = html.split("<section id=\"").skip(1);
    let ids = sections.map(|section| section.split('"').next().unwrap());
    let count = |name: &str| window[name].as_u64().unwrap();
    (count("before"), ids.collect(), count("after"))
}

/// What the stream of a session's page begins with.
pub(crate) async fn first(running: &Running, id: &str, query: &str) -> String {
    let head = running.head("GET", &format!("/s/{id}/stream{query}"));
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream
        .write_all(format!("{head}\r\n").as_bytes())
        .await
        .unwrap();
    let (mut text, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let read = soon(stream.read(&mut buffer)).await.unwrap();
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&buffer[..read]);
        let so_far = String::from_utf8_lossy(&text);
        if so_far.contains("event: state") && so_far.ends_with("\n\n\r\n") {
            return so_far.into_owned();
        }
    }
}

/// The data of the event that brings the elements.
fn elements_of(text: &str) -> &str {
    let (_, data) = text.split_once("event: page\ndata: ").unwrap();
    data.lines().next().unwrap()
}

#[tokio::test]
async fn a_page_does_not_wait_until_its_conversation_is_read() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ["Look & see".to_owned()].into_iter());
    let live = || running.server.hub().live().len();
    let page = running.ask("GET", &format!("/s/{ID}"), &Value::Null).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(
        page.body.contains("<h1 id=\"title\">Look &amp; see</h1>"),
        "{}",
        page.body
    );
    assert!(page.body.contains("<span id=\"project\">shop</span>"));
    assert_eq!(live(), 0);
    assert!(first(&running, ID, "").await.contains("Look &amp; see"));
    assert_eq!(live(), 1);
    running.end().await;
}

#[tokio::test]
async fn a_page_begins_with_the_newest_elements_and_asks_for_the_others() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(
        &running,
        (0..1000).map(|number| format!("Prompt {number} <b>")),
    );
    let text = first(&running, ID, "").await;
    assert_eq!(text.matches("<section").count(), 24);
    assert!(text.contains(r#""before":976"#));
    let html = elements_of(&text);
    assert!(html.contains("Prompt 999 &lt;b&gt;") && !html.contains("<b>"));
    // All who come get the same elements, whatever else is sent beside them.
    assert!(html == elements_of(&first(&running, ID, "").await));

    let newest = get(&running, "elements").await.json();
    let (before, ids, after) = shown(&newest);
    assert_eq!((before, ids.len(), after), (800, 200, 0));
    let element = |number: usize| format!("e-a0000000-0000-4000-8000-{number:012}.0");
    assert_eq!((ids[0], ids[199]), (&*element(800), &*element(999)));
    let ask = async |query: String| {
        let window = get(&running, &format!("elements?{query}")).await.json();
        assert_eq!(
            (&window["epoch"], &window["n"]),
            (&newest["epoch"], &newest["n"])
        );
        let (before, ids, after) = shown(&window);
        let number = |id: &str| (0..1000).position(|it| element(it) == id).unwrap();
        let numbers: Vec<_> = ids.iter().map(|id| number(id)).collect();
        assert!(numbers.is_sorted());
        assert_eq!(before + ids.len() as u64 + after, 1000);
        (numbers[0], *numbers.last().unwrap())
    };
    assert_eq!(
        ask(format!("before={}&limit=60", element(800))).await,
        (740, 799)
    );
    assert_eq!(
        ask(format!("before={}&limit=60", element(10))).await,
        (0, 9)
    );
    assert_eq!(
        ask(format!("after={}&limit=60", element(10))).await,
        (11, 70)
    );
    assert_eq!(ask(format!("after={}", element(990))).await, (991, 999));
    assert_eq!(
        ask(format!("around={}&limit=60", element(500))).await,
        (470, 529)
    );
    assert_eq!(
        ask(format!("around={}&limit=60", element(3))).await,
        (0, 32)
    );
    assert_eq!(ask("oldest=true&limit=7".to_owned()).await, (0, 6));
    // However much is asked for.
    assert_eq!(
        ask(format!("before={}&limit=99999", element(900))).await,
        (700, 899)
    );
    assert_eq!(ask("limit=0".to_owned()).await, (999, 999));
    running.end().await;
}

#[tokio::test]
async fn long_elements_are_fewer_and_one_is_there_however_long_it_is() {
    let running = Running::start(Script::reply("Hi.")).await;
    let lengths = [10, 300 << 10, 300 << 10, 300 << 10, 300 << 10, 2 << 20];
    transcript(
        &running,
        lengths.into_iter().map(|length| "a".repeat(length)),
    );
    let newest = get(&running, "elements").await.json();
    let (before, ids, after) = shown(&newest);
    assert_eq!((before, ids.len(), after), (5, 1, 0));
    let older = get(&running, &format!("elements?before={}", ids[0])).await;
    let older = older.json();
    let (before, ids, after) = shown(&older);
    assert_eq!((before, ids.len(), after), (2, 3, 1));
    running.end().await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, (0..3).map(|number| format!("Prompt {number}")));
    for (what, status) in [
        ("elements?before=e-nobody", 404),
        ("elements?around=../../etc/passwd", 404),
        ("elements?after=", 404),
        ("elements?limit=-1", 400),
        ("elements?limit=many", 400),
        ("elements?oldest=perhaps", 400),
        ("find", 400),
        ("find?q=", 400),
        ("find?q=%20%20", 400),
        (&format!("find?q={}", "a".repeat(201)), 400),
        ("find?q=prompt&from=e-nobody", 200),
        ("find?q=%00%3Cscript%3E", 200),
    ] {
        let response = get(&running, what).await;
        assert_eq!(response.status, status, "{what}: {}", response.body);
        assert_eq!(response.header("content-type"), Some("application/json"));
    }
    let found = get(&running, "find?q=PROMPT%202").await.json();
    assert_eq!((&found["total"], &found["nearest"]), (&json!(1), &json!(0)));
    assert_eq!(found["hits"][0], "e-a0000000-0000-4000-8000-000000000002.0");
    running.end().await;
}
