//! Twice as long a transcript takes twice the work, whatever stands in it.

use claw_testkit::cost::{Row, is_linear};

use crate::folder::{Folder, uuid};

fn link(kind: &str, at: usize, parent: usize, more: &str) -> String {
    let (name, parent) = (uuid(at), uuid(parent));
    format!(r#"{{"type":"{kind}","uuid":"{name}","parentUuid":"{parent}"{more}}}"#)
}

fn history<'a>(what: &str, line: impl Fn(usize) -> String + 'a) -> Row<'a> {
    Row::new(what, 200, move |size| {
        let lines: Vec<String> = (1..size).map(&line).collect();
        let (folder, session) = Folder::with(&lines);
        Box::new(move || {
            assert!(session.messages().read().is_ok());
            assert!(session.rewound().is_ok());
            drop(folder);
        })
    })
}

#[test]
fn twice_as_many_lines_take_twice_the_work() {
    let rows = [
        history("a chain", |at| link("user", at, at - 1, "")),
        history("a branch at each line", |at| {
            link("user", at, at.saturating_sub(1 + at % 2), "")
        }),
        history("parents that are missing", |at| {
            link("user", at, at + 100_000, "")
        }),
        history("equal names", |_| link("user", 1, 0, "")),
        history("ends without words", |at| {
            link(
                "attachment",
                at,
                at - 1,
                if at % 2 == 0 {
                    r#","isSidechain":true"#
                } else {
                    ""
                },
            )
        }),
        history("one circle", |at| {
            link("user", at, at.saturating_sub(2).max(1), "")
        }),
        history("calls of one answer", |at| {
            let more = format!(
                r#","message":{{"id":"m","content":[{{"type":"tool_use","id":"t{at}"}}]}}"#
            );
            link("assistant", at, at - 1, &more)
        }),
        history("results that hang elsewhere", |at| {
            let more =
                r#","message":{"id":"m","content":[{"type":"tool_result","tool_use_id":"t"}]}"#;
            link(if at == 1 { "assistant" } else { "user" }, at, 1, more)
        }),
        history("compactions that undo one another", |at| {
            let (anchor, kept) = (uuid(1 + at % 2), uuid(2 - at % 2));
            let kept = format!(
                r#","subtype":"compact_boundary","compactMetadata":{{"preservedMessages":{{"anchorUuid":"{anchor}","uuids":["{kept}"]}}}}"#
            );
            let is_boundary = at > 2 && at % 3 == 0;
            link(
                if is_boundary { "system" } else { "user" },
                at,
                1,
                if is_boundary { &kept } else { "" },
            )
        }),
        history("broken lines", |at| format!(r#"{{"uuid":"{at}"#)),
    ];
    is_linear("reading::twice_as_many_lines_take_twice_the_work", &rows);
}
