//! `claw serve` as a process, with the scripted agent.

#[cfg(target_os = "linux")]
#[cfg(target_os = "linux")]
use claw_testkit::Block;
#[cfg(target_os = "linux")]
use claw_testkit::agent::Step;
use claw_testkit::agent::{self, Script};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
#[cfg(target_os = "linux")]
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{PidfdFlags, pidfd_open},
};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A server, killed at the end.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: String,
    /// The path of the login link.
    pub(crate) login: String,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request, with these headers, and gives the whole answer.
pub(crate) fn ask(address: &str, request: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\nContent-Type: \
         application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A folder with a project, a configuration and a script of the agent.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new(script: &Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("shop")).unwrap();
        fs::create_dir(at("gates")).unwrap();
        fs::write(at("script.json"), serde_json::to_vec(script).unwrap()).unwrap();
        let options = json!({"pathToClaudeCodeExecutable": agent::program().unwrap()});
        fs::write(at("options.json"), options.to_string()).unwrap();
        Self { folder }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command, without where its output goes.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--project"])
            .arg(self.at("shop"))
            .arg("--options")
            .arg(self.at("options.json"))
            .env("CLAW_AGENT_SCRIPT", self.at("script.json"))
            .env("CLAW_AGENT_GATES", self.at("gates"))
            .env("CLAUDE_CONFIG_DIR", self.at("config"))
            // The socket is in the configuration folder then.
            .env_remove("XDG_RUNTIME_DIR");
        command
    }

    fn serve(&self) -> Served {
        Served::of(self.command())
    }
}

impl Served {
    /// Starts the server that a command makes.
    pub(crate) fn of(command: Command) -> Self {
        Self::started(command, None)
    }

    /// Starts a server that has this token from a file.
    #[cfg(unix)]
    pub(crate) fn with_token(command: Command, token: &str) -> Self {
        Self::started(command, Some(token))
    }

    fn started(mut command: Command, token: Option<&str>) -> Self {
        command.arg("--print-secrets").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut after = |what: &str| {
            let line = lines.next().unwrap().unwrap();
            let rest = line.split_once(what).unwrap_or_else(|| panic!("{line}")).1;
            rest.to_owned()
        };
        let link = after("http://");
        let token = token.map_or_else(|| after("Token for programs: "), str::to_owned);
        let (address, path) = link.split_once('/').unwrap();
        Self {
            child,
            address: address.to_owned(),
            login: format!("/{path}"),
            token,
        }
    }

    /// Ends it with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A request with the token, and the JSON of its response, which must be one of success.
    pub(crate) fn ask(&self, request: &str, body: &Value) -> Value {
        let (status, answer) = self.answer(request, body);
        assert!(matches!(status, 200..=209), "{status}: {answer}");
        answer
    }

    /// A request with the token, and the status and the JSON of its response.
    pub(crate) fn answer(&self, request: &str, body: &Value) -> (u16, Value) {
        let own = format!("Authorization: Bearer {}\r\n", self.token);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let answer = ask(&self.address, request, &own, &body);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// The value of a metric.
    #[cfg(target_os = "linux")]
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let own = format!("Authorization: Bearer {}\r\n", self.token);
        let metrics = ask(&self.address, "GET /metrics", &own, "");
        let mut values = metrics.lines().filter_map(|line| {
            let (known, value) = line.rsplit_once(' ')?;
            (known == name).then(|| value.parse().unwrap())
        });
        values.next().unwrap_or_else(|| panic!("{name}: {metrics}"))
    }

