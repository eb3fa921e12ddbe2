//! Today's form comes first, and today's errors are what is said.

use claw_types::dialect::{self, Dialect, Today};
use claw_types::{DecodeErrorKind, StdinMessage, StdoutMessage, from_line};

use super::read;
use crate::support::{Sample, recorded, valid_seeds};

/// Where today's form fits, today's message is what is read.
fn reads_as_today(sample: &Sample) {
    let line = sample.line.as_bytes();
    let Dialect::Today(today) = read(&sample.line) else {
        panic!("{} is read as an old form", sample.name);
    };
    match &today {
        Today::Stdout(message) => {
            assert_eq!(
                &from_line::<StdoutMessage>(line).unwrap(),
                message,
                "{}",
                sample.name
            );
        }
        Today::Stdin(message) => {
            assert_eq!(
                &from_line::<StdinMessage>(line).unwrap(),
                message,
                "{}",
                sample.name
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_recorded_line_is_todays() {
    for file in ["stdout.ndjson", "stdin.ndjson"] {
        recorded(file).iter().for_each(reads_as_today);
    }
}

#[test]
fn every_written_line_is_todays() {
    valid_seeds().iter().for_each(reads_as_today);
}

/// What stdout does not know and stdin does is a line to `claude`.
#[test]
fn each_direction_is_tried() {
    for sample in recorded("stdin.ndjson") {
        let line = sample.line.as_bytes();
        let stdout = from_line::<StdoutMessage>(line).is_ok_and(|message| !message.is_unknown());
        let stdin = from_line::<StdinMessage>(line).is_ok_and(|message| !message.is_unknown());
        let Dialect::Today(today) = read(&sample.line) else {
            panic!("{}", sample.name);
        };
        assert_eq!(today.is_unknown(), !stdout && !stdin, "{}", sample.name);
        assert_eq!(
            matches!(today, Today::Stdin(_)),
            stdin && !stdout,
            "{}",
            sample.name
        );
    }
}

#[test]
fn unknown_kinds_stay_unknown() {
    for line in [
        r#"{"type":"of_tomorrow","n":1.0}"#,
        r#"{"type":"system","subtype":"of_tomorrow"}"#,
        r#"{"no":"tag"}"#,
        r#"{"event_type":"ping"}"#,
        r#"{"type":"of_tomorrow","event_type":"ping","data":{}}"#,
        r#"{"type":7,"event_type":"ping","data":{}}"#,
        // Whole as today, whether claw types it or not.
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"},"uuid":"u","session_id":"s"}"#,
        "{}",
    ] {
        let Dialect::Today(today) = read(line) else {
            panic!("{line}");
        };
        assert!(
            today.is_unknown() || line.contains("rate_limit_info"),
            "{line}"
        );
        assert!(!matches!(today, Today::Stdin(_)), "{line}");
        assert_eq!(serde_json::to_string(&today).unwrap(), line);
    }
}

#[test]
fn what_fits_neither_form_is_todays_error() {
    for (line, path) in [
        (r#"{"type":"assistant"}"#, ""),
        (
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":7}]}}"#,
            "message.content[0].text",
        ),
        (
            r#"{"type":"assistant","message":{"role":"assistant","content":"text"}}"#,
            "message.content",
        ),
        (
            r#"{"type":"assistant","message":{"role":"assistant","content":[]},"uuid":7}"#,
            "message",
        ),
        (r#"{"type":"user","message":{"role":"user"}}"#, "message"),
        (
            r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result"}]}}"#,
            "message.content[0]",
        ),
        (r#"{"type":"system","subtype":"init"}"#, ""),
        (
            r#"{"type":"system","subtype":"init","session_id":"s","tools":[7],"mcp_servers":[]}"#,
            "tools",
        ),
        (
            r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto"}}"#,
            "compact_metadata",
        ),
        // Not to be taken for an error that only happens to be called a success.
        (r#"{"type":"result","subtype":"success"}"#, ""),
        (
            r#"{"type":"result","subtype":"success","result":7}"#,
            "result",
        ),
        (r#"{"type":"result"}"#, ""),
        (
            r#"{"type":"result","subtype":"error","error":"e","usage":{}}"#,
            "usage",
        ),
        (r#"{"type":"control_request","request_id":"r"}"#, ""),
        (
            r#"{"type":"control_request","request_id":"r","subtype":"can_use_tool","tool_name":"Bash"}"#,
            "",
        ),
        (
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool"}}"#,
            "request",
        ),
        (r#"{"type":"control_response","subtype":"success"}"#, ""),
        (
            r#"{"type":"control_response","request_id":"r","subtype":"success","allowed":"no"}"#,
            "",
        ),
        (
            r#"{"type":"control_response","request_id":"r","subtype":"error"}"#,
            "",
        ),
    ] {
        let error = dialect::from_line(line.as_bytes()).expect_err(line);
        let today = from_line::<StdoutMessage>(line.as_bytes()).expect_err(line);
        assert_eq!(error.kind(), DecodeErrorKind::Data, "{line}");
        assert_eq!(error.to_string(), today.to_string(), "{line}");
        assert!(error.path().starts_with(path), "{}: {line}", error.path());
    }
}

#[test]
fn broken_lines_are_todays_errors() {
    for (line, kind) in [
        (&b"{\"type\":\"assistant\""[..], DecodeErrorKind::Syntax),
        (b"not JSON", DecodeErrorKind::Syntax),
        (b"", DecodeErrorKind::Syntax),
        (b"[]", DecodeErrorKind::NotAnObject),
        (b"{\"type\":\"\xff\"}", DecodeErrorKind::NotUtf8),
    ] {
        assert_eq!(dialect::from_line(line).unwrap_err().kind(), kind);
    }
}

/// Half of an escaped surrogate pair names no character; the line is read all the same.
#[test]
fn a_cut_emoji_is_read() {
    let line = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"\ud83d"}]}}"#;
    assert!(matches!(read(line), Dialect::Assistant(_)));
}

#[cfg(feature = "schema")]
mod schema {
    use serde_json::Value;

    use super::super::documents::all;
    use crate::support::{recorded, valid_seeds};

    fn validator() -> jsonschema::Validator {
        let files = claw_types::schema::files();
        let found = files
            .into_iter()
            .find(|(path, _)| *path == "dialect.schema.json");
        jsonschema::validator_for(&found.unwrap().1).unwrap()
    }

    #[test]
    fn every_form_fits_the_schema() {
        let schema = validator();
        let old = all();
        let old = old.iter().filter(|example| example.part == "line");
        let mut lines: Vec<_> = old
            .flat_map(super::super::documents::Example::values)
            .collect();
        lines.extend(
            recorded("stdout.ndjson")
                .into_iter()
                .map(|sample| sample.line),
        );
        lines.extend(
            recorded("stdin.ndjson")
                .into_iter()
                .map(|sample| sample.line),
        );
        lines.extend(valid_seeds().into_iter().map(|sample| sample.line));
        lines.push(r#"{"type":"of_tomorrow","n":1}"#.to_owned());
        for line in lines {
            // A line with half of a surrogate pair is no tree.
            let Ok(value) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if let Err(error) = schema.validate(&value) {
                panic!("{error} at {}: {line}", error.instance_path());
            }
        }
    }

    #[test]
    fn what_fits_neither_form_does_not_fit_the_schema() {
        let schema = validator();
        for line in [
            r#"{"type":"assistant"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":7}]}}"#,
            r#"{"type":"user","message":{"role":"user"}}"#,
            r#"{"type":"system","subtype":"init","session_id":"s","tools":[7],"mcp_servers":[]}"#,
            r#"{"type":"system","subtype":"compact_boundary","compact_metadata":7}"#,
            r#"{"type":"control_request","request_id":"r"}"#,
            r#"{"type":"control_response","subtype":"success"}"#,
            r#"{"event_type":7,"data":{},"type":"result"}"#,
        ] {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(!schema.is_valid(&value), "{line}");
        }
    }
}
