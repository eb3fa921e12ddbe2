//! Sessions whose first or last lines are longer than what is read of an ordinary one.

use std::path::Path;

use claw_sessions::Session;
use serde_json::{Value, json};

use crate::folder::{Folder, ID, uuid};

const TIME: &str = "2026-11-22T10:00:00.000Z";

fn link(kind: &str, number: usize, cwd: &Path, content: &Value) -> String {
    let parent = number.checked_sub(1).map(uuid);
    // In the order of the CLI: what is needed stands behind the message.
    format!(
        r#"{{"parentUuid":{},"isSidechain":false,"type":"{kind}","message":{{"role":"{kind}","content":{content}}},"uuid":"{}","timestamp":"{TIME}","cwd":{},"sessionId":"{ID}","gitBranch":"main"}}"#,
        json!(parent),
        uuid(number),
        json!(cwd),
    )
}

fn picture(length: usize) -> Value {
    let source = json!({"type": "base64", "media_type": "image/png", "data": "A".repeat(length)});
    json!([{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}])
}

/// What the list of the project, the list of all and the session itself say is the same.
fn listed(folder: &Folder, session: &Session, cwd: &Path) -> claw_types::store::SessionInfo {
    let sessions = folder.sessions();
    let all = sessions.list().run().unwrap().sessions;
    let info = session.info().unwrap().expect("it is a session");
    assert_eq!(all, std::slice::from_ref(&info));
    let here = sessions.list().project(cwd).run().unwrap().sessions;
    assert_eq!(here, std::slice::from_ref(&info));
    info
}

#[test]
fn a_long_first_prompt_hides_nothing() {
    let place = tempfile::tempdir().unwrap();
    let cwd = claw_sessions::real_path(place.path()).unwrap();
    let long = json!("word ".repeat(84 << 10 >> 2));
    let prompts = [
        (long, "word word"),
        (picture(68 << 10), "What is this?"),
        (picture(2 << 20), "What is this?"),
    ];
    for (prompt, begins) in prompts {
        let lines = [
            r#"{"type":"mode","mode":"normal"}"#.to_owned(),
            link("user", 0, &cwd, &prompt),
            link(
                "assistant",
                1,
                &cwd,
                &json!([{"type": "text", "text": "Yes."}]),
            ),
        ];
        let (folder, session) = Folder::with(&lines);
        let slug = folder
            .config()
            .join("projects")
            .join(claw_sessions::slug(&cwd));
        std::fs::rename(folder.project(), slug).unwrap();
        let session = folder.sessions().find(session.id().as_str()).unwrap();
        let info = listed(&folder, &session, &cwd);
        assert_eq!(info.cwd.as_deref(), cwd.to_str());
        assert!(info.first_prompt.as_ref().unwrap().starts_with(begins));
        assert!(info.summary.starts_with(begins));
        assert_eq!(info.created_at.unwrap().as_u64(), Some(1_795_341_600_000));
        assert_eq!(info.git_branch.as_deref(), Some("main"));
        let fork = session.fork().run().unwrap();
        let title = fork.info().unwrap().unwrap().custom_title.unwrap();
        assert!(
            title.starts_with(begins) && title.ends_with("(fork)"),
            "{title}"
        );
    }
}

/// What a hook or an MCP server said before the first prompt may be long as well, in one line or in many.
#[test]
fn a_prompt_is_found_behind_much_else() {
    let place = tempfile::tempdir().unwrap();
    let cwd = claw_sessions::real_path(place.path()).unwrap();
    let hook = |number| {
        let content = "x".repeat(10 << 10);
        let attachment = json!({"type": "hook_additional_context", "content": [content]});
        link("attachment", number, &cwd, &json!("")).replace(
            r#""message":{"role":"attachment","content":""}"#,
            &format!(r#""attachment":{attachment}"#),
        )
    };
    let mut lines: Vec<_> = (0..20).map(hook).collect();
    lines.push(link("user", 20, &cwd, &json!("Hello")));
    let (_folder, session) = Folder::with(&lines);
    let info = session.info().unwrap().expect("it is a session");
    assert_eq!(info.first_prompt.as_deref(), Some("Hello"));
    assert_eq!(info.cwd.as_deref(), cwd.to_str());
}

/// A last line that is longer than the end that is read cuts off nothing that stands before it.
#[test]
fn a_long_last_line_hides_nothing() {
    let cwd = Path::new("/work/project");
    let title = json!({"type": "custom-title", "customTitle": "Mine", "sessionId": ID});
    let tag = json!({"type": "tag", "tag": "red", "sessionId": ID});
    let mut lines = vec![link("user", 0, cwd, &json!("Hello"))];
    // So that the title is not in the head either.
    lines.extend((1..100).map(|at| link("assistant", at, cwd, &json!("y".repeat(2 << 10)))));
    lines.extend([tag.to_string(), title.to_string()]);
    lines.push(link("user", 100, cwd, &picture(300 << 10)));
    let (_folder, session) = Folder::with(&lines);
    let info = session.info().unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Mine"));
    assert_eq!(info.tag.as_deref(), Some("red"));
    assert_eq!(info.git_branch.as_deref(), Some("main"));
}

/// A long prompt takes a session out of the archive, as a short one does.
#[test]
fn a_long_prompt_unarchives() {
    let cwd = Path::new("/work/project");
    let lines = [link("user", 0, cwd, &json!("Hello"))];
    let (folder, session) = Folder::with(&lines);
    session.archive().unwrap();
    let is_archived = |session: &Session| session.info().unwrap().unwrap().archived;
    assert_eq!(is_archived(&session), Some(true));
    let later = link("user", 1, cwd, &picture(300 << 10)).replace(TIME, "2999-01-01T00:00:00.000Z");
    let session = folder.add(ID, &format!("{}\n{later}\n", lines[0]));
    assert_eq!(is_archived(&session), Some(false));
}
