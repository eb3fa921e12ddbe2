use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::testing::{ONE, TWO, TestHome};
use crate::{Error, Hit, Search};

fn hits(search: Search<'_>) -> Vec<Hit> {
    search.run().unwrap().map(Result::unwrap).collect()
}

fn user(content: impl Into<Value>) -> Value {
    json!({"type": "user", "uuid": "u", "timestamp": "t", "message": {"role": "user", "content": content.into()}})
}

/// The CLI tells the model about the task, with IDs that nobody should see.
#[test]
fn what_is_told_of_tasks_was_said_by_nobody() {
    let place = TestHome::new();
    let told =
        "<task-notification>\n<task-id>a7</task-id>\n<result>apples</result>\n</task-notification>";
    let queued = json!({"type": "attachment", "uuid": "q", "attachment": {"type": "queued_command", "prompt": told}});
    let blocks = json!([{"type": "text", "text": told}, {"type": "text", "text": "my apples"}]);
    let lines = [user(told), queued, user(blocks)];
    place.write("p", &format!("{ONE}.jsonl"), &lines);
    let sessions = place.sessions();
    let found = hits(sessions.search("apples"));
    let found: Vec<_> = found.iter().map(|hit| (hit.line, &*hit.excerpt)).collect();
    assert_eq!(found, [(3, "my apples")]);
    assert_eq!(hits(sessions.search("apples").everything()).len(), 3);
}

#[test]
fn what_was_said_is_found_with_its_place() {
    let place = TestHome::new();
    let thinking = json!({"type": "thinking", "thinking": "apples, I think", "signature": ""});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": "apples in a file"});
    let queued = json!({"type": "attachment", "uuid": "q", "attachment": {"type": "queued_command", "prompt": "more apples"}});
    let other = json!({"type": "attachment", "uuid": "o", "attachment": {"type": "file", "prompt": "apples"}});
    let mut meta = user("apples for the model");
    meta["isMeta"] = true.into();
    let lines = [
        user("two apples and two pears, and apples again"),
        user(
            json!([{"type": "text", "text": "pears"}, {"type": "text", "text": "apples"}, result]),
        ),
        user(json!([thinking, result])),
        queued,
        other,
        meta,
        json!({"type": "custom-title", "customTitle": "apples"}),
    ];
    place.write("p", &format!("{ONE}.jsonl"), &lines);
    place.write(
        "p",
        &format!("{ONE}/subagents/agent-x.jsonl"),
        &[user("no apples here")],
    );
    let sessions = place.sessions();
    let found = hits(sessions.search("apples"));
    let places: Vec<_> = found
        .iter()
        .map(|hit| (hit.line, hit.subagent.as_deref()))
        .collect();
    assert_eq!(places, [(1, None), (2, None), (4, None), (1, Some("x"))]);
    let first = &found[0];
    assert_eq!(first.excerpt, "two apples and two pears, and apples again");
    assert_eq!(first.found, 4..10);
    assert_eq!(
        (first.kind.as_str(), first.uuid.as_deref()),
        ("user", Some("u"))
    );
    assert_eq!(first.session_id.as_str(), ONE);
    let all: Vec<_> = hits(sessions.search("apples").everything())
        .iter()
        .map(|hit| hit.line)
        .collect();
    assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 1]);
    assert_eq!(hits(sessions.search("Apples")), []);
    assert_eq!(hits(sessions.search("APPLES").ignore_case()).len(), 4);
    // Keys and the text between strings are not searched.
    assert_eq!(hits(sessions.search("tool_use_id").everything()), []);
    assert_eq!(hits(sessions.search("").everything()), []);
}

#[test]
fn escapes_half_characters_and_broken_lines_hide_nothing() {
    let place = TestHome::new();
    let text = concat!(
        r#"{"type":"user","message":{"content":"caf\u00e9 \ud83d and \u0062oth"}}"#,
        "\n",
        "\n{\"type\":\"user\",\"message\":{\"content\":\"both\"\n",
        r#"{"type":"user","message":{"content":"line one\nline two"}}"#,
        "\n",
        r#"{"type":"user","message":{"content":"both, cut"#,
    );
    fs::write(place.path("p", &format!("{ONE}.jsonl")), text).unwrap();
    let sessions = place.sessions();
    let places = |search: Search<'_>| {
        let (found, problems): (Vec<_>, Vec<_>) = search.run().unwrap().partition(Result::is_ok);
        let lines: Vec<_> = found.into_iter().map(|hit| hit.unwrap().line).collect();
        (lines, problems.len())
    };
    // A broken line is a problem of every search.
    assert_eq!(places(sessions.search("café")), (vec![1], 1));
    assert_eq!(places(sessions.search("both")), (vec![1], 1));
    assert_eq!(places(sessions.search("one\nline")).0, [4]);
    // With everything, a broken line is a hit itself.
    assert_eq!(
        places(sessions.search("both").everything()),
        (vec![1, 3], 0)
    );
}

