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
    // The name of the folder is that of a path of Unix.
    #[cfg(unix)]
    "relocate",
];

pub(crate) fn two_sessions() -> Folder {
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
        _ => panic!("{order}"),
    }
}

#[test]
fn a_write_that_is_not_cut_off_is_done() {
    for &order in ORDERS {
        let folder = two_sessions();
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
    if order == "delete" {
        assert!(!files.keys().any(|name| name.starts_with(ID)), "{files:?}");
        assert!(!folder.project().join(ID).exists());
    }
}
