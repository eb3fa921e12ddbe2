//! What a session has changed: the edits of its tools, the files now, and what the CLI reports.

use std::fs;
use std::path::{Path, PathBuf};

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::{Response, Running};

const ID: &str = "5e551011-1111-4111-8111-111111111111";

/// The lines of a transcript, which begins with a prompt.
pub(crate) struct Transcript {
    cwd: PathBuf,
    lines: Vec<Value>,
    minute: usize,
}

impl Transcript {
    /// The ID of the session.
    pub(crate) const ID: &str = ID;

    pub(crate) fn new(cwd: &Path) -> Self {
        let mut transcript = Self {
            cwd: cwd.to_owned(),
            lines: Vec::new(),
            minute: 0,
        };
        let prompt = json!({"role": "user", "content": "Change it"});
        transcript.push("user", &json!({"message": prompt}));
        transcript
    }

    fn push(&mut self, kind: &str, more: &Value) {
        let number = self.lines.len();
        let mut line = json!({"type": kind, "uuid": format!("00000000-0000-4000-8000-{number:012}"),
            "parentUuid": null, "sessionId": ID, "cwd": self.cwd, "isSidechain": false,
            "timestamp": format!("2026-01-01T{:02}:{:02}:00.000Z", self.minute / 60 % 24, self.minute % 60),
            "userType": "external", "version": "2.1.330"});
        let more = more.as_object().unwrap().clone();
        line.as_object_mut().unwrap().extend(more);
        self.lines.push(line);
    }

    /// A tool is used, and this is what it gives, at this minute.
    pub(crate) fn tool(&mut self, minute: usize, name: &str, input: &Value, output: &Value) {
        self.minute = minute;
        let id = format!("toolu_{}", self.lines.len());
        let usage = json!({"input_tokens": 1, "output_tokens": 1});
        let used = json!({"id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": "claude-scripted-1",
            "content": [{"type": "tool_use", "id": id, "name": name, "input": input}],
            "stop_reason": "tool_use", "stop_sequence": null, "usage": usage});
        self.push("assistant", &json!({"message": used}));
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "Done"}]);
        let result = json!({"role": "user", "content": result});
        self.push("user", &json!({"message": result, "toolUseResult": output}));
    }

    /// `Edit` replaces a text.
    pub(crate) fn edit(
        &mut self,
        minute: usize,
        path: &str,
        before: Option<&str>,
        old: &str,
        new: &str,
    ) {
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        let output = json!({"filePath": path, "oldString": old, "newString": new, "originalFile": before,
            "structuredPatch": [], "userModified": false, "replaceAll": false});
        self.tool(minute, "Edit", &input, &output);
    }

    /// `Write` writes a file.
    fn write(&mut self, minute: usize, path: &str, before: Option<&str>, content: &str) {
        let kind = if before.is_some() { "update" } else { "create" };
        let output = json!({"type": kind, "filePath": path, "content": content, "structuredPatch": [],
            "originalFile": before});
        let input = json!({"file_path": path, "content": content});
        self.tool(minute, "Write", &input, &output);
    }

    /// The session works in a worktree.
    pub(crate) fn in_worktree(&mut self, name: &str, folder: &Path) {
        let record = json!({"originalCwd": self.cwd, "worktreePath": folder, "worktreeName": name,
            "worktreeBranch": format!("worktree-{name}"), "sessionId": ID});
        self.lines
            .push(json!({"type": "worktree-state", "worktreeSession": record, "sessionId": ID}));
        for line in &mut self.lines {
            line["gitBranch"] = format!("worktree-{name}").into();
        }
    }

    fn text(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(|line| format!("{line}\n")).collect();
        lines.concat()
    }

    /// Writes the session's transcript.
    pub(crate) fn save(&self, running: &Running) {
        let folder = running.folder.path().join("config/projects/p");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{ID}.jsonl")), self.text()).unwrap();
    }

    /// Writes the transcript of a sub-agent of the session, in which the CLI leaves the outputs of tools out.
    fn save_subagent(&mut self, running: &Running) {
        for line in &mut self.lines {
            let output = line.as_object_mut().unwrap().remove("toolUseResult");
            if output.is_some_and(|output| output["type"] == "create") {
                let text = "File created successfully at: a file";
                line["message"]["content"][0]["content"] = text.into();
            }
        }
        let folder = running.folder.path().join("config/projects/p");
        let folder = folder.join(ID).join("subagents");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("agent-a1.jsonl"), self.text()).unwrap();
    }
}

/// The folder of the project, without symbolic links.
fn shop(running: &Running) -> PathBuf {
    running.folder.path().join("shop").canonicalize().unwrap()
}

async fn ask(running: &Running, query: &str) -> Response {
    let path = format!("/api/sessions/{ID}/changes{query}");
    running.ask("GET", &path, &Value::Null).await
}

