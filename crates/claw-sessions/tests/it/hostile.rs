//! Files that nobody would write who means well: what is fine beside them is still read, and nothing hangs.

use std::fs::{self, File};

use serde_json::json;

use crate::folder::Folder;

pub(crate) fn id(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

pub(crate) fn line(kind: &str, uuid: &str, parent: Option<&str>) -> String {
    let message = json!({"role": kind, "content": uuid});
    json!({"parentUuid": parent, "isSidechain": false, "type": kind, "uuid": uuid, "sessionId": "s",
        "timestamp": "2026-06-01T10:00:00.000Z", "message": message})
    .to_string()
}

fn uuids(folder: &Folder, text: &str) -> Vec<String> {
    let history = folder.add(&id(1), text).messages().read().unwrap();
    let uuids = history.messages.iter();
    uuids
        .map(|message| message.uuid.as_str().to_owned())
        .collect()
}

#[test]
fn three_gigabytes_of_nothing_take_no_memory() {
    let folder = Folder::new();
    let session = folder.add(&id(1), &(line("user", "u1", None) + "\n"));
    let file = File::options()
        .write(true)
        .open(session.transcript())
        .unwrap();
    file.set_len(3 << 30).unwrap();
    assert_eq!(session.info().unwrap().unwrap().summary, "u1");
    let last = session
        .entries()
        .unwrap()
        .map(Result::unwrap)
        .last()
        .unwrap();
    // One line over the limit: an item, of which nothing is held.
    assert!(last.raw().is_none() && last.entry().is_err());
    assert_eq!(last.offset() + last.length(), 3 << 30);
}

#[test]
fn a_transcript_that_grows_is_read_as_long_as_it_was() {
    let folder = Folder::new();
    let session = folder.add(&id(1), &(line("user", "u1", None) + "\n"));
    let mut entries = session.entries().unwrap();
    let more = line("assistant", "a1", Some("u1")) + "\n";
    let text = fs::read_to_string(session.transcript()).unwrap();
    fs::write(session.transcript(), text + &more).unwrap();
    assert_eq!(entries.by_ref().count(), 1);
    assert_eq!(session.messages().read().unwrap().messages.len(), 2);
}

#[test]
fn a_transcript_that_shrinks_ends_where_it_ends() {
    let folder = Folder::new();
    let lines: Vec<_> = (0..20_000)
        .map(|at| line("user", &format!("u{at}"), None))
        .collect();
    let session = folder.add(&id(1), &lines.join("\n"));
    let mut entries = session.entries().unwrap();
    assert!(entries.next().unwrap().is_ok());
    let file = File::options()
        .write(true)
        .open(session.transcript())
        .unwrap();
    file.set_len(10).unwrap();
    let rest = entries.map(Result::unwrap).count();
    assert!(rest < lines.len(), "{rest}");
}

#[test]
fn equal_names_are_one_link() {
    let folder = Folder::new();
    let mut lines = vec![line("user", "u1", None)];
    lines.extend((0..100_000).map(|_| line("assistant", "a1", Some("u1"))));
    assert_eq!(uuids(&folder, &lines.join("\n")), ["u1", "a1"]);
}

#[test]
fn a_circle_ends() {
    let folder = Folder::new();
    let lines = [
        line("user", "u1", Some("a2")),
        line("assistant", "a1", Some("u1")),
        line("user", "u2", Some("u2")),
        line("assistant", "a2", Some("a1")),
        line("user", "u3", Some("a2")),
    ];
    assert_eq!(uuids(&folder, &lines.join("\n")), ["u1", "a1", "a2", "u3"]);
}

/// The CLI continues with the line of the latest time, if it is at most five seconds earlier.
#[test]
fn a_missing_parent_ends_the_conversation_after_five_seconds() {
    let folder = Folder::new();
    let at = |time: &str, line: String| line.replace("10:00:00.000", time);
    let mut lines = [
        line("user", "u1", None),
        at("10:00:02.000", line("assistant", "a1", Some("u1"))),
        at("10:00:07.000", line("user", "u2", Some("gone"))),
        at("10:01:00.000", line("assistant", "a2", Some("u2"))),
    ];
    let expected = ["u1", "a1", "u2", "a2"];
    assert_eq!(uuids(&folder, &lines.join("\n")), expected);
    lines[2] = at("10:00:07.001", line("user", "u2", Some("gone")));
    assert_eq!(uuids(&folder, &lines.join("\n")), ["u2", "a2"]);
}

#[test]
fn a_million_links_are_a_conversation() {
    let folder = Folder::new();
    let mut text = String::new();
    let mut before = "null".to_owned();
    for at in 0..1_000_000 {
        let uuid = format!("{at:08x}-1111-4000-8000-000000000000");
        let line = format!(r#"{{"type":"user","uuid":"{uuid}","parentUuid":{before}}}"#);
        text += &line;
        text.push('\n');
        before = format!("\"{uuid}\"");
    }
    let session = folder.add(&id(1), &text);
    let page = session.messages().offset(999_998).read().unwrap().messages;
    assert_eq!(page.len(), 2);
    assert!(page[1].uuid.as_str().starts_with("000f423f"));
}

#[test]
fn half_a_pair_is_kept() {
    let folder = Folder::new();
    let half = line("user", "u1", None).replace("\"content\":\"u1\"", "\"content\":\"\\ud83d\"");
    let session = folder.add(&id(1), &half);
    let messages = session.messages().read().unwrap().messages;
    assert!(messages[0].message.as_raw().contains("\\ud83d"));
    assert_eq!(session.info().unwrap().unwrap().summary, "\u{fffd}");
}

#[test]
fn broken_lines_are_counted_and_do_not_end_anything() {
    let folder = Folder::new();
    // The last one looks whole, and would be the end of the conversation if it were.
    let lines = [
        line("user", "u1", None),
        "{\"cut".to_owned(),
        line("assistant", "a1", Some("u1")),
        line("user", "u2", Some("u1")).replace("\"content\":\"u2\"", "\"content\":\"\\x\""),
    ];
    let history = folder
        .add(&id(1), &(lines.join("\n") + "\n"))
        .messages()
        .read()
        .unwrap();
    assert_eq!(history.messages.len(), 2);
    let problem = history.problems[0].to_string();
    assert!(
        problem.starts_with("2 broken lines") && problem.ends_with("line 2"),
        "{problem}"
    );
}

#[test]
fn a_key_that_is_half_a_pair_hides_no_line() {
    let folder = Folder::new();
    let odd = line("assistant", "a1", Some("u1")).replacen('{', r#"{"\ud800":1,"#, 1);
    let text = [line("user", "u1", None), odd].join("\n");
    let history = folder.add(&id(1), &text).messages().read().unwrap();
    assert_eq!(history.messages.len(), 2);
    assert!(history.problems.is_empty(), "{:?}", history.problems);
}

#[test]
fn an_empty_last_prompt_stands_back() {
    let folder = Folder::new();
    let text = [
        line("user", "words", None),
        r#"{"type":"last-prompt","lastPrompt":""}"#.to_owned(),
        r#"{"type":"summary","summary":""}"#.to_owned(),
    ];
    let session = folder.add(&id(1), &text.join("\n"));
    assert_eq!(session.info().unwrap().unwrap().summary, "words");
}

#[test]
fn what_a_segment_without_ends_is_put_below_is_nothing() {
    let folder = Folder::new();
    let metadata =
        json!({"preservedSegment": {"anchorUuid": "c1", "headUuid": null, "tailUuid": null}});
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "s1", "parentUuid": null,
        "compactMetadata": metadata});
    let text = [
        boundary.to_string(),
        line("user", "c1", Some("s1")),
        line("assistant", "a1", Some("c1")),
        line("user", "u2", Some("a1")),
    ];
    assert_eq!(uuids(&folder, &text.join("\n")), ["a1", "u2"]);
}

#[test]
fn what_is_no_file_is_no_session() {
    let folder = Folder::new();
    folder.add(&id(1), &line("user", "u1", None));
    let project = folder.project();
    let path = |number| project.join(format!("{}.jsonl", id(number)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        let made = std::process::Command::new("mkfifo").arg(path(2)).status();
        assert!(made.unwrap().success());
        symlink(path(1), path(3)).unwrap();
        symlink("/dev/zero", path(6)).unwrap();
    }
    fs::create_dir(path(4)).unwrap();
    fs::write(path(5), "").unwrap();
    let listing = folder.sessions().list().run().unwrap();
    assert_eq!(listing.sessions.len(), 1);
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    for number in 2..=6 {
        assert!(
            folder
                .sessions()
                .find(&id(number))
                .unwrap_err()
                .is_not_found()
        );
    }
}

/// Keeps others out of a folder until what it gives is called.
#[cfg(unix)]
fn close(folder: &std::path::Path) -> impl FnOnce() {
    use std::os::unix::fs::PermissionsExt as _;
    let set = move |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    set(0o0);
    move || set(0o700)
}

/// Likewise: who has it open alone keeps others out.
#[cfg(windows)]
fn close(folder: &std::path::Path) -> impl FnOnce() {
    use std::os::windows::fs::OpenOptionsExt as _;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    let mut alone = fs::OpenOptions::new();
    alone.read(true).share_mode(0);
    let alone = alone.custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(folder);
    let alone = alone.unwrap();
    move || drop(alone)
}

#[test]
fn a_folder_that_cannot_be_read_is_a_problem_and_the_rest_is_listed() {
    let folder = Folder::new();
    folder.add(&id(1), &line("user", "u1", None));
    let closed = folder.config().join("projects/-closed");
    fs::create_dir(&closed).unwrap();
    let opens = close(&closed);
    // Root, whom no mode keeps out, finds it empty.
    let is_open = fs::read_dir(&closed).is_ok();
    assert!(!is_open || cfg!(unix));
    let listing = folder.sessions().list().run().unwrap();
    opens();
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.problems.len(), usize::from(!is_open));
}
