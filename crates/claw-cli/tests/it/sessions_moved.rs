//! `claw sessions move`.

use std::fs;

use serde_json::json;

use crate::sessions::{Home, ONE, TWO, user};

const A: &str = "aaaaaaaa-0000-4000-8000-000000000001";

#[test]
fn a_move_is_printed_first_and_made_with_yes() {
    let home = Home::new();
    home.write(&format!("{ONE}.jsonl"), &[user(A, None, "One")]);
    home.write(&format!("{TWO}.jsonl"), &[user(A, None, "Two")]);
    home.write("memory/x", &[json!("Tabs.")]);
    let hostile = home.path().join("new\u{1b}[31m");
    fs::create_dir(&hostile).unwrap();
    let real = |path: &std::path::Path| claw_sessions::real_path(path).unwrap();
    let (old, new) = (real(&home.work()), real(&hostile));
    let (from, to) = (old.to_str().unwrap(), new.to_str().unwrap());
    let project = home.file("");

    let list = format!(
        "{from} → {}\n  2 sessions: {ONE}, {TWO}\n  1 other file or folder: memory\n",
        to.replace('\u{1b}', "\\u{1b}")
    );
    let planned = home.good(&["move", from, to]);
    assert_eq!(
        planned,
        format!("{list}Nothing was moved. With --yes, this is moved.\n")
    );
    assert_eq!(fs::read_dir(&project).unwrap().count(), 3);
    assert_eq!(home.good(&["move", from, to, "--yes"]), list);
    assert!(!project.exists());
    assert_eq!(home.good(&["list", "--project", to]).lines().count(), 3);

    let none = home.run(&["move", from, to, "-y"]);
    assert_eq!((none.code, &*none.stdout), (Some(3), ""));
    let said = format!("claw: there are no sessions of {from}\n");
    assert_eq!(none.stderr, said);
    // Back again, with all that is below. Of many sessions, only some are named.
    let moved = project.with_file_name(claw_sessions::slug(&new));
    for number in 30..40 {
        let id = ONE.replace("11111111-", &format!("{number}{number}{number}{number}-"));
        let source = moved.join(format!("{ONE}.jsonl"));
        fs::copy(source, moved.join(format!("{id}.jsonl"))).unwrap();
    }
    let many = home.good(&["move", to, from]);
    assert!(
        many.contains(&format!("\n  12 sessions: {ONE}, {TWO}, 30303030-"))
            && many.contains(", 37373737-1111-4111-8111-111111111111, …\n"),
        "{many}"
    );
    home.good(&["move", to, from, "--all-below", "--yes"]);
    assert_eq!(home.good(&["list"]).lines().count(), 13);
}

#[test]
fn what_stays_is_named_and_fails_the_command() {
    let home = Home::new();
    home.write(&format!("{ONE}.jsonl"), &[user(A, None, "One")]);
    home.write(&format!("{TWO}.jsonl"), &[user(A, None, "Two")]);
    let to = home.path().join("new");
    fs::create_dir(&to).unwrap();
    let to = claw_sessions::real_path(&to).unwrap();
    let taken = home
        .file("")
        .parent()
        .unwrap()
        .join(claw_sessions::slug(&to))
        .join(format!("{ONE}.jsonl"));
    fs::create_dir(taken.parent().unwrap()).unwrap();
    fs::write(&taken, "another\n").unwrap();
    let to = to.to_str().unwrap();
    let session = home.file(&format!("{ONE}.jsonl"));
    let stays = format!(
        "claw: {} stays: {} exists\n",
        session.display(),
        taken.display()
    );
    let plan = home.run(&["move", ".", to]);
    assert_eq!((plan.code, &*plan.stderr), (Some(0), &*stays));
    let done = home.run(&["move", ".", to, "--yes"]);
    assert_eq!((done.code, &*done.stderr), (Some(1), &*stays));
    assert!(
        done.stdout.contains(&format!("1 session: {TWO}\n")),
        "{}",
        done.stdout
    );
    assert!(session.exists());
    assert_eq!(fs::read_to_string(&taken).unwrap(), "another\n");

    // A directory that is not there is named, and a directory is not moved to itself.
    let lost = home.run(&["move", ".", "../lost"]);
    assert_eq!(lost.code, Some(0));
    assert!(
        lost.stderr.starts_with("claw: there is no directory ")
            && lost.stderr.trim_end().ends_with("lost"),
        "{}",
        lost.stderr
    );
    let same = home.run(&["move", ".", "../work"]);
    assert_eq!((same.code, &*same.stdout), (Some(2), ""));
    assert!(
        same.stderr.contains("both the old and the new"),
        "{}",
        same.stderr
    );
}
