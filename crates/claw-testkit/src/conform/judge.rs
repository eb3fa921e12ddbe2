//! Compares the output of a testee with the output that its case expects.

use claw_types::line_to_value;
use serde_json::Value;

use super::{Expected, Verdict};

/// The maximum length of a quoted line in a difference, in characters.
const QUOTED: usize = 200;

/// The output of a testee, by the kind of event.
#[derive(Debug, Default)]
pub(super) struct Seen {
    messages: Vec<Value>,
    permissions: Vec<Value>,
    hooks: Vec<Value>,
    tools: Vec<Value>,
    errors: Vec<Value>,
    pub(super) is_ended: bool,
    unsupported: Option<String>,
    wrong: Vec<String>,
}

impl Seen {
    /// Reads the testee's output.
    pub(super) fn read(output: &[u8]) -> Self {
        let mut seen = Self::default();
        let lines = output.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
            if let Err(reason) = seen.take(line) {
                let line = quoted(&String::from_utf8_lossy(line));
                seen.wrong
                    .push(format!("the testee wrote {line}: {reason}"));
            }
        }
        seen
    }

    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
        // A testee may write lone surrogates, which `serde_json` would refuse.
        let event = line_to_value(text).map_err(|error| error.to_string())?;
        let Value::Object(event) = event else {
            return Err("an event is an object".to_owned());
        };
        let mut members = event.into_iter();
        let (Some((name, value)), None) = (members.next(), members.next()) else {
            return Err("an event has one member".to_owned());
        };
        match &*name {
            "message" => self.messages.push(value),
            "permission" => self.permissions.push(value),
            "hook" => self.hooks.push(value),
            "tool" => self.tools.push(value),
            "error" => self.errors.push(value),
            "end" => self.is_ended = true,
            "unsupported" => {
                self.unsupported = Some(value.as_str().unwrap_or_default().to_owned());
            }
            _ => return Err(format!("there is no event `{name}`")),
        }
        Ok(())
    }

    /// Checks that for each of `lines` there is a message that corresponds to it according to `is`.
    fn have(&self, lines: &[Value], is: fn(&Value, &Value) -> bool, wrong: &mut Vec<String>) {
        for line in lines {
            if self.messages.iter().any(|message| is(message, line)) {
                continue;
            }
            let mut messages = self.messages.iter();
            let close = messages.find(|message| message["type"] == line["type"]);
            let found = close.map_or_else(|| "none like it".to_owned(), quoted_json);
            let line = quoted_json(line);
            wrong.push(format!("a message is not {line}, but {found}"));
        }
    }

    /// Compares the output with the output that the case expects. `sent` contains the lines that the agent has
    /// received. `faults` contains problems that were found outside of the output.
    pub(super) fn judge(
        mut self,
        expected: &Expected,
        sent: &[Value],
        faults: Vec<String>,
    ) -> Verdict {
        if let Some(what) = self.unsupported.take() {
            return Verdict::Unsupported(what);
        }
        let mut wrong = std::mem::take(&mut self.wrong);
        wrong.extend(faults);
        if !self.is_ended {
            wrong.push("the SDK has not returned from the session's end".to_owned());
        }
        in_order("a message", &self.messages, &expected.messages, &mut wrong);
        self.have(&expected.whole, is_whole, &mut wrong);
        self.have(&expected.exactly, Value::eq, &mut wrong);
        none("message", &self.messages, &expected.never, &mut wrong);
        let results = self
            .messages
            .iter()
            .filter(|it| it["type"] == "result")
            .count();
        if let Some(count) = expected.results.filter(|count| *count != results) {
            wrong.push(format!("{count} results are expected, not {results}"));
        }
        match (expected.error, self.errors.first()) {
            (Some(true), None) => wrong.push("no error was reported".to_owned()),
            (Some(false), Some(error)) => {
                wrong.push(format!("an error was reported: {}", quoted_json(error)));
            }
            _ => {}
        }
        each(
            "permission callback",
            &self.permissions,
            expected.permissions.as_deref(),
            &mut wrong,
        );
        each("hook", &self.hooks, expected.hooks.as_deref(), &mut wrong);
        each("tool", &self.tools, expected.tools.as_deref(), &mut wrong);
        in_order(
            "a line that the SDK wrote",
            sent,
            &expected.sent,
            &mut wrong,
        );
        none(
            "line that the SDK wrote",
            sent,
            &expected.never_sent,
            &mut wrong,
        );
        if wrong.is_empty() {
            Verdict::Passed
        } else {
            Verdict::Failed(wrong)
        }
    }
}

/// Whether a message contains everything that a line contains.
fn is_whole(message: &Value, line: &Value) -> bool {
    match (message, line) {
        (Value::Object(message), Value::Object(line)) => line.iter().all(|(name, line)| {
            let member = message.get(name);
            member.map_or(line.is_null(), |member| is_whole(member, line))
        }),
        (Value::Array(message), Value::Array(line)) => {
            let mut pairs = message.iter().zip(line);
            message.len() == line.len() && pairs.all(|(message, line)| is_whole(message, line))
        }
        (Value::Number(message), Value::Number(line)) => {
            message == line || message.as_f64() == line.as_f64()
        }
        _ => message == line,
    }
}

/// Checks that values fit the patterns in this order. Other values may come between these values.
fn in_order(what: &str, values: &[Value], patterns: &[Value], wrong: &mut Vec<String>) {
    let mut values = values.iter();
    for pattern in patterns {
        if !values.any(|value| fits(value, pattern)) {
            wrong.push(format!(
                "{what} is missing, or comes too early: {}",
                quoted_json(pattern)
            ));
            return;
        }
    }
}

