use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn to_the_person() {
    let input = PushNotificationInput::new("Done").status(PushNotificationStatus::Proactive);
    holds(
        &input,
        &json!({"message": "Done", "status": "proactive"}),
        &[],
    );
    let output = PushNotificationOutput::new("Done")
        .push_sent(false)
        .local_sent(true)
        .disabled_reason(PushDisabledReason::NoTransport)
        .sent_at("2026-01-01T00:00:00Z");
    holds(
        &output,
        &json!({
            "message": "Done", "pushSent": false, "localSent": true,
            "disabledReason": "no_transport", "sentAt": "2026-01-01T00:00:00Z"
        }),
        &[],
    );
}

#[test]
fn to_the_session() {
    holds(&ReadNotificationsInput::new(), &json!({}), &[]);
    let (sent, came, read) = (
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:01Z",
        "2026-01-01T00:01:00Z",
    );
    let notice = SessionNotification::new("n1", "trigger_fire", sent, "Go").arrived_at(came);
    holds(
        &ReadNotificationsOutput::new(vec![notice], 2).read_at(read),
        &json!({
            "notifications": [{
                "notification_id": "n1", "origin": "trigger_fire", "queued_at": sent,
                "content": "Go", "arrived_at": came
            }],
            "remaining": 2, "read_at": read
        }),
        &[],
    );
}
