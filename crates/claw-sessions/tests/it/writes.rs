//! What a write leaves in a folder, whether it is done or was cut off.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use claw_sessions::Sessions;

use crate::folder::{Folder, ID, conversation, values};

type Files = BTreeMap<String, Vec<u8>>;

const OTHER: &str = "0b0b0b0b-0000-4000-8000-000000000001";
pub(crate) const ORDERS: &[&str] = &[
    "fork",
    "rename",
    "archive",
    "unarchive",
    "delete",
    "repair",
    // The name of the folder is that of a path of Unix.
    #[cfg(unix)]
    "relocate",
];

/// The sessions that an order changes. A repair needs a broken one.
pub(crate) fn sessions_for(order: &str) -> Folder {
    let folder = two_sessions();
    if order == "repair" {
        let transcript = folder.project().join(format!("{ID}.jsonl"));
        let broken = [&fs::read(&transcript).unwrap()[..], b"{\"type\":\"us\n"].concat();
        fs::write(transcript, broken).unwrap();
        let history = folder.config().join("file-history").join(ID);
        fs::create_dir_all(&history).unwrap();
        fs::write(history.join("0123@v1"), "old\n").unwrap();
    }
    folder
}

fn two_sessions() -> Folder {
    // Several writes long.
    let lines = |length| {
        let place = r#""cwd":"/work","isSidechain""#;
        let lines = conversation(length).into_iter();
        lines.map(|line| line.replace("\"isSidechain\"", place))
    };
    let (folder, session) = Folder::with(&lines(200).collect::<Vec<_>>());
    fs::create_dir_all(session.folder().join("subagents/deep")).unwrap();
    for agent in [
        "subagents/agent-a.jsonl",
        "subagents/agent-b.jsonl",
        "subagents/deep/agent-c.jsonl",
    ] {
        fs::write(session.folder().join(agent), "{}\n").unwrap();
    }
    let other = lines(2).map(|line| line.replace(ID, OTHER) + "\n");
    folder.add(OTHER, &other.collect::<String>());
    folder
}

pub(crate) fn write(order: &str, config: &Path) {
    if order == "relocate" {
        return relocate(config, "/work", "/new");
    }
    let session = Sessions::new(config).find(ID).unwrap();
    match order {
        "fork" => drop(session.fork().run().unwrap()),
        "rename" => session.rename("Sums").unwrap(),
        "archive" => session.archive().unwrap(),
        "unarchive" => session.unarchive().unwrap(),
        "delete" => session.delete().unwrap(),
        "repair" => drop(session.repair().run().unwrap().copy.unwrap()),
        _ => panic!("{order}"),
    }
}

#[test]
fn a_write_that_is_not_cut_off_is_done() {
    for &order in ORDERS {
        let folder = sessions_for(order);
        let before = folder.files();
        write(order, folder.config());
        assert_ne!(folder.files(), before, "{order}");
        check(order, &before, &folder, true);
    }
}

fn relocate(config: &Path, from: &str, to: &str) {
    let sessions = Sessions::new(config);
    let relocated = sessions.relocation(from, to).run().unwrap();
    for directory in relocated.directories {
        assert!(directory.left.is_empty(), "{directory:?}");
    }
}

/// Each file is in the old or in the new place. Another run moves the rest, and all of it comes back.
fn check_relocated(before: &Files, folder: &Folder, is_done: bool) {
    let new = folder.config().join("projects/-new");
    let (old_files, new_files) = (folder.files(), Folder::files_below(&new));
    assert!(old_files.is_empty() || !is_done, "{old_files:?}");
    for (name, text) in before {
        let found = [old_files.get(name), new_files.get(name)];
        let [found] = found.into_iter().flatten().collect::<Vec<_>>()[..] else {
            panic!("{name}: {found:?}")
        };
        // The directory is noted at the end of a transcript.
        assert!(found.starts_with(text), "{name}");
    }
    relocate(folder.config(), "/work", "/new");
    assert!(!folder.project().exists());
    let moved = Folder::files_below(&new);
    assert!(moved.keys().eq(before.keys()), "{:?}", moved.keys());
    relocate(folder.config(), "/new", "/work");
    assert!(folder.files() == *before && !new.exists());
}

