//! The cases, as data.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::agent::Script;

/// The files of the cases, by topic.
const FILES: [(&str, &str); 5] = [
    ("messages", include_str!("../../conform/messages.json")),
    ("lines", include_str!("../../conform/lines.json")),
    ("turns", include_str!("../../conform/turns.json")),
    ("requests", include_str!("../../conform/requests.json")),
    ("faults", include_str!("../../conform/faults.json")),
];

/// A case of the suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Case {
    /// The name, such as `lines/crlf`.
    pub name: String,
    /// The level of SDKs from which on the case applies: 1 (one prompt), 2 (sessions and permissions), 3 (hooks, MCP
    /// servers and control requests) or 4 (faults).
    pub level: u8,
    /// The rule of the protocol that the case tests, as a sentence.
    pub rule: String,
    /// What the testee is given, in addition to `case`, `claude` and `folder`. Without `prompts`, it gets one.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// Whether the testee is killed, by SIGKILL, after it has reported its first message of type `assistant`.
    #[serde(default)]
    pub kill: bool,
    /// The script of the agent.
    pub script: Script,
    /// What the testee has to write.
    #[serde(default)]
    pub expect: Expected,
}

/// What a testee has to write in a case. A pattern is JSON: an object fits if it has all members of the pattern with
/// values that fit, a list if it has as many items and each fits, and other values if they are equal. The pattern
/// `{"$any": […]}` is fitted by what fits one of its patterns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Expected {
    /// Patterns that messages have to fit, in this order. Other messages may come between them.
    pub messages: Vec<Value>,
    /// Messages that have to be received whole, in any order: with every member, and with its value. A member that is
    /// null may be absent, members that the SDK's types add are no difference, and 30 and 30.0 are the same number.
    pub whole: Vec<Value>,
    /// Messages that have to be received exactly so, in any order, with no member more or less.
    pub exactly: Vec<Value>,
    /// Patterns that no message may fit.
    pub never: Vec<Value>,
    /// The number of messages of type `result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<usize>,
    /// Whether the SDK has to report an error (`true`), or must not (`false`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
    /// Patterns for the calls of the permission callback: each call has to fit its pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Value>>,
    /// Patterns for the calls of the hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Vec<Value>>,
    /// Patterns for the calls of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Value>>,
    /// Patterns that lines which the SDK wrote to the agent have to fit, in this order.
    pub sent: Vec<Value>,
    /// Patterns that no line which the SDK wrote to the agent may fit.
    pub never_sent: Vec<Value>,
    /// Whether a process that the agent has started may be left after the session.
    pub may_leave: bool,
    /// The number of seconds in which the testee has to end. Default: [`PATIENCE`](super::PATIENCE).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// Returns all cases, in a fixed order.
///
/// # Panics
/// This function never panics, because the cases are part of the program, and a test checks that they can be read.
pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (topic, text) in FILES {
        let cases: Vec<Case> = match serde_json::from_str(text) {
            Ok(cases) => cases,
            Err(error) => unreachable!("{topic}.json: {error}"),
        };
        all.extend(cases.into_iter().map(|case| Case {
            name: format!("{topic}/{}", case.name),
            ..case
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::cases;

    #[test]
    fn the_cases_have_names_of_their_own_rules_and_levels() {
        let cases = cases();
        let names: BTreeSet<_> = cases.iter().map(|case| &case.name).collect();
        assert_eq!(names.len(), cases.len());
        for case in &cases {
            assert!(case.rule.ends_with('.'), "{}", case.name);
            assert!((1..=4).contains(&case.level), "{}", case.name);
        }
    }
}
