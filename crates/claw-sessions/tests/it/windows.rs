//! Paths and open files as Windows has them.

use std::fs::{self, File};
use std::io::Read as _;

use claw_sessions::{real_path, slug};

use crate::folder::{Folder, ID, conversation, read};

/// A session is found by its directory, however that is written.
#[test]
fn a_directory_is_one_with_and_without_prefix_and_in_any_case() {
    let folder = Folder::new();
    let work = tempfile::tempdir().unwrap();
    let work = work.path().join("My Project");
    fs::create_dir(&work).unwrap();
    let real = real_path(&work).unwrap();
    assert_eq!(real.to_str().map(|path| &path[1..3]), Some(r":\"));
    let project = folder.config().join("projects").join(slug(&real));
    fs::create_dir_all(&project).unwrap();
    let line = format!(
        r#"{{"type":"user","sessionId":"{ID}","uuid":"u","cwd":{},"message":{{"role":"user","content":"Hi"}}}}"#,
        serde_json::to_string(&real).unwrap()
    );
    fs::write(project.join(format!("{ID}.jsonl")), line + "\n").unwrap();
    let plain = real.to_str().unwrap();
    let ways = [
        plain.to_owned(),
        format!(r"\\?\{plain}"),
        plain.replace('\\', "/"),
        plain.to_uppercase(),
        format!(r"{plain}\..\My Project\"),
    ];
    for way in ways {
        let list = folder.sessions().list().project(&way).run();
        let found = list.unwrap().sessions;
        assert_eq!(found.len(), 1, "{way}");
    }
}

/// As long as a reader has the transcript open.
#[test]
fn a_session_whose_transcript_is_open_is_changed_and_deleted() {
    let (folder, session) = Folder::with(&conversation(4));
    let mut open = File::open(session.transcript()).unwrap();
    session.rename("Another one").unwrap();
    assert!(read(&session).contains("Another one"));
    session.delete().unwrap();
    assert!(folder.sessions().find(ID).is_err());
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert!(text.contains("Another one"));
}
