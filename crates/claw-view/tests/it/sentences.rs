//! Tests of the sentences that are shown for the fields of messages, with recordings of the real CLI. They are the rows
//! of `docs/sentences.md`.

use std::fmt::Write as _;

use claw_view::Elements;
use claw_view::drawn::{Drawn, Part};

use crate::sessions::{fed, sessions};

/// Returns everything that is drawn for the elements, as lines of text.
fn drawn(elements: &Elements) -> String {
    let mut all = String::new();
    for element in elements.iter() {
        let drawn = Drawn::of(element);
        let parts = drawn.body.iter().filter_map(|part| match part {
            Part::Text(text) => Some(&**text),
            _ => None,
        });
        let parts: Vec<_> = parts.collect();
        let texts = parts.join("\n");
        let _ = writeln!(all, "{} ({}) {texts}", drawn.head, drawn.aside);
    }
    all
}

#[test]
fn what_recordings_of_the_real_cli_say_is_said_in_these_words() {
    let cases: [(&str, &[&str]); 15] = [
        (
            "overloaded_once",
            &["A request to the API failed (overloaded): retry 1 of "],
        ),
        ("clear", &["A new conversation begins."]),
        (
            "stdio_mcp",
            &["The MCP server gone is not connected: failed."],
        ),
        ("deny_rule", &["Bash was denied: "]),
        ("deny_no_host", &["(the permission mode denied it)"]),
        ("bash_denied", &["(the answer was no)"]),
        ("hook_permission_request", &["(a hook denied it)"]),
        ("deny_interrupt", &["(refused or interrupted)"]),
        ("settings_hooks", &["Stop error: it broke"]),
        ("usage_limit", &["Rate limit: reached"]),
        ("server_error", &["The Messages API answered with status "]),
        (
            "unpublished_permissions",
            &["A permission came too late: the tool does not run."],
        ),
        (
            "unpublished_notices",
            &[
                "The sub-agents in the background were ended.",
                "Saved: ",
                "The instructions are long: ",
            ],
        ),
        ("unpublished_files", &[" files did not arrive."]),
        (
            "bash_allowed",
            &["done: 2 turns, ", "; the session so far: $"],
        ),
    ];
    let all = sessions();
    for (name, sentences) in cases {
        let session = all.iter().find(|session| session.name == name);
        let session = session.unwrap_or_else(|| panic!("no recording {name}"));
        let said = drawn(&fed(session.stdout.iter().map(String::as_str)).0);
        for sentence in sentences {
            assert!(said.contains(sentence), "{name}: {sentence:?}\n{said}");
        }
        assert!(!said.contains("permission-rule"), "{name}");
    }
}
