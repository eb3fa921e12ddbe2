//! The session of `comments.mjs`: its transcript, its files and its agent.

use std::fs;
use std::path::Path;

use claw_sessions::slug;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step, ToolOutcome};
use serde_json::{Value, json};

/// The project of the agent.
const PROJECT: &str = "commented";
/// The session, which `comments.mjs` knows too.
const ID: &str = "77777777-7777-4777-8777-777777777777";

/// A line of code that is markup.
const HOSTILE: &str = "let tock = \"<img src=x onerror='window.ran=1'>\";";

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let says = |text: &str| Step::message([Block::text(text)]);
    let reads = || Step::Turn(vec![says("I read the comments.")]);
    let (old, new) = ("let hand = 1;", "let hand = 2;\nlet other = 3;");
    let file = "/garden/hand.rs";
    let edit = json!({"file_path": file, "old_string": old, "new_string": new});
    let edited = json!({"filePath": file, "oldString": old, "newString": new, "originalFile": null,
        "userModified": false, "replaceAll": false, "structuredPatch": [{"oldStart": 40, "oldLines": 2, "newStart": 40,
            "newLines": 3, "lines": [" // Hands.", "-let hand = 1;", "+let hand = 2;", "+let other = 3;"]}]});
    let mut outcome = ToolOutcome::default();
    "Done".clone_into(&mut outcome.content);
    outcome.tool_use_result = Some(edited);
    let edits = Step::Turn(vec![
        Step::message([Block::tool_use("Edit", edit)]),
        Step::gate("edited"),
        Step::ToolResult(outcome),
        says("The hand is moved."),
        Step::gate("hand"),
    ]);
    let more = Step::Turns(vec![says("I read them all.")]);
    let turns = [reads(), reads(), edits, more];
    vec![(
        PROJECT,
        Script::new(crate::offers::initialized().into_iter().chain(turns)),
    )]
}

fn clock(tick: &str) -> String {
    let lines = (1..=30).map(|line| match line {
        12 => format!("{tick}\n"),
        _ => format!("// Line {line}.\n"),
    });
    lines.collect::<Vec<_>>().concat()
}

/// Changes the file after the session.
pub(crate) fn write_clock(root: &Path, tick: &str) {
    fs::write(root.join(PROJECT).join("clock.rs"), clock(tick)).unwrap();
}

/// Writes the files of the project, and the transcript of the session that has changed them.
pub(crate) fn prepare(root: &Path) {
    let folder = root.join(PROJECT).canonicalize().unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let (old, new) = ("let tick = 1;", format!("let tick = 2;\n{HOSTILE}"));
    write_clock(root, &new);
    let edit = json!({"file_path": path("clock.rs"), "old_string": old, "new_string": new});
    let edited = json!({"filePath": path("clock.rs"), "oldString": old, "newString": new,
        "originalFile": clock(old), "structuredPatch": [], "userModified": false, "replaceAll": false});
    let long: Vec<_> = (1..=700).map(|line| format!("row {line}\n")).collect();
    let long = long.concat();
    fs::write(folder.join("long.txt"), &long).unwrap();
    let write = json!({"file_path": path("long.txt"), "content": long});
    let written = json!({"type": "create", "filePath": path("long.txt"), "content": long,
        "structuredPatch": [], "originalFile": null});
    let mut lines = Vec::new();
    let mut push = |kind: &str, message: Value, more: Value| {
        let number = lines.len();
        let uuid = |number: usize| format!("77777777-0000-4000-8000-{number:012}");
        let parent = number.checked_sub(1).map(uuid);
        let mut line = json!({"type": kind, "uuid": uuid(number),
            "parentUuid": parent, "sessionId": ID, "cwd": folder, "isSidechain": false, "message": message,
            "timestamp": format!("2026-11-02T12:00:{number:02}.000Z"), "userType": "external", "version": "2.1.332"});
        let more = more.as_object().unwrap().clone();
        line.as_object_mut().unwrap().extend(more);
        lines.push(line.to_string());
    };
    push(
        "user",
        json!({"role": "user", "content": "Set the clock"}),
        json!({}),
    );
    for (id, name, input, output) in [
        ("toolu_edit", "Edit", edit, edited),
        ("toolu_write", "Write", write, written),
    ] {
        let used = json!({"id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": "claude-scripted-1",
            "content": [{"type": "tool_use", "id": id, "name": name, "input": input}],
            "stop_reason": "tool_use", "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
        push("assistant", used, json!({}));
        let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "Done"}]});
        push("user", result, json!({"toolUseResult": output}));
    }
    let place = root.join("config/projects").join(slug(&folder));
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join(format!("{ID}.jsonl")), lines.join("\n") + "\n").unwrap();
}
