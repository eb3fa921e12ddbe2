//! `claw sessions`, on folders that were made for it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::claw::{Ran, claw, ran};

pub(crate) const ONE: &str = "11111111-1111-4111-8111-111111111111";
pub(crate) const TWO: &str = "22222222-2222-4222-8222-222222222222";

/// What must not reach a terminal: colours, another direction of writing, a second line.
pub(crate) const HOSTILE: &str = "Red \u{1b}[31mand \u{202e}back\nand wide 日本語";

/// A home with sessions, and a project.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir(home.work()).unwrap();
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    /// A file of the project's sessions.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.file_of(&self.work(), name)
    }

    fn file_of(&self, project: &Path, name: &str) -> PathBuf {
        let slug = claw_sessions::slug(&project.canonicalize().unwrap());
        let path = self.path().join(".claude/projects").join(slug).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    pub(crate) fn write(&self, name: &str, lines: &[Value]) {
        write(&self.file(name), lines);
    }

    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = claw(&[&["sessions"], args].concat());
        command.env("HOME", self.path()).current_dir(self.work());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args).output().unwrap())
    }

    /// The stdout of a command, which must succeed and write nothing to stderr.
    pub(crate) fn good(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
        // JSON is for programs, who get it as it is.
        if args.contains(&"--json") {
            return ran.stdout;
        }
        assert!(
            !ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{202e}'),
            "{:?}",
            ran.stdout
        );
        ran.stdout
    }
}

fn write(path: &Path, lines: &[Value]) {
    let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, lines.concat()).unwrap();
}

fn link(kind: &str, uuid: &str, parent: Option<&str>, message: &Value) -> Value {
    json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false, "sessionId": ONE,
        "timestamp": WRITTEN, "cwd": "/work/project", "gitBranch": "main",
        "message": message,
    })
}

pub(crate) fn user(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    link(
        "user",
        uuid,
        parent,
        &json!({"role": "user", "content": text}),
    )
}

fn answer(uuid: &str, parent: &str, text: &str, tokens: u64) -> Value {
    let message = json!({
        "id": format!("msg_{uuid}"), "type": "message", "role": "assistant", "model": "claude-a",
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": tokens, "output_tokens": 2, "cache_read_input_tokens": 1500,
            "cache_creation_input_tokens": 3},
    });
    link("assistant", uuid, Some(parent), &message)
}

fn cost(usd: f64) -> Value {
    json!({"type": "cost-state", "sessionId": ONE, "totalCostUSD": usd, "totalAPIDuration": 1,
        "modelUsage": {"claude-a": {"inputTokens": 1, "outputTokens": 1, "costUSD": usd}}})
}

/// The last message of a transcript is this old, and its file too.
fn age(path: &Path, age: Duration) {
    let then = jiff::Timestamp::now() - age;
    let then = then.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, text.replace(WRITTEN, &then)).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

/// When the messages of these tests were written, unless a test says otherwise.
const WRITTEN: &str = "2026-11-22T10:00:00.000Z";
const ELSEWHERE: &str = "33333333-3333-4333-8333-333333333333.jsonl";
const A: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const B: &str = "aaaaaaaa-0000-4000-8000-000000000002";
const C: &str = "aaaaaaaa-0000-4000-8000-000000000003";
const D: &str = "aaaaaaaa-0000-4000-8000-000000000004";

/// Two sessions in the project, the second an hour older, and one elsewhere.
fn some() -> Home {
    let home = written();
    let hours = Duration::from_hours;
    age(
        &home.file(&format!("{ONE}.jsonl")),
        Duration::from_mins(121),
    );
    age(&home.file(&format!("{TWO}.jsonl")), hours(72));
    let other = home.path().join("other");
    age(&home.file_of(&other, ELSEWHERE), hours(2400));
    home
}

