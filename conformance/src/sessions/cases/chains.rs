//! Cases of conversations.

use serde_json::{Value, json};

use super::{boundary, calls, link, links, results, user};

/// Cases for the conversation: the links of a transcript that belong to it, and their order.
pub(super) fn chains() -> Vec<(&'static str, Vec<Value>)> {
    let compacted = |metadata: Value, after: &str| {
        let mut lines = links("u1 a1<u1 u2<a1 a2<u2");
        lines.push(boundary(metadata));
        lines.push(link("c1<s1", json!({"isCompactSummary": true})));
        lines.extend(links(after));
        lines
    };
    let with = |lines: &str, more: Vec<Value>| [links(lines), more].concat();
    vec![
        ("a plain conversation", links("u1 a1<u1 u2<a1 a2<u2")),
        (
            "the newest branch",
            links("u1 a1<u1 u2<a1 a2<u2 u3<a1 a3<u3"),
        ),
        (
            "an older branch that grew last",
            links("u1 a1<u1 u2<a1 u3<a1 a3<u3 a2<u2"),
        ),
        ("a circle", links("u1<a2 a1<u1 u2<a1 a2<u2")),
        (
            "a circle beside a conversation",
            links("u1 a1<u1 u5<u6 u6<u5"),
        ),
        ("a link to nobody", links("u1 a1<nobody u2<a1")),
        ("two beginnings", links("u1 a1<u1 u2 a2<u2")),
        (
            "a line written twice",
            with(
                "u1 a1<u1 u2<a1",
                vec![link("u1", json!({"message": {"content": "new"}}))],
            ),
        ),
        (
            "a line written twice elsewhere",
            links("u1 a1<u1 u2<a1 a1 u3<u1"),
        ),
        ("links before their parents", links("a2<u2 u2<a1 a1<u1 u1")),
        ("trailing system lines", links("u1 a1<u1 s1<a1 s2<s1")),
        ("system lines between", links("u1 s1<u1 a1<s1 q1<a1 u2<q1")),
        ("progress at the end", links("u1 a1<u1 p1<a1 p2<p1")),
        ("only progress behind a fork", links("u1 a1<u1 u2<a1 p1<u1")),
        ("only system lines", links("s1 s2<s1")),
        (
            "nothing but a sidechain",
            vec![link("u1", json!({"isSidechain": true}))],
        ),
        (
            "a sidechain at the end",
            with(
                "u1 a1<u1",
                vec![link("u2<a1", json!({"isSidechain": true}))],
            ),
        ),
        (
            "a team's line at the end",
            with("u1 a1<u1", vec![link("u2<a1", json!({"teamName": "t"}))]),
        ),
        (
            "a briefing at the end",
            with(
                "u1 a1<u1",
                vec![link(
                    "q1<u1",
                    json!({"attachment": {"type": "fork_briefing"}}),
                )],
            ),
        ),
        (
            "a hidden line in the middle",
            vec![
                link("u1", json!({})),
                link("u2<u1", json!({"isMeta": true})),
                link("a1<u2", json!({})),
            ],
        ),
        (
            "a hidden line at the end",
            with("u1 a1<u1", vec![link("u2<a1", json!({"isMeta": true}))]),
        ),
        (
            "a hidden line of a channel",
            with(
                "u1",
                vec![link(
                    "u2<u1",
                    json!({"isMeta": true, "origin": {"kind": "channel", "server": "x"}}),
                )],
            ),
        ),
        (
            "a task's notice",
            with(
                "u1",
                vec![link(
                    "u2<u1",
                    json!({"origin": {"kind": "task-notification", "runId": "not one"}}),
                )],
            ),
        ),
        (
            "a quiet end",
            with(
                "u1",
                vec![link(
                    "a1<u1",
                    json!({"closesQuietTurn": true, "message": {"content": [{"type": "text", "text": ""}]}}),
                )],
            ),
        ),
        (
            "a quiet end with words",
            with(
                "u1",
                vec![link(
                    "a1<u1",
                    json!({"closesQuietTurn": true, "message": {"content": [{"type": "text", "text": "Done"}]}}),
                )],
            ),
        ),
        (
            "no session in a line",
            vec![json!({"type": "user", "uuid": "u1", "message": {"content": "x"}})],
        ),
        (
            "no uuid",
            vec![
                json!({"type": "user", "message": {"content": "x"}}),
                link("u2", json!({"uuid": 5})),
            ],
        ),
        (
            "a compaction",
            compacted(json!({"trigger": "auto"}), "u3<c1 a3<u3"),
        ),
        (
            "a compaction that kept messages",
            compacted(
                json!({"preservedMessages": {"anchorUuid": "c1", "uuids": ["u2", "a2"]}}),
                "u3<c1 a3<u3",
            ),
        ),
        (
            "a compaction that kept one",
            compacted(
                json!({"preservedMessages": {"anchorUuid": "c1", "uuids": ["a2"]}}),
                "u3<c1",
            ),
        ),
        (
            "a compaction that kept unknown ones",
            compacted(
                json!({"preservedMessages": {"anchorUuid": "c1", "uuids": ["u2", "u9"]}}),
                "u3<c1",
            ),
        ),
        (
            "a compaction that kept none of them",
            compacted(
                json!({"preservedMessages": {"anchorUuid": "c1", "uuids": []}}),
                "u3<c1",
            ),
        ),
        (
            "a compaction behind its own",
            compacted(
                json!({"preservedMessages": {"anchorUuid": "u2", "uuids": ["u2", "a2"]}}),
                "u3<c1 a3<a2",
            ),
        ),
        (
            "a compaction with an unknown anchor",
            compacted(
                json!({"preservedMessages": {"anchorUuid": "u9", "uuids": ["u2", "a2"]}}),
                "u3<a2 u4<u9",
            ),
        ),
        (
            "a compaction that kept a segment",
            compacted(
                json!({"preservedSegment": {"anchorUuid": "c1", "headUuid": "u2", "tailUuid": "a2"}}),
                "u3<c1 a3<u3",
            ),
        ),
        (
            "a segment with an unknown head",
            compacted(
                json!({"preservedSegment": {"anchorUuid": "c1", "headUuid": "u9", "tailUuid": "a2"}}),
                "u3<c1 a3<u3",
            ),
        ),
        (
            "a segment without ends",
            compacted(
                json!({"preservedSegment": {"anchorUuid": "c1", "headUuid": null, "tailUuid": null}}),
                "u3<c1 a3<u3",
            ),
        ),
        (
            "calls side by side",
            [
                links("u1"),
                vec![
                    calls("a1<u1", "m", &["t1"]),
                    calls("a2<a1", "m", &["t2"]),
                    results("r1<a1", &["t1"]),
                    results("r2<a2", &["t2"]),
                    link("a3<r2", json!({})),
                ],
            ]
            .concat(),
        ),
        (
            "calls side by side, the first one goes on",
            [
                links("u1"),
                vec![
                    calls("a1<u1", "m", &["t1"]),
                    calls("a2<a1", "m", &["t2"]),
                    results("r2<a2", &["t2"]),
                    results("r1<a1", &["t1"]),
                    link("a3<r1", json!({})),
                ],
            ]
            .concat(),
        ),
        (
            "a result that hangs elsewhere",
            [
                links("u1"),
                vec![
                    calls("a1<u1", "m", &["t1"]),
                    calls("a2<a1", "m", &["t2"]),
                    results("r2<u1", &["t2"]),
                    results("r1<a2", &["t1"]),
                    link("a3<r1", json!({})),
                ],
            ]
            .concat(),
        ),
        (
            "a result of two answers' call",
            [
                links("u1"),
                vec![
                    calls("a1<u1", "m", &["t1"]),
                    calls("a2<a1", "n", &["t1"]),
                    results("r2<u1", &["t1"]),
                    link("a3<a2", json!({})),
                ],
            ]
            .concat(),
        ),
        (
            "a queued prompt",
            with(
                "u1 a1<u1",
                vec![
                    link(
                        "q1<a1",
                        json!({"message": null, "attachment": {"type": "queued_command", "prompt": "and this", "source_uuid": "w1", "commandMode": "prompt"}}),
                    ),
                    link("a2<q1", json!({})),
                ],
            ),
        ),
        (
            "a slash command",
            vec![
                user(json!("<local-command-caveat>Caveat</local-command-caveat>")),
                link(
                    "u2<u1",
                    json!({"message": {"content": "<command-name>/cost</command-name>"}}),
                ),
                link(
                    "u3<u2",
                    json!({"message": {"content": "<local-command-stdout>1</local-command-stdout>"}}),
                ),
            ],
        ),
    ]
}
