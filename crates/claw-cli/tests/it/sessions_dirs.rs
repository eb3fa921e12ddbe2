//! `--config-dir`: several configuration folders.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[cfg(feature = "serve")]
use claw_testkit::agent::Script;
use claw_testkit::api::scenarios;
use serde_json::{Value, json};

use crate::claw::{Ran, claw, ran};
use crate::real_cli::Place;
#[cfg(feature = "serve")]
use crate::serve;
use crate::sessions::{Home, ONE, TWO, user};

const A: &str = "aaaaaaaa-0000-4000-8000-000000000001";

/// The folder of work sessions, with a session of the home's project.
fn work(home: &Home, id: &str, text: &str) -> PathBuf {
    let line = user(A, None, text);
    work_of(home, id, &line)
}

fn work_of(home: &Home, id: &str, line: &Value) -> PathBuf {
    let config = home.path().join(".claude-work");
    let project = home.file("");
    let project = project.file_name().unwrap();
    let file = config
        .join("projects")
        .join(project)
        .join(format!("{id}.jsonl"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("{line}\n")).unwrap();
    config
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn lists_searches_and_usage_say_the_folder() {
    let home = Home::new();
    home.write(
        &format!("{ONE}.jsonl"),
        &[user(A, None, "A needle at home")],
    );
    let other = work(&home, TWO, "A needle at work");
    let usual = home.path().join(".claude");
    let both = ["--config-dir", text(&usual), "--config-dir", text(&other)];
    let with = |args: &[&str]| home.good(&[&both, args].concat());

    let list = with(&["list"]);
    let row = |id: &str| {
        list.lines()
            .find(|line| line.starts_with(&id[..8]))
            .unwrap()
    };
    assert!(list.contains(" FOLDER "), "{list}");
    assert!(row(ONE).contains(" .claude "), "{list}");
    assert!(row(TWO).contains(" .claude-work "), "{list}");
    // One folder needs no name.
    let alone = home.good(&["--config-dir", text(&usual), "list"]);
    assert_eq!(alone, home.good(&["list"]));
    assert!(!alone.contains("FOLDER") && !alone.contains(&TWO[..8]));

    let json = with(&["list", "--json"]);
    let lines = json.lines().map(|line| serde_json::from_str(line).unwrap());
    for line in lines.collect::<Vec<Value>>() {
        let folder = if line["sessionId"] == ONE {
            &usual
        } else {
            &other
        };
        assert_eq!(line["configDir"], text(folder), "{line}");
    }
    let found = with(&["search", "needle"]);
    assert!(found.contains(&format!("{TWO} in .claude-work")), "{found}");
    let usage = with(&["usage", "--json"]);
    let usage: Value = serde_json::from_str(&usage).unwrap();
    assert!(usage["byConfigDir"].is_object(), "{usage}");
    with(&["usage", "--by", "config-dir"]);
    with(&["rename", TWO, "Renamed"]);
    assert!(with(&["list"]).contains("Renamed"));
    // The configuration file has the folders, and no shell has replaced the `~`.
    let file = home.path().join("claw.toml");
    fs::write(&file, "config-dir = [\"~/.claude\", \"~/.claude-work\"]\n").unwrap();
    let mut command = home.command(&["list"]);
    let listed = ran(command.env("CLAW_CONFIG", &file).output().unwrap());
    assert_eq!(listed.stdout, with(&["list"]), "{}", listed.stderr);
}

#[test]
fn an_id_of_two_folders_is_refused_and_both_are_named() {
    let home = Home::new();
    home.write(&format!("{ONE}.jsonl"), &[user(A, None, "At home")]);
    let other = work(&home, ONE, "At work");
    let usual = home.path().join(".claude");
    let both = ["--config-dir", text(&usual), "--config-dir", text(&other)];
    let run = |args: &[&str]| home.run(&[&both, args].concat());
    assert_eq!(run(&["list"]).stdout.lines().count(), 3);
    let expected = format!(
        "claw: session {ONE} is in several configuration folders: name one with --config-dir {} or --config-dir {}\n",
        usual.display(),
        other.display()
    );
    for args in [
        &["rename", &ONE[..8], "New"][..],
        &["repair", ONE],
        &["delete", ONE, "--yes"],
    ] {
        let Ran { code, stderr, .. } = run(args);
        assert_eq!((code, &*stderr), (Some(2), &*expected), "{args:?}");
    }
    let named = home.good(&["--config-dir", text(&other), "rename", ONE, "New"]);
    assert_eq!(named, "");
}

#[test]
fn a_folder_that_is_missing_is_named_and_the_others_are_shown() {
    let home = Home::new();
    home.write(&format!("{ONE}.jsonl"), &[user(A, None, "At home")]);
    let usual = home.path().join(".claude");
    let missing = home.path().join("missing");
    let args = ["--config-dir", text(&missing), "--config-dir", text(&usual)];
    for command in ["list", "usage"] {
        let ran = home.run(&[&args[..], &[command]].concat());
        let said = format!("claw: cannot read {}: ", missing.display());
        assert_eq!(ran.stderr.matches(&said).count(), 1, "{}", ran.stderr);
        assert_eq!(ran.code, Some(0));
        assert!(!ran.stdout.is_empty());
    }
    let ran = home.run(&["--config-dir", text(&missing), "list"]);
    assert_eq!((ran.code, &*ran.stdout), (Some(3), ""), "{}", ran.stderr);
}

#[cfg(feature = "stores")]
#[test]
fn sync_stores_the_sessions_of_all_folders_and_pull_brings_to_one() {
    let home = Home::new();
    // A session belongs to the project of its directory.
    let mut line = user(A, None, "At home");
    line["cwd"] = text(&home.work().canonicalize().unwrap()).into();
    home.write(&format!("{ONE}.jsonl"), &[line.clone()]);
    line["sessionId"] = TWO.into();
    let other = work_of(&home, TWO, &line);
    let (usual, store) = (home.path().join(".claude"), home.path().join("store"));
    let with = ["--store", text(&store), "--config-dir", text(&other)];
    let both = [&with[..], &["--config-dir", text(&usual)]].concat();
    let sync = [&both[..], &["sync"]].concat();
    let synced = home.good(&sync);
    assert!(
        synced.ends_with("2 sessions stored, 0 unchanged.\n"),
        "{synced}"
    );
    assert_eq!(home.good(&sync), "0 sessions stored, 2 unchanged.\n");
    for command in [&["pull"][..], &["sync", "--watch"], &["sync", "--install"]] {
        let ran = home.run(&[&both[..], command].concat());
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{command:?}");
        assert!(ran.stderr.contains(" one configuration folder: "));
    }
    let pulled = home.good(&[&with[..], &["pull"]].concat());
    assert!(
        pulled.ends_with("1 session brought, 1 unchanged.\n"),
        "{pulled}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_cli_continues_a_session_in_its_folder_and_begins_one_in_the_first() {
    let place = Place::new(scenarios::text()).await;
    let home = place.folder.path().join("home");
    let (usual, other) = (home.join(".claude"), home.join(".claude-work"));
    fs::create_dir_all(&usual).unwrap();
    let ids = |config: &Path| {
        let sessions = claw_sessions::Sessions::new(config);
        let all = sessions.all().unwrap().sessions.into_iter();
        all.map(|it| it.id().as_str().to_owned())
            .collect::<Vec<_>>()
    };
    // The work folder does not exist yet: the CLI makes it.
    let first = ["run", "--config-dir", text(&other), "Say hello to Wilma."];
    let begun = place.run(&first).await;
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    let id = ids(&other).remove(0);
    let both = ["--config-dir", text(&usual), "--config-dir", text(&other)];
    for how in [&["--resume", &*id][..], &["--continue"]] {
        let args = [&["run"], &both[..], how, &["And again."]].concat();
        let run = place.run(&args).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let requests = place.api.requests();
        let last = requests.iter().rfind(|request| request.is_message());
        assert!(last.unwrap().body.to_string().contains("Wilma"), "{how:?}");
        assert_eq!(ids(&other), [&*id]);
        assert!(ids(&usual).is_empty());
    }
    let args = [&["run"], &both[..], &["Say hello to Yvonne."]].concat();
    let new = place.run(&args).await;
    assert_eq!(new.code, Some(0), "{}", new.stderr);
    assert_eq!((ids(&usual).len(), ids(&other).len()), (1, 1));
}

#[cfg(feature = "serve")]
#[test]
fn serve_takes_the_folders_of_options_and_of_the_configuration_file() {
    let place = serve::Place::new(&Script::reply("Four."));
    let (usual, other) = (place.at("config"), place.at("work"));
    let shop = place.at("shop").canonicalize().unwrap();
    let mut line = user(A, None, "At work");
    line["cwd"] = text(&shop).into();
    line["sessionId"] = TWO.into();
    let project = other.join("projects").join(claw_sessions::slug(&shop));
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join(format!("{TWO}.jsonl")), format!("{line}\n")).unwrap();
    let missing = place.at("missing");
    let file = place.at("claw.toml");
    let folders = [&usual, &other, &missing].map(|it| format!("{:?}", text(it)));
    fs::write(&file, format!("config-dir = [{}]\n", folders.join(", "))).unwrap();
    let mut by_options = place.command();
    for folder in [&usual, &other, &missing] {
        by_options.arg("--config-dir").arg(folder);
    }
    let mut by_file = place.command();
    by_file.env("CLAW_CONFIG", &file);
    for command in [by_options, by_file] {
        let served = serve::Served::of(command);
        let list = served.ask("GET /api/sessions", &Value::Null);
        let item = &list["sessions"][0];
        assert_eq!(
            (&item["id"], &item["configName"]),
            (&json!(TWO), &json!("work"))
        );
        assert_eq!(item["configDir"], text(&other));
        let prompt = json!({"text": "2 + 2?"});
        served.ask(&format!("POST /api/sessions/{TWO}/prompts"), &prompt);
    }
    // One folder needs no name.
    let mut alone = place.command();
    alone.arg("--config-dir").arg(&other);
    let served = serve::Served::of(alone);
    let list = served.ask("GET /api/sessions", &Value::Null);
    assert_eq!(list["sessions"][0]["id"], TWO);
    assert_eq!(list["sessions"][0].get("configDir"), None);
}

#[test]
fn acp_takes_the_folders_of_options_and_of_the_configuration_file() {
    let home = Home::new();
    home.write(&format!("{ONE}.jsonl"), &[user(A, None, "At home")]);
    let other = work(&home, TWO, "At work");
    let usual = home.path().join(".claude");
    let file = home.path().join("claw.toml");
    fs::write(
        &file,
        "[acp]\nconfig-dir = [\"~/.claude\", \"~/.claude-work\"]\n",
    )
    .unwrap();
    let acp = |change: &dyn Fn(&mut Command)| {
        let mut command = claw(&["acp"]);
        command.env("HOME", home.path());
        change(&mut command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut ask = |id: u64, method: &str, params: Value| {
            let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            writeln!(stdin, "{line}").unwrap();
            let line = lines.next().unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(answer["id"], id, "{answer}");
            answer["result"].clone()
        };
        let initialize = json!({"protocolVersion": 1, "clientCapabilities": {}});
        ask(1, "initialize", initialize);
        let list = ask(2, "session/list", json!({}));
        drop(stdin);
        assert!(child.wait().unwrap().success());
        let list = list["sessions"].as_array().unwrap().clone();
        let mut folders: Vec<_> = list
            .iter()
            .map(|session| {
                let folder = &session["_meta"]["claudeCode"]["configDir"];
                (session["sessionId"].clone(), folder.clone())
            })
            .collect();
        folders.sort_by_key(|(id, _)| id.to_string());
        folders
    };
    let both = vec![(json!(ONE), json!(usual)), (json!(TWO), json!(other))];
    let by_options = acp(&|command| {
        for folder in [&usual, &other] {
            command.arg("--config-dir").arg(folder);
        }
    });
    assert_eq!(by_options, both);
    let by_file = acp(&|command| {
        command.env("CLAW_CONFIG", &file);
    });
    assert_eq!(by_file, both);
    // The table has no other key.
    fs::write(&file, "[acp]\nmodel = \"opus\"\n").unwrap();
    let ran = ran(claw(&["acp"]).env("CLAW_CONFIG", &file).output().unwrap());
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}