async fn changes(running: &Running, query: &str) -> Value {
    let response = ask(running, query).await;
    assert_eq!(response.status, 200, "{}", response.body);
    response.json()
}

/// What is said of each file, and its changed lines.
fn files(changes: &Value) -> Vec<String> {
    let files = changes["files"].as_array().unwrap();
    let file = |file: &Value| {
        let hunks = file["hunks"].as_array().unwrap().iter();
        let lines = hunks.flat_map(|hunk| hunk["lines"].as_array().unwrap());
        let lines = lines.filter_map(|line| {
            let sign = match line["kind"].as_str()? {
                "added" => '+',
                "removed" => '-',
                _ => return None,
            };
            Some(format!("{sign}{}", line["text"].as_str()?))
        });
        let text = |key: &str| file[key].as_str().unwrap().to_owned();
        let mut parts = vec![
            text("path"),
            text("status"),
            format!("{}/{}", file["added"], file["removed"]),
        ];
        parts.extend(lines);
        parts.join(" ")
    };
    files.iter().map(file).collect()
}

#[tokio::test]
async fn all_edits_of_a_file_are_one_diff_from_before_the_session_to_now() {
    let running = Running::start(Script::reply("Hi.")).await;
    let shop = shop(&running);
    let path = |name: &str| shop.join(name).display().to_string();
    let (apples, new) = (path("apples.txt"), path("new.txt"));
    let mut transcript = Transcript::new(&shop);
    transcript.edit(1, &apples, Some("a\nb\nc\n"), "a", "A");
    transcript.edit(3, &apples, Some("A\nB\nc\n"), "B", "b");
    // A name that is relative to the session's folder.
    transcript.write(4, "sub/../new.txt", None, "one\n");
    transcript.write(5, &new, Some("one\n"), "one\ntwo\n");
    transcript.write(6, &path("gone.txt"), Some("old\n"), "new\n");
    transcript.write(7, &path("never.txt"), None, "for a moment\n");
    transcript.edit(8, &path("back.txt"), Some("same\n"), "same", "other");
    let refused = json!({"file_path": path("refused.txt"), "content": "x"});
    transcript.tool(9, "Write", &refused, &json!("Error: it may not be written"));
    let fake = json!({"type": "create", "filePath": path("fake.txt"), "content": "x", "structuredPatch": [], "originalFile": null});
    transcript.tool(9, "mcp__other__Write", &refused, &fake);
    transcript.save(&running);
    // In between, a sub-agent has worked on the same file.
    let mut subagent = Transcript::new(&shop);
    subagent.edit(2, &apples, Some("A\nb\nc\n"), "b", "B");
    subagent.write(2, &path("of subagent.txt"), None, "hello\n");
    subagent.save_subagent(&running);
    for (name, text) in [
        ("apples.txt", "A\nb\nc\n"),
        ("new.txt", "one\ntwo\n"),
        ("back.txt", "same\n"),
        // A command has changed it since.
        ("of subagent.txt", "hello\nthere\n"),
    ] {
        fs::write(shop.join(name), text).unwrap();
    }
    let all = changes(&running, "").await;
    assert_eq!(
        files(&all),
        [
            "apples.txt modified 1/1 -a +A",
            "gone.txt deleted 0/1 -old",
            "new.txt added 2/0 +one +two",
            "of subagent.txt added 2/0 +hello +there",
        ]
    );
    assert_eq!(
        (&all["whole"], &all["workspace"]),
        (&json!(true), &Value::Null)
    );
    let apples = &all["files"][0];
    let about = ["source", "edits", "inside", "combined", "truncated"].map(|key| &apples[key]);
    assert_eq!(json!(about), json!(["edits", 3, true, true, false]));
    // Nobody has started a process for it.
    assert!(running.agent.received().is_empty());

    let summary = changes(&running, "?summary=true").await;
    assert_eq!(files(&summary)[0], "apples.txt modified 1/1");
    assert_eq!(summary["files"][0]["truncated"], true);
    let one = changes(&running, "?path=of%20subagent.txt").await;
    assert_eq!(files(&one), ["of subagent.txt added 2/0 +hello +there"]);

    // The session goes on: what is new is read, and what was read is kept.
    transcript.edit(20, &path("apples.txt"), Some("A\nb\nc\n"), "c", "C");
    transcript.save(&running);
    fs::write(shop.join("apples.txt"), "A\nb\nC\n").unwrap();
    let later = changes(&running, "").await;
    assert_eq!(files(&later)[0], "apples.txt modified 2/2 -a +A -c +C");
    assert_eq!(later["files"][0]["edits"], 4);
    // Another transcript has taken its place.
    let mut other = Transcript::new(&shop);
    other.write(1, &path("new.txt"), None, "one\n");
    other.save(&running);
    assert_eq!(
        files(&changes(&running, "").await),
        [
            // The sub-agent alone has edited it: what it had read is not known.
            "apples.txt modified 1/1 -b +B",
            "new.txt added 2/0 +one +two",
            "of subagent.txt added 2/0 +hello +there"
        ]
    );
    running.end().await;
}

