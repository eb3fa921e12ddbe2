use super::*;

#[test]
fn an_event_outside_of_the_session_is_a_kind_of_notice() {
    let line = r#"{"kind":"task-notification","subkind":"external-event"}"#;
    let MessageOrigin::TaskNotification(origin) = serde_json::from_str(line).unwrap() else {
        panic!("another kind");
    };
    assert_eq!(origin.subkind, Some(NotificationSubkind::ExternalEvent));
    assert_eq!(serde_json::to_string(&origin).unwrap(), line);
}
