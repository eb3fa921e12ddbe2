//! Titles, tags, the archive, and deletion.

use std::fs;

use claw_sessions::{Changes, Error, Session};
use serde_json::{Value, json};

use crate::folder::{Folder, ID, conversation, read};

fn last(session: &Session) -> Value {
    serde_json::from_str(read(session).lines().last().unwrap()).unwrap()
}

#[test]
fn a_title_is_appended() {
    let (_folder, session) = Folder::with(&conversation(2));
    let before = read(&session);
    session.rename(" Sums \u{feff}").unwrap();
    let after = read(&session);
    assert!(after.starts_with(&before) && after.ends_with("}\n"));
    assert_eq!(
        last(&session),
        json!({"type": "custom-title", "customTitle": "Sums", "sessionId": ID})
    );
    let info = session.info().unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Sums"));
    assert!(matches!(
        session.rename(" \u{2003}\n"),
        Err(Error::EmptyTitle)
    ));
    assert_eq!(read(&session), after);
}

#[test]
fn a_line_that_was_cut_takes_no_title_with_it() {
    let folder = Folder::new();
    let text = conversation(2).join("\n") + "\n{\"type\":\"user\",\"mess";
    let session = folder.add(ID, &text);
    session.rename("Sums").unwrap();
    assert!(read(&session).starts_with(&text));
    assert_eq!(last(&session)["customTitle"], "Sums");
}

#[test]
fn a_tag_is_cleaned_and_taken_away() {
    let (_folder, session) = Folder::with(&conversation(2));
    session.tag(" ﬁ\u{200b}x ").unwrap();
    assert!(read(&session).contains("\n{\"type\":\"tag\",\"tag\":\"fix\","));
    assert_eq!(session.info().unwrap().unwrap().tag.as_deref(), Some("fix"));
    assert!(matches!(
        session.tag("\u{200b}\u{e000}"),
        Err(Error::EmptyTag)
    ));
    session.untag().unwrap();
    assert_eq!(
        last(&session),
        json!({"type": "tag", "tag": "", "sessionId": ID})
    );
    assert_eq!(session.info().unwrap().unwrap().tag, None);
}

