//! `claw serve` on a full disk: a small file system of its own, which is mounted for the server alone.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use rustix::process::geteuid;
use serde_json::{Value, json};

use crate::serve::{Place, Served, ask};

/// The time within which a server notices its disk.
const PATIENCE: Duration = Duration::from_secs(30);

/// Mounts the file system, and becomes the server.
const MOUNT: &str = r#"mount -t tmpfs -o "$1" claw-test "$2" && shift 2 && exec "$@""#;

/// A server whose configuration folder is on a small disk.
struct Small {
    place: Place,
    served: Served,
}

impl Small {
    fn new(script: &Script, options: &str) -> Self {
        Self::with(script, options, false)
    }

    /// A server which may have an audit log on the disk.
    fn with(script: &Script, options: &str, is_audited: bool) -> Self {
        let place = Place::new(script);
        fs::create_dir(place.at("disk")).unwrap();
        // The scripted agent has no login.
        let claude = place.at("claude");
        let text = format!(
            "#!/bin/sh\ncase $1 in\n--version) echo '2.1.332 (Claude Code)';;\nauth) echo '{{\"loggedIn\": true}}';;\n\
             *) exec '{}' \"$@\";;\nesac\n",
            agent::program().unwrap().display()
        );
        fs::write(&claude, text).unwrap();
        fs::set_permissions(&claude, fs::Permissions::from_mode(0o700)).unwrap();
        let options_of_claude = json!({"pathToClaudeCodeExecutable": claude});
        fs::write(place.at("options.json"), options_of_claude.to_string()).unwrap();
        let mut command = mounted(&place, options);
        if is_audited {
            command.arg("--audit").arg(place.at("disk/audit"));
        }
        command.stderr(File::create(place.at("log")).unwrap());
        let served = Served::of(command);
        Self { place, served }
    }

    /// A path on the disk, which the server alone has mounted.
    fn at(&self, name: &str) -> PathBuf {
        let disk = self.place.at("disk");
        let disk = disk.strip_prefix("/").unwrap();
        let root = format!("/proc/{}/root", self.served.child.id());
        Path::new(&root).join(disk).join(name)
    }

    /// Writes until nothing more fits.
    fn fill(&self) {
        let mut file = File::create(self.at("filler")).unwrap();
        let full = loop {
            if let Err(error) = file.write_all(&[0; 4096]) {
                break error;
            }
        };
        assert_eq!(full.kind(), ErrorKind::StorageFull, "{full}");
    }

    /// Makes files until there is no inode for another one.
    fn use_inodes(&self) {
        fs::create_dir(self.at("inodes")).unwrap();
        let full =
            (0..10_000).find_map(|number| File::create(self.at(&format!("inodes/{number}"))).err());
        let full = full.unwrap();
        assert_eq!(full.kind(), ErrorKind::StorageFull, "{full}");
    }

    /// Sends a prompt that the disk cannot keep. It is seen in the metrics and in the log, as docs/serve.md says under "What
    /// is wrong". Returns the message.
    fn refused(&self, session: &str, uuid: &str, text: &str) -> String {
        let name = "claw_http_responses_total{status=\"5xx\"}";
        let before = self.served.metric(name);
        let (status, refused) = prompt(self, session, uuid, text);
        assert_eq!(status, 500, "{refused}");
        assert!(self.served.metric(name) > before);
        let log = fs::read_to_string(self.place.at("log")).unwrap();
        assert!(log.contains("this host cannot write to its disk"), "{log}");
        let text = refused["error"]["message"].as_str().unwrap();
        assert!(text.starts_with("the prompt cannot be kept: "), "{text}");
        text.to_owned()
    }

    /// Waits until `/ready` answers with this status, and returns the body.
    fn ready(&self, status: u16) -> String {
        let began = Instant::now();
        loop {
            let answer = ask(&self.served.address, "GET /ready", "", "");
            if answer.starts_with(&format!("HTTP/1.1 {status} ")) {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "{answer}");
            std::thread::yield_now();
        }
    }

    /// The files of the disk whose names end like this.
    fn files(&self, end: &str) -> Vec<PathBuf> {
        fn below(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    below(&entry.path(), found);
                } else {
                    found.push(entry.path());
                }
            }
        }
        let mut found = Vec::new();
        below(&self.at("config"), &mut found);
        found.retain(|path| path.to_string_lossy().ends_with(end));
        found
    }
}

/// The command of a server that has mounted its disk in a namespace of its own.
fn mounted(place: &Place, options: &str) -> Command {
    let server = place.command();
    let mut command = Command::new("unshare");
    command.arg("--mount");
    if !geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    let check = Command::new("unshare")
        .args(command.get_args())
        .args(["sh", "-c", MOUNT, "sh", options])
        .arg(place.at("disk"))
        .arg("true")
        .output()
        .unwrap();
    assert!(
        check.status.success(),
        "this test mounts a file system: it needs root, or namespaces of users: {}",
        String::from_utf8_lossy(&check.stderr)
    );
    command
        .args(["sh", "-c", MOUNT, "sh", options])
        .arg(place.at("disk"))
        .arg(server.get_program())
        .args(server.get_args());
    for (name, value) in server.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.env("CLAUDE_CONFIG_DIR", place.at("disk/config"));
    command
}

