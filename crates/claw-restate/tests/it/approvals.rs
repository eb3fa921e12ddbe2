//! A permission request waits without a process, and is answered on another worker.

use std::fs;

use claw_testkit::api::scenarios;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::cuts::{processes, until};
use crate::place::{Place, Worker};
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
    let one = place.worker_with(asks);
    place.restate.register(one.address).await;
    let (status, sent) = place
        .call(
            SESSION,
            "prompt/send",
            &[("idempotency-key", "k")],
            &json!({"prompt": "Write hello."}),
        )
        .await;
    assert_eq!(status, 202, "{sent}");
    let request = waits(&place).await;
    assert_eq!(request["request"]["tool_name"], "Bash", "{request}");
    let folder = |worker: &Worker| worker.log.parent().unwrap().to_owned();
    let first = folder(&one);
    until("no CLI waits", || processes(&first).len() == 1).await;
    one.signal(Signal::KILL);
    drop(one);
    place.restate.restart(Signal::KILL).await;
    let other = place.worker_with(asks);
    place.restate.register(other.address).await;

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
    let body = json!({"prompt": "Write hello."});
    let (status, outcome) = place
        .call(SESSION, "prompt", &[("idempotency-key", "k")], &body)
        .await;
    assert_eq!(
        (status, &outcome["isError"]),
        (200, &json!(false)),
        "{outcome}"
    );
    assert_eq!(outcome["isRepeated"], false, "{outcome}");
    let written = |folder: std::path::PathBuf| folder.join("project/greeting.txt").exists();
    assert!(written(folder(&other)) && !written(first));
    let (_, status) = place.call(SESSION, "status", &[], &Value::Null).await;
    assert_eq!(status["requests"], Value::Null, "{status}");
    assert!(
        fs::read_to_string(&other.log)
            .unwrap()
            .contains("a turn has ended")
    );
}
