//! Several configuration folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_sessions::{Error, PageQuery, Sessions};
use serde_json::json;

use crate::folder::{Folder, ID, uuid};

const OTHER: &str = "0a0a0a0a-0000-4000-8000-000000000002";

/// A prompt at this hour, and its answer.
fn lines(hour: usize, text: &str) -> String {
    let line = |number: usize, kind: &str, message: serde_json::Value| {
        let parent = (number > 0).then(|| uuid(number - 1));
        let line = json!({
            "type": kind, "uuid": uuid(number), "parentUuid": parent, "isSidechain": false,
            "timestamp": format!("2026-01-01T{hour:02}:00:00.000Z"), "message": message,
        });
        format!("{line}\n")
    };
    let answer = json!({
        "id": format!("msg_{text}"), "role": "assistant", "model": "claude-a",
        "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 5, "output_tokens": 2},
    });
    line(0, "user", json!({"role": "user", "content": text})) + &line(1, "assistant", answer)
}

fn of(folders: &[&Path]) -> Sessions {
    Sessions::of_config_dirs(folders.iter().map(PathBuf::from), |_| None).unwrap()
}

#[test]
fn a_list_is_sorted_over_all_folders_and_says_where_each_session_is() {
    let (private, work) = (Folder::new(), Folder::new());
    let third = ID.replace("0001", "0003");
    private.add(ID, &lines(8, "eight"));
    work.add(OTHER, &lines(9, "nine"));
    private.add(&third, &lines(10, "ten"));
    let sessions = of(&[private.config(), work.config()]);
    let shown = |offset, limit| {
        let list = sessions.list().offset(offset).limit(limit).run().unwrap();
        assert!(list.problems.is_empty());
        let places = list.on_disk.iter().map(|it| it.config_dir().to_owned());
        let all = list.sessions.iter().zip(places);
        let all = all.map(|(info, place)| (info.summary.clone(), place));
        all.collect::<Vec<_>>()
    };
    let place = |text: &str, folder: &Folder| (text.to_owned(), folder.config().to_owned());
    let all = [
        place("ten", &private),
        place("nine", &work),
        place("eight", &private),
    ];
    assert_eq!(shown(0, 0), all);
    assert_eq!(shown(1, 1), all[1..2]);
    assert_eq!(sessions.all().unwrap().sessions.len(), 3);
    let found = sessions.find(OTHER).unwrap();
    assert_eq!(found.config_dir(), work.config());
    assert_eq!(
        sessions.find_by_prefix(OTHER).unwrap().config_dir(),
        work.config()
    );
}

#[test]
fn the_same_id_in_two_folders_is_two_sessions() {
    let (private, work) = (Folder::new(), Folder::new());
    private.add(ID, &lines(8, "private"));
    work.add(ID, &lines(8, "work"));
    let sessions = of(&[private.config(), work.config()]);
    let list = sessions.list().run().unwrap();
    let titles: Vec<_> = list.sessions.iter().map(|it| &*it.summary).collect();
    assert_eq!(titles, ["private", "work"]);
    for found in [sessions.find(ID), sessions.find_by_prefix(&ID[..8])] {
        let error = found.unwrap_err();
        let text = error.to_string();
        let Error::InSeveral { id, config_dirs } = error else {
            panic!("{text}");
        };
        assert_eq!((&*id, config_dirs.len()), (ID, 2));
        for folder in [&private, &work] {
            assert!(text.contains(folder.config().to_str().unwrap()), "{text}");
        }
    }
    // A page that ends between them loses none.
    let index = sessions.index().run().unwrap();
    assert_eq!(index.len(), 2);
    let first = index.page(&PageQuery::new().limit(1));
    let next = first.next.unwrap().to_string().parse().unwrap();
    let second = index.page(&PageQuery::new().limit(1).after(next));
    let place =
        |page: &[std::sync::Arc<claw_sessions::Indexed>]| page[0].session.config_dir().to_owned();
    assert_eq!(place(&first.sessions), private.config());
    assert_eq!(place(&second.sessions), work.config());
    assert!(second.next.is_none());
}