#[test]
fn the_archive_leaves_the_transcript_alone() {
    let (folder, session) = Folder::with(&conversation(2));
    // After a move the session is in two projects.
    let second = folder.config().join("projects/-moved");
    fs::create_dir(&second).unwrap();
    let copy = second.join(format!("{ID}.jsonl"));
    fs::copy(session.transcript(), &copy).unwrap();
    let before = fs::metadata(session.transcript())
        .unwrap()
        .modified()
        .unwrap();
    let text = read(&session);
    for archived in [true, true, false] {
        if archived {
            session.archive()
        } else {
            session.unarchive()
        }
        .unwrap();
        for folder in [session.folder(), copy.with_extension("")] {
            let names: Vec<_> = fs::read_dir(&folder)
                .unwrap()
                .map(|it| it.unwrap().file_name())
                .collect();
            assert_eq!(names, ["archived.json"]);
            let record: Value =
                serde_json::from_slice(&fs::read(folder.join("archived.json")).unwrap()).unwrap();
            assert_eq!(record["archived"], archived);
            assert_eq!(record["by"], "sdk");
            assert!(record["at"].as_str().unwrap().ends_with('Z'));
            assert_private(&folder.join("archived.json"), 0o600);
            assert_private(&folder, 0o700);
        }
    }
    assert_eq!(
        fs::metadata(session.transcript())
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
    assert_eq!(read(&session), text);
}

#[cfg(unix)]
pub(crate) fn assert_private(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(
        fs::metadata(path).unwrap().permissions().mode() & 0o7777,
        mode,
        "{}",
        path.display()
    );
}

#[cfg(not(unix))]
pub(crate) fn assert_private(_path: &std::path::Path, _mode: u32) {}

#[test]
fn a_deleted_session_takes_its_folder_along_and_nothing_else() {
    let (folder, session) = Folder::with(&conversation(2));
    fs::create_dir_all(session.folder().join("subagents/deep")).unwrap();
    fs::write(session.folder().join("subagents/deep/agent-a.jsonl"), "{}").unwrap();
    let other = folder.add("0b0b0b0b-0000-4000-8000-000000000001", "{}\n");
    session.delete().unwrap();
    let name = other.transcript().file_name().unwrap().to_str().unwrap();
    assert_eq!(folder.files().into_keys().collect::<Vec<_>>(), [name]);
    assert!(!session.folder().exists());
    // Everything is refused from now on, and nothing is made anew.
    for done in [
        session.delete(),
        session.rename("x"),
        session.tag("x"),
        session.untag(),
        session.archive(),
        session.unarchive(),
        session.fork().run().map(drop),
    ] {
        assert!(done.unwrap_err().is_not_found());
    }
    assert_eq!(folder.files().into_keys().collect::<Vec<_>>(), [name]);
}

/// As another process finds it that was killed while it deleted.
#[test]
fn what_a_deletion_has_left_goes_with_the_next_one() {
    let (folder, session) = Folder::with(&conversation(2));
    let left = "0c0c0c0c-0000-4000-8000-000000000001";
    let project = folder.project();
    fs::write(project.join(format!(".claw-deleted-{left}")), "{}").unwrap();
    fs::create_dir_all(project.join(left).join("subagents")).unwrap();
    fs::create_dir_all(project.join(format!(".claw-deleted-{left}.d"))).unwrap();
    // This one was written anew since: it keeps what it has.
    let again = folder.add("0d0d0d0d-0000-4000-8000-000000000001", "{}\n");
    fs::create_dir_all(again.folder()).unwrap();
    fs::write(again.folder().join("archived.json"), "{}").unwrap();
    let record = again
        .transcript()
        .with_file_name(format!(".claw-deleted-{}", again.id().as_str()));
    fs::write(record, "{}").unwrap();
    assert_eq!(folder.sessions().list().run().unwrap().sessions.len(), 1);
    session.delete().unwrap();
    let again = again.id().as_str();
    let names: Vec<_> = folder.files().into_keys().collect();
    assert_eq!(
        names,
        [format!("{again}.jsonl"), format!("{again}/archived.json")]
    );
    assert!(!project.join(left).exists());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (folder, session) = Folder::with(&conversation(2));
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target.jsonl");
    fs::rename(session.transcript(), &target).unwrap();
    symlink(&target, session.transcript()).unwrap();
    let before = fs::read(&target).unwrap();
    assert!(session.rename("x").is_err());
    assert!(session.fork().run().is_err());
    assert!(session.archive().unwrap_err().is_not_found());
    assert!(session.delete().unwrap_err().is_not_found());
    assert_eq!(fs::read(&target).unwrap(), before);
    assert_eq!(folder.files().len(), 1);

    // The session's folder leads elsewhere: nothing is written or removed there.
    fs::remove_file(session.transcript()).unwrap();
    fs::write(session.transcript(), &before).unwrap();
    symlink(outside.path(), session.folder()).unwrap();
    assert!(matches!(session.archive(), Err(Error::Io { .. })));
    session.delete().unwrap();
    assert!(folder.files().is_empty());
    assert_eq!(fs::read(&target).unwrap(), before);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_transcript_holds_nothing_up() {
    let (_folder, session) = Folder::with(&conversation(2));
    fs::remove_file(session.transcript()).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(session.transcript())
        .status();
    assert!(made.unwrap().success());
    assert!(session.rename("x").is_err());
    assert!(session.fork().run().is_err());
    assert!(session.delete().is_err());
}

fn changes() -> Changes {
    Changes::new().title("Sums").tag("red").archived(true)
}

#[test]
fn several_changes_are_made_together() {
    let (_folder, session) = Folder::with(&conversation(2));
    session.change(&changes()).unwrap();
    let info = session.info().unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Sums"));
    assert_eq!(info.tag.as_deref(), Some("red"));
    assert_eq!(info.archived, Some(true));
    session
        .change(&Changes::new().tag("").archived(false))
        .unwrap();
    let info = session.info().unwrap().unwrap();
    assert_eq!((info.tag, info.archived), (None, Some(false)));
    session.change(&Changes::new()).unwrap();
}

#[test]
fn where_one_change_cannot_be_nothing_is_written() {
    let (folder, session) = Folder::with(&conversation(2));
    let before = folder.files();
    let tag = changes().tag("\u{200b}");
    assert!(matches!(session.change(&tag), Err(Error::EmptyTag)));
    let title = changes().title(" ");
    assert!(matches!(session.change(&title), Err(Error::EmptyTitle)));
    assert_eq!(folder.files(), before);
    // A file where the archive's folder should be.
    fs::write(session.folder(), "").unwrap();
    let before = folder.files();
    let error = session.change(&changes()).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert_eq!(folder.files(), before);
}

/// A session that two projects have, one of which cannot be written to.
#[test]
fn an_error_says_what_was_written_all_the_same() {
    let (folder, session) = Folder::with(&conversation(2));
    let other = folder.config().join("projects/-other");
    fs::create_dir(&other).unwrap();
    fs::copy(session.transcript(), other.join(format!("{ID}.jsonl"))).unwrap();
    fs::write(other.join(ID), "").unwrap();
    let before = read(&session);
    let error = session.change(&changes()).unwrap_err();
    let Error::PartlyChanged { written, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(*written, session.folder().display().to_string());
    assert!(error.to_string().contains("cannot write"), "{error}");
    // Neither title nor tag.
    assert_eq!(read(&session), before);
}
