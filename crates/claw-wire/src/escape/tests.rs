use super::*;

#[test]
fn what_steers_a_terminal_is_escaped() {
    assert_eq!(
        escape("a\u{1b}[2Jb\u{9b}c\r\u{7}"),
        "a\\u{1b}[2Jb\\u{9b}c\\u{d}\\u{7}"
    );
    assert_eq!(
        escape("a\u{202e}b\u{feff}\u{e0041}"),
        "a\\u{202e}b\\u{feff}\\u{e0041}"
    );
}

#[test]
fn what_people_write_stays() {
    for text in [
        "Grüße, 世界\n\tनमस्ते",
        "👨\u{200d}👩\u{200d}👧",
        "e\u{301}",
        "\"quoted\" \\ 'x'",
    ] {
        assert!(matches!(escape(text), Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn escaped_json_is_the_same_json() {
    let line = "{\"text\":\"a\u{9b}b\u{e0041}\"}";
    let escaped = escape_json(line);
    assert!(!escaped.contains(is_hostile));
    let read = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(read(&escaped), read(line));
}
