//! Every example is read, and sent on as it came.

use std::collections::BTreeMap;

use claw_types::api::Usage;
use claw_types::dialect::{Dialect, OldContentBlock, OldMcpServer, OldTool, Today, UpgradeError};
use claw_types::options::SystemPrompt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::documents::all;
use super::{MAPPING, PLAN, REFERENCE, SCHEMA, SPECIFICATION, fill, read, upgrade};
use crate::support::assert_lossless;

fn part<T: Serialize + DeserializeOwned>(text: &str) {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_lossless(&value, text);
}

/// serde reads the line as `from_line` does, from a text and from a value.
#[track_caller]
fn by_serde(line: Dialect, text: &str) {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::from_str::<Dialect>(text).unwrap(), line);
    assert_eq!(serde_json::from_value::<Dialect>(value).unwrap(), line);
    if let Dialect::Today(today) = line {
        assert_eq!(serde_json::from_str::<Today>(text).unwrap(), today);
    }
}

#[test]
fn every_example_comes_back() {
    for example in all() {
        for text in example.values() {
            match &*example.part {
                "line" => {
                    let line = read(&text);
                    let is_unknown = matches!(&line, Dialect::Today(today) if today.is_unknown());
                    assert!(!is_unknown, "{}: nobody knows {text}", example.name);
                    assert_lossless(&line, &text);
                    by_serde(line, &text);
                }
                "block" => part::<OldContentBlock>(&text),
                "usage" => part::<Usage>(&text),
                "tool" => part::<OldTool>(&text),
                "mcp_server" => part::<OldMcpServer>(&text),
                "system_prompt" => part::<SystemPrompt>(&text),
                other => panic!("{}: what is a {other}?", example.name),
            }
        }
    }
}

/// As many as the documents show. One that is lost is missed.
#[test]
fn every_example_is_here() {
    let mut shown = BTreeMap::new();
    for example in all() {
        *shown.entry(example.document).or_insert(0) += usize::from(example.is_shown);
    }
    let shown: Vec<_> = shown.iter().map(|(title, n)| (&**title, *n)).collect();
    assert_eq!(
        shown,
        [
            (SCHEMA, 2),
            (SPECIFICATION, 2),
            (MAPPING, 7),
            (REFERENCE, 28),
            (PLAN, 1)
        ]
    );
}

/// None of the lines fits today. Every one has today's message, or says that there is none.
#[test]
fn every_line_is_upgraded_or_has_no_counterpart() {
    let mut none = Vec::new();
    for example in all().iter().filter(|example| example.part == "line") {
        for line in example.values() {
            assert!(
                !matches!(read(&line), Dialect::Today(_)),
                "{}: {line}",
                example.name
            );
            match upgrade(&line, &fill()) {
                Ok(_) => {}
                Err(UpgradeError::NoCounterpart { form, .. }) => {
                    none.push((example.name.clone(), form));
                }
                Err(error) => panic!("{}: {error}", example.name),
            }
        }
    }
    let none: Vec<_> = none.iter().map(|(name, form)| (&**name, *form)).collect();
    assert_eq!(
        none,
        [
            ("wrapper_translation", "claude_response"),
            ("wrapper_translation", "progress_update"),
            ("input_required", "result/input_required"),
            ("wire_input_required", "result/input_required"),
            ("mcp_message_opaque", "mcp_message"),
            ("rate_limit_event_opaque", "rate_limit_event"),
        ]
    );
}
