//! Cases for the metadata in a list of sessions.

use serde_json::{Value, json};

use super::{link, links, results, user};

/// Transcripts whose metadata a list of sessions contains.
pub(super) fn metadata() -> Vec<(&'static str, Vec<Value>)> {
    let long = "\u{1f600}x".repeat(100);
    let filler = |count: usize| json!({"type": "queue-operation", "content": "x".repeat(count)});
    let prompt = |content: Value| vec![user(content)];
    let titled = |lines: Vec<Value>| [links("u1 a1<u1"), lines].concat();
    vec![
        (
            "a sidechain's own transcript",
            vec![link("u1", json!({"isSidechain": true}))],
        ),
        (
            "a person's title",
            titled(vec![
                json!({"type": "custom-title", "customTitle": "A"}),
                json!({"type": "custom-title", "customTitle": "B"}),
                json!({"type": "ai-title", "aiTitle": "C"}),
            ]),
        ),
        (
            "a model's title",
            titled(vec![json!({"type": "ai-title", "aiTitle": "C"})]),
        ),
        (
            "an empty title",
            titled(vec![
                json!({"type": "custom-title", "customTitle": "A"}),
                json!({"type": "custom-title", "customTitle": ""}),
            ]),
        ),
        (
            "an empty last prompt",
            vec![
                link("u1", json!({})),
                json!({"type": "last-prompt", "lastPrompt": ""}),
                json!({"type": "summary", "summary": ""}),
            ],
        ),
        (
            "a title in a prompt",
            prompt(json!(
                "say \"customTitle\":\"no\" {\"type\":\"custom-title\",\"customTitle\":\"no\"}"
            )),
        ),
        ("a title with a space", titled(vec![])),
        (
            "a title in the head only",
            [
                titled(vec![json!({"type": "custom-title", "customTitle": "A"})]),
                vec![filler(140_000)],
            ]
            .concat(),
        ),
        (
            "a title in the middle",
            [
                links("u1"),
                vec![
                    filler(70_000),
                    json!({"type": "custom-title", "customTitle": "A"}),
                    filler(70_000),
                ],
            ]
            .concat(),
        ),
        (
            "a summary",
            titled(vec![json!({"type": "summary", "summary": "S"})]),
        ),
        (
            "a last prompt",
            titled(vec![
                json!({"type": "summary", "summary": "S"}),
                json!({"type": "last-prompt", "lastPrompt": "L"}),
            ]),
        ),
        (
            "nothing to show",
            vec![json!({"type": "mode", "mode": "normal"})],
        ),
        ("a long prompt", prompt(json!(long))),
        ("lines in a prompt", prompt(json!("one\ntwo\r\nthree"))),
        (
            "an empty prompt, then another",
            prompt(json!([{"type": "text", "text": " "}, {"type": "text", "text": "two"}])),
        ),
        (
            "pasted content",
            prompt(json!(
                "<pasted_content id=\"ab12\">inner</pasted_content> outer"
            )),
        ),
        (
            "pasted content in lines",
            prompt(json!(
                "before\n<pasted_content id=\"ab12\">\ninner\n</pasted_content id=\"ab12\">\nafter"
            )),
        ),
        (
            "a command alone",
            prompt(json!("<command-name>/clear</command-name>")),
        ),
        (
            "a command, then a prompt",
            [
                prompt(json!("<command-name>/clear</command-name>")),
                links("u2<u1"),
            ]
            .concat(),
        ),
        (
            "a shell command",
            prompt(json!("<bash-input>ls</bash-input>")),
        ),
        (
            "mark-up",
            [
                prompt(json!("<local-command-stdout>x</local-command-stdout>")),
                links("u2<u1"),
            ]
            .concat(),
        ),
        (
            "an interruption",
            [
                prompt(json!("[Request interrupted by user]")),
                links("u2<u1"),
            ]
            .concat(),
        ),
        (
            "a tool result first",
            vec![results("r1", &["t"]), link("u2", json!({}))],
        ),
        (
            "a hidden prompt first",
            vec![link("u1", json!({"isMeta": true})), link("u2", json!({}))],
        ),
        (
            "a summary first",
            vec![
                link("u1", json!({"isCompactSummary": true})),
                link("u2", json!({})),
            ],
        ),
        ("an image", prompt(json!([{"type": "image", "source": {}}]))),
        (
            "a document",
            prompt(json!([{"type": "document", "source": {}}])),
        ),
        (
            "branches",
            vec![
                link("u1", json!({"gitBranch": "a"})),
                link("a1<u1", json!({"gitBranch": "b"})),
            ],
        ),
        (
            "no folder",
            vec![json!({"type": "user", "uuid": "u1", "message": {"content": "x"}})],
        ),
        (
            "moved",
            titled(vec![
                json!({"type": "relocated", "relocatedCwd": "/elsewhere"}),
            ]),
        ),
        (
            "a tag",
            titled(vec![
                json!({"type": "tag", "tag": "old"}),
                json!({"type": "tag", "tag": "new"}),
            ]),
        ),
        (
            "a tag that was taken away",
            titled(vec![
                json!({"type": "tag", "tag": "old"}),
                json!({"type": "tag", "tag": ""}),
            ]),
        ),
        (
            "a tool's input with a tag",
            titled(vec![link(
                "a2<a1",
                json!({"message": {"content": [{"type": "tool_use", "input": {"tag": "v1"}}]}}),
            )]),
        ),
        (
            "a time that is none",
            vec![link("u1", json!({"timestamp": "soon"}))],
        ),
        (
            "a time with an offset",
            vec![link(
                "u1",
                json!({"timestamp": "2026-06-01T10:00:00+02:00"}),
            )],
        ),
        (
            "an escaped title",
            titled(vec![
                json!({"type": "custom-title", "customTitle": "a \"b\" \\ \u{7} ü"}),
            ]),
        ),
        (
            "of a program",
            vec![link("u1", json!({"entrypoint": "sdk-ts"}))],
        ),
        (
            "of a service",
            vec![link("u1", json!({"sessionKind": "daemon"}))],
        ),
    ]
}
