//! `claw config`, and what its file changes.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::claw::{Ran, claw, ran, script};

/// A configuration folder, and a claude that says how it was started.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\nexit 7\n",
            folder.path().join("arguments").display()
        );
        script(&folder.path().join("claude"), &text);
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("claw/config.toml")
    }

    fn claw(&self, args: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = claw(args);
        command
            .env_remove("CLAW_CONFIG")
            .env("XDG_CONFIG_HOME", self.folder.path())
            .env("CLAW_CLAUDE_PATH", self.folder.path().join("claude"))
            .envs(environment.iter().copied());
        ran(command.output().unwrap())
    }

    fn good(&self, args: &[&str]) -> String {
        let ran = self.claw(args, &[]);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{args:?}");
        ran.stdout
    }

    /// The argument with which claude is started.
    fn started(&self, args: &[&str], environment: &[(&str, &str)], flag: &str) -> Option<String> {
        let file = self.folder.path().join("arguments");
        let _ = fs::remove_file(&file);
        let ran = self.claw(args, environment);
        let arguments = fs::read_to_string(&file);
        let arguments = arguments.unwrap_or_else(|_| panic!("not started: {}", ran.stderr));
        let mut lines = arguments.lines();
        lines.find_map(|line| line.strip_prefix(flag).map(str::to_owned))
    }
}

#[test]
fn options_take_precedence_over_the_environment_and_that_over_the_file() {
    let home = Home::new();
    home.good(&["config", "set", "model", "of-all"]);
    home.good(&["config", "set", "run.model", "of-run"]);
    home.good(&["config", "set", "allowed-tools", "Read,Grep"]);
    let run = ["run", "Hello."];
    let model = |args: &[&str], environment: &[(&str, &str)]| {
        home.started(args, environment, "--model=").unwrap()
    };
    let variable = [("CLAW_MODEL", "of-the-environment")];
    assert_eq!(model(&["chat"], &[]), "of-all");
    assert_eq!(model(&run, &[]), "of-run");
    assert_eq!(model(&run, &variable), "of-the-environment");
    let flag = ["run", "Hello.", "--model", "of-the-flag"];
    assert_eq!(model(&flag, &variable), "of-the-flag");
    // An empty variable is none.
    assert_eq!(model(&run, &[("CLAW_MODEL", "")]), "of-run");
    let tools = home.started(&run, &[], "--allowedTools=").unwrap();
    assert_eq!(tools, "Read,Grep");

    home.good(&["config", "unset", "run.model"]);
    assert_eq!(model(&run, &[]), "of-all");
}

#[test]
fn the_file_is_changed_and_its_comments_are_kept() {
    let home = Home::new();
    let path = home.good(&["config", "path"]);
    assert_eq!(path.trim_end(), home.file().to_str().unwrap());
    assert_eq!(home.good(&["config", "list"]), "");
    let none = home.claw(&["config", "get", "model"], &[]);
    assert_eq!((none.code, &*none.stdout), (Some(1), ""), "{}", none.stderr);

    home.good(&["config", "set", "model", "opus"]);
    home.good(&["config", "set", "stall", "30"]);
    home.good(&["config", "set", "run.output", "json"]);
    let text = fs::read_to_string(home.file()).unwrap();
    assert!(text.starts_with("# Defaults"), "{text}");
    assert!(text.contains("model = \"opus\"\nstall = 30\n"), "{text}");
    assert!(text.contains("[run]\noutput = \"json\"\n"), "{text}");
    assert_eq!(home.good(&["config", "get", "model"]), "opus\n");
    assert_eq!(home.good(&["config", "get", "run.output"]), "json\n");
    let listed = home.claw(&["config", "list"], &[("CLAW_STALL", "5")]);
    let rows: Vec<_> = listed.stdout.lines().collect();
    let first: Vec<_> = rows[0].split_whitespace().collect();
    assert_eq!(first, ["stall", "5", "CLAW_STALL"]);
    assert!(
        rows.iter()
            .any(|row| row.starts_with("run.output  json") && row.contains(".toml:"))
    );
    // No file beside it is left.
    assert_eq!(
        fs::read_dir(home.file().parent().unwrap()).unwrap().count(),
        1
    );

    let edit = home.claw(&["config", "edit"], &[("EDITOR", "sed -i s/opus/haiku/")]);
    assert_eq!(edit.code, Some(0), "{}", edit.stderr);
    assert_eq!(home.good(&["config", "get", "model"]), "haiku\n");
    let edit = home.claw(&["config", "edit"], &[("EDITOR", "sed -i s/stall/stahl/")]);
    assert_eq!(edit.code, Some(2), "{}", edit.stderr);
    assert!(
        edit.stderr.contains("there is no key \"stahl\""),
        "{}",
        edit.stderr
    );
    let none = home.claw(&["config", "edit"], &[]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("set VISUAL or EDITOR"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_file_that_the_environment_names_is_there_or_is_made() {
    let home = Home::new();
    let file = home.folder.path().join("mine.toml");
    let named = [("CLAW_CONFIG", file.to_str().unwrap())];
    for args in [&["run", "Hello."][..], &["chat"], &["config", "list"]] {
        let ran = home.claw(args, &named);
        assert_eq!(ran.code, Some(3), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("mine.toml: "), "{}", ran.stderr);
    }
    let made = home.claw(&["config", "set", "model", "opus"], &named);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let model = home.started(&["run", "Hello."], &named, "--model=");
    assert_eq!(model.as_deref(), Some("opus"));
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let home = Home::new();
    for (args, said) in [
        (["set", "modell", "opus"], "there is no key \"modell\""),
        (
            ["set", "run.output", "yaml"],
            "[possible values: text, json, ndjson]",
        ),
        (["set", "walk.model", "x"], "\"walk\" is no command"),
        (
            ["set", "store", "redis://:secret@host"],
            "there is no key \"store\"",
        ),
    ] {
        let ran = home.claw(&[&["config"][..], &args].concat(), &[]);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
        assert!(!home.file().exists());
    }
    fs::create_dir(home.file().parent().unwrap()).unwrap();
    fs::write(
        home.file(),
        "model = \"opus\"\n\n[run]\nmax-turns = \"\u{9b}many\"\n",
    )
    .unwrap();
    for args in [
        &["run", "Hello."][..],
        &["chat"],
        &["config", "list"],
        &["config", "set", "model", "haiku"],
    ] {
        let ran = home.claw(args, &[]);
        assert_eq!(ran.code, Some(2), "{args:?}");
        let place = format!("{}:4: ", home.file().display());
        assert!(ran.stderr.contains(&place), "{args:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{9b}'), "{:?}", ran.stderr);
    }
    fs::write(home.file(), "\npermission-mode = \"bypass\"\n").unwrap();
    let ran = home.claw(&["run", "Hello."], &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let place = format!("{}:2: ", home.file().display());
    assert!(
        ran.stderr.contains(&place) && ran.stderr.contains("bypassPermissions"),
        "{}",
        ran.stderr
    );
    fs::write(home.file(), b"model = \"opus\"\n# caf\xe9\n").unwrap();
    let ran = home.claw(&["run", "Hello."], &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let said = format!("{}:2: the line is not UTF-8", home.file().display());
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    // What takes no default of it works.
    home.good(&["config", "path"]);
    home.good(&["demo"]);
}
