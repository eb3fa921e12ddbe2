use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::testing::{ONE, TWO, TestHome};

/// The time after which a test fails if a change has not arrived.
const LIMIT: Duration = Duration::from_mins(5);

fn watch(place: &TestHome) -> WatchOne {
    place.sessions().find(ONE).unwrap().watch()
}

fn append(path: &Path, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.unwrap().write_all(text.as_bytes()).unwrap();
}

/// Returns the next growth as a short text.
fn next(watch: &mut WatchOne) -> String {
    match watch.next(LIMIT).expect("it comes") {
        Growth::Line(line) => {
            format!(
                "{} {}",
                line.number(),
                String::from_utf8_lossy(line.raw().unwrap())
            )
        }
        other => format!("{other:?}"),
    }
}

/// Whether nothing more arrives within a short time.
fn is_quiet(watch: &mut WatchOne) -> bool {
    watch.next(Duration::from_millis(300)).is_none()
}

#[test]
fn lines_come_when_their_ends_are_written() {
    let place = TestHome::new();
    let path = place.transcript(ONE);
    append(&path, "one\ntw");
    let mut watch = watch(&place);
    assert_eq!(next(&mut watch), "1 one");
    assert!(is_quiet(&mut watch));
    append(&path, "o");
    append(&path, "\n\nfour\nfi");
    for line in ["2 two", "3 ", "4 four"] {
        assert_eq!(next(&mut watch), line);
    }
    append(&path, "ve\n");
    assert_eq!(next(&mut watch), "5 five");
    assert!(is_quiet(&mut watch));
}

#[test]
fn a_file_that_is_cut_replaced_or_removed_begins_again() {
    let place = TestHome::new();
    let path = place.transcript(ONE);
    append(&path, "one\ntwo\n");
    let mut watch = watch(&place);
    assert_eq!([next(&mut watch), next(&mut watch)], ["1 one", "2 two"]);
    // The file is truncated.
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(4)
        .unwrap();
    assert_eq!([next(&mut watch), next(&mut watch)], ["Restarted", "1 one"]);
    // The same file is rewritten, and is longer. Only its contents show that it was rewritten.
    fs::write(&path, "uno\ndos\ntres\n").unwrap();
    let anew = [(); 4].map(|()| next(&mut watch));
    assert_eq!(anew, ["Restarted", "1 uno", "2 dos", "3 tres"]);
    // Another file replaces the file.
    fs::write(path.with_extension("new"), "eins\n").unwrap();
    let replaced = fs::rename(path.with_extension("new"), &path);
    if cfg!(unix) {
        replaced.unwrap();
    } else if replaced.is_err() {
        // Wine 8, and Windows before 10, do not replace a file that is open.
        fs::rename(&path, path.with_extension("old")).unwrap();
        fs::rename(path.with_extension("new"), &path).unwrap();
    }
    assert_eq!(
        [next(&mut watch), next(&mut watch)],
        ["Restarted", "1 eins"]
    );
    if let Err(error) = fs::remove_file(path.with_extension("old")) {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(next(&mut watch), "Removed");
    assert!(is_quiet(&mut watch));
    append(&path, "un\n");
    assert_eq!([next(&mut watch), next(&mut watch)], ["Restarted", "1 un"]);
    // The folder is removed with all files in it.
    let removed = fs::remove_dir_all(path.parent().unwrap());
    assert_eq!(next(&mut watch), "Removed");
    if cfg!(unix) {
        removed.unwrap();
    } else if removed.is_err() {
        // On Windows, the open file stays in the folder until the watch has closed it. Now the folder can be removed.
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
    append(&place.transcript(ONE), "back\n");
    assert_eq!(
        [next(&mut watch), next(&mut watch)],
        ["Restarted", "1 back"]
    );
}

#[test]
#[cfg(unix)]
fn a_link_in_its_place_is_not_followed() {
    let place = TestHome::new();
    let path = place.transcript(ONE);
    append(&path, "one\n");
    let mut watch = watch(&place);
    assert_eq!(next(&mut watch), "1 one");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let told = std::iter::repeat_with(|| next(&mut watch)).find(|told| told.starts_with("Problem"));
    assert!(told.is_some());
    assert!(is_quiet(&mut watch));
}

/// Returns the next change as a short text.
fn changed(watch: &mut Watching) -> String {
    match watch.next(LIMIT).expect("it comes") {
        Change::Added(session) => format!("added {}", session.id().as_str()),
        Change::Changed(session) => format!("changed {}", session.id().as_str()),
        Change::Removed { session_id, .. } => format!("removed {}", session_id.as_str()),
        Change::Problem(error) => error.to_string(),
    }
}

#[test]
fn a_list_changes_as_its_folders_do() {
    let place = TestHome::new();
    // Nothing exists yet, not even the folder.
    let mut watch = place.sessions().watch().run();
    assert!(watch.next(Duration::from_millis(100)).is_none());
    append(&place.transcript(ONE), "one\n");
    assert_eq!(changed(&mut watch), format!("added {ONE}"));
    append(&place.transcript(ONE), "two\n");
    assert_eq!(changed(&mut watch), format!("changed {ONE}"));
    fs::rename(place.transcript(ONE), place.transcript(TWO)).unwrap();
    let mut both = [changed(&mut watch), changed(&mut watch)];
    both.sort();
    assert_eq!(both, [format!("added {TWO}"), format!("removed {ONE}")]);
    fs::remove_dir_all(place.sessions().projects()).unwrap();
    assert_eq!(changed(&mut watch), format!("removed {TWO}"));
    append(&place.transcript(TWO), "again\n");
    assert_eq!(changed(&mut watch), format!("added {TWO}"));
}

#[test]
fn what_changed_a_thousand_times_is_told_once() {
    let place = TestHome::new();
    append(&place.transcript(ONE), "one\n");
    let mut watch = place.sessions().watch().run();
    assert_eq!(changed(&mut watch), format!("added {ONE}"));
    for _ in 0..1000 {
        append(&place.transcript(ONE), "more\n");
    }
    assert_eq!(changed(&mut watch), format!("changed {ONE}"));
    assert!(watch.next(Duration::from_millis(300)).is_none());
}

#[test]
fn one_project_alone_is_watched() {
    let place = TestHome::new();
    let work = place.0.path().join("work");
    fs::create_dir(&work).unwrap();
    let slug = crate::slug(&crate::real_path(&work).unwrap());
    let mut watch = place.sessions().watch().project(&work).run();
    append(&place.transcript(TWO), "elsewhere\n");
    assert!(watch.next(Duration::from_millis(100)).is_none());
    let folder = place.sessions().projects().join(slug);
    fs::create_dir_all(&folder).unwrap();
    append(&folder.join(format!("{ONE}.jsonl")), "one\n");
    assert_eq!(changed(&mut watch), format!("added {ONE}"));
}
