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
    /// The level of an SDK from which the case applies. The levels are 1 (one prompt), 2 (sessions and permissions), 3
    /// (hooks, MCP servers and control requests) and 4 (faults).
    pub level: u8,
    /// The rule of the protocol that the case tests, as a sentence.
    pub rule: String,
    /// The input of the testee, in addition to `case`, `claude` and `folder`. If `prompts` is absent, the testee gets
    /// one prompt.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// Whether the testee is killed with SIGKILL after it has reported its first message of type `assistant`.
    #[serde(default)]
    pub kill: bool,
    /// The script of the agent.
    pub script: Script,
    /// The output that the testee must write.
    #[serde(default)]
    pub expect: Expected,
}

/// The output that a testee must write in a case. The patterns are JSON. An object fits a pattern if it has all members
/// of the pattern and their values fit. A list fits if it has the same number of items and each item fits. Any other
/// value fits if it is equal to the pattern. A value fits the pattern `{"$any": […]}` if it fits one of the patterns in
/// the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Expected {
    /// Patterns that messages must fit, in this order. Other messages may come between these messages.
    pub messages: Vec<Value>,
    /// Messages that must be received completely, in any order. Every member must be present with its value. A member
    /// that is null may be absent. Additional members from the SDK's types are allowed, and 30 and 30.0 are the same
    /// number.
    pub whole: Vec<Value>,
    /// Messages that must be received exactly, in any order, with no missing and no additional members.
    pub exactly: Vec<Value>,
    /// Patterns that no message may fit.
    pub never: Vec<Value>,
    /// The number of messages of type `result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<usize>,
    /// Whether the SDK must report an error (`true`) or must not report one (`false`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
    /// Patterns for the calls of the permission callback. There must be one call for each pattern, in the same order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Value>>,
    /// Patterns for the calls of the hook, as for `permissions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Vec<Value>>,
    /// Patterns for the calls of the tool, as for `permissions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Value>>,
    /// Patterns for the lines that the SDK writes to the agent. Lines must fit these patterns in this order.
    pub sent: Vec<Value>,
    /// Patterns for the lines that the SDK writes to the agent. No line may fit one of these patterns.
    pub never_sent: Vec<Value>,
    /// Whether processes that the agent has started may still run after the session.
    pub may_leave: bool,
    /// The number of seconds in which the testee must end. Default: [`PATIENCE`](super::PATIENCE).
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
