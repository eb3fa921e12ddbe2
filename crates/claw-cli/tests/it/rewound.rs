//! Sessions that were rewound, lines with more than one record, and old forms: `claw show`, `claw view`, `claw sessions`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::claw::{Ran, claw, ran, text};

const ID: &str = "11111111-0000-4000-8000-000000000013";

fn line(number: u64, parent: Option<u64>, kind: &str, said: &str) -> String {
    let uuid = |number: u64| format!("aaaaaaaa-0000-4000-8000-{number:012}");
    let message = if kind == "user" {
        json!({"role": "user", "content": said})
    } else {
        json!({"id": format!("m{number}"), "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": said}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}})
    };
    let line = json!({"parentUuid": parent.map(uuid), "isSidechain": false, "userType": "external",
        "cwd": "/srv/shop", "sessionId": ID, "version": "2.1.330", "uuid": uuid(number), "type": kind,
        "timestamp": format!("2026-11-20T10:00:{number:02}.000Z"), "message": message});
    line.to_string()
}

/// A session that was rewound once, in a folder of its own.
fn rewound(folder: &Path) -> PathBuf {
    let lines = [
        line(1, None, "user", "name a fruit"),
        line(2, Some(1), "assistant", "apple"),
        line(3, Some(2), "user", "LEFT name a colour"),
        line(4, Some(3), "assistant", "LEFT blue"),
        line(5, Some(2), "user", "name a city"),
        line(6, Some(5), "assistant", "Paris"),
    ];
    let project = folder.join("projects/-srv-shop");
    fs::create_dir_all(&project).unwrap();
    let path = project.join(format!("{ID}.jsonl"));
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn run(args: &[&str], folder: &Path) -> Ran {
    let ran = ran(claw(args)
        .env("CLAUDE_CONFIG_DIR", folder)
        .output()
        .unwrap());
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
    ran
}

#[test]
fn what_was_rewound_is_folded_and_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = rewound(folder.path());
    let without = "> name a fruit\napple\n↶ rewound: 1 prompt\n> name a city\nParis\n";
    let shown = run(&["show", text(&path)], folder.path());
    assert_eq!(shown.stdout, without);
    let shown = run(&["sessions", "show", ID], folder.path());
    assert_eq!(shown.stdout, without);
    let opened = without.replace("1 prompt\n", "1 prompt\n> LEFT name a colour\nLEFT blue\n");
    let shown = run(&["show", "--rewound", text(&path)], folder.path());
    assert_eq!(shown.stdout, opened);
    let shown = run(&["sessions", "show", "--rewound", ID], folder.path());
    assert_eq!(shown.stdout, opened);

    let json = run(&["show", "--json", text(&path)], folder.path()).stdout;
    let elements: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = elements.iter().map(|it| &it["content"]["type"]).collect();
    let expected = [
        "userInput",
        "assistantText",
        "rewound",
        "userInput",
        "assistantText",
    ];
    assert_eq!(kinds, expected);
    let branch = &elements[2]["content"];
    assert_eq!(branch["prompts"], 1);
    assert_eq!(
        branch["elements"][0]["content"]["text"],
        "LEFT name a colour"
    );

    let page = run(&["view", "--html", text(&path), "-o", "-"], folder.path()).stdout;
    let (before, rest) = page.split_once("rewound: 1 prompt").unwrap();
    let (inside, after) = rest.split_once("</details>").unwrap();
    assert!(
        inside.contains("<details") && inside.contains("LEFT blue"),
        "{inside}"
    );
    assert!(
        !before.contains("LEFT") && !after.contains("LEFT"),
        "{page}"
    );

    let markdown = run(
        &["sessions", "export", ID, "-o", "-", "--format", "markdown"],
        folder.path(),
    )
    .stdout;
    let (_, rest) = markdown
        .split_once("<summary>rewound: 1 prompt</summary>")
        .unwrap();
    let (inside, after) = rest.split_once("</details>").unwrap();
    assert!(
        inside.contains("LEFT blue") && after.contains("Paris"),
        "{markdown}"
    );
}

/// The CLI writes notes between the entries of a branch. They belong to no branch, and end none.
#[test]
fn a_branch_with_notes_inside_is_folded_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = rewound(folder.path());
    let note = json!({"type": "mode", "mode": "normal", "sessionId": ID});
    let lines = fs::read_to_string(&path).unwrap();
    let lines = lines.lines().map(|line| format!("{line}\n{note}\n"));
    fs::write(&path, lines.collect::<String>()).unwrap();
    let shown = run(&["show", text(&path)], folder.path());
    let expected = "> name a fruit\napple\n↶ rewound: 1 prompt\n> name a city\nParis\n";
    assert_eq!(shown.stdout, expected);
}

#[test]
fn a_compaction_is_printed_once_with_its_summary() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/compact");
    let recorded = recorded.join("transcript.ndjson");
    let shown = run(&["show", text(&recorded)], folder.path()).stdout;
    let (before, after) = shown.split_once("≡ Conversation compacted").unwrap();
    assert!(before.ends_with("Hello there.\n"), "{shown}");
    assert!(
        !after.contains('≡') && after.contains("They said hello."),
        "{shown}"
    );
    // Without its summary, it stands where it was.
    let lines = fs::read_to_string(&recorded).unwrap();
    let lines = lines
        .lines()
        .filter(|line| !line.contains("isCompactSummary"));
    let cut = folder.path().join("cut.ndjson");
    fs::write(
        &cut,
        lines.flat_map(|line| [line, "\n"]).collect::<String>(),
    )
    .unwrap();
    let shown = run(&["show", text(&cut)], folder.path()).stdout;
    let (before, after) = shown.split_once("≡ Conversation compacted").unwrap();
    assert!(
        before.ends_with("Hello there.\n") && after.contains("And now?"),
        "{shown}"
    );
    assert!(!after.contains('≡'), "{shown}");
}

