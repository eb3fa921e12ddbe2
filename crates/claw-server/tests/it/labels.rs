//! Titles, tags and the archive, as the page shows and changes them.

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::activity::{Stream, asks};
use crate::client::Running;
use crate::disk::transcript;

const ONE: &str = "11111111-1111-4111-8111-111111111111";
const OTHER: &str = "22222222-2222-4222-8222-222222222222";

async fn entry(running: &Running, id: &str) -> Value {
    let path = format!("/api/sessions/{id}/entry");
    let entry = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(entry.status, 200, "{}", entry.body);
    entry.json()
}

async fn patch(running: &Running, id: &str, body: &Value) -> u16 {
    let path = format!("/api/sessions/{id}");
    running.ask("PATCH", &path, body).await.status
}

#[tokio::test]
async fn who_looks_is_told_of_a_title_a_tag_and_the_archive() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ONE);
    transcript(&running, OTHER);
    let mut list = Stream::open(&running, "/stream").await;
    let mut beside = Stream::open(&running, &format!("/s/{OTHER}/stream?list=true")).await;
    let mut own = Stream::open(&running, &format!("/s/{ONE}/stream")).await;
    let mut narrow = Stream::open(&running, &format!("/s/{OTHER}/stream")).await;
    // It listens to the state alone, whichever event comes first.
    let mut titled = Stream::open(&running, &format!("/s/{ONE}/stream")).await;
    for stream in [&mut list, &mut beside, &mut own, &mut narrow, &mut titled] {
        stream.until_event("activity", |_| true).await;
    }
    let changes = json!({"title": "  Fruit ", "tag": "red", "archived": true});
    assert_eq!(patch(&running, ONE, &changes).await, 204);
    let expected = json!({"id": ONE, "title": "Fruit", "tag": "red", "archived": true});
    for stream in [&mut list, &mut beside, &mut own] {
        assert_eq!(stream.until_event("edited", |_| true).await, expected);
    }
    let is_fruit = |state: &Value| state["title"] == "Fruit";
    titled.until_event("state", is_fruit).await;
    let item = entry(&running, ONE).await;
    assert_eq!(
        (&item["title"], &item["tag"], &item["archived"]),
        (&json!("Fruit"), &json!("red"), &json!(true))
    );
    // A page that lists nothing is told of its own session alone.
    assert_eq!(patch(&running, OTHER, &json!({"tag": "blue"})).await, 204);
    let told = narrow.until_event("edited", |_| true).await;
    assert_eq!(told, json!({"id": OTHER, "tag": "blue"}));
    running.end().await;
}

#[tokio::test]
async fn a_list_beside_a_conversation_has_what_goes_on_and_a_page_without_one_the_count() {
    let running = Running::start(asks()).await;
    let (one, other) = (running.session().await, running.session().await);
    let mut beside = Stream::open(&running, &format!("/s/{other}/stream?list=true")).await;
    let mut narrow = Stream::open(&running, &format!("/s/{other}/stream")).await;
    running.prompt(&one, "How many?").await;
    let is_told = |data: &Value| data["others"] == 1;
    let told = beside.until_event("activity", is_told).await;
    assert_eq!(told["sessions"][0]["id"], one.as_str());
    let told = narrow.until_event("activity", is_told).await;
    assert_eq!(told["sessions"], Value::Null);
    let path = format!("/s/{other}/stream?list=perhaps");
    assert_eq!(running.ask("GET", &path, &Value::Null).await.status, 400);
    running.end().await;
}

#[tokio::test]
async fn what_cannot_be_changed_says_why() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ONE);
    for bad in [
        json!({"title": "  "}),
        json!({"tag": "\u{200b}"}),
        json!({"colour": "red"}),
    ] {
        let status = patch(&running, ONE, &bad).await;
        assert!(matches!(status, 400 | 422), "{bad}: {status}");
    }
    assert_eq!(entry(&running, ONE).await["tag"], Value::Null);
    // Of this one nothing is written.
    let new = running.session().await;
    assert_eq!(entry(&running, &new).await["phase"], "idle");
    assert_eq!(patch(&running, &new, &json!({"title": "Early"})).await, 409);
    assert_eq!(patch(&running, OTHER, &json!({"title": "Gone"})).await, 404);
    let path = format!("/api/sessions/{OTHER}/entry");
    assert_eq!(running.ask("GET", &path, &Value::Null).await.status, 404);
    running.end().await;
}
