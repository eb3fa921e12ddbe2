use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use claw_sessions::{Session, Sessions};
use claw_testkit::cost::{Row, is_linear};
use serde_json::json;

use super::*;

const ID: &str = "5e551011-1111-4111-8111-111111111111";

/// Creates a session that has edited a file `edits` times.
fn session(folder: &Path, edits: usize) -> Session {
    let place = json!({"parentUuid": null, "sessionId": ID, "cwd": folder, "isSidechain": false,
        "timestamp": "2026-01-01T00:00:00.000Z", "userType": "external", "version": "2.1.330"});
    let line = |kind: &str, number: usize, more: serde_json::Value| {
        let mut line = place.clone();
        let members = line.as_object_mut().unwrap();
        members.insert("type".to_owned(), kind.into());
        members.insert(
            "uuid".to_owned(),
            format!("00000000-0000-4000-8000-{number:012}").into(),
        );
        members.extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let file = "a line\n".repeat(100);
    let mut text = String::new();
    for number in 0..edits {
        let id = format!("toolu_{number}");
        let message = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant",
            "model": "claude-scripted-1", "stop_reason": "tool_use", "stop_sequence": null,
            "content": [{"type": "tool_use", "id": id, "name": "Edit", "input": {}}],
            "usage": {"input_tokens": 1, "output_tokens": 1}});
        text += &line("assistant", 2 * number, json!({ "message": message }));
        let message = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": ""}]});
        let output = json!({"filePath": "a.txt", "oldString": "a line", "newString": format!("edit {number}"),
            "originalFile": file, "structuredPatch": [], "userModified": false, "replaceAll": false});
        let result = json!({"message": message, "toolUseResult": output});
        text += &line("user", 2 * number + 1, result);
    }
    let project = folder.join("projects/p");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join(format!("{ID}.jsonl")), text).unwrap();
    Sessions::new(folder).find(ID).unwrap()
}

#[test]
fn twice_as_many_edits_of_a_file_take_twice_the_work() {
    let row = Row::new("edits of one file", 400, |edits| {
        let folder = tempfile::tempdir().unwrap();
        let session = session(folder.path(), edits);
        Box::new(move || {
            let place = Place::new(folder.path(), folder.path());
            let mut read = Edits::default();
            read.read(&session, place.folder(), &AtomicBool::new(false))
                .unwrap();
            let changes = report(&read, &place, None, &Scope::List);
            assert_eq!(changes.files[0].edits, edits as u64);
        })
    });
    is_linear(
        "changes::tests::twice_as_many_edits_of_a_file_take_twice_the_work",
        &[row],
    );
}
