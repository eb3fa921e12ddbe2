use serde_json::Value;

use super::Style;

const LINE: &str = r#"{"type":"control_request","text":"a, \"b\": {c}\\","request":{"a":[1,2],"type":"x"},"n":null}"#;

#[test]
fn every_style_says_the_same() {
    let value: Value = LINE.parse().unwrap();
    for style in [
        Style::Compact,
        Style::Spaced,
        Style::Reordered,
        Style::Escaped,
    ] {
        let written = style.write(LINE);
        assert_eq!(written.parse::<Value>().unwrap(), value, "{written}");
        assert_eq!(
            written == LINE,
            style == Style::Compact,
            "{style:?} changed nothing"
        );
    }
}

#[test]
fn styles_do_what_they_say() {
    assert!(
        Style::Spaced
            .write(LINE)
            .starts_with(r#"{"type": "control_request", "text": "a, \"b"#)
    );
    assert!(
        Style::Reordered
            .write(LINE)
            .starts_with(r#"{"n":null,"request":{"a":[1,2],"type":"x"},"#)
    );
    assert!(
        Style::Reordered
            .write(LINE)
            .ends_with(r#","type":"control_request"}"#)
    );
    assert!(
        Style::Escaped
            .write(LINE)
            .starts_with(r#"{"type":"control"#)
    );
    assert!(!Style::Escaped.write(LINE).contains("control_request"));
}

#[test]
fn what_is_no_object_stays() {
    for line in ["stray text", "[1]", "{}", ""] {
        assert_eq!(Style::Reordered.write(line), line);
        assert_eq!(Style::Escaped.write(line), line);
    }
}
