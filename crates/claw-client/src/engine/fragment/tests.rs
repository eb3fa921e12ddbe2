use super::*;

#[test]
fn a_start_gives_the_outermost_members_alone() {
    let head = br#"{"a":{"type":"inner"},"list":[{"type":"x"}],"s":"\"type\":\"no\"","type" : "result","cut":"#;
    assert_eq!(text_at_start(head, "type").as_deref(), Some("result"));
    assert_eq!(text_at_start(head, "s").as_deref(), Some(r#""type":"no""#));
    assert_eq!(text_at_start(head, "a"), None);
    assert_eq!(text_at_start(head, "none"), None);
    assert_eq!(
        text_at_start(br#"{"message":{"type":"result"#, "type"),
        None
    );
}

#[test]
fn a_value_is_no_key() {
    assert_eq!(text_at_start(br#"{"a":"type","b":"x"}"#, "type"), None);
    assert_eq!(
        text_at_start(br#"{"a":"type","type":"x"}"#, "type").as_deref(),
        Some("x")
    );
}

#[test]
fn a_member_inside_of_one_member() {
    let head =
        br#"{"request_id":"no","response":{"x":{"request_id":"no"},"request_id":"r1","response":""#;
    assert_eq!(
        text_inside(head, "response", "request_id").as_deref(),
        Some("r1")
    );
    assert_eq!(
        text_inside(br#"{"other":{"request_id":"r1"}"#, "response", "request_id"),
        None
    );
}

#[test]
fn an_end_gives_the_outermost_members_alone() {
    let tail = br#"it","type":"inner"},"type": "result","n":[1,{"type":"x"}],"u":"}"}"#;
    assert_eq!(text_at_end(tail, "type").as_deref(), Some("result"));
    assert_eq!(text_at_end(br#"..,"type":"tool"}}]}"#, "type"), None);
    assert_eq!(text_at_end(br#"\"type\":\"result\"}"#, "type"), None);
    assert_eq!(text_at_end(b"", "type"), None);
}