/// The sessions of `home`, all with the same time of modification.
fn written() -> Home {
    let home = Home::new();
    let first = [
        user(A, None, "How many apples?"),
        answer(B, A, "Two Apples.", 10),
        cost(0.5),
        json!({"type": "custom-title", "customTitle": HOSTILE, "sessionId": ONE}),
        json!({"type": "tag", "tag": "fruit", "sessionId": ONE}),
    ];
    home.write(&format!("{ONE}.jsonl"), &first);
    fs::create_dir_all(home.file(&format!("{ONE}/subagents/x")).parent().unwrap()).unwrap();
    home.write(
        &format!("{ONE}/subagents/agent-x.jsonl"),
        &[answer(D, A, "apples, says the agent", 40)],
    );
    home.write(
        &format!("{TWO}.jsonl"),
        &[user(A, None, "Second"), answer(C, A, "Pears.", 5)],
    );
    let other = home.path().join("other");
    fs::create_dir(&other).unwrap();
    let path = home.file_of(&other, ELSEWHERE);
    let mut elsewhere = user(A, None, "Elsewhere, apples");
    elsewhere["cwd"] = "/work/project/other".into();
    write(&path, &[elsewhere]);
    home
}

#[test]
fn a_list_says_what_tells_sessions_apart() {
    let home = some();
    let listed = home.good(&["list"]);
    let size = |id| {
        fs::metadata(home.file(&format!("{id}.jsonl")))
            .unwrap()
            .len()
    };
    assert!(
        size(ONE) > 1000 && size(TWO) < 1000,
        "{} {}",
        size(ONE),
        size(TWO)
    );
    let kilobytes = f64::from(u32::try_from(size(ONE)).unwrap()) / 1000.0 - 0.05;
    let expected = format!(
        "\
ID        AGE    SIZE   COST  BRANCH  TAG    TITLE
11111111  2 h  {:.1} kB  $0.50  main    fruit  Red \\u{{1b}}[31mand \\u{{202e}}back and wide 日本語
22222222  3 d   {} B         main           Second
",
        // The table rounds down.
        kilobytes,
        size(TWO),
    );
    assert_eq!(listed, expected);
    let all = home.good(&["list", "--all"]);
    assert_eq!(all.lines().count(), 4);
    assert!(all.contains("3 mon") && all.contains("other"), "{all}");
    assert_eq!(home.good(&["list", "--limit", "1"]).lines().count(), 2);
    // The newest session is not the small one.
    let smaller = (size(TWO) - 1).to_string();
    for (least, ids) in [
        ("1kB", &["11111111"][..]),
        (&smaller, &["11111111", "22222222"]),
    ] {
        let large = home.good(&["list", "--larger-than", least]);
        assert_eq!(large.lines().count(), 1 + ids.len(), "{large}");
        assert!(ids.iter().all(|id| large.contains(id)), "{large}");
    }
    let none = home.good(&["list", "--larger-than", "1GB"]);
    assert!(none.starts_with("No session here is larger."), "{none}");
    let nothing = home.good(&["list", "--project", "/"]);
    assert!(
        nothing.starts_with("There are no sessions here."),
        "{nothing}"
    );
}

#[test]
fn a_list_as_json_has_a_session_a_line() {
    let home = some();
    let listed = home.good(&["list", "--json"]);
    let lines: Vec<Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["sessionId"], ONE);
    assert_eq!(lines[0]["summary"], HOSTILE);
    assert_eq!(lines[0]["cost"], json!({"usd": 0.5, "isWhole": true}));
    assert_eq!(lines[1]["cost"], Value::Null);
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_told_and_the_rest_is_listed() {
    let home = some();
    std::os::unix::fs::symlink(
        "/dev/zero",
        home.file("44444444-4444-4444-8444-444444444444.jsonl"),
    )
    .unwrap();
    fs::write(
        home.file("55555555-5555-4555-8555-555555555555.jsonl"),
        "{broken",
    )
    .unwrap();
    assert_eq!(home.good(&["list"]).lines().count(), 3);
}

#[test]
fn a_session_is_shown_by_the_beginning_of_its_id() {
    let home = some();
    for which in ["1111", "--last"] {
        let shown = home.good(&["show", which]);
        assert!(
            shown.contains("> How many apples?") && shown.contains("Two Apples."),
            "{shown}"
        );
    }
    let shown = home.good(&["show", "2", "--json"]);
    assert!(
        shown
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    let none = home.run(&["show", "9\u{1b}[0m"]);
    assert_eq!(none.code, Some(3));
    assert!(
        none.stderr.contains("no session") && !none.stderr.contains('\u{1b}'),
        "{}",
        none.stderr
    );
    assert_eq!(home.run(&["show"]).code, Some(2));
    home.write(
        &format!("{}.jsonl", ONE.replace("-8111-", "-8112-")),
        &[user(A, None, "x")],
    );
    let several = home.run(&["show", "1"]);
    assert_eq!(several.code, Some(2));
    assert!(
        several.stderr.contains("2 sessions") && several.stderr.contains(ONE),
        "{}",
        several.stderr
    );
}

#[test]
fn usage_is_told_by_model_by_day_and_by_project() {
    let home = written();
    let expected = "\
MODEL     ANSWERS  INPUT  CACHED  TO CACHE  OUTPUT  SUB-AGENTS  ESTIMATE    COST
claude-a        3     55    4.5k         9       6        33 %    ~$0.05  $0.50+
total           3     55    4.5k         9       6        33 %    ~$0.05  $0.50+
ESTIMATE is what these answers cost at the prices of 2026-01-31.
COST is what the CLI wrote down when it ended.
A cost with a + is a part: the CLI did not write the rest down.
";
    let prices = home.path().join("prices.json");
    fs::write(&prices, PRICES).unwrap();
    let prices = prices.to_str().unwrap();
    assert_eq!(home.good(&["usage", "--prices", prices]), expected);
    let days = home.good(&["usage", "--by", "day"]);
    assert!(days.contains("\n2026-11-22        3 "), "{days}");
    let projects = home.good(&["usage", "--by", "project", "--all"]);
    assert!(projects.contains("\n/work/project        3 "), "{projects}");
    let one = home.good(&["usage", ONE, "--json"]);
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["total"]["answers"], 2);
    assert_eq!(one["total"]["subagents"]["tokens"]["input"], 40);
    assert_eq!(one["total"]["cost"], json!({"usd": 0.5, "isWhole": true}));
    assert_eq!(one["bySubagent"]["x"]["answers"], 1);
    let table = home.good(&["usage", ONE, "--by", "day"]);
    assert!(table.contains("\n2026-11-22        2 "), "{table}");
    for by in ["project", "session"] {
        let row = home.run(&["usage", ONE, "--by", by]);
        assert_eq!((row.code, &*row.stdout), (Some(2), ""));
        assert!(
            row.stderr.contains("a session is one row"),
            "{by}: {}",
            row.stderr
        );
    }
    let all = home.good(&["usage", "--json", "--prices", prices]);
    let all: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all["byProject"]["/work/project"]["tokens"]["output"], 6);
    assert_eq!(all["bySession"][ONE]["answers"], 2);
    assert_eq!(
        all["byWeek"]["2026-W47"]["estimate"],
        all["total"]["estimate"]
    );
    assert_eq!(all["total"]["estimate"]["usd"], json!(0.045_133));
    assert_eq!(all["pricesDate"], "2026-01-31");
}