    /// The data of the events of a session.
    pub(crate) fn events(&self, id: &str) -> impl Iterator<Item = String> + use<> {
        let (address, token) = (&self.address, &self.token);
        let mut events = TcpStream::connect(address).unwrap();
        write!(
            events,
            "GET /api/sessions/{id}/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
        .unwrap();
        let lines = BufReader::new(events).lines().map(Result::unwrap);
        lines.filter(|line| line.starts_with("data: "))
    }
}

#[test]
fn a_server_says_how_to_log_in_and_answers_a_prompt() {
    let place = Place::new(&Script::reply("Four."));
    let served = place.serve();
    let key = format!("X-Claw-Key: {}\r\n", "a1".repeat(32));
    let link = format!("POST {}", served.login);
    let login = ask(&served.address, &link, &key, "");
    assert!(login.starts_with("HTTP/1.1 204"), "{login}");
    let session = served.ask("POST /api/sessions", &json!({"project": "shop"}));
    let id = session["id"].as_str().unwrap();
    let mut said = served.events(id);
    let prompts = format!("POST /api/sessions/{id}/prompts");
    served.ask(&prompts, &json!({"text": "2 + 2?"}));
    assert!(said.any(|line| line.contains("Four.")));
    assert!(said.any(|line| line.contains(r#""phase":"idle""#)));
}

#[cfg(unix)]
#[test]
fn without_a_terminal_what_opens_a_server_stands_in_a_file_of_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::new(&Script::reply("Four."));
    let mut command = place.command();
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let mut served = Served {
        child,
        address: String::new(),
        login: String::new(),
        token: String::new(),
    };
    let (address, file) = line
        .strip_prefix("Listens on http://")
        .and_then(|line| line.split_once(". How to log in: "))
        .unwrap();
    let mode = fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let secrets = fs::read_to_string(file).unwrap();
    let token = secrets.lines().nth(1).unwrap();
    let token = token.strip_prefix("Token for programs: ").unwrap();
    token.clone_into(&mut served.token);
    address.clone_into(&mut served.address);
    let projects = served.ask("GET /api/projects", &Value::Null);
    assert_eq!(projects[0]["name"], "shop");
    // Ended in an orderly way, it takes the file with it.
    let pid = Pid::from_child(&served.child);
    kill_process(pid, Signal::TERM).unwrap();
    assert!(served.child.wait().unwrap().success());
    assert!(!fs::exists(file).unwrap());
    assert!(lines.next().is_none());
}

/// The processes that have this variable with this value, as descriptors that are readable once they have ended.
#[cfg(target_os = "linux")]
fn those_with(variable: &str) -> Vec<OwnedFd> {
    let has_it = |pid: &Pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|one| one == variable.as_bytes())
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let all = all.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    let found = all.filter(has_it);
    found
        .filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_killed_leaves_no_process_and_the_next_one_says_which_turn_was_cut() {
    const ID: &str = "11111111-1111-4111-8111-111111111111";
    let script = Script::new([Step::Turns(vec![Step::message([
        Block::text("I think.").hold(1, "half")
    ])])]);
    let place = Place::new(&script);
    // The scripted agent writes no transcript.
    let shop = place.at("shop").canonicalize().unwrap();
    let project = place.at("config/projects/shop");
    fs::create_dir_all(&project).unwrap();
    let line = json!({"type": "user", "uuid": "a0000000-0000-4000-8000-000000000001", "parentUuid": null,
        "sessionId": ID, "cwd": shop, "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": false,
        "userType": "external", "version": "2.1.330",
        "message": {"role": "user", "content": "Where are the apples?"}});
    fs::write(project.join(format!("{ID}.jsonl")), format!("{line}\n")).unwrap();

    let served = place.serve();
    let mut events = served.events(ID);
    served.ask(
        &format!("POST /api/sessions/{ID}/prompts"),
        &json!({"text": "Think"}),
    );
    assert!(events.any(|line| line.contains(r#""phase":"running""#)));
    let variable = format!("CLAW_AGENT_GATES={}", place.at("gates").display());
    // The server and the agent.
    let processes = those_with(&variable);
    assert!(processes.len() > 1);
    served.kill();
    for process in processes {
        let minute = Timespec {
            tv_sec: 60,
            tv_nsec: 0,
        };
        let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&minute));
        assert_eq!(ended.unwrap(), 1, "a process is left");
    }
    assert_eq!(those_with(&variable).len(), 0);

    let next = place.serve();
    let list = next.ask("GET /api/sessions", &Value::Null);
    let item = &list["sessions"][0];
    assert_eq!((&item["id"], &item["phase"]), (&json!(ID), &json!("cut")));
    let elements = next.ask(&format!("GET /api/sessions/{ID}/elements"), &Value::Null);
    assert_eq!(elements[0]["content"]["text"], "Where are the apples?");
}

#[cfg(target_os = "linux")]
#[test]
fn idle_connections_keep_nobody_out_where_descriptors_are_few() {
    let place = Place::new(&Script::reply("Four."));
    let command = place.command();
    let mut limited = Command::new("sh");
    limited
        .args([
            "-c",
            "ulimit -Sn 64 && ulimit -Hn 256 && exec \"$0\" \"$@\"",
        ])
        .arg(command.get_program())
        .args(command.get_args());
    let variables = command.get_envs();
    limited.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    let served = Served::of(limited);
    let connect = |_| TcpStream::connect(&served.address).unwrap();
    let idle: Vec<_> = (0..600).map(connect).collect();
    let session = served.ask("POST /api/sessions", &json!({"project": "shop"}));
    // They made room for it, and did not keep it waiting until their own time was over.
    let displaced = served.metric("claw_connections_closed_total{reason=\"displaced\"}");
    assert!(displaced > 200.0, "{displaced}");
    let limits = fs::read_to_string(format!("/proc/{}/limits", served.child.id())).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let limits: Vec<_> = line.unwrap().split_whitespace().collect();
    assert_eq!(limits[3..5], ["256", "256"]);
    // There are descriptors for a process as well.
    let id = session["id"].as_str().unwrap();
    let mut said = served.events(id);
    let prompts = format!("POST /api/sessions/{id}/prompts");
    served.ask(&prompts, &json!({"text": "2 + 2?"}));
    assert!(said.any(|line| line.contains("Four.")));
    drop(idle);
}

#[test]
fn a_server_for_other_machines_needs_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_claw"))
        .args(["serve", "--listen", "0.0.0.0:0", "--project"])
        .arg(folder.path())
        .env("CLAUDE_CONFIG_DIR", folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("needs a token") && said.contains("--token-file"),
        "{said}"
    );
    // It has not said that it listens, and has left nothing behind.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_wrong_value_is_refused_at_the_start_by_the_name_that_it_was_given() {
    let place = Place::new(&Script::reply("Four."));
    let shop = place.at("shop").display().to_string();
    let mode = format!("{shop}=acceptedits");
    let host = "a name without scheme and port is wanted";
    for (args, variable, code, said) in [
        (&["--allow-host", "https://x"][..], None, 2, host),
        (&["--allow-host", "name:8443"], None, 2, host),
        (&["--allow-host", ""], None, 2, host),
        (&["--processes", "0"], None, 2, "1..=1000"),
        (&["--processes", "1001"], None, 2, "1..=1000"),
        (
            &["--project", &mode],
            None,
            3,
            r#""acceptedits" is not a permission mode; these are default, acceptEdits"#,
        ),
        (
            &["--project", "/does/not=plan"],
            None,
            3,
            "the project /does/not: ",
        ),
        (
            &[],
            Some(("CLAW_PROCESSES", "x")),
            2,
            "CLAW_PROCESSES, the default of --processes",
        ),
        (
            &[],
            Some(("CLAW_ALLOW_HOST", "x:1")),
            2,
            "CLAW_ALLOW_HOST, the default of --allow-host",
        ),
        // The command line takes precedence, so the variable is not to blame.
        (
            &["--processes=y"],
            Some(("CLAW_PROCESSES", "3")),
            2,
            "for '--processes <NUMBER>'",
        ),
    ] {
        let mut command = place.command();
        command.args(args).envs(variable);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(text.contains(said), "{args:?}: {text}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    }
}

#[test]
fn a_mode_that_the_options_do_not_allow_is_refused_at_the_start() {
    let place = Place::new(&Script::reply("Four."));
    let folder = format!("{}=bypassPermissions", place.at("gates").display());
    let output = place.command().args(["--project", &folder]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("allow_dangerously_skip_permissions"),
        "{said}"
    );
}

/// The memory of a process, in KiB.
#[cfg(target_os = "linux")]
fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse().unwrap()
}

/// The allocator of the system would keep it.
#[cfg(target_os = "linux")]
#[test]
fn what_long_bodies_took_is_given_back() {
    let place = Place::new(&Script::default());
    let served = place.serve();
    let own = format!("Authorization: Bearer {}\r\n", served.token);
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "none", "params": {"x": "A".repeat(20 << 20)}});
    let call = call.to_string();
    let before = resident(&served.child);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let answer = ask(&served.address, "POST /rpc", &own, &call);
                assert!(answer.contains("-32601"), "{answer}");
            });
        }
    });
    let after = resident(&served.child);
    // Of 160 MiB.
    assert!(
        after < before + (48 << 10),
        "{before} KiB, {after} KiB after"
    );
}
