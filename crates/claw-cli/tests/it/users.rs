//! `claw users` and `claw audit`.

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
    let proxied = users(&["add", "cy@example.org", "--role", "view", "--no-token"]);
    let text = "The user has no token: a proxy names the user.\n";
    assert_eq!(proxied.stdout, text);
    let listed = "cy@example.org  view  all projects  no token\n";
    assert_eq!(users(&["list"]).stdout, listed);
    let unnamed = claw(&["users", "list"]).output().unwrap();
    assert_eq!(unnamed.status.code(), Some(3));
}

#[test]
fn an_audit_log_is_printed_without_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit");
    let line = |time: &str, by: &str, user: &str, what: &str, rest: &str| {
        format!(
            r#"{{"time":"{time}","id":"0","by":"{by}","user":{user},"from":"127.0.0.1:9","forwarded":null,"host":null,"action":"sendPrompt","project":"shop","session":"3f2a","what":"{what}",{rest}}}"#
        )
    };
    let first = line(
        "2026-11-28T01:02:03.000Z",
        "user",
        r#""ana""#,
        "a\\u001b[31m\\nb\u{9b}31m",
        r#""cut":7,"refused":{"kind":"role","message":"no\u0007"}"#,
    );
    let none = r#""cut":null,"refused":null"#;
    let second = line("2026-11-29T01:02:03.000Z", "token", "null", "c", none);
    std::fs::write(&file, format!("{first}\n{second}\n")).unwrap();
    let file = file.to_str().unwrap();
    let audit = |more: &[&str]| ran(claw(&[&["audit", file], more].concat()).output().unwrap());
    let of_ana = "2026-11-28T01:02:03.000Z  ana  127.0.0.1:9  shop  3f2a  sendPrompt  a\\u{1b}[31m b\\u{9b}31m… (and 7 characters)  refused (role): no\\u{7}\n";
    let of_owner = "2026-11-29T01:02:03.000Z  (token)  127.0.0.1:9  shop  3f2a  sendPrompt  c\n";
    assert_eq!(audit(&[]).stdout, format!("{of_ana}{of_owner}"));
    assert_eq!(audit(&["--user", "ana"]).stdout, of_ana);
    assert_eq!(audit(&["--user", "(token)"]).stdout, of_owner);
    assert_eq!(audit(&["--since", "2026-11-29"]).stdout, of_owner);
    assert_eq!(audit(&["--session", "3f"]).stdout.lines().count(), 2);
    assert_eq!(audit(&["--session", "4"]).stdout, "");
    assert_eq!(audit(&["--since", "yesterday"]).code, Some(2));
    let json = audit(&["--json", "--user", "ana"]).stdout;
    assert!(!json.trim_end().contains(char::is_control), "{json:?}");
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(parsed(&json), parsed(&first));
    std::fs::write(file, format!("{first}\n{{\n")).unwrap();
    let broken = audit(&[]);
    assert_eq!((broken.code, &*broken.stdout), (Some(1), of_ana));
}
