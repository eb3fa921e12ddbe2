//! Whether a server is ready.

use claw_testkit::agent::Script;
use serde_json::Value;

use crate::client::{Running, soon};

#[tokio::test]
async fn a_host_that_cannot_write_to_its_disk_is_not_ready() {
    let running = Running::start(Script::reply("Hi.")).await;
    let ready = async || running.ask("GET", "/ready", &Value::Null).await;
    let first = ready().await;
    assert_eq!(first.status, 200, "{}", first.body);
    // A folder in which nothing can be written.
    let folder = running.folder.path().join("config/claw");
    std::fs::rename(&folder, folder.with_extension("away")).unwrap();
    std::fs::write(&folder, "").unwrap();
    let refused = soon(async {
        loop {
            let answer = ready().await;
            if answer.status != 200 {
                break answer;
            }
        }
    })
    .await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("disk"), "{}", refused.body);
    assert_eq!(refused.header("retry-after"), Some("1"));
    std::fs::remove_file(&folder).unwrap();
    soon(async { while ready().await.status != 200 {} }).await;
    running.end().await;
}