#[test]
fn usage_is_the_sum_and_is_broken_down() {
    let (private, work) = (Folder::new(), Folder::new());
    private.add(ID, &lines(8, "private"));
    work.add(OTHER, &lines(9, "work"));
    let sessions = of(&[private.config(), work.config()]);
    let report = sessions.usage().run().unwrap();
    assert_eq!(report.total.all.tokens.input, 10);
    for folder in [&private, &work] {
        let usage = &report.by_config_dir[folder.config().to_str().unwrap()];
        assert_eq!((usage.all.answers, usage.all.tokens.input), (1, 5));
    }
    let hits = sessions.search("work").run().unwrap();
    let hits: Vec<_> = hits.map(Result::unwrap).collect();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].config_dir, work.config());
}

#[test]
fn a_folder_that_cannot_be_read_is_a_problem_and_the_others_are_listed() {
    let private = Folder::new();
    private.add(ID, &lines(8, "private"));
    let missing = private.config().join("missing");
    let file = private.config().join("file");
    fs::write(&file, "").unwrap();
    let sessions = of(&[&missing, private.config(), &file]);
    let check = |problems: &[Error]| {
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains(missing.to_str().unwrap()), "{texts:?}");
        assert!(texts[1].contains(file.to_str().unwrap()), "{texts:?}");
    };
    let list = sessions.list().run().unwrap();
    check(&list.problems);
    assert_eq!(list.sessions.len(), 1);
    let here = sessions.list().project("/work").without_worktrees();
    check(&here.run().unwrap().problems);
    check(&sessions.all().unwrap().problems);
    check(&sessions.usage().run().unwrap().problems);
    assert_eq!(sessions.search("x").run().unwrap().count(), 2);
    let index = sessions.index().run().unwrap();
    assert_eq!((index.len(), index.problems().len()), (1, 2));
    assert!(sessions.find(ID).is_ok());
    // Whether the session is in one of those folders is not known.
    assert!(!sessions.find(OTHER).unwrap_err().is_not_found());
}

#[test]
#[cfg(unix)]
fn a_folder_that_is_named_twice_counts_once() {
    let private = Folder::new();
    private.add(ID, &lines(8, "private"));
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(private.config(), &link).unwrap();
    let dotted = private.config().join("projects/..");
    let sessions = of(&[private.config(), &link, &dotted]);
    assert!(!sessions.has_several());
    assert_eq!(sessions.list().run().unwrap().sessions.len(), 1);
    assert_eq!(sessions.find(ID).unwrap().config_dir(), private.config());
}

#[test]
fn a_watch_and_an_index_see_every_folder() {
    let (private, work) = (Folder::new(), Folder::new());
    let sessions = of(&[private.config(), work.config()]);
    let index = sessions.index().run().unwrap();
    assert!(index.is_empty());
    let mut watch = sessions.watch().run();
    work.add(ID, &lines(8, "work"));
    let change = watch.next(Duration::from_mins(1)).unwrap();
    let claw_sessions::Change::Added(session) = change else {
        panic!("{change:?}");
    };
    assert_eq!(session.config_dir(), work.config());
    index.refresh(&session);
    let id = session.id();
    assert_eq!(index.get(id).unwrap().session.config_dir(), work.config());
    fs::remove_file(session.transcript()).unwrap();
    index.refresh(&session);
    assert!(index.get(id).is_none());
}

#[test]
fn a_move_moves_the_sessions_of_every_folder() {
    let (private, work) = (Folder::new(), Folder::new());
    for (folder, id) in [(&private, ID), (&work, OTHER)] {
        let text = lines(8, "moved").replace("\"type\"", "\"cwd\":\"/work\",\"type\"");
        folder.add(id, &text);
    }
    let sessions = of(&[private.config(), work.config()]);
    let relocated = sessions.relocation("/work", "/other").run().unwrap();
    let moved: Vec<_> = relocated
        .directories
        .iter()
        .map(|it| (&*it.config_dir, it.sessions[0].as_str()))
        .collect();
    assert_eq!(moved, [(private.config(), ID), (work.config(), OTHER)]);
    let project = claw_sessions::slug(Path::new("/other"));
    let there = work.config().join("projects").join(project);
    assert!(there.join(format!("{OTHER}.jsonl")).is_file());
}
