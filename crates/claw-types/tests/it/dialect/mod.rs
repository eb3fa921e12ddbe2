//! Older forms of the protocol, as five documents show them.

pub(crate) mod documents;
mod examples;
mod property;
mod sessions;
mod today;
mod upgrade_control;
mod upgrade_messages;
mod upgrade_parts;
mod upgrade_results;

use claw_types::dialect::{Dialect, Fill, Today, UpgradeError};
use claw_types::message::CompactTrigger;
use claw_types::{StdinMessage, StdoutMessage, from_line};
use serde_json::Value;

use documents::example;

pub(crate) const SCHEMA: &str = "Complete Message Schema Documentation";
pub(crate) const SPECIFICATION: &str = "Message Schema Specification";
pub(crate) const PLAN: &str = "Message Types, Implementation Plan";
pub(crate) const MAPPING: &str = "Message Type Mapping";
pub(crate) const REFERENCE: &str = "Message Types Reference";

/// Everything that an old form may lack.
fn fill() -> Fill {
    Fill::new("fill-session", "fill-uuid")
        .model("fill-model")
        .cwd("/work/project/fill")
        .claude_code_version("0.0.1-fill")
        .message_id("msg_fill")
        .tool_use_id("toolu_fill")
        .request_id("req_fill")
        .compact_trigger(CompactTrigger::Manual)
}

fn read(line: &str) -> Dialect {
    claw_types::dialect::from_line(line.as_bytes())
        .unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// What an old line becomes. Today's strict reader takes it as it was.
fn upgrade(line: &str, fill: &Fill) -> Result<Today, UpgradeError> {
    let old = read(line);
    let today = old.upgrade(fill)?;
    assert_eq!(today, old.upgrade(fill)?, "not the same twice: {line}");
    let written = serde_json::to_string(&today).unwrap();
    let again = match &today {
        Today::Stdout(_) => from_line::<StdoutMessage>(written.as_bytes())
            .map(|message| (message.is_unknown(), Today::Stdout(message))),
        Today::Stdin(_) => from_line::<StdinMessage>(written.as_bytes())
            .map(|message| (message.is_unknown(), Today::Stdin(message))),
        other => panic!("{other:?}"),
    };
    let (is_unknown, again) = again.unwrap();
    assert_eq!(again, today, "{line}");
    // Which kinds claw types is not this test's matter: that of a rate limit may not be among them.
    assert!(
        !is_unknown || written.contains("rate_limit_info"),
        "{written}"
    );
    Ok(today)
}

/// The lines of an example become `expected`, each field of it, from `claude`.
fn becomes(document: &str, name: &str, expected: &[Value]) {
    for (today, expected) in upgraded(document, name, expected.len())
        .iter()
        .zip(expected)
    {
        assert!(matches!(today, Today::Stdout(_)), "{name}");
        assert_eq!(&serde_json::to_value(today).unwrap(), expected, "{name}");
    }
}

/// The same, to `claude`.
fn becomes_stdin(document: &str, name: &str, expected: &Value) {
    let today = &upgraded(document, name, 1)[0];
    assert!(matches!(today, Today::Stdin(_)), "{name}");
    assert_eq!(&serde_json::to_value(today).unwrap(), expected, "{name}");
}

fn upgraded(document: &str, name: &str, count: usize) -> Vec<Today> {
    let lines = example(document, name).values();
    assert_eq!(lines.len(), count, "{name}");
    let upgrade =
        |line: &String| upgrade(line, &fill()).unwrap_or_else(|error| panic!("{name}: {error}"));
    lines.iter().map(upgrade).collect()
}
