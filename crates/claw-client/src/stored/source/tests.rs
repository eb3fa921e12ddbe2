use std::fs;
use std::io::Write as _;

use claw_store::SessionRef;

use super::*;

fn source(folder: &Path, start: u64) -> Source {
    let key = SessionRef::new("p", "s").unwrap().main();
    Source::new(key, folder.join("s.jsonl"), WriterId::new("w"), start)
}

fn texts(unsent: &Unsent) -> Vec<&str> {
    unsent.lines.iter().map(Line::as_str).collect()
}

#[test]
fn lines_come_once_and_half_ones_later() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), 0);
    fs::write(&source.path, "{\"a\":1}\n\n{\"b\":2}\n{\"c\"").unwrap();
    let unsent = source.read().unwrap().unwrap();
    assert_eq!(texts(&unsent), ["{\"a\":1}", "{\"b\":2}"]);
    // The batch was not stored, so `read` returns its lines again.
    assert_eq!(texts(&source.read().unwrap().unwrap()).len(), 2);
    source.stored(&unsent);
    assert!(source.read().unwrap().is_none());
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(&source.path)
        .unwrap();
    file.write_all(b":3}\n").unwrap();
    let unsent = source.read().unwrap().unwrap();
    assert_eq!((texts(&unsent), source.number), (vec!["{\"c\":3}"], 2));
}

#[test]
fn what_came_from_the_store_is_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), 8);
    fs::write(&source.path, "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n").unwrap();
    assert_eq!(source.read().unwrap().unwrap().lines.len(), 2);
    assert!(source.go_to(1).unwrap());
    assert_eq!(texts(&source.read().unwrap().unwrap()), ["{\"c\":3}"]);
    assert!(source.go_to(2).unwrap());
    assert!(source.read().unwrap().is_none());
    assert!(!source.go_to(3).unwrap());
}

#[test]
fn broken_lines_are_told_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), 0);
    fs::write(&source.path, b"{\"a\":1}\nnonsense\n\xff\n{\"b\":2}\n").unwrap();
    let unsent = source.read().unwrap().unwrap();
    assert_eq!(texts(&unsent), ["{\"a\":1}", "{\"b\":2}"]);
    assert_eq!(unsent.broken, Some((8, LineError::NotAnObject)));
    source.stored(&unsent);
    assert!(source.read().unwrap().is_none());
}

#[test]
fn a_batch_has_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), 0);
    fs::write(&source.path, "{\"a\":1}\n".repeat(1200)).unwrap();
    let mut sizes = Vec::new();
    while let Some(unsent) = source.read().unwrap() {
        sizes.push(unsent.lines.len());
        source.stored(&unsent);
    }
    assert_eq!(sizes, [500, 500, 200]);
    let large = format!("{{\"a\":\"{}\"}}\n", "x".repeat(600 << 10));
    fs::write(&source.path, large.repeat(3)).unwrap();
    assert!(source.go_to(0).unwrap());
    assert_eq!(source.read().unwrap().unwrap().lines.len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), 0);
    fs::write(folder.path().join("other"), "{}\n").unwrap();
    std::os::unix::fs::symlink(folder.path().join("other"), &source.path).unwrap();
    assert_eq!(
        source.read().unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
}
