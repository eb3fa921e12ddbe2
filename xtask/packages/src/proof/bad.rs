//! Lines that are wrong, hostile, or of a future version.

use std::path::Path;

use serde_json::{Value, json};

use xtask::run::Result;

use super::{Output, answer, outputs};
use crate::exact::Exact;
use crate::language::Language;

/// What a package has to do with a line.
#[derive(Clone, Copy)]
enum Expected {
    /// An error at this path.
    Error(&'static str),
    /// An unknown line, which is written as it came.
    Unknown,
    /// A known line with this number of unknown values, which is written as it came.
    Read(usize),
}

use Expected::{Error, Read, Unknown};

/// Reads the lines with the package, adds what is wrong to the faults, and returns the number of lines.
pub(super) fn check(language: &Language, folder: &Path, faults: &mut Vec<String>) -> Result<usize> {
    let (lines, expected): (Vec<_>, Vec<_>) = bad().into_iter().unzip();
    let outputs = outputs(language, folder, "stdout", &lines)?;
    for ((line, expected), output) in lines.iter().zip(&expected).zip(&outputs) {
        let is_same = |written: &str| match (Exact::read(line), Exact::read(written)) {
            (Ok(before), Ok(after)) => before == after,
            _ => false,
        };
        let is_right = match (expected, output) {
            (Error(expected), Output::Error { path, .. }) => path == expected,
            (Unknown, Output::Unknown(written)) => is_same(written),
            (Read(expected), Output::Read { unknown, line, .. }) => {
                unknown == expected && is_same(line)
            }
            _ => false,
        };
        if !is_right {
            let [line, output] = [line.clone(), format!("{output:?}")]
                .map(|text| text.chars().take(300).collect::<String>());
            faults.push(format!("bad line {line}\n  gave {output}"));
        }
    }
    Ok(lines.len())
}

fn bad() -> Vec<(String, Expected)> {
    let text = |text: Value| answer(&json!({ "type": "text", "text": text })).to_string();
    let tool = |name: Value| {
        answer(&json!({ "type": "tool_use", "id": "t", "name": name, "input": {} })).to_string()
    };
    let with = |key: &str, value: Value| {
        let mut line = answer(&json!({ "type": "text", "text": "" }));
        line[key] = value;
        line
    };
    let without = |key: &str| {
        let mut line = answer(&json!({ "type": "text", "text": "" }));
        line.as_object_mut().map(|line| line.remove(key));
        line.to_string()
    };
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let system = |subtype: &str| {
        json!({ "type": "system", "subtype": subtype, "detail": 7, "uuid": "u", "session_id": "s" })
            .to_string()
    };
    let hole = answer(&json!({ "type": "text", "text": "HOLE" })).to_string();
    let filled = |json: &str| hole.replace("\"HOLE\"", json);
    let raw_input = |json: &str| {
        let line = answer(&json!({ "type": "tool_use", "id": "t", "name": "n", "input": "HOLE" }));
        line.to_string().replace("\"HOLE\"", json)
    };
    vec![
        // No JSON, or no object.
        ("half of a line".to_owned(), Error("")),
        ("{\"type\":\"assistant\"".to_owned(), Error("")),
        ("[]".to_owned(), Error("")),
        ("null".to_owned(), Error("")),
        ("\"text\"".to_owned(), Error("")),
        ("{\"type\":NaN}".to_owned(), Error("")),
        ("{\"type\":\"keep_alive\",}".to_owned(), Error("")),
        ("{\"type\":\"keep_alive\"} {}".to_owned(), Error("")),
        ("{'type':'keep_alive'}".to_owned(), Error("")),
        ("{\"type\":\"keep_alive\",\"a\":01}".to_owned(), Error("")),
        (
            "{\"type\":\"keep_alive\",\"a\":\"\u{1}\"}".to_owned(),
            Error(""),
        ),
        (
            "{\"type\":\"keep_alive\",\"a\":\"\\x\"}".to_owned(),
            Error(""),
        ),
        (
            "{\"type\":\"keep_alive\",\"a\":\"\\u12g4\"}".to_owned(),
            Error(""),
        ),
        // Without a tag, or with one that is no text.
        ("{}".to_owned(), Unknown),
        ("{\"type\":7}".to_owned(), Unknown),
        ("{\"type\":null}".to_owned(), Unknown),
        ("{\"type\":[{\"type\":\"assistant\"}]}".to_owned(), Unknown),
        // Another form than that of the kind.
        (tool(json!(7)), Error("message.content[1].name")),
        (tool(json!(null)), Error("message.content[1].name")),
        (text(json!(["a"])), Error("message.content[1].text")),
        (
            answer(&json!({ "type": "text" })).to_string(),
            Error("message.content[1].text"),
        ),
        (answer(&json!({ "text": "a" })).to_string(), Read(1)),
        (answer(&json!({ "type": 1 })).to_string(), Read(1)),
        (
            answer(&json!("text")).to_string(),
            Error("message.content[1]"),
        ),
        (without("message"), Error("message")),
        (without("uuid"), Error("uuid")),
        (with("message", json!([])).to_string(), Error("message")),
        (
            with("session_id", json!(7)).to_string(),
            Error("session_id"),
        ),
        (
            with("parent_tool_use_id", json!(7)).to_string(),
            Error("parent_tool_use_id"),
        ),
        // Deep nesting.
        (deep(10_000), Error("")),
        (
            "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000),
            Error(""),
        ),
        (raw_input(&deep(10_000)), Error("")),
        (raw_input(&deep(100)), Read(0)),
        // A key that occurs twice.
        (
            "{\"type\":\"keep_alive\",\"type\":\"assistant\"}".to_owned(),
            Error("type"),
        ),
        (
            filled("\"a\",\"text\":\"b\""),
            Error("message.content[1].text"),
        ),
        // What a newer CLI may write.
        ("{\"type\":\"of_tomorrow\"}".to_owned(), Unknown),
        (
            "{\"type\":\"of_tomorrow\",\"a\":[1,1.0,{\"b\":null}]}".to_owned(),
            Unknown,
        ),
        (system("of_tomorrow"), Unknown),
        (
            "{\"type\":\"result\",\"subtype\":\"of_tomorrow\"}".to_owned(),
            Unknown,
        ),
        // An internal kind in another form.
        (system("task_summary"), Unknown),
        (
            answer(&json!({ "type": "of_tomorrow", "a": null })).to_string(),
            Read(1),
        ),
        (
            with("of_tomorrow", json!({ "a": [null, {}], "b": [] })).to_string(),
            Read(0),
        ),
        (with("error", json!("of_tomorrow")).to_string(), Read(0)),
        // Null in a field that may be absent, but has no null.
        (with("error", json!(null)).to_string(), Read(0)),
        // Texts and numbers that readers damage.
        (filled("\"\\ud83d\""), Read(0)),
        (filled("\"a\\ude00b\\ud83d\\ud83d\\ude00\""), Read(0)),
        (filled("\"\\u0000\\u2028\\u007f<>&\\/\""), Read(0)),
        (raw_input("{\"\\ud83d\":\"\\ude00\"}"), Read(0)),
        (
            raw_input("[12345678901234567890,-0.0,1.0,1,1e400,0.1000]"),
            Read(0),
        ),
        (
            with("error", json!("\u{fffd}\u{10ffff}")).to_string(),
            Read(0),
        ),
        ("\u{feff}{\"type\":\"keep_alive\"}".to_owned(), Error("")),
        // A line of 10 MB.
        (text(json!("é\"\\".repeat(2_500_000))), Read(0)),
        ("[1,".repeat(3_000_000), Error("")),
    ]
}
