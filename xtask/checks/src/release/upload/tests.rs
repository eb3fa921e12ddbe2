use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::super::plan::Planned;
use super::*;

/// A script that replaces cargo. The registry already contains `a`. The upload of `b` succeeds at the second attempt,
/// and the upload of `c` always fails.
const CARGO: &str = r#"#!/bin/sh
echo "$*" >>../said
case $3 in
  a) echo 'error: crate a@0.1.0 already exists on its index' >&2 && exit 101 ;;
  b) grep -q limited ../said || { echo limited >>../said && echo '(status 429 Too Many Requests)' >&2 && exit 101; } ;;
  c) echo 'error: it has no description' >&2 && exit 101 ;;
esac
"#;

#[test]
fn the_script_passes_by_what_is_there_waits_at_the_limit_and_ends_at_any_other_error() {
    let folder = tempfile::tempdir().unwrap();
    let planned = |name: &str| Planned {
        name: name.to_owned(),
        published: name.to_owned(),
        folder: "".into(),
        library: None,
    };
    let plan = Plan {
        version: "0.1.0".to_owned(),
        crates: ["a", "b", "c", "d"].map(planned).into(),
    };
    write(&plan, folder.path()).unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(folder.path().join("stage")).unwrap();
    fs::write(bin.join("cargo"), CARGO).unwrap();
    fs::set_permissions(bin.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    path.insert(0, bin);
    let output = Command::new("sh")
        .arg(folder.path().join("upload.sh"))
        .arg("--quiet")
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("UPLOAD_PAUSE", "0")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let line = |name: &str| format!("publish --package {name} --allow-dirty --no-verify --quiet\n");
    assert_eq!(
        fs::read_to_string(folder.path().join("said")).unwrap(),
        [
            line("a"),
            line("b"),
            "limited\n".to_owned(),
            line("b"),
            line("c")
        ]
        .concat()
    );
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("it has no description\nupload.sh: c was not uploaded"),
        "{text}"
    );
}