/// Sends a prompt, and returns the status and the body of the response.
fn prompt(small: &Small, id: &str, uuid: &str, text: &str) -> (u16, Value) {
    let body = json!({"text": text, "uuid": uuid});
    small
        .served
        .answer(&format!("POST /api/sessions/{id}/prompts"), &body)
}

const FIRST: &str = "a0000000-0000-4000-8000-000000000001";
const SECOND: &str = "a0000000-0000-4000-8000-000000000002";

#[test]
fn on_a_full_disk_a_prompt_is_refused_and_one_that_was_accepted_is_answered() {
    let script = Script::new([
        Step::Turn(vec![Step::message([Block::text("One.").hold(1, "half")])]),
        Step::Turn(vec![Step::message([Block::text("Two.")])]),
    ]);
    let small = Small::new(&script, "size=1m");
    small.ready(200);
    let session = small
        .served
        .ask("POST /api/sessions", &json!({"project": "shop"}));
    let id = session["id"].as_str().unwrap();
    let mut events = small.served.events(id);
    let (status, accepted) = prompt(&small, id, FIRST, "One?");
    assert_eq!(status, 202, "{accepted}");
    assert!(events.any(|line| line.contains(r#""phase":"running""#)));
    small.fill();
    let refused = small.ready(503);
    assert!(
        refused.contains("the disk of this host is full"),
        "{refused}"
    );
    let text = small.refused(id, SECOND, "Two?");
    assert!(text.contains("No space left on device"), "{text}");
    // Nothing of it is left, neither in the session nor on disk.
    let view = small
        .served
        .ask(&format!("GET /api/sessions/{id}"), &Value::Null);
    assert!(!view.to_string().contains("Two?"), "{view}");
    assert_eq!(small.files(".accepted"), Vec::<PathBuf>::new());
    // The first prompt was accepted before, so it is answered, and its mark is removed.
    assert_eq!(small.files(".sent").len(), 1);
    fs::write(small.place.at("gates/half.open"), "").unwrap();
    assert!(events.any(|line| line.contains("One.")));
    assert!(events.any(|line| line.contains(r#""phase":"idle""#)));
    assert_eq!(small.files(".sent"), Vec::<PathBuf>::new());
    // The sender sends it again once there is room.
    fs::remove_file(small.at("filler")).unwrap();
    small.ready(200);
    let (status, accepted) = prompt(&small, id, SECOND, "Two?");
    assert_eq!(status, 202, "{accepted}");
    assert!(events.any(|line| line.contains("Two.")));
}

#[test]
fn a_disk_without_inodes_is_named_and_a_prompt_is_refused() {
    let script = Script::new([Step::Turns(vec![Step::message([Block::text("Yes.")])])]);
    let small = Small::new(&script, "size=1m,nr_inodes=64");
    small.ready(200);
    let session = small
        .served
        .ask("POST /api/sessions", &json!({"project": "shop"}));
    let id = session["id"].as_str().unwrap();
    small.use_inodes();
    let refused = small.ready(503);
    assert!(
        refused.contains("the disk of this host has no inodes left"),
        "{refused}"
    );
    small.refused(id, FIRST, "Is it?");
    let mut events = small.served.events(id);
    fs::remove_dir_all(small.at("inodes")).unwrap();
    small.ready(200);
    let (status, accepted) = prompt(&small, id, FIRST, "Is it?");
    assert_eq!(status, 202, "{accepted}");
    assert!(events.any(|line| line.contains("Yes.")));
}

/// A log on a full disk: what it has no room for is refused, and it has whole lines alone.
#[test]
fn on_a_full_disk_nothing_is_done_that_the_audit_log_cannot_have() {
    let script = Script::reply("Hi.");
    let small = Small::with(&script, "size=1m", true);
    small.ready(200);
    let open = || {
        let new = json!({"project": "shop", "title": "x".repeat(900)});
        small.served.answer("POST /api/sessions", &new)
    };
    assert_eq!(open().0, 201);
    small.fill();
    // The last page of the file has room for a few lines.
    let mut opened = 1;
    let refused = loop {
        match open() {
            (201, _) => opened += 1,
            refused => break refused,
        }
        assert!(opened < 10);
    };
    assert_eq!(refused.0, 500, "{}", refused.1);
    assert_eq!(refused.1["error"]["kind"], "unrecorded", "{}", refused.1);
    let live = small.served.ask("GET /api/live", &Value::Null);
    assert_eq!(live.as_array().unwrap().len(), opened, "{live}");
    fs::remove_file(small.at("filler")).unwrap();
    assert_eq!(open().0, 201);
    let log = fs::read_to_string(small.at("audit")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let is_opened = |line: &&Value| line["action"] == "openSession" && line["refused"].is_null();
    assert_eq!(lines.iter().filter(is_opened).count(), opened + 1, "{log}");
}
