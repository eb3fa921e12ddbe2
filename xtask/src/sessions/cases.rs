//! A named case for each rule.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::world::World;
use crate::run::{Result, run};

/// A link of a transcript: `u1<a1` is the user's link u1 behind a1. Short names stand for uuids.
fn link(text: &str, more: Value) -> Value {
    let (name, parent) = text.split_once('<').unwrap_or((text, ""));
    let kind = match name.as_bytes().first() {
        Some(b'a') => "assistant",
        Some(b's') => "system",
        Some(b'p') => "progress",
        Some(b'q') => "attachment",
        _ => "user",
    };
    let parent = if parent.is_empty() {
        Value::Null
    } else {
        json!(parent)
    };
    let mut line = json!({"parentUuid": parent, "isSidechain": false, "type": kind, "uuid": name,
        "timestamp": "2026-06-01T10:00:00.000Z", "sessionId": "s", "cwd": "/work/project",
        "message": {"role": kind, "content": name, "id": name}});
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

fn links(all: &str) -> Vec<Value> {
    all.split_whitespace()
        .map(|text| link(text, json!({})))
        .collect()
}

fn text(lines: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    (lines.join("\n") + "\n").into_bytes()
}

fn calls(name: &str, message: &str, ids: &[&str]) -> Value {
    let blocks: Vec<Value> = ids
        .iter()
        .map(|id| json!({"type": "tool_use", "id": id, "name": "Bash"}))
        .collect();
    link(
        name,
        json!({"message": {"role": "assistant", "id": message, "content": blocks}}),
    )
}

fn results(name: &str, ids: &[&str]) -> Value {
    let block = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
    let blocks: Vec<Value> = ids.iter().map(block).collect();
    link(
        name,
        json!({"message": {"role": "user", "content": blocks}}),
    )
}

fn user(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    link(
        "u1",
        json!({"message": {"role": "user", "content": content}}),
    )
}

fn boundary(metadata: impl Into<Value>) -> Value {
    let metadata: Value = metadata.into();
    link(
        "s1",
        json!({"subtype": "compact_boundary", "logicalParentUuid": "a1", "compactMetadata": metadata}),
    )
}

/// The conversation: which links of a transcript, in which order.
fn chains() -> Vec<(&'static str, Vec<Value>)> {
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

/// What a list tells.
fn metadata() -> Vec<(&'static str, Vec<Value>)> {
    let long = "\u{1f600}x".repeat(100);
    let filler = |count: usize| json!({"type": "queue-operation", "content": "x".repeat(count)});
    let said = |content: Value| vec![user(content)];
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
            "a title in a prompt",
            said(json!(
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
        ("a long prompt", said(json!(long))),
        ("lines in a prompt", said(json!("one\ntwo\r\nthree"))),
        (
            "an empty prompt, then another",
            said(json!([{"type": "text", "text": " "}, {"type": "text", "text": "two"}])),
        ),
        (
            "pasted content",
            said(json!(
                "<pasted_content id=\"ab12\">inner</pasted_content> outer"
            )),
        ),
        (
            "pasted content in lines",
            said(json!(
                "before\n<pasted_content id=\"ab12\">\ninner\n</pasted_content id=\"ab12\">\nafter"
            )),
        ),
        (
            "a command alone",
            said(json!("<command-name>/clear</command-name>")),
        ),
        (
            "a command, then a prompt",
            [
                said(json!("<command-name>/clear</command-name>")),
                links("u2<u1"),
            ]
            .concat(),
        ),
        (
            "a shell command",
            said(json!("<bash-input>ls</bash-input>")),
        ),
        (
            "mark-up",
            [
                said(json!("<local-command-stdout>x</local-command-stdout>")),
                links("u2<u1"),
            ]
            .concat(),
        ),
        (
            "an interruption",
            [said(json!("[Request interrupted by user]")), links("u2<u1")].concat(),
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
        ("an image", said(json!([{"type": "image", "source": {}}]))),
        (
            "a document",
            said(json!([{"type": "document", "source": {}}])),
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

/// Makes all named cases.
pub(super) fn make(world: &mut World) -> Result {
    for (at, (name, lines)) in chains().into_iter().chain(metadata()).enumerate() {
        let (directory, folder) = world.project(&format!("case-{at}"))?;
        let id = world.session(&folder, &text(&lines))?;
        world.ask_all(name, &id, &directory);
        let dir = directory.to_string_lossy().into_owned();
        for options in [
            json!({"limit": 1}),
            json!({"offset": 1}),
            json!({"limit": 1, "offset": 1}),
        ] {
            world.ask(name, "messages", &id, options);
        }
        let options = json!({"dir": dir, "includeProgrammatic": false});
        world.ask(name, "list", "", options);
    }
    beside(world)?;
    places(world)?;
    continued(world)?;
    worktrees(world)?;
    agents(world)
}

/// Files in a session's folder.
fn beside(world: &mut World) -> Result {
    let plain = text(&links("u1 a1<u1"));
    let files = [
        (
            "archived",
            "archived.json",
            json!({"archived": true, "at": "2026-06-02T00:00:00.000Z", "by": "sdk"}),
        ),
        (
            "archived, then spoken to",
            "archived.json",
            json!({"archived": true, "at": "2026-05-02T00:00:00.000Z"}),
        ),
        (
            "taken out again",
            "archived.json",
            json!({"archived": false, "at": "2026-05-02T00:00:00.000Z"}),
        ),
        (
            "archived at no time",
            "archived.json",
            json!({"archived": true, "at": "soon"}),
        ),
        (
            "archived by a word",
            "archived.json",
            json!({"archived": "yes", "at": "2026-05-02T00:00:00.000Z"}),
        ),
        (
            "a large file of archiving",
            "archived.json",
            json!({"archived": true, "at": "2026-06-02T00:00:00.000Z", "x": "x".repeat(5000)}),
        ),
        (
            "a title beside",
            "custom-title.json",
            json!({"customTitle": "  a\u{1}b  "}),
        ),
        (
            "a long title beside",
            "custom-title.json",
            json!({"customTitle": "\u{1f600}".repeat(300)}),
        ),
        (
            "a title beside that is none",
            "custom-title.json",
            json!({"customTitle": 5}),
        ),
    ];
    for (at, (name, file, value)) in files.into_iter().enumerate() {
        let (directory, folder) = world.project(&format!("beside-{at}"))?;
        let id = world.session(&folder, &plain)?;
        fs::create_dir_all(folder.join(&id))?;
        fs::write(folder.join(&id).join(file), value.to_string())?;
        world.ask_all(name, &id, &directory);
    }
    Ok(())
}

/// Where files are.
fn places(world: &mut World) -> Result {
    let plain = text(&links("u1 a1<u1"));
    for (name, id) in [
        ("no id", "nothing"),
        ("nowhere", "00000000-0000-4000-8000-00000000000f"),
    ] {
        let work = world.work.clone();
        world.ask_all(name, id, &work);
    }
    let (directory, folder) = world.project("empty")?;
    let id = world.session(&folder, b"")?;
    world.ask_all("an empty file", &id, &directory);
    world.write(&folder, "not-a-session", &plain)?;
    let capitals = world.random.uuid().to_uppercase();
    world.write(&folder, &capitals, &plain)?;
    let other = world.project("empty-2")?;
    world.write(&other.1, &id, &plain)?;
    world.ask_all("a file that is not empty elsewhere", &id, &other.0);
    world.ask("a file that is not empty elsewhere", "info", &id, json!({}));

    // Two paths of one name.
    let (one, folder) = world.project("same/b-c")?;
    let (other, _) = world.project("same/b/c")?;
    let gone = world.work.join("same-b/c");
    for cwd in [&one, &other, &gone] {
        let line = link("u1", json!({"cwd": cwd}));
        let id = world.session(&folder, &text(&[line]))?;
        world.ask_all("one name for two directories", &id, &one);
    }

    // A name over the limit, with another hash.
    let name = "long-".repeat(50);
    let (directory, folder) = world.project(&name)?;
    fs::remove_dir(&folder)?;
    let slug = claw_sessions::slug(&directory);
    for (cwd, hash) in [
        (directory.clone(), "older"),
        (world.work.join("x"), "other"),
    ] {
        let folder = world
            .config
            .join("projects")
            .join(format!("{}-{hash}", &slug[..200]));
        fs::create_dir_all(&folder)?;
        let id = world.session(&folder, &text(&[link("u1", json!({"cwd": cwd}))]))?;
        world.ask_all("a long name with another hash", &id, &directory);
    }

    // A name that is set for all projects.
    let folder = world.config.join("projects/shared");
    fs::create_dir_all(&folder)?;
    let id = world.session(&folder, &plain)?;
    let (directory, own) = world.project("named")?;
    world.session(&own, &plain)?;
    let from = world.questions.len();
    world.ask_all("a name that is set", &id, &directory);
    for question in &mut world.questions[from..] {
        question.environment = json!({"CLAUDE_CODE_PROJECT_DIR_NAME": "shared"});
    }
    links_and_pipes(world, &plain)
}

#[cfg(unix)]
fn links_and_pipes(world: &mut World, plain: &[u8]) -> Result {
    let (directory, folder) = world.project("linked")?;
    let id = world.session(&folder, plain)?;
    let other = world.random.uuid();
    std::os::unix::fs::symlink(
        folder.join(format!("{id}.jsonl")),
        folder.join(format!("{other}.jsonl")),
    )?;
    world.ask("a link", "info", &other, json!({"dir": directory}));
    world.ask("a link", "messages", &other, json!({"dir": directory}));
    world.ask("a link", "list", "", json!({"dir": directory}));
    let link = world.work.join("a-link");
    std::os::unix::fs::symlink(&directory, &link)?;
    world.ask("a directory by a link", "list", "", json!({"dir": link}));
    let projects = world.config.join("projects");
    std::os::unix::fs::symlink(&folder, projects.join("linked-folder"))?;
    Ok(())
}

#[cfg(not(unix))]
fn links_and_pipes(_: &mut World, _: &[u8]) -> Result {
    Ok(())
}

/// Sessions that go on in another one.
fn continued(world: &mut World) -> Result {
    let cases = [
        ("goes on elsewhere", true, true, vec![]),
        ("goes on where nothing is", false, false, vec![]),
        ("goes on where nothing was said", true, false, vec![]),
        ("went on itself", true, true, vec![user(json!("more"))]),
        (
            "went on with mark-up",
            true,
            true,
            vec![user(json!(
                "<local-command-stdout>x</local-command-stdout>"
            ))],
        ),
        (
            "answered itself",
            true,
            true,
            vec![link("a9", json!({"message": {"stop_reason": "end_turn"}}))],
        ),
        (
            "began an answer",
            true,
            true,
            vec![link("a9", json!({"message": {"stop_reason": null}}))],
        ),
    ];
    for (at, (name, is_there, is_said, after)) in cases.into_iter().enumerate() {
        let (directory, folder) = world.project(&format!("continued-{at}"))?;
        let next = world.random.uuid();
        if is_there {
            let lines = if is_said {
                links("u1")
            } else {
                vec![json!({"type": "mode"})]
            };
            world.write(&folder, &next, &text(&lines))?;
        }
        let mark = json!({"type": "continued-in", "continuedInSessionId": next});
        let lines = [links("u1 a1<u1"), vec![mark], after].concat();
        let id = world.session(&folder, &text(&lines))?;
        world.ask_all(name, &id, &directory);
    }
    Ok(())
}

fn worktrees(world: &mut World) -> Result {
    let main = world.work.join("repository");
    fs::create_dir_all(&main)?;
    let git = |folder: &Path, words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(folder)
            .args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        run(git.args(words).stdout(std::io::stderr()))
    };
    git(&main, &["init", "--quiet"])?;
    git(
        &main,
        &["commit", "--quiet", "--allow-empty", "-m", "empty"],
    )?;
    git(&main, &["worktree", "add", "--quiet", "../repository-side"])?;
    let side = world.work.join("repository-side");
    for directory in [&main, &side, &main.join("inside")] {
        fs::create_dir_all(directory)?;
        let folder = world.folder(directory)?;
        let id = world.session(&folder, &text(&[link("u1", json!({"cwd": directory}))]))?;
        for from in [&main, &side] {
            world.ask_all("worktrees", &id, from);
            world.ask(
                "worktrees",
                "list",
                "",
                json!({"dir": from, "includeWorktrees": false}),
            );
            world.ask(
                "worktrees",
                "list",
                "",
                json!({"dir": from, "limit": 1, "offset": 1}),
            );
        }
    }
    Ok(())
}

fn agents(world: &mut World) -> Result {
    let (directory, folder) = world.project("agents")?;
    let id = world.session(&folder, &text(&links("u1 a1<u1")))?;
    let agents = folder.join(&id).join("subagents");
    let deep = agents.join("workflows/run-1");
    fs::create_dir_all(&deep)?;
    let lines = [
        vec![link("u1", json!({"isSidechain": true, "isMeta": true}))],
        links("a1<u1 q1<a1 u2<q1 p1<u2 a2<p1"),
    ];
    fs::write(agents.join("agent-one.jsonl"), text(&lines.concat()))?;
    fs::write(
        agents.join("agent-one.meta.json"),
        r#"{"agentType":"x","toolUseId":"toolu_1","parentAgentId":"p"}"#,
    )?;
    fs::write(
        agents.join("agent-two.jsonl"),
        text(&links("u1 a1<u1 s1<a1")),
    )?;
    fs::write(
        agents.join("agent-two.meta.json"),
        r#"{"toolUseId":"no good","parentAgentId":5}"#,
    )?;
    fs::write(deep.join("agent-three.jsonl"), text(&links("a1<u1 u1<a1")))?;
    fs::write(deep.join("journal.jsonl"), "{}\n")?;
    world.ask("sub-agents", "subagents", &id, json!({"dir": directory}));
    for agent in ["one", "two", "three", "four"] {
        for options in [json!({"dir": directory}), json!({"limit": 1, "offset": 1})] {
            world.ask("sub-agents", "subagent", &id, options);
            if let Some(question) = world.questions.last_mut() {
                agent.clone_into(&mut question.agent);
            }
        }
    }
    Ok(())
}
