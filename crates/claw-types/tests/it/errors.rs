//! What is wrong with a line is said, and where; never what stands on it.

use claw_types::{
    DecodeError, DecodeErrorKind, Message, StdinMessage, StdoutMessage, from_line, json_equal,
};

use crate::support::{message, seed, seeds};

fn error(line: &str) -> DecodeError {
    from_line::<Message>(line.as_bytes()).expect_err(line)
}

fn assistant(content: &str) -> String {
    seed("assistant_sub_agent").replace(r#"{"type":"text","text":"sub"}"#, content)
}

#[test]
fn a_known_kind_that_does_not_fit_is_no_unknown() {
    for (line, path, text) in [
        (
            assistant(r#"{"type":"text","text":"a"},{"type":"text","text":7}"#),
            "message.content[1].text",
            "invalid type: integer, expected a string",
        ),
        (
            assistant(r#"{"type":"text"}"#),
            "message.content[0]",
            "missing field `text`",
        ),
        (
            assistant(r#"{"type":"text","text":null}"#),
            "message.content[0].text",
            "invalid type: null, expected a string",
        ),
        (
            assistant("7"),
            "message.content[0]",
            "invalid type: integer, expected an object with the key `type`",
        ),
        (
            // The tag is the last key: what stands before it is read a second time.
            assistant(
                r#"{"content":[{"text":{},"type":"text"}],"tool_use_id":"t","type":"tool_result"}"#,
            ),
            "message.content[0].content[0].text",
            "invalid type: map, expected a string",
        ),
        (
            seed("assistant_text").replace(r#""output_tokens":5"#, r#""output_tokens":-5"#),
            "message.usage.output_tokens",
            "invalid value: integer, expected a count (an integer, zero or more)",
        ),
        (
            seed("assistant_text").replace(r#""output_tokens":5"#, r#""output_tokens":1.5"#),
            "message.usage.output_tokens",
            "invalid value: floating point, expected a count (an integer, zero or more)",
        ),
        (
            seed("result_success").replace(r#""inputTokens":10"#, r#""inputTokens":true"#),
            "modelUsage.zeta.inputTokens",
            "invalid type: boolean, expected a count (an integer, zero or more)",
        ),
        (
            seed("result_success").replace(r#""is_error":false,"#, ""),
            "",
            "missing field `is_error`",
        ),
        (
            seed("user_text").replace(r#""parent_tool_use_id":null,"#, ""),
            "",
            "missing field `parent_tool_use_id`",
        ),
        (
            seed("user_text").replace(r#""What is 2 + 2?""#, "null"),
            "message.content",
            "invalid type: null, expected text or a list of content blocks",
        ),
        (
            seed("event_text_delta").replace(r#""Using ""#, "[]"),
            "event.delta.text",
            "invalid type: sequence, expected a string",
        ),
        (
            r#"{"type":"result","note":"no subtype"}"#.to_owned(),
            "",
            "missing field `subtype`",
        ),
        (
            seed("result_error").replacen(
                r#""subtype":"#,
                r#""subtype":"of tomorrow","subtype":"success","was":"#,
                1,
            ),
            "subtype",
            "invalid value: string, expected another one",
        ),
        (
            r#"{"type":"user","type":"assistant"}"#.to_owned(),
            "type",
            "invalid value: string, expected \"user\"",
        ),
    ] {
        let error = error(&line);
        assert_eq!(error.kind(), DecodeErrorKind::Data, "{line}");
        assert_eq!(error.path(), path, "{error}: {line}");
        assert!(error.to_string().contains(text), "{error}: {line}");
        // serde says the same, and so does a union around this one.
        let strict = serde_json::from_str::<Message>(&line).expect_err(&line);
        let strict = DecodeError::from(strict);
        assert_eq!(strict.path(), path, "{line}");
        let outer = from_line::<StdoutMessage>(line.as_bytes()).expect_err(&line);
        assert_eq!(outer.to_string(), error.to_string());
    }
}

#[test]
fn control_frames_name_their_paths() {
    let line = seed("control_can_use_tool").replace(
        r#""rules":[{"toolName":"Bash""#,
        r#""rules":[{"toolName":1"#,
    );
    let error = from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
    assert_eq!(
        error.path(),
        "request.permission_suggestions[0].rules[0].toolName"
    );
    let line = seed("control_success").replace(r#""tool_name":"Bash""#, r#""tool_name":1"#);
    let error = from_line::<StdinMessage>(line.as_bytes()).unwrap_err();
    assert_eq!(
        error.path(),
        "response.pending_permission_requests[0].request.tool_name"
    );
}

#[test]
fn the_column_is_where_reading_stopped() {
    let line = seed("bad_body");
    let wrong = line.find(":1}").unwrap() + 2;
    assert_eq!(error(&line).column(), Some(wrong));
    // Where a value is read a second time, the column is still the line's: not before the value.
    let line = assistant(r#"{"text":1,"type":"text"}"#);
    let column = error(&line).column().unwrap();
    let start = line.find(r#""text":1"#).unwrap();
    assert!(
        (start..=line.find("}]").unwrap() + 2).contains(&column),
        "{column}"
    );
    assert_eq!(error("{\"type\":\"user\",}").column(), Some(16));
    assert_eq!(
        from_line::<Message>(b"{\"type\":\"\xff\"}")
            .unwrap_err()
            .column(),
        Some(10)
    );
}

/// What stands before the tag is read a second time.
#[test]
fn the_place_is_exact_where_the_tag_stands_late() {
    let line = assistant(r#"{"text":1,"type":"text"}"#);
    let column = line.find(r#""text":1"#).unwrap() + r#""text":1"#.len();
    assert_eq!(error(&line).column(), Some(column));
    // On several lines, as only serde reads it.
    let (before, behind) = line.split_at(column);
    let text = format!(
        "{}\n{behind}",
        before.replace(r#""text":1"#, "\n\"text\":1")
    );
    let error = serde_json::from_str::<Message>(&text).unwrap_err();
    assert_eq!((error.line(), error.column()), (2, r#""text":1"#.len()));
    assert_eq!(DecodeError::from(error).path(), "message.content[0].text");
}

/// A source that cannot lend its text has no place for an error.
#[test]
fn other_sources_name_the_path() {
    let line = assistant(r#"{"type":"text","text":7}"#);
    let tree: serde_json::Value = serde_json::from_str(&line).unwrap();
    for error in [
        serde_json::from_reader::<_, Message>(line.as_bytes()).unwrap_err(),
        serde_json::from_value::<Message>(tree).unwrap_err(),
    ] {
        let error = DecodeError::from(error);
        assert_eq!(error.path(), "message.content[0].text");
        assert!(error.to_string().contains("expected a string"), "{error}");
    }
}

#[test]
fn what_is_no_line_of_the_protocol() {
    for line in [
        "[]",
        "[{\"type\":\"user\"}]",
        "null",
        "7",
        " \"user\" ",
        "true",
        "-1.5e3",
    ] {
        assert_eq!(error(line).kind(), DecodeErrorKind::NotAnObject, "{line}");
    }
    for line in [
        "",
        " ",
        "{",
        "}",
        "[",
        "nul",
        "[SandboxDebug] x",
        "{\"type\":\"user\"",
        "{\"type\":\"user\"} x",
        "{\"type\":\"keep_alive\"}{}",
        "{'type':'user'}",
        "{\"type\":\"user\" \"a\":1}",
        "{\"type\":\"of_tomorrow\",\"a\":01}",
        "{\"type\":\"of_tomorrow\",\"a\":\"\u{1}\"}",
        "{\"type\":\"of_tomorrow\",\"a\":\"\\x\"}",
        "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"cut of",
        "\u{feff}{}",
    ] {
        assert_eq!(error(line).kind(), DecodeErrorKind::Syntax, "{line}");
        let error = from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::Syntax, "{line}");
    }
    for line in [&b"\xff"[..], b"{\"type\":\"\xed\xa0\xbd\"}", b"{}\x80"] {
        let error = from_line::<Message>(line).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::NotUtf8);
    }
}

#[test]
fn a_line_that_is_cut_anywhere_is_a_syntax_error() {
    for seed in seeds() {
        let line = seed.line.trim();
        if from_line::<StdoutMessage>(line.as_bytes()).is_err() {
            continue;
        }
        for end in (1..line.len()).filter(|end| line.is_char_boundary(*end)) {
            let error = from_line::<StdoutMessage>(&line.as_bytes()[..end]).expect_err(&seed.name);
            assert_eq!(error.kind(), DecodeErrorKind::Syntax, "{}", &line[..end]);
        }
    }
}

/// Replaces every value of a line by one that does not fit and that can be found again.
#[test]
fn no_error_quotes_the_line() {
    const SECRETS: [&str; 5] = [
        r#""hunter2\", expected `x`: look at line 7 column 7""#,
        "7770777",
        "-7770777",
        "7770777.5",
        r#"{"k":7770777}"#,
    ];
    let quotes =
        |text: &str| text.contains("hunter2") || text.contains("7770777") || text.contains("look");
    let mut refused = 0;
    for seed in seeds() {
        let line = &seed.line;
        let values = line.match_indices(':').map(|(at, _)| at + 1);
        for start in values {
            let Some(Ok(old)) = serde_json::Deserializer::from_str(&line[start..])
                .into_iter::<Box<serde_json::value::RawValue>>()
                .next()
            else {
                continue;
            };
            for secret in SECRETS {
                let rest = &line[start..].trim_start()[old.get().len()..];
                let line = format!("{}{secret}{rest}", &line[..start]);
                if let Err(error) = from_line::<StdoutMessage>(line.as_bytes()) {
                    refused += 1;
                    assert!(!quotes(&error.to_string()), "{error}");
                    assert!(!quotes(&format!("{error:?}")), "{error:?}");
                }
                // Without a source text there is no place in the error.
                if let Ok(tree) = serde_json::from_str::<serde_json::Value>(&line)
                    && let Err(error) = serde_json::from_value::<StdoutMessage>(tree)
                {
                    let error = DecodeError::from(error);
                    assert!(!quotes(&format!("{error} {error:?}")), "{error:?}");
                }
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn null_where_it_may_stand_is_kept() {
    // Optional, nullable, either.
    for (from, to) in [
        (r#""request_id":"req_1""#, r#""request_id":null"#),
        (
            r#""parent_tool_use_id":null"#,
            r#""parent_tool_use_id":null"#,
        ),
        (r#""stop_reason":null"#, r#""stop_reason":null"#),
        (
            r#""context_management":null"#,
            r#""context_management":{"applied_edits":[]}"#,
        ),
        (r#""input_tokens":10"#, r#""input_tokens":null"#),
        (r#""input_tokens":10,"#, ""),
    ] {
        let line = seed("assistant_text").replace(from, to);
        assert!(matches!(message(&line), Message::Assistant(_)));
    }
}

#[test]
fn a_null_kept_on_an_optional_field_gives_way_to_a_value() {
    let line = seed("assistant_text").replace(r#""request_id":"req_1""#, r#""request_id":null"#);
    let Message::Assistant(mut assistant) = message(&line) else {
        panic!();
    };
    assert!(
        serde_json::to_string(&assistant)
            .unwrap()
            .contains(r#""request_id":null"#)
    );
    assistant.request_id = Some("req_2".into());
    let written = serde_json::to_string(&assistant).unwrap();
    let expected = line.replace(r#""request_id":null"#, r#""request_id":"req_2""#);
    assert!(json_equal(&written, &expected), "{written}");
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    for (line, expected) in [
        (
            r#"{"type":"keep_alive","startup_mark":"a","startup_mark":"b"}"#,
            r#"{"type":"keep_alive","startup_mark":"b"}"#,
        ),
        (
            r#"{"type":"keep_alive","startup_mark":null,"startup_mark":"b"}"#,
            r#"{"type":"keep_alive","startup_mark":"b"}"#,
        ),
        (
            r#"{"type":"keep_alive","startup_mark":"a","startup_mark":null}"#,
            r#"{"type":"keep_alive","startup_mark":null}"#,
        ),
        (
            r#"{"type":"keep_alive","x":1,"y":2,"x":3}"#,
            r#"{"type":"keep_alive","y":2,"x":3}"#,
        ),
        (
            r#"{"type":"keep_alive","type":"keep_alive"}"#,
            r#"{"type":"keep_alive"}"#,
        ),
    ] {
        let value = crate::support::stdout(line);
        assert_eq!(value, crate::support::stdout(expected));
        assert_eq!(serde_json::to_string(&value).unwrap(), expected);
    }
    let line = seed("result_success").replace(r#""alpha""#, r#""zeta""#);
    let Message::ResultSuccess(result) = message(&line) else {
        panic!();
    };
    assert_eq!(result.model_usage.len(), 1);
}

/// A key can look like the end of a path; what stands under it is still not shown.
#[test]
fn no_key_brings_its_value_to_light() {
    for key in ["a`: b", "`: ", "a`", "`a`: invalid type: "] {
        let key = serde_json::to_string(key).unwrap();
        let line = seed("result_success").replace(
            r#""modelUsage":{"#,
            &format!(r#""modelUsage":{{{key}:"hunter2","#),
        );
        let error = from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
        assert!(error.path().starts_with("modelUsage."), "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
}

#[test]
fn a_path_can_be_printed() {
    let key = format!("\u{1b}[2J{}", "x".repeat(1000));
    let line = include_str!("../../../../fixtures/text/stdout.ndjson")
        .lines()
        .find(|line| line.contains(r#""type":"result""#))
        .unwrap()
        .replace(
            r#""modelUsage":{"#,
            &format!(
                r#""modelUsage":{{{}:1,"#,
                serde_json::to_string(&key).unwrap()
            ),
        );
    let error = from_line::<StdoutMessage>(line.as_bytes()).unwrap_err();
    assert!(
        error.path().starts_with("modelUsage.\\u{1b}[2Jxxx"),
        "{error}"
    );
    assert!(error.path().chars().count() < 300 && !error.to_string().contains('\u{1b}'));
}