#[cfg(unix)]
#[tokio::test]
async fn files_outside_of_the_project_are_named_and_never_read() {
    let running = Running::start(Script::reply("Hi.")).await;
    let shop = shop(&running);
    let other = shop.with_file_name("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("password"), "Secret!\n").unwrap();
    std::os::unix::fs::symlink(&other, shop.join("out")).unwrap();
    let mut transcript = Transcript::new(&shop);
    let outside = other.join("password").display().to_string();
    transcript.edit(1, &outside, Some("a\n"), "a", "b");
    transcript.edit(2, "../other/password", Some("b\n"), "b", "c");
    transcript.edit(3, "out/password", Some("a\n"), "a", "b");
    transcript.edit(4, "/etc/passwd", Some("a\n"), "a", "b");
    transcript.edit(5, "/dev/zero", None, "a", "b");
    transcript.edit(
        6,
        "<img src=x onerror=ran=1>\n\u{202e}",
        Some("a\n"),
        "a",
        "b",
    );
    transcript.save(&running);
    let all = ask(&running, "").await;
    assert!(
        !all.body.contains("Secret!") && !all.body.contains("root:"),
        "{}",
        all.body
    );
    let all = all.json();
    let known = files(&all);
    assert_eq!(known.len(), 5, "{known:?}");
    assert!(
        known.contains(&format!("{outside} modified 1/1 -a +c")),
        "{known:?}"
    );
    assert!(known.contains(&"/etc/passwd modified 1/1 -a +b".to_owned()));
    assert!(known.contains(&"/dev/zero modified 0/0".to_owned()));
    assert!(known.contains(&"out/password modified 1/1 -a +b".to_owned()));
    for file in all["files"].as_array().unwrap() {
        let is_inside = file["path"].as_str().unwrap().starts_with('<');
        assert_eq!(file["inside"], is_inside, "{file}");
    }
    // No name reads a file that was not edited, whatever it is.
    fs::write(shop.join("unedited"), "Unedited!\n").unwrap();
    for path in [
        "unedited",
        "..%2Fother%2Fpassword",
        "%2Fetc%2Fhosts",
        "out%2Fpassword%2F..",
        "%00",
        "",
    ] {
        let one = ask(&running, &format!("?path={path}")).await;
        assert_eq!((one.status, files(&one.json()).len()), (200, 0), "{path}");
        let fragment = format!("/s/{ID}/change?path={path}");
        let fragment = running.ask("GET", &fragment, &Value::Null).await;
        assert_eq!(fragment.status, 404, "{path}: {}", fragment.body);
    }
    assert_eq!(ask(&running, "?folder=/etc").await.status, 400);
    // The page writes names as text.
    let page = running
        .ask("GET", &format!("/s/{ID}/changes"), &Value::Null)
        .await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("&lt;img src=x onerror=ran=1&gt;"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("<img") && !page.body.contains('\u{202e}'));
    running.end().await;
}

#[tokio::test]
async fn a_session_of_another_folder_has_no_changes_here() {
    let running = Running::start(Script::reply("Hi.")).await;
    let mut transcript = Transcript::new(&running.folder.path().join("other"));
    transcript.edit(1, "a.txt", Some("Secret!\n"), "Secret!", "b");
    transcript.save(&running);
    for path in [
        format!("/api/sessions/{ID}/changes"),
        format!("/s/{ID}/changes"),
        format!("/s/{ID}/change?path=a.txt"),
        "/api/sessions/..%2f..%2fetc/changes".to_owned(),
    ] {
        let refused = running.ask("GET", &path, &Value::Null).await;
        assert_eq!(refused.status, 404, "{path}");
        assert!(!refused.body.contains("Secret!"));
    }
    running.end().await;
}

#[tokio::test]
async fn what_the_cli_reports_is_added_while_the_session_has_a_process() {
    let file = |path: &str| json!({"path": path, "added": 1, "removed": 0, "isBinary": false, "isUntracked": false, "status": "modified"});
    let hunk = json!({"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": ["+by a command"]});
    let of = |path: &str| json!({"path": path, "hunks": [hunk]});
    let names = [
        "made.txt",
        "new.txt",
        ".env",
        "../other/x",
        ".claude/worktrees/a/",
        "out/x",
    ];
    let stats = names.map(file);
    let hunks = ["made.txt", "new.txt", "../other/x", "out/x"].map(of);
    let diff = json!({"stats": {"filesCount": 6, "linesAdded": 6, "linesRemoved": 0},
        "perFileStats": stats, "omitted": {"files": 2, "exact": true},
        "hunks": hunks,
        "skippedLarge": [], "restricted": [".env"], "source": {"kind": "branch", "baseBranch": "main", "baseRef": "1"}});
    let asked = |reply: Step| [Step::expect_request("get_workspace_diff"), reply];
    let says = Step::Turn(vec![Step::message([Block::text("Done.")])]);
    let script = [says]
        .into_iter()
        .chain(asked(Step::Reply(json!({ "diff": diff }))))
        .chain(asked(Step::Reply(
            json!({"diff": null, "noDiffReason": "no-repository"}),
        )))
        .chain(asked(Step::ReplyError(
            "Unsupported control request subtype".to_owned(),
        )))
        .chain([Step::gate("never")]);
    let running = Running::start(Script::new(script)).await;
    let shop = shop(&running);
    #[cfg(unix)]
    std::os::unix::fs::symlink(running.folder.path(), shop.join("out")).unwrap();
    let mut transcript = Transcript::new(&shop);
    transcript.write(1, "new.txt", None, "x\n");
    transcript.save(&running);
    fs::write(shop.join("new.txt"), "x\n").unwrap();
    let mut events = running.events(ID, None).await;
    let sent = running.prompt(ID, "Go").await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    events
        .until("change", |data| data.to_string().contains("turnEnd"))
        .await;
    let all = changes(&running, "").await;
    let mut expected = vec![
        "new.txt added 1/0 +x".to_owned(),
        ".env modified 1/0".to_owned(),
        "made.txt modified 1/0 +by a command".to_owned(),
    ];
    if cfg!(unix) {
        // Its folder is a link that leads out of the project.
        expected.push("out/x modified 1/0".to_owned());
    }
    if cfg!(unix) {
        assert_eq!(files(&all), expected);
    }
    let sources: Vec<_> = all["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["source"])
        .collect();
    assert_eq!(sources[..3], ["edits", "workspace", "workspace"]);
    assert_eq!(all["files"][1]["truncated"], true);
    assert_eq!(
        all["workspace"],
        json!({"baseBranch": "main", "problem": null})
    );
    assert_eq!(all["whole"], false);
    // The count does not ask the CLI.
    assert_eq!(files(&changes(&running, "?summary=true").await).len(), 1);
    let problem = async || changes(&running, "").await["workspace"]["problem"].clone();
    assert_eq!(problem().await, "no-repository");
    assert_eq!(problem().await, "not-reported");
    running.end().await;
}

#[tokio::test]
async fn what_is_given_of_many_and_long_files_is_bounded() {
    let running = Running::start(Script::reply("Hi.")).await;
    let shop = shop(&running);
    let mut transcript = Transcript::new(&shop);
    let long = "a line of text\n".repeat(20_000);
    for number in 0..30 {
        transcript.write(1, &format!("long{number:02}.txt"), None, &long);
        fs::write(shop.join(format!("long{number:02}.txt")), &long).unwrap();
    }
    for number in 0..2_100 {
        transcript.write(2, &format!("small{number}.txt"), None, "x\n");
    }
    // One file is edited a thousand times.
    let mut text = "first\n".repeat(500);
    for number in 0..1_000 {
        let old = text.clone();
        text = old.replacen("first", &format!("edit {number}"), 1);
        transcript.edit(
            3,
            "often.txt",
            Some(&old),
            "first",
            &format!("edit {number}"),
        );
    }
    transcript.save(&running);
    let all = ask(&running, "").await;
    // With the JSON around each line, a list is some times longer than its text.
    assert!(all.body.len() < 16 << 20, "{}", all.body.len());
    let all = all.json();
    assert_eq!(all["whole"], false);
    let long = &all["files"][0];
    assert_eq!(
        (&long["added"], &long["truncated"]),
        (&json!(20_000), &json!(true))
    );
    let one = changes(&running, "?path=long29.txt").await;
    assert_eq!(one["files"][0]["truncated"], false);
    assert_eq!(
        one["files"][0]["hunks"][0]["lines"]
            .as_array()
            .unwrap()
            .len(),
        20_000
    );
    // The page has no more lines than a phone bears.
    let page = running
        .ask("GET", &format!("/s/{ID}/changes"), &Value::Null)
        .await;
    assert!(page.body.matches("class=\"new\"").count() <= 600);
    assert!(page.body.contains("data-path=\"long00.txt\""));
    let fragment = format!("/s/{ID}/change?path=long00.txt");
    let fragment = running.ask("GET", &fragment, &Value::Null).await.json();
    let html = fragment["html"].as_str().unwrap();
    assert_eq!(html.matches("class=\"new\"").count(), 20_000);
    running.end().await;
}