#[test]
fn a_line_of_100_mb_and_3_gb_of_nothing_are_told_and_the_rest_is_found() {
    let place = TestHome::new();
    let long = user("x".repeat(100 << 20)).to_string();
    fs::write(
        place.path("p", &format!("{ONE}.jsonl")),
        format!("{long}\n{}\n", user("needle")),
    )
    .unwrap();
    let path = place.path("p", &format!("{TWO}.jsonl"));
    fs::write(&path, format!("{}\n", user("needle"))).unwrap();
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(3 << 30)
        .unwrap();
    let sessions = place.sessions();
    let (mut lines, mut first_unread) = (Vec::new(), Vec::new());
    for hit in sessions.search("needle").run().unwrap() {
        match hit {
            Ok(hit) => lines.push(hit.line),
            Err(Error::Broken {
                count: 1, first, ..
            }) => first_unread.push(first),
            Err(error) => panic!("{error}"),
        }
    }
    lines.sort_unstable();
    first_unread.sort_unstable();
    assert_eq!((lines, first_unread), (vec![1, 2], vec![1, 2]));
}

#[test]
fn files_that_change_meanwhile_spoil_nothing() {
    let place = TestHome::new();
    let many = vec![user("needle"); 20_000];
    place.write("p", &format!("{ONE}.jsonl"), &many);
    place.write("p", &format!("{TWO}.jsonl"), &[user("needle")]);
    let path = place.path("p", &format!("{ONE}.jsonl"));
    let times = |seconds: u64| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let set = |path: PathBuf, time| {
            fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        };
        set(path.clone(), time);
        set(
            place.path("p", &format!("{TWO}.jsonl")),
            std::time::UNIX_EPOCH,
        );
    };
    let sessions = place.sessions();
    times(10);
    // The file grows. It is read to the length that it had.
    let mut hits = sessions.search("needle").run().unwrap();
    hits.next().unwrap().unwrap();
    place.write(
        "p",
        &format!("{ONE}.jsonl"),
        &[many.clone(), many.clone()].concat(),
    );
    assert_eq!(hits.flatten().count(), 20_000);
    // The file shrinks. The removed lines are not found.
    times(10);
    let mut hits = sessions.search("needle").run().unwrap();
    hits.next().unwrap().unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(10)
        .unwrap();
    assert!(hits.flatten().count() < 20_000);
    // The file is removed.
    let hits = sessions.search("needle").run().unwrap();
    fs::remove_file(&path).unwrap();
    let found: Vec<_> = hits.map(|hit| hit.unwrap().session_id).collect();
    assert_eq!(
        found
            .iter()
            .map(claw_types::SessionId::as_str)
            .collect::<Vec<_>>(),
        [TWO]
    );
}

#[test]
#[cfg(unix)]
fn no_link_is_followed_and_no_pipe_waited_for() {
    let place = TestHome::new();
    place.write("p", &format!("{ONE}.jsonl"), &[user("needle")]);
    let agents = place
        .path("p", &format!("{ONE}/subagents/x"))
        .with_file_name("agent-x.jsonl");
    let mkfifo = std::process::Command::new("mkfifo").arg(agents).status();
    assert!(mkfifo.unwrap().success());
    let link = place.path("p", &format!("{TWO}.jsonl"));
    std::os::unix::fs::symlink(place.path("p", &format!("{ONE}.jsonl")), link).unwrap();
    assert_eq!(hits(place.sessions().search("needle")).len(), 1);
}

#[test]
fn a_search_ends_when_its_flag_says_so() {
    let place = TestHome::new();
    let lines: Vec<_> = (0..3).map(|_| user("apples")).collect();
    place.write("p", &format!("{ONE}.jsonl"), &lines);
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let sessions = place.sessions();
    let mut hits = sessions
        .search("apples")
        .end_when(flag.clone())
        .run()
        .unwrap();
    assert_eq!(hits.next().unwrap().unwrap().line, 1);
    flag.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(hits.next().is_none());
}
