//! `claw users`.

use crate::claw::{claw, ran};

#[test]
fn a_user_is_added_listed_and_removed_and_the_file_has_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.json");
    let users = |arguments: &[&str]| {
        let mut command = claw(&[&["users"], arguments].concat());
        ran(command.env("CLAW_USERS", &file).output().unwrap())
    };
    let here = folder.path().to_str().unwrap();
    let added = users(&["add", "ana", "--role", "view", "--project", here]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let token = added.stdout.lines().nth(1).unwrap();
    let token = token.strip_prefix("Token for programs: ").unwrap();
    let link = format!("Log in with http://127.0.0.1:8000/login/{token}\n");
    assert!(added.stdout.starts_with(&link), "{}", added.stdout);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(token));
    let real = folder.path().canonicalize().unwrap();
    let listed = format!("ana  view  {}\n", real.display());
    assert_eq!(users(&["list"]).stdout, listed);
    for wrong in [
        &["add", "ana", "--role", "own"][..],
        &["add", "b\u{1b}o", "--role", "own"],
        &["add", "bo", "--role", "own", "--project", "/no/such/folder"],
        &["remove", "bo"],
    ] {
        let refused = users(wrong);
        assert_eq!((refused.code, &*refused.stdout), (Some(3), ""), "{wrong:?}");
        assert!(!refused.stderr.contains('\u{1b}'), "{}", refused.stderr);
    }
    assert_eq!(users(&["list"]).stdout, listed);
    assert_eq!(users(&["remove", "ana"]).code, Some(0));
    assert_eq!(users(&["list"]).stdout, "");
    let unnamed = claw(&["users", "list"]).output().unwrap();
    assert_eq!(unnamed.status.code(), Some(3));
}