/// 55 in, 4500 cached, 9 to the cache, 6 out: 0.000055 + 0.045 + 0.000018 + 0.00006.
const PRICES: &str = r#"{"date": "2026-01-31", "webSearch": 0.01, "models": {"claude-a":
    {"input": 1, "output": 10, "cacheRead": 10, "cacheWrite5m": 2, "cacheWrite1h": 4}}}"#;

#[test]
fn a_model_without_prices_is_named_and_its_cost_is_not_zero() {
    let home = Home::new();
    let mut hostile = answer(A, B, "Hello.", 1);
    hostile["message"]["model"] = json!(HOSTILE);
    let mut formula = answer(C, D, "Hello.", 1);
    formula["message"]["model"] = json!("=1+1");
    home.write(&format!("{ONE}.jsonl"), &[hostile, formula]);
    let table = home.good(&["usage"]);
    assert!(!table.contains(['\u{1b}', '\u{202e}']), "{table}");
    assert!(
        table.contains("which --prices can name: =1+1, Red \\u{1b}[31mand"),
        "{table}"
    );
    let total = table
        .lines()
        .find(|line| line.starts_with("total"))
        .unwrap();
    assert!(total.ends_with('?'), "{total}");
    let csv = home.good(&["usage", "--csv"]);
    let lines: Vec<_> = csv.split("\r\n").collect();
    assert!(
        lines[0].starts_with("model,answers,input,output,thinking,"),
        "{csv}"
    );
    assert_eq!(lines[1], "'=1+1,1,1,2,0,1500,3,0,0,0,0,,,1,,");
    assert!(!csv.contains(['\u{1b}', '\u{202e}']), "{csv}");
    let json: Value = serde_json::from_str(&home.good(&["usage", "--json"])).unwrap();
    assert_eq!(json["unpricedModels"], json!(["=1+1", HOSTILE]));
    assert_eq!(json["total"]["estimate"]["unpricedAnswers"], 2);
}