/// Checks that no value fits one of the patterns.
fn none(what: &str, values: &[Value], patterns: &[Value], wrong: &mut Vec<String>) {
    for pattern in patterns {
        if let Some(value) = values.iter().find(|value| fits(value, pattern)) {
            wrong.push(format!("there must be no {what} {}", quoted_json(value)));
        }
    }
}

/// Checks that there are as many calls as patterns, and that each call fits the pattern at the same position.
fn each(what: &str, calls: &[Value], patterns: Option<&[Value]>, wrong: &mut Vec<String>) {
    let Some(patterns) = patterns else { return };
    if calls.len() != patterns.len() {
        let (expected, count) = (patterns.len(), calls.len());
        wrong.push(format!(
            "{expected} calls of the {what} are expected, not {count}"
        ));
        return;
    }
    for (call, pattern) in calls.iter().zip(patterns) {
        if !fits(call, pattern) {
            let (call, pattern) = (quoted_json(call), quoted_json(pattern));
            wrong.push(format!(
                "a call of the {what} does not fit {pattern}: {call}"
            ));
        }
    }
}

/// Whether a value fits a pattern.
fn fits(value: &Value, pattern: &Value) -> bool {
    if let Some(Value::Array(patterns)) = pattern.get("$any") {
        return patterns.iter().any(|pattern| fits(value, pattern));
    }
    match (value, pattern) {
        (Value::Object(value), Value::Object(pattern)) => pattern
            .iter()
            .all(|(name, pattern)| value.get(name).is_some_and(|value| fits(value, pattern))),
        (Value::Array(values), Value::Array(patterns)) => {
            let mut pairs = values.iter().zip(patterns);
            values.len() == patterns.len() && pairs.all(|(value, pattern)| fits(value, pattern))
        }
        _ => value == pattern,
    }
}

fn quoted_json(value: &Value) -> String {
    quoted(&value.to_string())
}

/// Returns a text. A text that is too long is cut, and its length is appended.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(output: &str, expected: Value, sent: &[Value]) -> Verdict {
        let expected = serde_json::from_value(expected).unwrap();
        Seen::read(output.as_bytes()).judge(&expected, sent, Vec::new())
    }

    #[test]
    fn what_fits_passes_and_each_difference_is_named() {
        let output = "{\"message\":{\"type\":\"result\",\"n\":[1,{\"a\":2,\"b\":3}]}}\n{\"permission\":{\"tool\":\"Bash\"}}\n{\"end\":true}\n";
        let expected = json!({"messages": [{"type": "result", "n": [1, {"a": 2}]}], "results": 1, "error": false,
            "permissions": [{"tool": "Bash"}], "sent": [{"type": "user"}],
            "exactly": [{"type": "result", "n": [1, {"a": 2, "b": 3}]}]});
        let sent = [json!({"type": "user", "message": {}})];
        assert_eq!(judged(output, expected.clone(), &sent), Verdict::Passed);
        let wrong = json!({"messages": [{"type": "result", "n": [1]}], "results": 2, "error": true, "permissions": [],
            "never": [{"type": "result"}], "exactly": [{"type": "result"}], "hooks": [{}], "never_sent": [{"type": "user"}],
            "sent": [{"type": "control_request"}]});
        let Verdict::Failed(differences) = judged(output, wrong, &sent) else {
            panic!("it passed")
        };
        assert_eq!(differences.len(), 9, "{differences:#?}");
        let Verdict::Failed(differences) =
            judged("nothing\n{\"a\":1}\n{\"end\":1,\"b\":1}", expected, &sent)
        else {
            panic!("it passed")
        };
        assert!(differences[0].contains("nothing"), "{differences:#?}");
        assert_eq!(differences.len(), 8, "{differences:#?}");
    }

    #[test]
    fn a_whole_message_may_have_more_members_and_no_nulls() {
        let line = json!({"a": null, "b": [{"c": 30, "d": null}], "e": "text"});
        let whole = json!({"b": [{"c": 30.0, "more": 0}], "e": "text"});
        assert!(is_whole(&whole, &line));
        assert!(is_whole(&line, &line));
        for lossy in [
            json!({"b": [{"c": 30}]}),
            json!({"b": [], "e": "text"}),
            json!({"b": [{"c": 31}], "e": "text"}),
            json!({"a": 1, "b": [{"c": 30}], "e": "text"}),
        ] {
            assert!(!is_whole(&lossy, &line), "{lossy}");
        }
        let output = format!("{{\"message\":{whole}}}\n{{\"end\":true}}");
        let verdict = judged(&output, json!({"whole": [line.clone()]}), &[]);
        assert_eq!(verdict, Verdict::Passed);
        let verdict = judged(&output, json!({"exactly": [line]}), &[]);
        assert!(matches!(verdict, Verdict::Failed(wrong) if wrong.len() == 1));
    }

    #[test]
    fn one_of_several_patterns_may_fit() {
        let pattern = json!({"content": {"$any": ["Hi", [{"text": "Hi"}]]}});
        assert!(fits(&json!({"content": "Hi"}), &pattern));
        assert!(fits(
            &json!({"content": [{"type": "text", "text": "Hi"}]}),
            &pattern
        ));
        assert!(!fits(&json!({"content": "Ho"}), &pattern));
    }

    #[test]
    fn what_an_sdk_does_not_have_is_no_failure() {
        let output = "{\"unsupported\":\"hooks\"}\n";
        let expected = json!({"results": 1});
        assert_eq!(
            judged(output, expected, &[]),
            Verdict::Unsupported("hooks".to_owned())
        );
    }

    #[test]
    fn quotations_are_short() {
        let quotation = quoted(&"é".repeat(1000));
        assert_eq!(quotation.chars().filter(|it| *it == 'é').count(), QUOTED);
        assert!(quotation.ends_with("(2000 bytes)"));
    }
}
