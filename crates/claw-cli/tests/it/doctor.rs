//! `claw doctor`.
#![cfg(unix)]

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::claw::{Ran, claw, ran, script};

/// A home with a claude that has this version and login.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new(version: &str, status: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".claude")).unwrap();
        fs::create_dir_all(folder.path().join("work/.claude")).unwrap();
        let text = format!(
            "#!/bin/sh\ncase $1 in\n--version) echo '{version} (Claude Code)';;\nauth) echo '{status}';;\nesac\n"
        );
        script(&folder.path().join("claude"), &text);
        Self { folder }
    }

    fn good() -> Self {
        Self::new(
            "2.1.330",
            r#"{"loggedIn": true, "authMethod": "api_key", "email": "ada@example.org"}"#,
        )
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, args: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = claw(&[&["doctor"], args].concat());
        command
            .env_remove("CLAW_CONFIG")
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path())
            .env("CLAW_CLAUDE_PATH", self.path().join("claude"))
            .current_dir(self.path().join("work"))
            .envs(environment.iter().copied());
        ran(command.output().unwrap())
    }
}

/// Checks what is said, and that it is said to be wrong.
fn wrong(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for part in parts {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn nothing_is_wrong() {
    let home = Home::good();
    let ran = home.run(&[], &[]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    for part in [
        "✓ version   2.1.330; claw works with 2.1.200",
        "✓ login     ada@example.org",
        "HTTPS_PROXY is not set",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains(['✗', '!']), "{}", ran.stdout);
    let json = home.run(&["--json"], &[]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["ok"], true);
    let checks = json["checks"].as_array().unwrap();
    let names: Vec<_> = checks
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[..4], ["claude", "version", "login", "settings"]);
    // It has left no file of its own.
    assert_eq!(fs::read_dir(home.path().join("work")).unwrap().count(), 1);
}

#[test]
fn each_fault_is_said_with_how_to_mend_it() {
    let home = Home::good();
    let ran = home.run(&[], &[("CLAW_CLAUDE_PATH", "/no/claude")]);
    wrong(
        &ran,
        &[
            "✗ claude",
            "/no/claude",
            "npm install -g @anthropic-ai/claude-code",
        ],
    );
    // Another program, whatever it says.
    let long = "long ".repeat(100);
    for (said, shown) in [
        (
            "ls (GNU coreutils) 9.1",
            r#"says "ls (GNU coreutils) 9.1 (Claude Code)""#,
        ),
        (r"a\033[31mred\007", r#"says "a[31mred (Claude Code)""#),
        (&*long, "says \"long long"),
    ] {
        let other = Home::new(said, r#"{"loggedIn": true}"#);
        let ran = other.run(&[], &[]);
        wrong(&ran, &["✗ claude", shown, "set CLAW_CLAUDE_PATH"]);
        assert!(!ran.stdout.contains(['\x1b', '\x07']), "{}", ran.stdout);
        assert!(ran.stdout.len() < 2000, "{}", ran.stdout);
    }
    let old = Home::new("2.1.100", r#"{"loggedIn": true}"#);
    wrong(
        &old.run(&[], &[]),
        &["✗ version   2.1.100", "claude update"],
    );
    let out = Home::new("2.1.330", r#"{"loggedIn": false}"#);
    wrong(
        &out.run(&[], &[]),
        &["✗ login", "claude auth login", "ANTHROPIC_API_KEY"],
    );

    fs::write(
        home.path().join("work/.claude/settings.json"),
        "{\n  \"a\": 1,\n}\n",
    )
    .unwrap();
    wrong(
        &home.run(&[], &[]),
        &[
            "work/.claude/settings.json:3:1: trailing comma",
            "Mend the JSON",
        ],
    );
    fs::write(home.path().join("work/.claude/settings.json"), "[]").unwrap();
    wrong(&home.run(&[], &[]), &["a settings file is a JSON object"]);
    fs::write(home.path().join("work/.claude/settings.json"), "{}").unwrap();

    fs::create_dir(home.path().join("claw")).unwrap();
    let config = home.path().join("claw/config.toml");
    fs::write(&config, "\nmodell = 1\n").unwrap();
    wrong(
        &home.run(&[], &[]),
        &["config.toml:2: there is no key", "claw config edit"],
    );
    fs::write(&config, "model = \"opus\"\n").unwrap();
    assert_eq!(home.run(&[], &[]).code, Some(0));

    wrong(
        &home.run(&[], &[("CLAW_CONFIG", "/does/not")]),
        &["✗ config", "/does/not: ", "take CLAW_CONFIG away"],
    );

    // A file in the place of a folder cannot be written to, not even by root.
    let file = config.to_str().unwrap();
    wrong(
        &home.run(&[], &[("CLAUDE_CONFIG_DIR", file)]),
        &["✗ folder", "CLAUDE_CONFIG_DIR"],
    );
}

#[test]
fn the_proxy_is_reached_or_not() {
    let home = Home::good();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("http://me:secret@127.0.0.1:{port}");
    let ran = home.run(&[], &[("HTTPS_PROXY", &url)]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains(&format!("127.0.0.1:{port}, which is reached")),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("secret"), "{}", ran.stdout);
    drop(listener);
    let ran = home.run(&[], &[("HTTPS_PROXY", &url)]);
    wrong(
        &ran,
        &[
            "which is not reached",
            "Start the proxy, correct HTTPS_PROXY",
        ],
    );
    assert!(!ran.stdout.contains("secret"), "{}", ran.stdout);
    wrong(
        &home.run(&[], &[("HTTPS_PROXY", "socks5://me:secret@x")]),
        &["not a URL of a proxy"],
    );

    // The API is connected to only when that is asked for.
    let api = TcpListener::bind("127.0.0.1:0").unwrap();
    api.set_nonblocking(true).unwrap();
    let url = format!("http://{}", api.local_addr().unwrap());
    assert_eq!(home.run(&[], &[("ANTHROPIC_BASE_URL", &url)]).code, Some(0));
    assert!(api.accept().is_err());
    let ran = home.run(&["--network"], &[("ANTHROPIC_BASE_URL", &url)]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(api.accept().is_ok());
    drop(api);
    wrong(
        &home.run(&["--network"], &[("ANTHROPIC_BASE_URL", &url)]),
        &["✗ network", "is not reached"],
    );
}

#[test]
#[cfg(feature = "terminal")]
fn sessions_of_a_directory_that_was_moved_are_found() {
    let home = Home::good();
    let path = home.path().canonicalize().unwrap();
    let add = |directory: &str, id: u8| {
        let directory = path.join(directory);
        let project = path
            .join(".claude/projects")
            .join(claw_sessions::slug(&directory));
        fs::create_dir_all(&project).unwrap();
        let line =
            serde_json::json!({"type": "user", "cwd": directory, "message": {"content": "Hi"}});
        let name = format!("{id}1111111-1111-4111-8111-111111111111.jsonl");
        fs::write(project.join(name), format!("{line}\n")).unwrap();
    };
    let run = || home.run(&[], &[("TMPDIR", path.join("tmp").to_str().unwrap())]);
    fs::create_dir(path.join("tmp")).unwrap();
    for (directory, id) in [("work", 1), ("tmp/x", 2), ("work/.claude/worktrees/w", 3)] {
        add(directory, id);
    }
    let ran = run();
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    assert!(!ran.stdout.contains("sessions  "), "{}", ran.stdout);

    add("my sums", 4);
    add("my sums", 5);
    add("my sums/below", 6);
    add("gone\u{1b}[31m", 7);
    fs::create_dir_all(path.join("work/my sums")).unwrap();
    let ran = run();
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    let at = path.display();
    for part in [
        format!("3 sessions are of {at}/my sums, which does not exist\n"),
        format!(
            "→ If it is {at}/work/my sums now: claw sessions move '{at}/my sums' '{at}/work/my sums' --all-below\n"
        ),
        format!("1 session is of directories that do not exist, such as {at}/gone\\u{{1b}}[31m\n"),
        "→ If a directory was moved or renamed: claw sessions move OLD NEW\n".to_owned(),
    ] {
        assert!(ran.stdout.contains(&part), "{part}: {}", ran.stdout);
    }
}
