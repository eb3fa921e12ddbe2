//! `claw schema`: what it prints, and how it validates lines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::claw::{claw, long_line, ran, text};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

fn json_files(folder: &Path, below: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            json_files(&entry.path(), &format!("{name}/"), found);
        } else if name == "meta.json" || name.ends_with(".schema.json") {
            found.insert(name);
        }
    }
}

#[test]
fn each_schema_is_printed_as_its_file_is() {
    let mut files = BTreeSet::new();
    json_files(&folder(), "", &mut files);
    // claw-server has the schema of the server, which is not for lines.
    assert!(files.remove("server.schema.json"));
    assert_eq!(files.len(), 10);
    for path in files {
        let name = path.split(['.', '/']).next().unwrap();
        let ran = ran(claw(&["schema", name]).output().unwrap());
        let file = std::fs::read_to_string(folder().join(&path)).unwrap();
        assert_eq!(ran.code, Some(0), "{name}");
        let [printed, file]: [Value; 2] =
            [&ran.stdout, &file].map(|text| serde_json::from_str(text).unwrap());
        assert!(printed == file, "{name} is not what {path} has");
    }
}

#[test]
fn a_file_of_lines_is_checked() {
    let fixture = folder().join("../fixtures/text/stdout.ndjson");
    let good = ran(claw(&["schema", "stdout", "--check"])
        .arg(&fixture)
        .output()
        .unwrap());
    assert_eq!(
        (good.code, good.stdout.as_str()),
        (Some(0), ""),
        "{}",
        good.stderr
    );
    assert!(
        good.stderr.ends_with("0 of them do not fit stdout\n"),
        "{}",
        good.stderr
    );

    let file = tempfile::NamedTempFile::new().unwrap();
    let lines =
        "{\"type\":\"keep_alive\"}\n\n{\"type\":\"control_request\",\"request_id\":\"1\"}\nx\n";
    std::fs::write(file.path(), lines).unwrap();
    let bad = ran(claw(&["schema", "stdout", "--check"])
        .arg(file.path())
        .output()
        .unwrap());
    let name = file.path().display();
    let said: Vec<_> = bad.stdout.lines().collect();
    assert_eq!(bad.code, Some(1), "{}", bad.stderr);
    assert_eq!(
        said[0],
        format!("{name}:3: \"request\" is a required property")
    );
    assert!(
        said[1].starts_with(&format!("{name}:4: no JSON: ")),
        "{said:?}"
    );
}

#[test]
fn a_line_that_no_reader_takes_is_a_fault_and_the_next_one_is_checked() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines = b"\xef\xbb\xbf{\"type\":\"keep_alive\"}\r\n\r\n{\"type\":\"\xff\"}\nx\n";
    std::fs::write(file.path(), lines).unwrap();
    let bad = ran(claw(&["schema", "stdout", "--check"])
        .arg(file.path())
        .output()
        .unwrap());
    let name = file.path().display();
    let faults = format!(
        "{name}:3: the line is not UTF-8 (column 10)\n\
         {name}:4: no JSON: expected value at line 1 column 1\n"
    );
    assert_eq!((bad.code, bad.stdout), (Some(1), faults), "{}", bad.stderr);
    assert_eq!(bad.stderr, "3 lines, 2 of them do not fit stdout\n");

    let (_folder, file) = long_line();
    let long = ran(claw(&["schema", "stdout", "--check", text(&file)])
        .output()
        .unwrap());
    let name = file.display();
    let fault = format!("{name}:3: the line is 67108865 bytes long, the limit is 67108864\n");
    assert_eq!((long.code, long.stdout), (Some(1), fault));
    assert_eq!(long.stderr, "3 lines, 1 of them do not fit stdout\n");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["no/such/file", text(folder.path())] {
        let none = ran(claw(&["schema", "stdout", "--check", file])
            .output()
            .unwrap());
        assert_eq!(none.code, Some(3), "{}", none.stderr);
        let start = format!("claw: {file}: ");
        assert!(none.stderr.starts_with(&start), "{}", none.stderr);
        assert_eq!(none.stdout, "");
    }
}
