//! `claw serve --walls`: the rows of docs/deploying/walls.md, with the scripted agent and the real CLI.

use std::fs;
use std::io::{BufRead as _, BufReader, copy};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use claw_testkit::api::{Answer, Api, Rule, Scenario};
use claw_testkit::{Block, agent, processes};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::{Value, json};

use crate::serve::{Place, Served};

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// A place with a project, a home and an agent that looks around before it answers.
struct Walled {
    place: Place,
    /// The argument of the `sleep` that the agent leaves behind.
    mark: String,
}

impl Walled {
    fn new(test: u32) -> Self {
        let place = Place::new(&agent::Script::reply("Four."));
        for folder in ["home/.claude", "bin", "api"] {
            fs::create_dir_all(place.at(folder)).unwrap();
        }
        fs::copy(agent::program().unwrap(), place.at("bin/agent")).unwrap();
        fs::copy(place.at("script.json"), place.at("bin/script.json")).unwrap();
        fs::write(place.at("secret"), "the secret of the server").unwrap();
        let mark = format!("90000.{}{test}", std::process::id());
        Self { place, mark }
    }

    fn path(&self, name: &str) -> String {
        self.place.at(name).display().to_string()
    }

    /// Writes a program.
    fn program(&self, name: &str, text: &str) {
        let path = self.place.at(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The scripted agent behind the wall, which first writes what it sees and can do, and leaves a detached process
    /// without the mark of its session. `then` comes after its end.
    fn claude(&self, then: &str) {
        let [secret, written, report, script, agent] = [
            "secret",
            "written",
            "shop/report",
            "bin/script.json",
            "bin/agent",
        ]
        .map(|name| self.path(name));
        let mark = &self.mark;
        let text = format!(
            "{{ cat {secret}; echo x > {written}; ulimit -d; env; }} > {report} 2>&1\n\
             env -u CLAW_SESSION setsid sleep {mark} > /dev/null 2>&1 < /dev/null &\n\
             CLAW_AGENT_SCRIPT={script} {agent} \"$@\"\n{then}"
        );
        self.program("bin/claude", &text);
    }

    /// Writes a row of the guide as the file of walls, with the paths of this place and this replacement.
    fn row(&self, name: &str, [from, to]: [&str; 2]) -> PathBuf {
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploying/walls.md");
        let guide = fs::read_to_string(guide).unwrap();
        let mut blocks = guide.split("```toml\n").skip(1);
        let row = blocks.find(|block| block.starts_with(&format!("[{name}]")));
        let row = row.unwrap().split("```").next().unwrap();
        let row = [
            [from, to],
            ["/srv/projects/shop", &self.path("shop")],
            ["/srv/walls/shop", &self.path("home")],
            ["/opt/claude", &self.path("bin")],
            ["/run/api", &self.path("api")],
        ]
        .iter()
        .fold(row.to_owned(), |row, [from, to]| {
            assert!(
                *from == "/run/api" || row.contains(from),
                "{from} is not in {row}"
            );
            row.replace(from, to)
        });
        let file = self.place.at("walls.toml");
        fs::write(&file, row).unwrap();
        file
    }

    fn command(&self, walls: &Path) -> Command {
        let mut command = self.place.command();
        command
            .arg("--walls")
            .arg(walls)
            .env("DATABASE_URL", "postgres://secret@db")
            .env("CLAW_NOTIFY_SECRET", "of the notices")
            .env("ANTHROPIC_API_KEY", "sk-scripted");
        command
    }

    /// Checks what the agent has written.
    fn check_report(&self, hides: &[&str]) -> String {
        let report = fs::read_to_string(self.place.at("shop/report")).unwrap();
        for hidden in hides {
            assert!(!report.contains(hidden), "{hidden}: {report}");
        }
        let home = format!("HOME={}", self.path("home"));
        assert!(report.lines().any(|line| line == home), "{report}");
        report
    }

    /// The process that the agent has left.
    fn left(&self) -> OwnedFd {
        let sleeps = |pid: &Pid| {
            let pid = pid.as_raw_nonzero().get().unsigned_abs();
            processes::arguments(pid) == ["sleep", &self.mark]
        };
        let all = fs::read_dir("/proc").unwrap().flatten();
        let mut all =
            all.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
        let pid = all.find(sleeps).expect("the detached process runs");
        pidfd_open(pid, PidfdFlags::empty()).unwrap()
    }
}

/// Sends a prompt and waits until it is answered. Returns the ID of the session.
fn answered(served: &Served, session: &Value, answer: &str) -> String {
    let session = served.ask("POST /api/sessions", session);
    let id = session["id"].as_str().unwrap().to_owned();
    let mut said = served.events(&id);
    let prompts = format!("POST /api/sessions/{id}/prompts");
    served.ask(&prompts, &json!({"text": "try"}));
    assert!(said.any(|line| line.contains(answer)));
    assert!(said.any(|line| line.contains(r#""phase":"idle""#)));
    id
}

fn new() -> Value {
    json!({"project": "shop"})
}

fn end(mut served: Served) {
    kill_process(Pid::from_child(&served.child), Signal::TERM).unwrap();
    served.child.wait().unwrap();
}

fn ends(process: &OwnedFd) {
    let minute = Timespec {
        tv_sec: 60,
        tv_nsec: 0,
    };
    let ended = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&minute));
    assert_eq!(ended.unwrap(), 1, "a process is left");
}

#[test]
fn bubblewrap_hides_what_is_not_the_projects_and_leaves_nothing() {
    let walled = Walled::new(1);
    walled.claude("");
    let walls = walled.row("bubblewrap", ["ANTHROPIC_BASE_URL", "LANG"]);
    let served = Served::of(walled.command(&walls));
    answered(&served, &new(), "Four.");
    let hides = ["the secret", "DATABASE_URL", "CLAW_NOTIFY", "TOKEN"];
    let report = walled.check_report(&hides);
    // What the row names is there.
    assert!(report.contains("ANTHROPIC_API_KEY=sk-scripted"), "{report}");
    assert!(report.contains("No such file"), "{report}");
    assert!(report.lines().any(|line| line == "8388608"), "{report}");
    assert!(!walled.place.at("written").exists());
    let live = served.ask("GET /api/live", &Value::Null);
    assert_eq!(live[0]["wall"], "bubblewrap");
    let left = walled.left();
    end(served);
    ends(&left);
}

#[test]
fn bubblewrap_ends_with_a_server_that_is_killed_also_a_claude_that_hangs() {
    let walled = Walled::new(2);
    walled.claude("exec sleep 90000");
    let walls = walled.row("bubblewrap", ["ANTHROPIC_BASE_URL", "LANG"]);
    let served = Served::of(walled.command(&walls));
    answered(&served, &new(), "Four.");
    let left = walled.left();
    served.kill();
    ends(&left);
}

/// An ssh server on loopback, killed at the end.
struct Sshd {
    child: Child,
    /// The words that replace the host in the guide.
    words: String,
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Sshd {
    fn start(folder: &Path) -> Self {
        fs::create_dir(folder).unwrap();
        let at = |name: &str| folder.join(name).display().to_string();
        for name in ["host", "user"] {
            let mut keygen = Command::new("ssh-keygen");
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f", &at(name)]);
            assert!(keygen.status().unwrap().success());
        }
        // The port is free again when the listener is dropped.
        let port = {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nPidFile none\n",
            at("host"),
            at("user.pub")
        );
        fs::write(at("sshd"), config).unwrap();
        let key = fs::read_to_string(at("host.pub")).unwrap();
        fs::write(at("known"), format!("[127.0.0.1]:{port} {key}")).unwrap();
        if rustix::process::geteuid().is_root() {
            // Where no service of the system runs, nobody has made it.
            fs::create_dir_all("/run/sshd").unwrap();
        }
        let mut child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f", &at("sshd")])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut seen = Vec::new();
        while !seen
            .last()
            .is_some_and(|line: &String| line.contains("Server listening"))
        {
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("sshd does not start: {seen:?}"));
            seen.push(line.unwrap());
        }
        // Later lines are read, so that sshd never waits.
        thread::spawn(move || lines.for_each(drop));
        let words = format!(
            r#""-F", "none", "-i", "{}", "-o", "UserKnownHostsFile={}", "-p", "{port}", "127.0.0.1""#,
            at("user"),
            at("known")
        );
        Self { child, words }
    }
}

#[test]
fn ssh_runs_claude_elsewhere_and_nothing_is_left_there() {
    let walled = Walled::new(3);
    walled.claude("");
    let sshd = Sshd::start(&walled.place.at("ssh"));
    let walls = walled.row("ssh", [r#""shop@far.example.org""#, &sshd.words]);
    let served = Served::of(walled.command(&walls));
    answered(&served, &new(), "Four.");
    // ssh passes no variable on.
    walled.check_report(&["DATABASE_URL", "CLAW_NOTIFY", "ANTHROPIC_API_KEY"]);
    let live = served.ask("GET /api/live", &Value::Null);
    assert_eq!(live[0]["wall"], "ssh");
    let left = walled.left();
    end(served);
    ends(&left);
}

#[test]
fn ssh_ends_the_far_side_of_a_server_that_is_killed_also_a_claude_that_hangs() {
    let walled = Walled::new(4);
    walled.claude("exec sleep 90000");
    let sshd = Sshd::start(&walled.place.at("ssh"));
    let walls = walled.row("ssh", [r#""shop@far.example.org""#, &sshd.words]);
    let served = Served::of(walled.command(&walls));
    answered(&served, &new(), "Four.");
    let left = walled.left();
    served.kill();
    ends(&left);
}

/// Writes the transcript of a session.
fn transcript(config: &Path, id: &str, folder: &Path) {
    let folder = folder.canonicalize().unwrap();
    let project = config.join("projects/a-project");
    fs::create_dir_all(&project).unwrap();
    let line = |uuid: &str, parent: Value, kind: &str, message: Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "cwd": folder,
            "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": false, "userType": "external",
            "version": "2.1.330", "message": message})
    };
    let first = "a0000000-0000-4000-8000-000000000001";
    let message = json!({"role": "user", "content": "Where are the apples?"});
    let asked = line(first, Value::Null, "user", message);
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "In the cellar."}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    let second = "a0000000-0000-4000-8000-000000000002";
    let said = line(second, json!(first), "assistant", message);
    fs::write(
        project.join(format!("{id}.jsonl")),
        format!("{asked}\n{said}\n"),
    )
    .unwrap();
}

#[test]
fn every_process_of_a_project_starts_behind_its_wall() {
    const OTHER: &str = "22222222-2222-4222-8222-222222222222";
    const FORGED: &str = "33333333-3333-4333-8333-333333333333";

    let walled = Walled::new(5);
    let [starts, escaped, agent, script] =
        ["starts", "escaped", "bin/agent", "bin/script.json"].map(|name| walled.path(name));
    walled.program("wall", &format!("echo start >> {starts}\nexec \"$@\""));
    let version =
        "case \"$1\" in --version) echo '2.1.332 (Claude Code)'; exit;; auth) exit 1;; esac";
    let runs = format!("export CLAW_AGENT_SCRIPT={script}\nexec {agent} \"$@\"");
    walled.program("bin/claude", &format!("{version}\n{runs}"));
    // What the server would start without a wall.
    walled.program("outside", &format!("touch {escaped}\n{version}\n{runs}"));
    let options = json!({"pathToClaudeCodeExecutable": walled.path("outside")});
    fs::write(walled.place.at("options.json"), options.to_string()).unwrap();
    fs::create_dir(walled.place.at("open")).unwrap();
    let [shop, open, home, wall, claude] =
        ["shop", "open", "home", "wall", "bin/claude"].map(|name| walled.path(name));
    let walls = walled.place.at("walls.toml");
    let text = format!(
        "[shop]\nproject = \"{shop}\"\nhome = \"{home}\"\nclaude = \"{claude}\"\ncommand = [\"{wall}\"]\n\
         [open]\nproject = \"{open}\"\ncommand = []\n"
    );
    fs::write(&walls, text).unwrap();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-C", &shop]);
        assert!(git.args(words).status().unwrap().success());
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "first"]);
    transcript(
        &walled.place.at("home/.claude"),
        ID,
        &walled.place.at("shop"),
    );
    transcript(&walled.place.at("config"), OTHER, &walled.place.at("shop"));
    transcript(
        &walled.place.at("home/.claude"),
        FORGED,
        &walled.place.at("open"),
    );

    let mut command = walled.command(&walls);
    command.arg("--project").arg(walled.place.at("open"));
    let served = Served::of(command);
    let count = || {
        fs::read_to_string(&starts)
            .unwrap_or_default()
            .lines()
            .count()
    };
    for (number, session) in [
        new(),
        json!({"resume": ID}),
        json!({"fork": {"session": ID}}),
        json!({"project": "shop", "worktree": {"name": "w"}}),
    ]
    .iter()
    .enumerate()
    {
        answered(&served, session, "Four.");
        assert_eq!(count(), number + 1, "{session}");
    }
    let cli = served.ask("GET /api/cli", &Value::Null);
    assert_eq!((&cli["version"], count()), (&json!("2.1.332"), 6));
    // The CLI of a project with a wall reads its own folder only, and that folder has no sessions of another project.
    let (status, answer) = served.answer("POST /api/sessions", &json!({"resume": OTHER}));
    assert_eq!(status, 400, "{answer}");
    assert!(
        answer.to_string().contains("configuration folder"),
        "{answer}"
    );
    let (status, answer) = served.answer("POST /api/sessions", &json!({"resume": FORGED}));
    assert_eq!(status, 404, "{answer}");
    let named = json!({"project": "open", "configDir": walled.place.at("home/.claude").canonicalize().unwrap()});
    assert_eq!(served.answer("POST /api/sessions", &named).0, 400);
    // A command behind the wall can change the repository: git then needs a commit, and a program that fetches it.
    let url = format!("ext::sh -c touch% {escaped}");
    for [name, value] in [
        ["extensions.partialClone", "far"],
        ["core.repositoryFormatVersion", "1"],
        ["remote.far.promisor", "true"],
        ["remote.far.url", &url],
        ["protocol.ext.allow", "always"],
    ] {
        git(&["config", name, value]);
    }
    git(&["symbolic-ref", "HEAD", "refs/heads/lost"]);
    let lost = "12".repeat(20);
    fs::write(walled.place.at("shop/.git/refs/heads/lost"), lost).unwrap();
    let more = json!({"project": "shop", "worktree": {"name": "more"}});
    assert_eq!(served.answer("POST /api/sessions", &more).0, 400);
    assert_eq!(count(), 6);
    assert!(!walled.place.at("escaped").exists());
}

#[test]
fn a_wall_that_cannot_be_started_is_refused_with_its_row() {
    let walled = Walled::new(6);
    let walls = walled.place.at("walls.toml");
    fs::write(&walls, "# None.\n[shop]\ncommand = [\"/no/such/bwrap\"]\n").unwrap();
    let output = walled.command(&walls).output().unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    let expected = format!(
        "claw: {}:2: the wall \"shop\": the program \"/no/such/bwrap\" is not found, or may not be run\n",
        walls.display()
    );
    assert_eq!(error, expected);
}

/// Forwards each connection of a socket to the API.
fn forward(socket: &Path, api: SocketAddr) {
    let listener = UnixListener::bind(socket).unwrap();
    thread::spawn(move || {
        for near in listener.incoming() {
            let (mut near, mut far) = (near.unwrap(), TcpStream::connect(api).unwrap());
            let (mut to, mut from) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            thread::spawn(move || {
                let _ = copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Write);
            });
            thread::spawn(move || {
                let _ = copy(&mut far, &mut near);
                let _ = near.shutdown(Shutdown::Write);
            });
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_cli_reaches_the_api_by_a_socket_and_nothing_else() {
    let walled = Walled::new(7);
    let [secret, written] = ["secret", "written"].map(|name| walled.path(name));
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let command = format!(
        "cat {secret}; echo x > {written}; echo own > own; bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && echo reached; env; \
         env -u CLAW_SESSION setsid sleep {} >/dev/null 2>&1 </dev/null & echo started",
        walled.mark
    );
    let tool = Block::tool_use(
        "Bash",
        json!({"command": command, "description": "look around"}),
    );
    let scenario = Scenario::new(
        "walls",
        [
            Rule::new(Answer::message([Block::text("Done.")])).on_tool_result("started"),
            Rule::new(Answer::message([tool])).on_prompt("try").times(1),
            Rule::new(Answer::message([Block::text("Again.")])),
        ],
    );
    let api = Api::start(scenario).await.unwrap();
    forward(&walled.place.at("api/socket"), api.address());
    let claude = claw_testkit::claude().unwrap().canonicalize().unwrap();
    let options = json!({"allowedTools": ["Bash"]});
    fs::write(walled.place.at("options.json"), options.to_string()).unwrap();
    let folder = claude.parent().unwrap().display().to_string();
    let walls = walled.row(
        "no-network",
        ["/opt/claude/claude", &claude.display().to_string()],
    );
    let row = fs::read_to_string(&walls).unwrap();
    fs::write(&walls, row.replace(&walled.path("bin"), &folder)).unwrap();

    let served = Served::of(walled.command(&walls));
    let id = answered(&served, &new(), "Done.");
    let results: Vec<_> = api
        .requests()
        .iter()
        .flat_map(|request| request.conversation().tool_results)
        .map(|result| result.text)
        .collect();
    let said = results.join("\n");
    assert!(
        said.contains("Connection refused") && said.contains("No such file"),
        "{said}"
    );
    for hidden in ["reached", "the secret", "DATABASE_URL", "CLAW_NOTIFY"] {
        assert!(!said.contains(hidden), "{hidden}: {said}");
    }
    assert!(!walled.place.at("written").exists());
    assert!(walled.place.at("shop/own").exists());
    let left = walled.left();
    served.kill();
    ends(&left);
    // The next server finds the session in the home, and continues it there.
    let served = Served::of(walled.command(&walls));
    let list = served.ask("GET /api/sessions", &Value::Null);
    assert_eq!(list["sessions"][0]["id"], json!(id));
    answered(&served, &json!({"resume": id}), "Again.");
    let messages = api.requests().pop().unwrap().messages();
    assert!(messages.len() > 3, "{messages:?}");
}