/// What the model gets when the real CLI resumes a session of these lines, without what the CLI adds.
#[cfg(unix)]
async fn resumed(id: &str, lines: &str) -> String {
    let scenario = claw_testkit::api::scenarios::text();
    let place = crate::real_cli::Place::new(scenario).await;
    let work = place.folder.path().join("work").canonicalize().unwrap();
    let projects = place.folder.path().join("home/.claude/projects");
    let folder = projects.join(claw_sessions::slug(&work));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{id}.jsonl")), lines).unwrap();
    let ran = place.run(&["run", "--resume", id, "NEXT"]).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let requests = place.api.requests();
    let mut sent = requests
        .iter()
        .map(|request| request.body["messages"].to_string());
    sent.rfind(|sent| sent.contains("NEXT")).unwrap()
}

/// The history that claw reads is what the real CLI sends to the API, and a fork has the same.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_model_has_the_kept_branch_alone() {
    // Texts with a space: the name of a temporary folder, which is sent too, cannot contain them.
    let kept = ["K1 fruit", "K2 apple", "K5 city", "K6 Paris"];
    let left = ["X3 colour", "X4 blue"];
    let begun = [
        line(1, None, "user", kept[0]),
        line(2, Some(1), "assistant", kept[1]),
        line(3, Some(2), "user", left[0]),
        line(4, Some(3), "assistant", left[1]),
    ];
    let with = |more: [String; 2]| begun.iter().cloned().chain(more).collect::<Vec<_>>();
    let rewound = with([
        line(5, Some(2), "user", kept[2]),
        line(6, Some(5), "assistant", kept[3]),
    ]);
    let restarted = with([
        line(5, None, "user", kept[2]),
        line(6, Some(5), "assistant", kept[3]),
    ]);
    let missing = with([
        line(5, Some(30), "user", kept[2]),
        line(6, Some(5), "assistant", kept[3]),
    ]);
    for lines in [rewound, restarted, missing] {
        let lines = lines.join("\n") + "\n";
        let sent = resumed(ID, &lines).await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("projects/-p");
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(format!("{ID}.jsonl")), lines).unwrap();
        let sessions = claw_sessions::Sessions::new(folder.path());
        let session = sessions.find(ID).unwrap();
        let fork = session.fork().run().unwrap();
        let copied = fs::read_to_string(fork.transcript()).unwrap();
        let sent_of_fork = resumed(fork.id().as_str(), &copied).await;
        let history = session.messages().read().unwrap();
        let read = history
            .messages
            .iter()
            .map(|message| message.message.as_raw());
        let read = read.collect::<Vec<_>>().join("\n");
        for text in kept.into_iter().chain(left) {
            assert_eq!(sent.contains(text), read.contains(text), "{text} in {sent}");
            let is_in_fork = sent_of_fork.contains(text);
            assert_eq!(is_in_fork, sent.contains(text), "{text} in {sent_of_fork}");
        }
    }
}

#[test]
fn every_whole_record_of_a_line_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spliced.jsonl");
    let torn = line(4, Some(3), "assistant", "torn");
    let spliced = format!(
        "\u{feff}{}\n\0\0{}{}\0\n{}{}\n",
        line(1, None, "user", "one"),
        line(2, Some(1), "assistant", "two"),
        line(3, Some(2), "user", "three"),
        &torn[..150],
        line(5, Some(3), "user", "five"),
    );
    fs::write(&path, spliced).unwrap();
    let shown = run(&["show", text(&path)], folder.path()).stdout;
    let said: Vec<_> = shown
        .lines()
        .filter(|line| !line.contains("parentUuid"))
        .collect();
    let said = said.join("\n");
    assert!(
        said.starts_with("> one\ntwo\n> three\n? unreadable"),
        "{shown}"
    );
    assert!(said.ends_with("> five"), "{shown}");
    let check = ran(claw(&["check", text(&path)]).output().unwrap());
    for number in [2, 3] {
        assert!(
            check.stdout.contains(&format!(":{number}")),
            "{}",
            check.stdout
        );
    }
    assert_ne!(check.code, Some(0));
}

#[test]
fn a_queued_prompt_without_a_place_is_a_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queued.jsonl");
    let queued = json!({"type": "attachment", "timestamp": "2026-11-20T10:00:02.000Z",
        "attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": "and the largest"}});
    let lacking = json!({"type": "system", "subtype": "api_error", "sessionId": ID});
    let lines = format!(
        "{}\n{queued}\n{}\n{lacking}\n",
        line(1, None, "user", "count"),
        line(2, Some(1), "assistant", "seven")
    );
    fs::write(&path, lines).unwrap();
    let shown = run(&["show", text(&path)], folder.path()).stdout;
    assert!(
        shown.starts_with("> count\n> and the largest\nseven\n? system\n"),
        "{shown}"
    );
    assert!(shown.contains("api_error"), "{shown}");
    let check = ran(claw(&["check", text(&path)]).output().unwrap());
    assert!(!check.stdout.contains("is not known"), "{}", check.stdout);
}

/// `claude … > out.ndjson` of Windows PowerShell 5.1.
#[test]
fn utf16_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ndjson");
    let lines = format!("\u{feff}{}\r\n", line(1, None, "user", "größer 😀"));
    let bytes: Vec<u8> = lines.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&path, bytes).unwrap();
    let shown = run(&["show", text(&path)], folder.path()).stdout;
    assert_eq!(shown, "> größer 😀\n");
    run(&["check", text(&path)], folder.path());
}
