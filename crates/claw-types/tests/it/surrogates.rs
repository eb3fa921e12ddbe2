//! Half of a surrogate pair, escaped: JSON allows it, the CLI writes it, and no text can hold it.

use claw_types::{DecodeErrorKind, Json, Message, StdoutMessage, from_line};

use crate::support::{message, seed, stdout};

fn read(line: &str) -> Message {
    from_line(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn text_line(text: &str) -> String {
    seed("assistant_sub_agent").replace(r#""sub""#, text)
}

#[test]
fn half_a_pair_is_read_as_the_replacement_character() {
    for (escaped, expected) in [
        (r#""cut \ud83d""#, "cut \u{fffd}"),
        (r#""\ud83d cut""#, "\u{fffd} cut"),
        (r#""\udc00""#, "\u{fffd}"),
        (r#""\uD83D\uD83D\uDE00""#, "\u{fffd}\u{1f600}"),
        (r#""\uDE00\uD83D""#, "\u{fffd}\u{fffd}"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (
            r#""\ud83d\n\ud83d\\\ud83d""#,
            "\u{fffd}\n\u{fffd}\\\u{fffd}",
        ),
        (r#""\ud83c\udf89 \ud83d""#, "\u{1f389} \u{fffd}"),
        (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
        (r#""\\\ud83d""#, "\\\u{fffd}"),
    ] {
        assert_eq!(read(&text_line(escaped)).text(), expected, "{escaped}");
    }
}

#[test]
fn whole_pairs_and_escaped_backslashes_are_untouched() {
    for (escaped, expected) in [
        (r#""\ud83c\udf89""#, "\u{1f389}"),
        (r#""\uD83C\uDF89""#, "\u{1f389}"),
        (r#""\\ud83d""#, "\\ud83d"),
        (r#""\\\\ud83d""#, "\\\\ud83d"),
        (r#""\\\ud83c\udf89""#, "\\\u{1f389}"),
        (r#""\ud7ff \ue000""#, "\u{d7ff} \u{e000}"),
    ] {
        assert_eq!(message(&text_line(escaped)).text(), expected, "{escaped}");
    }
}

#[test]
fn a_result_and_a_delta_arrive_too() {
    let line = seed("result_success").replace(r#""Four.""#, r#""Four \ud83d""#);
    let Message::ResultSuccess(result) = read(&line) else {
        panic!();
    };
    assert_eq!(result.result, "Four \u{fffd}");
    let line = seed("event_text_delta").replace(r#""Using ""#, r#""\ud83d""#);
    let Message::StreamEvent(event) = read(&line) else {
        panic!();
    };
    assert_eq!(event.text_delta(), Some("\u{fffd}"));
    // In any order and spacing of the keys, and as the wider union.
    let line = line.replace(
        r#"{"type":"stream_event","#,
        r#"{ "x" : "\udfff" , "type" : "stream_event","#,
    );
    let value: StdoutMessage = from_line(line.as_bytes()).unwrap();
    assert!(!value.is_unknown());
}

#[test]
fn free_json_keeps_it_as_it_stands() {
    let line = seed("surrogate_input");
    let Message::Assistant(assistant) = message_of_free_json(&line) else {
        panic!();
    };
    let claw_types::api::ContentBlock::ToolUse(tool) = &assistant.message.content[0] else {
        panic!();
    };
    assert_eq!(
        tool.input.as_raw(),
        r#"{"content":"cut \uD83D","\udc00":1}"#
    );
    assert!(tool.input.to_value().is_err());
    // No key of the model's hides another one from a guard.
    let content = tool.input.get("content").unwrap();
    assert_eq!(content.as_str().as_deref(), Some("cut \u{fffd}"));
    let line = r#"{"type":"of_tomorrow","cut":"\ud83d"}"#;
    let value: StdoutMessage = from_line(line.as_bytes()).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), line);
}

#[test]
fn what_a_string_says_is_without_quotes_and_escapes() {
    for (raw, said) in [
        (r#""/etc/passwd""#, Some("/etc/passwd")),
        (r#""\u002fetc\n""#, Some("/etc\n")),
        ("\"\"", Some("")),
        (r#""cut \uD83D""#, Some("cut \u{fffd}")),
        ("7", None),
        ("null", None),
        (r#"["/etc/"]"#, None),
    ] {
        let json = Json::from_text(raw.to_owned()).unwrap();
        assert_eq!(json.as_str().as_deref(), said, "{raw}");
        assert_eq!(json.as_raw(), raw);
    }
}

/// No tree can judge it; the text must be the same.
fn message_of_free_json(line: &str) -> Message {
    let value = read(line);
    assert_eq!(serde_json::from_str::<Message>(line).unwrap(), value);
    assert!(claw_types::json_equal(
        &serde_json::to_string(&value).unwrap(),
        line
    ));
    value
}

#[test]
fn a_key_and_a_tag() {
    let value: StdoutMessage = from_line(seed("surrogate_key").as_bytes()).unwrap();
    let StdoutMessage::KeepAlive(alive) = value else {
        panic!();
    };
    assert!(alive.extra.get("\u{fffd}").is_some());
    let line = r#"{"type":"\ud83d","a":1}"#;
    let value: StdoutMessage = from_line(line.as_bytes()).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), line);
}

#[test]
fn it_hides_no_other_fault() {
    let line = text_line(r#""\ud83d""#).replace(r#""id":"msg_1","#, "");
    let error = from_line::<Message>(line.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "message");
    assert!(error.to_string().contains("missing field `id`"), "{error}");
    let error = from_line::<Message>(br#"{"type":"user","a":"\ud83d"#).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::Syntax);
    for cut in [
        r#"{"a":"\ud8"#,
        r#"{"a":"\ud8zz"}"#,
        r#"{"a":"\ud83d\u"}"#,
        r#"{"a":"\ud83d\"#,
    ] {
        let error = from_line::<Message>(cut.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::Syntax, "{cut}");
    }
}

#[test]
fn the_column_of_a_fault_behind_it_is_true() {
    let line = r#"{"type":"keep_alive","a":"\ud83d","startup_mark":7}"#;
    let error = from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "startup_mark");
    assert_eq!(error.column(), Some(line.len() - 1));
    assert!(stdout(&line.replace("\\ud83d", "x").replace('7', "\"m\"")) != stdout("{}"));
}