#[test]
fn days_are_those_of_the_time_zone_and_of_the_range() {
    let home = Home::new();
    let mut late = answer(A, B, "Hello.", 1);
    late["timestamp"] = json!("2026-11-22T23:30:00.000Z");
    let mut winter = answer(C, D, "Hello.", 1);
    winter["timestamp"] = json!("2026-06-30T22:30:00.000Z");
    home.write(&format!("{ONE}.jsonl"), &[winter, late]);
    let days = |zone: &str, args: &[&str]| {
        let mut command = home.command(&[&["usage", "--by", "day", "--csv"], args].concat());
        let ran = ran(command.env("TZ", zone).output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let rows = ran.stdout.lines().skip(1);
        let days = rows.map(|row| row.split(',').next().unwrap().to_owned());
        days.collect::<Vec<_>>()
    };
    // Two hours ahead in summer, one in winter.
    assert_eq!(days("Europe/Berlin", &[]), ["2026-07-01", "2026-11-23"]);
    assert_eq!(days("America/New_York", &[]), ["2026-06-30", "2026-11-22"]);
    assert_eq!(
        days("Europe/Berlin", &["--utc"]),
        ["2026-06-30", "2026-11-22"]
    );
    let range = ["--since", "2026-07-01", "--until", "2026-11-22"];
    assert_eq!(days("Europe/Berlin", &range), ["2026-07-01"]);
    assert_eq!(days("UTC", &range), ["2026-11-22"]);
    let wrong = home.run(&["usage", "--since", "yesterday"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    assert!(
        wrong.stderr.contains("\"yesterday\" is not a day"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn prices_that_are_not_valid_are_an_error_with_its_place() {
    let home = Home::new();
    let path = home.path().join("prices.json");
    fs::write(
        &path,
        PRICES.replace("\"output\": 10", "\"output\": \"10\""),
    )
    .unwrap();
    let path = path.to_str().unwrap();
    let wrong = home.run(&["usage", "--prices", path]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    let expected = "in models.claude-a.output at line 2, column 31";
    assert!(wrong.stderr.contains(expected), "{}", wrong.stderr);
    let missing = home.run(&["usage", "--prices", "/no/such/file"]);
    assert!(
        missing.stderr.contains("/no/such/file"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_text_is_found_with_its_place() {
    let home = some();
    let expected = format!(
        "\
{ONE}  Red \\u{{1b}}[31mand \\u{{202e}}back and wide 日本語
     1 user      How many apples?

{ONE} sub-agent x  Red \\u{{1b}}[31mand \\u{{202e}}back and wide 日本語
     1 assistant apples, says the agent
"
    );
    assert_eq!(home.good(&["search", "apples"]), expected);
    assert_eq!(
        home.good(&["search", "apples", "--all"])
            .matches("Elsewhere")
            .count(),
        2
    );
    let any = home.good(&["search", "APPLES", "-i", "--json"]);
    let lines: Vec<Value> = any
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        (&lines[1]["line"], &lines[1]["uuid"]),
        (&json!(2), &json!(B))
    );
    assert!(
        home.good(&["search", "plums"])
            .starts_with("Nobody said that here.")
    );
    let title = home.good(&["search", "31mand", "--everything"]);
    assert!(title.contains("custom-title Red \\u{1b}[31mand"), "{title}");
    assert_eq!(home.run(&["search", ""]).code, Some(2));
}

#[test]
fn a_session_is_exported_in_three_forms() {
    let home = some();
    let file = |name: &str| home.path().join(name);
    for name in ["s.md", "s.html", "s.ndjson"] {
        assert_eq!(
            home.good(&["export", "1", "-o", file(name).to_str().unwrap()]),
            ""
        );
    }
    let markdown = fs::read_to_string(file("s.md")).unwrap();
    assert!(
        markdown.contains("## User\n\n> How many apples?\n\n## Claude\n\nTwo Apples.\n"),
        "{markdown}"
    );
    let page = fs::read_to_string(file("s.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("Two Apples."));
    let transcript = fs::read(home.file(&format!("{ONE}.jsonl"))).unwrap();
    assert_eq!(fs::read(file("s.ndjson")).unwrap(), transcript);
    assert_eq!(
        home.good(&["export", "--last", "-o", "-", "--format", "markdown"]),
        markdown
    );
    let unknown = home.run(&["export", "1", "-o", "s.txt"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("--format"), "{}", unknown.stderr);
}

#[test]
fn titles_tags_and_the_archive_are_changed() {
    let home = some();
    assert_eq!(home.good(&["rename", "2222", "A better title"]), "");
    assert_eq!(home.good(&["tag", "2222", "veg"]), "");
    assert_eq!(home.good(&["archive", "2222"]), "");
    let info = |home: &Home| {
        let listed = home.good(&["list", "--json"]);
        let mut lines = listed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.find(|line| line["sessionId"] == TWO).unwrap()
    };
    let changed = info(&home);
    assert_eq!(
        (&changed["summary"], &changed["tag"]),
        (&json!("A better title"), &json!("veg"))
    );
    assert_eq!(home.good(&["tag", "2222", "--remove"]), "");
    assert_eq!(home.good(&["archive", "2222", "--undo"]), "");
    assert_eq!(info(&home)["tag"], Value::Null);
    let empty = home.run(&["rename", "2222", "  "]);
    assert_eq!(empty.code, Some(2), "{}", empty.stderr);
    assert_eq!(home.run(&["tag", "2222"]).code, Some(2));
}

#[test]
fn a_fork_is_another_session_up_to_a_message() {
    let home = some();
    let id = home.good(&["fork", "1111", "--up-to", A, "--title", "Only the question"]);
    let fork = fs::read_to_string(home.file(&format!("{}.jsonl", id.trim_end()))).unwrap();
    assert!(
        fork.contains("How many apples?") && !fork.contains("Two Apples."),
        "{fork}"
    );
    assert!(home.good(&["list"]).contains("Only the question"));
    assert_eq!(
        home.good(&["show", "--last"]).trim_end(),
        "> How many apples?"
    );
    let unknown = home.run(&["fork", "1111", "--up-to", D]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
}

#[test]
fn nothing_is_deleted_where_nobody_can_be_asked() {
    let home = some();
    let refused = home.run(&["delete", "2222"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    let mut command = home.command(&["delete", "2222"]);
    let yes = command.stdin(Stdio::from(File::open("/dev/null").unwrap()));
    assert_eq!(yes.output().unwrap().status.code(), Some(2));
    assert!(home.file(&format!("{TWO}.jsonl")).exists());
    assert_eq!(home.good(&["delete", "2222", "--yes"]), "");
    assert!(!home.file(&format!("{TWO}.jsonl")).exists());
    assert!(home.file(&format!("{ONE}.jsonl")).exists());
    assert_eq!(home.run(&["delete", "2222", "--yes"]).code, Some(3));
}

#[test]
fn sessions_are_deleted_by_age_tag_and_project() {
    let home = some();
    let file = |id: &str| home.file(&format!("{id}.jsonl"));
    let elsewhere = home.file_of(&home.path().join("other"), ELSEWHERE);
    // Without options, all would be meant, and an ID and options contradict each other.
    for args in [
        &["delete"][..],
        &["delete", "--all"],
        &["delete", "2222", "--older-than", "1d"],
        &["delete", "--older-than", "90"],
        &["delete", "--older-than", "0d"],
        &["delete", "--older-than", "1d", "--dry-run"],
    ] {
        let refused = home.run(&[args, &["--yes"]].concat());
        assert_eq!(refused.code, Some(2), "{args:?}: {}", refused.stdout);
    }
    let printed = home.good(&["delete", "--older-than", "2d", "--dry-run"]);
    assert!(
        printed.contains("22222222") && printed.contains("1 session, "),
        "{printed}"
    );
    assert!(!printed.contains("11111111"), "{printed}");
    let refused = home.run(&["delete", "--older-than", "2d"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stdout.contains("22222222"), "{}", refused.stdout);
    assert!(refused.stderr.contains("--yes"), "{}", refused.stderr);
    let both = home.good(&["delete", "--older-than", "2d", "--all", "--dry-run"]);
    assert!(both.contains("2 sessions, "), "{both}");
    // A title must not reach a terminal as it is.
    let tagged = home.good(&["delete", "--tag", "fruit", "--dry-run"]);
    assert!(
        tagged.contains("11111111") && !tagged.contains('\u{1b}') && !tagged.contains('\u{202e}'),
        "{tagged:?}"
    );
    assert!(file(ONE).exists() && file(TWO).exists() && elsewhere.exists());

    let none = home.good(&["delete", "--tag", "fruit", "--older-than", "1d", "--yes"]);
    assert_eq!(none, "No session is selected.\n");
    let gone = home.good(&["delete", "--older-than", "2d", "--yes"]);
    assert_eq!(gone, "1 session deleted\n");
    assert!(file(ONE).exists() && !file(TWO).exists() && elsewhere.exists());
    let gone = home.good(&["delete", "--tag", "fruit", "--yes"]);
    assert_eq!(gone, "1 session deleted\n");
    assert!(!file(ONE).exists() && !home.file(ONE).exists() && elsewhere.exists());
}

#[test]
fn without_a_terminal_no_session_can_be_chosen() {
    let home = some();
    let mut command = claw(&["chat", "--resume"]);
    command.env("HOME", home.path()).current_dir(home.work());
    let refused = ran(command.output().unwrap());
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("claw sessions list"),
        "{}",
        refused.stderr
    );
}

/// A prompt of 84 KB: where the session ran stands behind it in the same line.
#[test]
fn a_session_with_a_long_first_prompt_has_its_project() {
    let home = Home::new();
    let long = "apples ".repeat(12 << 10);
    let prompt = format!(
        r#"{{"parentUuid":null,"type":"user","message":{{"role":"user","content":"{long}"}},"uuid":"{A}","timestamp":"2026-11-22T10:00:00.000Z","cwd":"/home/user/orchard","sessionId":"{ONE}","gitBranch":"main"}}"#
    );
    fs::write(home.file(&format!("{ONE}.jsonl")), prompt + "\n").unwrap();
    let listed = home.good(&["list", "--all"]);
    assert!(
        listed.contains("orchard") && listed.contains("apples apples"),
        "{listed}"
    );
    let json: Value = serde_json::from_str(home.good(&["list", "--all", "--json"]).trim()).unwrap();
    let text = json.to_string();
    assert!(text.contains("/home/user/orchard"), "{text}");
}