/// The copy is whole: its transcript, the files of sub-agents and the file history.
fn check_repaired(folder: &Folder, id: &str) {
    let entries = values(&folder.sessions().find(id).unwrap());
    assert_eq!(entries.len(), 201);
    assert!(entries.iter().all(|line| line["sessionId"] == *id));
    for name in ["agent-a", "agent-b", "deep/agent-c"] {
        let agent = folder
            .project()
            .join(format!("{id}/subagents/{name}.jsonl"));
        assert_eq!(fs::read(agent).unwrap(), b"{}\n");
    }
    let history = folder.config().join("file-history").join(id);
    assert_eq!(fs::read(history.join("0123@v1")).unwrap(), b"old\n");
}

/// What was there before is there, and what is new is whole; the next write removes what was left.
pub(crate) fn check(order: &str, before: &Files, folder: &Folder, is_done: bool) {
    if order == "relocate" {
        return check_relocated(before, folder, is_done);
    }
    let sessions = folder.sessions();
    let list = sessions.list().run().unwrap();
    assert!(list.problems.is_empty(), "{:?}", list.problems);
    let ids: Vec<_> = list
        .sessions
        .iter()
        .map(|info| info.session_id.as_str())
        .collect();
    let files = folder.files();
    let file = format!("{ID}.jsonl");
    let lives = ids.contains(&ID);
    assert_eq!(lives, files.contains_key(&file));
    for (name, text) in before {
        let is_touched = order == "rename" && *name == file;
        if lives && !is_touched || !name.starts_with(ID) {
            assert!(files.get(name) == Some(text), "{order}: {name}");
        }
    }
    match order {
        "fork" => {
            for id in ids.iter().filter(|id| ![ID, OTHER].contains(id)) {
                let entries = values(&sessions.find(id).unwrap());
                assert_eq!(entries.len(), 201);
                assert_eq!(entries[200]["type"], "custom-title");
                let copied = entries[..200].iter().zip(0..);
                assert!(
                    copied
                        .clone()
                        .all(|(line, at)| line["message"]["content"] == format!("words {at}"))
                );
                assert!(copied.clone().all(|(line, _)| line["sessionId"] == **id));
            }
            assert!(ids.len() == 3 || !is_done && ids.len() == 2);
        }
        "rename" => {
            let entries = values(&sessions.find(ID).unwrap());
            assert!(entries.len() == 201 || !is_done && entries.len() == 200);
            let title = entries.get(200).map(|line| line["customTitle"].as_str());
            assert!(title.is_none_or(|title| title == Some("Sums")));
            assert!(files[&file].starts_with(&before[&file]));
        }
        "archive" | "unarchive" => {
            let record = files.get(&format!("{ID}/archived.json"));
            assert!(record.is_some() || !is_done);
            if let Some(record) = record {
                let record: serde_json::Value = serde_json::from_slice(record).unwrap();
                assert_eq!(record["archived"], order == "archive");
            }
        }
        "repair" => {
            let copies = ids.iter().filter(|id| ![ID, OTHER].contains(id));
            for id in copies.clone() {
                check_repaired(folder, id);
            }
            assert!(copies.count() == 1 || !is_done && ids.len() == 2);
        }
        _ => assert!(!lives || !is_done),
    }
    assert!(ids.contains(&OTHER));

    // The same again, and nothing lies about.
    match order {
        "delete" if lives => sessions.find(ID).unwrap().delete().unwrap(),
        "delete" => sessions.find(OTHER).unwrap().delete().unwrap(),
        "fork" => drop(sessions.find(OTHER).unwrap().fork().run().unwrap()),
        _ => write(order, folder.config()),
    }
    let files = folder.files();
    let left: Vec<_> = files
        .keys()
        .filter(|name| name.contains(".claw-"))
        .collect();
    assert!(left.is_empty(), "{order}: {left:?}");
    if order == "repair" {
        // Of copies that were not completed, nothing is left.
        let is_known = |id: &str| id == OTHER || files.contains_key(&format!("{id}.jsonl"));
        assert!(files.keys().all(|name| is_known(&name[..ID.len()])));
        let histories = fs::read_dir(folder.config().join("file-history")).unwrap();
        let mut histories = histories.map(|entry| entry.unwrap().file_name());
        assert!(histories.all(|id| is_known(id.to_str().unwrap())));
    }
    if order == "delete" {
        assert!(!files.keys().any(|name| name.starts_with(ID)), "{files:?}");
        assert!(!folder.project().join(ID).exists());
    }
}
