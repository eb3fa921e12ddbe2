//! `claw sessions search` and `claw sessions usage` with a store: what they show of the sessions of a disk.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::sessions::Home;

/// The number of sessions.
const MANY: usize = 12;

fn id(number: usize) -> String {
    format!("{number:08}-1111-4111-8111-111111111111")
}

/// Writes sessions to the disk and brings them into a store, the oldest first.
fn stored() -> (Home, String) {
    let home = Home::new();
    let store = home.path().join("store").to_str().unwrap().to_owned();
    for number in 0..MANY {
        let id = id(number);
        let entry = |kind: &str, uuid: &str, message: Value| {
            json!({"type": kind, "uuid": format!("{uuid}-{number}"), "parentUuid": null, "sessionId": id,
                "timestamp": "2026-11-22T10:00:00.000Z", "cwd": home.work(), "message": message})
        };
        let name = format!("message-{number}");
        let prompt = format!("Two apples\u{1b} for {number}");
        home.write(
            &format!("{id}.jsonl"),
            &[
                entry("user", "u", json!({"role": "user", "content": prompt})),
                entry(
                    "assistant",
                    "a",
                    json!({"id": name, "model": "claude-opus-4-1", "role": "assistant",
                        "content": [{"type": "text", "text": "Here are APPLES."}],
                        "usage": {"input_tokens": number, "output_tokens": 20}}),
                ),
                entry(
                    "user",
                    "r",
                    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "pears"}]}),
                ),
            ],
        );
        let import = home.good(&["import", &id, "--store", &store]);
        assert_eq!(import, "3 new lines are in the store.\n");
        // In the same order as in the store.
        let time =
            std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_780_000_000 + number as u64);
        let file = fs::File::options()
            .write(true)
            .open(home.file(&format!("{id}.jsonl")));
        file.unwrap().set_modified(time).unwrap();
    }
    (home, store)
}

/// The files of the index.
fn files(home: &Home) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![home.path().join(".claude/claw-index")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn a_store_is_searched_and_counted_as_the_disk() {
    let (home, store) = stored();
    let with = ["--store", &store];
    for args in [
        &["search", "apples"][..],
        &["search", "apples", "-i"],
        &["search", "pears", "--all"],
        &["search", "pears", "--everything"],
        &["search", "no-such-text"],
        &["usage"],
        &["usage", "--by", "day", "--utc"],
        &["usage", "--by", "session", "--all", "--csv"],
        &["usage", "--by", "project", "--csv", "--since", "2026-11-22"],
        &["usage", "--until", "2026-11-21"],
    ] {
        let expected = home.good(args);
        // The second call is answered from the index.
        for _ in 0..2 {
            assert_eq!(home.good(&[args, &with].concat()), expected, "{args:?}");
        }
    }
    assert_eq!(files(&home).len(), MANY);
    let json = |args: &[&str]| -> Vec<Value> {
        let text = home.good(args);
        text.lines()
            .map(|line| {
                let mut value: Value = serde_json::from_str(line).unwrap();
                for member in ["byConfigDir", "configDir", "transcript", "project"] {
                    value.as_object_mut().unwrap().remove(member);
                }
                value
            })
            .collect()
    };
    for args in [&["usage", "--json"][..], &["search", "apples", "--json"]] {
        assert_eq!(json(&[args, &with].concat()), json(args));
    }
    let refused = home.run(&["usage", "--by", "config-dir", "--store", &store]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let first = home.good(&["search", "for 3", "--store", &store, "--json"]);
    let first: Value = serde_json::from_str(&first).unwrap();
    let project = first["project"].as_str().unwrap();
    assert_eq!(first["transcript"], format!("{project}/{}", id(3)));
}

#[test]
fn a_list_of_a_store_has_the_sizes_that_the_disk_has() {
    let (home, store) = stored();
    let sizes = |args: &[&str]| -> Vec<(Value, Value)> {
        let text = home.good(&[&["list", "--json"], args].concat());
        let lines = text.lines();
        lines
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                (line["sessionId"].clone(), line["fileSize"].clone())
            })
            .collect()
    };
    let (mut disk, mut stored) = (sizes(&[]), sizes(&["--store", &store]));
    for all in [&mut disk, &mut stored] {
        all.sort_by_key(|(id, _)| id.to_string());
    }
    assert_eq!(stored, disk);
    // The numbers of the last two sessions have another digit.
    let least = disk[0].1.to_string();
    let large = sizes(&["--store", &store, "--larger-than", &least]);
    assert_eq!(large.len(), 2, "{large:?}");
    assert_eq!(
        sizes(&["--store", &store, "--larger-than", &least, "--limit", "1"]),
        large[..1]
    );
}

