//! Files that nobody would write who means well: what is fine beside them is still read, and nothing hangs.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use serde_json::json;

use crate::folder::Folder;

fn id(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

fn line(kind: &str, uuid: &str, parent: Option<&str>) -> String {
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
fn what_is_no_file_is_no_session() {
    let folder = Folder::new();
    folder.add(&id(1), &line("user", "u1", None));
    let project = folder.project();
    let path = |number| project.join(format!("{}.jsonl", id(number)));
    assert!(
        Command::new("mkfifo")
            .arg(path(2))
            .status()
            .unwrap()
            .success()
    );
    symlink(path(1), path(3)).unwrap();
    fs::create_dir(path(4)).unwrap();
    fs::write(path(5), "").unwrap();
    symlink("/dev/zero", path(6)).unwrap();
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

#[test]
fn a_pipe_that_takes_a_transcripts_place_is_an_error_and_no_wait() {
    let folder = Folder::new();
    let session = folder.add(&id(1), &line("user", "u1", None));
    fs::remove_file(session.transcript()).unwrap();
    let made = Command::new("mkfifo").arg(session.transcript()).status();
    assert!(made.unwrap().success());
    assert!(session.messages().read().is_err());
    assert!(session.entries().is_err());
    assert!(session.info().is_err());
}

#[test]
fn a_link_that_takes_a_transcripts_place_is_not_followed() {
    let folder = Folder::new();
    let session = folder.add(&id(1), &line("user", "u1", None));
    let secret = folder.config().join("secret");
    fs::rename(session.transcript(), &secret).unwrap();
    symlink(&secret, session.transcript()).unwrap();
    assert!(session.messages().read().is_err());
    assert!(session.info().is_err());
    fs::remove_file(session.transcript()).unwrap();
    assert!(session.messages().read().is_err());
}

#[test]
fn a_folder_that_cannot_be_read_is_a_problem_and_the_rest_is_listed() {
    let folder = Folder::new();
    folder.add(&id(1), &line("user", "u1", None));
    let closed = folder.config().join("projects/-closed");
    // Root, whom no mode keeps out, finds it empty.
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    let is_open = fs::read_dir(&closed).is_ok();
    let listing = folder.sessions().list().run().unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.problems.len(), usize::from(!is_open));
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
        .add(&id(1), &lines.join("\n"))
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

/// A link takes the transcript's place again and again, also between the look at a name and its opening.
#[test]
fn a_link_that_comes_and_goes_during_reads_is_never_followed() {
    let folder = Folder::new();
    let secret = folder.config().join("secret");
    fs::write(&secret, line("user", "secret", None)).unwrap();
    let session = folder.add(&id(1), &line("user", "u1", None));
    let transcript = session.transcript().to_owned();
    let (kept, link) = (
        transcript.with_extension("kept"),
        transcript.with_extension("link"),
    );
    let (swapped, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut was_followed = false;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                fs::copy(&transcript, &kept).unwrap();
                symlink(&secret, &link).unwrap();
                fs::rename(&link, &transcript).unwrap();
                fs::rename(&kept, &transcript).unwrap();
                swapped.fetch_add(1, Relaxed);
            }
        });
        let mut reads = 0;
        // Until both have happened often.
        while !was_followed
            && !other.is_finished()
            && (reads < 2_000 || swapped.load(Relaxed) < 2_000)
        {
            reads += 1;
            let list = folder.sessions().list().run().unwrap().sessions;
            was_followed |= list.iter().any(|info| info.summary != "u1");
            if let Ok(history) = session.messages().read() {
                let mut messages = history.messages.iter();
                was_followed |= messages.any(|message| message.uuid.as_str() != "u1");
            }
        }
        is_over.store(true, Relaxed);
    });
    assert!(!was_followed);
}
