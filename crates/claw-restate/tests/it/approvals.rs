//! A permission request waits without a process, and is answered on another worker.

use std::path::Path;

use claw_testkit::api::scenarios;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::place::{Place, Worker};
use crate::processes::{processes, until};
use crate::turns::SESSION;

/// The request that waits, once there is one.
async fn waits(place: &Place) -> Value {
    for _ in 0..600 {
        let (_, status) = place.call(SESSION, "status", &[], &Value::Null).await;
        if let Some(request) = status["requests"].get(0) {
            return request.clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("nothing waits");
}

#[tokio::test]
async fn a_permission_is_given_after_everything_was_restarted() {
    let mut place = Place::new(scenarios::bash()).await;
    place.asks();
    let asks = &["--answer-limit", "3600"];
    let (mut workers, proxy) = place.three(asks).await;
    let key = [("idempotency-key", "k")];
    let body = json!({"prompt": "Write hello."});
    let (status, sent) = place.call(SESSION, "prompt/send", &key, &body).await;
    assert_eq!(status, 202, "{sent}");
    let request = waits(&place).await;
    assert_eq!(request["request"]["tool_name"], "Bash", "{request}");
    let folders: Vec<_> = workers.iter().map(|it| it.folder().to_owned()).collect();
    let running = || {
        folders
            .iter()
            .map(|folder| processes(folder).len())
            .sum::<usize>()
    };
    until("no CLI waits", || running() == workers.len()).await;

    // All end, and others come, which never saw the session.
    for worker in &workers {
        worker.signal(Signal::KILL);
    }
    place.restate.restart(Signal::KILL).await;
    for worker in &mut workers {
        place.again(worker, asks);
    }
    // As after a new version of claw: a turn that waits is continued by those who have its address now.
    place.restate.register(proxy.address).await;

    let answer =
        |id: &Value, by: &str| json!({"id": id, "by": by, "decision": {"behavior": "allow"}});
    let ada = answer(&request["id"], "Ada");
    let given = place.call(SESSION, "answer", &[], &ada).await;
    assert_eq!(given, (200, json!({"counts": true, "by": "Ada"})));
    let late = place
        .call(SESSION, "answer", &[], &answer(&request["id"], "Bob"))
        .await;
    assert_eq!(late, (200, json!({"counts": false, "by": "Ada"})));
    let (status, _) = place
        .call(SESSION, "answer", &[], &answer(&json!("no-such"), "Bob"))
        .await;
    assert_eq!(status, 404);

    // The caller asks for the result with its key.
    let (status, outcome) = place.call(SESSION, "prompt", &key, &body).await;
    assert_eq!(status, 200, "{outcome}");
    assert_eq!(outcome["isError"], false, "{outcome}");
    assert_eq!(outcome["isRepeated"], false, "{outcome}");
    let written = |folder: &Path| folder.join("project/greeting.txt").exists();
    let ran = |worker: &&Worker| worker.text().contains("a turn has ended");
    let runners: Vec<_> = workers.iter().filter(ran).collect();
    assert_eq!(runners.len(), 1);
    assert!(written(runners[0].folder()));
    assert!(!folders.iter().any(|folder| written(folder)));
    let (_, status) = place.call(SESSION, "status", &[], &Value::Null).await;
    assert_eq!(status["requests"], Value::Null, "{status}");
}
