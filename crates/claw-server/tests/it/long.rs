//! A session that began with a long prompt, and changes of which one is refused.

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::client::Running;
use crate::disk::transcript;

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Makes the prompt of a transcript so long.
fn lengthen(running: &Running, length: usize) {
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    let project = running.folder.path().join("config/projects");
    let path = project
        .join(claw_sessions::slug(&shop))
        .join(format!("{ID}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| line.parse().unwrap()).collect();
    lines[0]["message"]["content"] = "apples ".repeat(length / 7).into();
    // What is needed stands behind the prompt, as the CLI writes it.
    let first = lines[0].as_object_mut().unwrap();
    let message = first.remove("message").unwrap();
    let rest = lines[0].to_string();
    let first = format!(r#"{{"message":{message},{}"#, &rest[1..]);
    std::fs::write(&path, format!("{first}\n{}\n", lines[1])).unwrap();
}

#[tokio::test]
async fn a_session_with_a_long_first_prompt_is_listed_after_it_was_closed() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    lengthen(&running, 84 << 10);
    let path = format!("/api/sessions/{ID}");
    for _ in 0..2 {
        let list = running
            .ask("GET", "/api/sessions", &Value::Null)
            .await
            .json();
        assert_eq!(list["sessions"][0]["id"], ID, "{list}");
        assert_eq!(list["sessions"][0]["project"], "shop");
        let title = list["sessions"][0]["title"].as_str().unwrap();
        assert!(title.starts_with("apples apples"), "{title}");
        let opened = running.ask("GET", &path, &Value::Null).await;
        assert_eq!(opened.status, 200, "{}", opened.body);
        running.server.hub().close(ID).unwrap();
    }
    running.end().await;
}

#[tokio::test]
async fn where_one_change_is_refused_none_is_made() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let path = format!("/api/sessions/{ID}");
    let body = json!({"title": "Fruit", "tag": "\u{200b}", "archived": true});
    let refused = running.ask("PATCH", &path, &body).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("a tag needs"), "{}", refused.body);
    let list = running
        .ask("GET", "/api/sessions", &Value::Null)
        .await
        .json();
    let item = &list["sessions"][0];
    assert_eq!(
        (&item["id"], &item["archived"]),
        (&json!(ID), &json!(false))
    );
    assert_eq!(item["title"], "Where are the apples?");
    running.end().await;
}