#[test]
fn two_processes_use_one_index_and_what_was_deleted_is_not_found() {
    let (home, store) = stored();
    let search = ["search", "Two apples", "--json", "--store", &store];
    let usage = ["usage", "--json", "--store", &store];
    for _ in 0..3 {
        let _ = fs::remove_dir_all(home.path().join(".claude/claw-index"));
        let running: Vec<_> = [&search[..], &usage, &search, &usage]
            .into_iter()
            .map(|args| {
                let mut command = home.command(args);
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
                (args, command.spawn().unwrap())
            })
            .collect();
        for (args, child) in running {
            let output = child.wait_with_output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
            let text = String::from_utf8(output.stdout).unwrap();
            if args[0] == "search" {
                assert_eq!(text.lines().count(), MANY);
            } else {
                let usage: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(usage["total"]["answers"], MANY);
            }
        }
        assert_eq!(files(&home).len(), MANY);
    }
    home.good(&["delete", &id(0), "--yes", "--store", &store]);
    assert_eq!(home.good(&search).lines().count(), MANY - 1);
    assert_eq!(files(&home).len(), MANY - 1);
}

#[test]
fn a_kill_while_the_index_is_written_changes_no_answer() {
    let (home, store) = stored();
    let search = ["search", "Two apples", "--json", "--store", &store];
    let usage = ["usage", "--json", "--store", &store];
    let (hits, used) = (home.good(&search), home.good(&usage));
    let index = home.path().join(".claude/claw-index");
    for written in 0..MANY {
        fs::remove_dir_all(&index).unwrap();
        let mut command = home.command(if written % 2 == 0 { &search } else { &usage });
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        // The next file is being written, or is written soon.
        while files(&home).len() <= written && child.try_wait().unwrap().is_none() {}
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(home.good(&search), hits);
        assert_eq!(home.good(&usage), used);
    }
    // What a killed process leaves is removed after an hour, and no file that is being written.
    let folder = files(&home)[0].parent().unwrap().to_owned();
    let place = |name: &str| folder.join(name);
    for (name, hours) in [(".new-left", 2), (".new-now", 0)] {
        let file = fs::File::create(place(name)).unwrap();
        let age = std::time::Duration::from_hours(hours);
        file.set_modified(std::time::SystemTime::now() - age)
            .unwrap();
    }
    assert_eq!(home.good(&search), hits);
    assert!(!place(".new-left").exists());
    assert!(place(".new-now").exists());
}

#[test]
fn what_is_not_counted_is_named() {
    let (home, store) = stored();
    // Another program has put the lines of another session in place of the transcript.
    let mut projects = fs::read_dir(Path::new(&store).join("projects")).unwrap();
    let folder = projects.next().unwrap().unwrap().path();
    let transcript = folder.join(format!("{}.jsonl", id(0)));
    let text = fs::read_to_string(&transcript).unwrap();
    fs::write(&transcript, text.replace(&id(0), &id(99))).unwrap();
    for args in [&["usage", "--csv"][..], &["search", "Two apples"]] {
        let ran = home.run(&[args, &["--store", &store]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let named = format!("{} is left out: ", id(0));
        assert!(ran.stderr.contains(&named), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(!ran.stdout.contains(&id(0)), "{}", ran.stdout);
    }
}

#[test]
fn sessions_are_deleted_even_if_their_texts_cannot_be_removed() {
    let (home, store) = stored();
    home.good(&["search", "apples", "-i", "--store", &store]);
    // A folder in place of a file of the index cannot be removed as a file is.
    let name = |number: usize| {
        let all = files(&home).into_iter();
        let mut named = all.filter(|path| path.ends_with(id(number)));
        named.next().unwrap()
    };
    let damaged = [0, 3].map(name);
    for path in &damaged {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }
    let is_named = |stderr: &str, number: usize, path: &Path| {
        let text = format!(
            "claw: {} is deleted, but its texts are still in the index: cannot remove {}: ",
            id(number),
            path.display()
        );
        let mut lines = stderr.lines();
        lines.any(|line| line.len() > text.len() && line.starts_with(&text))
    };
    let one = home.run(&["delete", &id(0), "--yes", "--store", &store]);
    assert_eq!(one.code, Some(3), "{}", one.stderr);
    assert_eq!(one.stderr.lines().count(), 1, "{}", one.stderr);
    assert!(is_named(&one.stderr, 0, &damaged[0]), "{}", one.stderr);
    let all = home.run(&["delete", "--project", ".", "--yes", "--store", &store]);
    assert_eq!(all.code, Some(3), "{}", all.stderr);
    assert_eq!(all.stdout, format!("{} sessions deleted\n", MANY - 1));
    assert_eq!(all.stderr.lines().count(), 1, "{}", all.stderr);
    assert!(is_named(&all.stderr, 3, &damaged[1]), "{}", all.stderr);
    assert_eq!(files(&home), Vec::<std::path::PathBuf>::new());
    assert_eq!(home.good(&["list", "--json", "--store", &store]), "");
}
