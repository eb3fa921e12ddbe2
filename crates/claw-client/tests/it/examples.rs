//! The programs in `examples/`, each run with the real CLI and the scripted API.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use claw_client::types::QueryOptions;
use claw_client::types::control::PermissionResult;
use claw_client::{Session, ToolPermissionRequest};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario, scenarios};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::agent::soon;

/// What the system calls the code of an exit.
const STATUS: &str = if cfg!(windows) {
    "exit code"
} else {
    "exit status"
};

/// The tool that runs commands. (On Windows claude has Bash only where Git Bash is.)
const SHELL: &str = if cfg!(windows) { "PowerShell" } else { "Bash" };

/// A test for each example, of its name; with the features that it needs.
macro_rules! examples {
    ($($(#[$when:meta])* $name:ident)+) => {
        const TESTED: &[&str] = &[$(stringify!($name)),+];

        $(
            $(#[$when])*
            #[tokio::test]
            async fn $name() {
                runs::$name(stringify!($name)).await;
            }
        )+
    };
}

examples! {
    #[cfg(feature = "blocking")]
    blocking
    #[cfg(feature = "mcp")]
    calculator
    chat_loop
    concurrent_chat
    hooks_etc
    hooks_guard
    interrupt_and_steer
    #[cfg(feature = "pool")]
    many_sessions
    permission_rewriting
    permissions
    proxy
    quick_query
    resume_and_fork
    structured_output
    #[cfg(all(unix, feature = "blocking", feature = "mcp"))]
    testee
    testing
    web_socket
}

#[test]
fn every_example_has_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let there = std::fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        path.file_stem().unwrap().to_str().unwrap().to_owned()
    });
    let tested = TESTED.iter().map(|&name| name.to_owned());
    assert_eq!(
        there.collect::<BTreeSet<_>>(),
        tested.collect::<BTreeSet<_>>()
    );
}

/// `src/guides.rs` lists them, for their code to be compiled.
#[test]
fn every_guide_is_compiled() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = std::fs::read_to_string(package.join("src/guides.rs")).unwrap();
    for entry in std::fs::read_dir(package.join("../../docs/guides")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(listed.contains(&format!("\"{name}\"")), "{name}");
    }
}

/// Where `cargo test` and `cargo nextest run` put it: beside the folder of this test.
pub(crate) fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let path = profile
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} is not built: run all tests of the package, or `cargo build -p claw-client --examples`",
        path.display()
    );
    path
}

/// An API and a folder for one example.
struct Place {
    api: Api,
    folder: TempDir,
}

impl Place {
    async fn new(scenario: Scenario) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            api: Api::start(scenario).await.unwrap(),
            folder,
        }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(built(name));
        command
            .env_clear()
            .envs(self.api.env())
            .env("HOME", self.folder.path().join("home"))
            .env("USERPROFILE", self.folder.path().join("home"))
            .env("CLAW_CLAUDE_PATH", claw_testkit::claude().unwrap())
            .current_dir(self.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // No program of Windows does without the last two.
        for name in ["PATH", "SYSTEMROOT", "TEMP"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// What the example prints.
    async fn run(&self, name: &str, args: &[&str], typed: &str) -> String {
        let mut child = self.command(name).args(args).spawn().unwrap();
        // Fits into the pipe; its drop is the end of the input.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(typed.as_bytes()).await.unwrap();
        drop(stdin);
        let output = soon(child.wait_with_output()).await.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {stderr}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    /// What the model was told, a text a request.
    fn asked(&self) -> Vec<String> {
        let requests = self.api.requests().into_iter();
        let asked = requests.filter(claw_testkit::api::ApiRequest::is_message);
        asked.map(|request| request.body.to_string()).collect()
    }
}

fn says(text: &str) -> Rule {
    Rule::new(Answer::message([Block::text(text)]))
}

fn uses(tool: &str, input: &Value) -> Rule {
    Rule::new(Answer::message([Block::tool_use(tool, input.clone())]))
}

mod runs {
    use super::*;

    pub(super) async fn quick_query(name: &str) {
        let place = Place::new(scenarios::text()).await;
        let printed = place.run(name, &[], "").await;
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines[..2], ["Two and two make 4.", "done"], "{printed}");
        assert!(lines[2].starts_with("$0.0"), "{printed}");
    }

    pub(super) async fn chat_loop(name: &str) {
        let rules = [
            says("Hello, Ada.").on_prompt("I am Ada"),
            says("You are Ada."),
        ];
        let place = Place::new(Scenario::new(name, rules)).await;
        let printed = place.run(name, &[], "I am Ada.\nWho am I?\n").await;
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines[..2], ["Hello, Ada.", "You are Ada."], "{printed}");
        assert!(lines[2].starts_with("2 answers, $0.0"), "{printed}");
    }

    pub(super) async fn concurrent_chat(name: &str) {
        let rules =
            ["Ada", "Bob", "Eve"].map(|who| says(&format!("You are {who}.")).on_prompt(who));
        let place = Place::new(Scenario::new(name, rules)).await;
        assert_eq!(
            place.run(name, &[], "").await,
            "Ada: You are Ada.\nBob: You are Bob.\nEve: You are Eve.\n"
        );
    }

    pub(super) async fn permission_rewriting(name: &str) {
        let rules = [
            says("It is written.").on_tool_error(false),
            uses(
                "Write",
                &json!({"file_path": "/nowhere/note.txt", "content": "hello"}),
            ),
        ];
        let place = Place::new(Scenario::new(name, rules)).await;
        let printed = place.run(name, &[], "").await;
        let drafts = place.work().join("drafts");
        // The CLI writes paths as its system does.
        let given = if cfg!(windows) {
            r"\\nowhere\\note.txt"
        } else {
            "/nowhere/note.txt"
        };
        let becomes = Path::new("drafts").join("note.txt");
        assert!(
            printed.starts_with(&format!("{given} becomes "))
                && printed.ends_with(&format!("{}\nIt is written.\n", becomes.display())),
            "{printed}"
        );
        let written = std::fs::read_to_string(drafts.join("note.txt")).unwrap();
        assert_eq!(written, "hello");
    }

    pub(super) async fn hooks_etc(name: &str) {
        for (path, allowed) in [
            ("/etc/claw-note.txt", false),
            ("/tmp/../etc/claw-note.txt", false),
            ("link/claw-note.txt", false),
            ("note.txt", true),
        ] {
            let rules = [
                says("Refused.").on_tool_result("below /etc"),
                says("Over.").on_tool_error(false),
                says("Asked for.").on_tool_error(true),
                uses("Write", &json!({"file_path": path, "content": "hello"})),
            ];
            let place = Place::new(Scenario::new(name, rules)).await;
            #[cfg(unix)]
            std::os::unix::fs::symlink("/etc", place.work().join("link")).unwrap();
            let printed = place.run(name, &[], "").await;
            // What the hook lets pass is asked for, and here nobody answers.
            let expected = if allowed {
                "Asked for.\n"
            } else {
                "refused: nothing may be written below /etc\nRefused.\n"
            };
            assert_eq!(printed, expected, "{path}");
        }
    }

    pub(super) async fn permissions(name: &str) {
        for (typed, answer) in [
            ("y\n", "The file is written."),
            ("always\n", "The file is written."),
            ("n\n", "I could not write the file."),
            ("", "I could not write the file."),
        ] {
            let place = Place::new(scenarios::write()).await;
            let printed = place.run(name, &[], typed).await;
            assert!(printed.starts_with("May claude use Write({"), "{printed}");
            assert!(printed.ends_with(&format!("{answer}\n")), "{printed}");
            let written = place.work().join("greeting.txt").exists();
            assert_eq!(written, answer == "The file is written.", "{typed:?}");
        }
    }

    #[cfg(feature = "blocking")]
    pub(super) async fn blocking(name: &str) {
        for (typed, answer) in [
            ("y\n", "The file is written."),
            ("", "I could not write the file."),
        ] {
            let place = Place::new(scenarios::write()).await;
            let printed = place.run(name, &[], typed).await;
            let lines: Vec<_> = printed.lines().collect();
            let asked = lines
                .iter()
                .filter(|line| line.contains("May claude use Write({"));
            assert_eq!(asked.count(), 1, "{printed}");
            assert!(printed.contains(answer), "{printed}");
            assert_eq!(
                lines.last(),
                Some(&&*format!("claude ended: {STATUS}: 0")),
                "{printed}"
            );
            let written = place.work().join("greeting.txt").exists();
            assert_eq!(written, typed == "y\n", "{typed:?}");
        }
    }

    /// It needs no CLI.
    pub(super) async fn testing(name: &str) {
        let place = Place::new(scenarios::text()).await;
        let printed = place.run(name, &[], "").await;
        let lines: Vec<_> = printed.lines().collect();
        let [denied, crashed] = lines[..] else {
            panic!("{printed}")
        };
        assert!(denied.contains("no shell here"), "{printed}");
        assert!(
            crashed.contains(&format!("{STATUS}: 137")) && crashed.contains("out of memory"),
            "{printed}"
        );
        assert_eq!(place.asked(), Vec::<String>::new());
    }

    /// A host, the proxy, and the real CLI.
    pub(super) async fn proxy(name: &str) {
        let rules = [
            says("It is gone.").on_tool_error(false),
            says("It did not pass.").on_tool_error(true),
            uses(
                "Write",
                &json!({"file_path": "made.sh", "content": "echo made"}),
            )
            .on_prompt("Make"),
            uses(
                "Write",
                &json!({"file_path": "gone.sh", "content": "rm -rf ."}),
            ),
        ];
        let place = Place::new(Scenario::new(name, rules)).await;
        let mut env = claw_client::types::Map::default();
        let home = place.folder.path().join("home").display().to_string();
        let claude = claw_testkit::claude().unwrap().display().to_string();
        let homes = [("HOME", home.clone()), ("USERPROFILE", home)];
        for (name, value) in homes.into_iter().chain([("PROXY_CLAUDE", claude)]) {
            env.insert(name, Some(value));
        }
        for (name, value) in place.api.env() {
            env.insert(name, Some(value));
        }
        let options = QueryOptions::default()
            .env(env)
            .cwd(place.work())
            .path_to_claude_code_executable(built(name));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let contents = asked.clone();
        let said = Arc::new(Mutex::new(String::new()));
        let stderr = said.clone();
        let session = Session::builder(options)
            .can_use_tool(move |request: ToolPermissionRequest| {
                let input: Value = serde_json::from_str(request.input().as_raw()).unwrap();
                contents.lock().unwrap().push(input["content"].clone());
                async { PermissionResult::allow() }
            })
            .stderr(move |line| stderr.lock().unwrap().push_str(line))
            .connect();
        let session = soon(session).await.unwrap();
        soon(session.ask("Make it.")).await.unwrap();
        assert!(place.work().join("made.sh").exists());
        // The host allows it, the proxy does not.
        let answer = soon(session.ask("Remove it.")).await.unwrap();
        assert_eq!(answer, "It did not pass.");
        assert!(!place.work().join("gone.sh").exists());
        soon(session.close()).await.unwrap();
        assert_eq!(*asked.lock().unwrap(), ["echo made", "rm -rf ."]);
        let told = place.asked();
        assert!(
            told.iter()
                .any(|told| told.contains("does not pass this proxy"))
        );
        let said = said.lock().unwrap();
        assert!(
            said.contains("proxy: \"Write\" asks for permission"),
            "{said}"
        );
    }

    #[cfg(feature = "mcp")]
    pub(super) async fn calculator(name: &str) {
        let rules = [
            says("It is 42.").on_tool_result("42"),
            uses("mcp__calculator__add", &json!({"a": 17, "b": 25})),
        ];
        let place = Place::new(Scenario::new(name, rules)).await;
        assert_eq!(
            place.run(name, &[], "").await,
            "It is 42.\n(calculated: 1)\n"
        );
    }

    pub(super) async fn hooks_guard(name: &str) {
        let rules = [
            uses(SHELL, &json!({"command": "echo looked"})).on_tool_error(true),
            says("I only looked.").on_tool_error(false),
            uses(SHELL, &json!({"command": "rm -rf important"})),
        ];
        let place = Place::new(Scenario::new(name, rules)).await;
        std::fs::create_dir(place.work().join("important")).unwrap();
        let printed = place.run(name, &[], "").await;
        let lines: Vec<_> = printed.lines().collect();
        let [refused, ran, last] = lines[..] else {
            panic!("{printed}")
        };
        assert_eq!(refused, "refused: rm -rf important");
        assert!(
            ran.starts_with("ran: ") && ran.contains("echo looked"),
            "{ran}"
        );
        assert_eq!(last, "I only looked.");
        assert!(place.work().join("important").exists());
        let told = place.asked();
        assert!(
            told.iter()
                .any(|told| told.contains("`rm -rf` is not allowed here"))
        );
    }

    pub(super) async fn structured_output(name: &str) {
        let list = json!({"people": 2, "items": [{"name": "flour", "weight": 250.5}]});
        let rules = [uses("StructuredOutput", &list)];
        let place = Place::new(Scenario::new(name, rules)).await;
        let printed = place.run(name, &[], "").await;
        assert_eq!(printed, "for 2:\n- 250.5 g of flour\n");

        let place = Place::new(scenarios::text()).await;
        let printed = place.run(name, &[], "").await;
        assert!(printed.starts_with("no list: "), "{printed}");
    }

    #[cfg(all(unix, feature = "blocking", feature = "mcp"))]
    pub(super) async fn testee(name: &str) {
        crate::conform::passes_every_case(&built(name), &[]).await;
        crate::conform::passes_every_case(&built(name), &["--blocking"]).await;
    }

    pub(super) async fn interrupt_and_steer(name: &str) {
        let long = Block::text("Once upon a time there was a gate.").hold(4, "never");
        let rules = [
            Rule::new(Answer::message([long])).on_prompt("very long story"),
            says("A dragon came and went."),
        ];
        let place = Place::new(Scenario::new(name, rules)).await;
        let printed = place.run(name, &[], "").await;
        for part in [
            "it begins: Once",
            "it was stopped",
            "first: A dragon came and went.",
            "second: A dragon came and went.",
        ] {
            assert!(
                printed.lines().any(|line| line == part),
                "{part}: {printed}"
            );
        }
    }

    pub(super) async fn resume_and_fork(name: &str) {
        let rules = [says("Ada.").on_prompt("What is my name?"), says("Hello.")];
        let place = Place::new(Scenario::new(name, rules)).await;
        let printed = place.run(name, &[], "").await;
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(
            lines,
            [
                "My name is Ada. Hello.",
                "What is my name? Ada.",
                "the same conversation: true",
                "What is my name? Ada.",
                "another conversation: true",
            ]
        );
        let remembered = place.asked().into_iter();
        assert_eq!(remembered.filter(|told| told.contains("Ada")).count(), 3);
    }

    #[cfg(feature = "pool")]
    pub(super) async fn many_sessions(name: &str) {
        let rules =
            ["one", "two", "three", "four"].map(|word| says(&format!("{word}!")).on_prompt(word));
        let place = Place::new(Scenario::new(name, rules)).await;
        let printed = place.run(name, &["one", "two", "three", "four"], "").await;
        let mut lines: Vec<_> = printed.lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            ["four four!", "one one!", "three three!", "two two!"]
        );
    }

    pub(super) async fn web_socket(name: &str) {
        let place = Place::new(scenarios::text()).await;
        let mut server = place.command(name).arg("127.0.0.1:0").spawn().unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let origin = soon(lines.next_line()).await.unwrap().unwrap();
        let request = |origin: &str| {
            let url = format!("{}/ws", lines_url(origin));
            let mut request = url.into_client_request().unwrap();
            let headers = request.headers_mut();
            headers.insert("origin", origin.parse().unwrap());
            request
        };
        let mut foreign = request(&origin);
        let elsewhere = "http://elsewhere.example".parse().unwrap();
        foreign.headers_mut().insert("origin", elsewhere);
        let refused = soon(tokio_tungstenite::connect_async(foreign)).await;
        assert!(
            matches!(&refused, Err(Error::Http(answer)) if answer.status() == 403),
            "{refused:?}"
        );

        let connected = soon(tokio_tungstenite::connect_async(request(&origin))).await;
        let (mut socket, _) = connected.unwrap();
        socket.send(Message::text("What is 2 + 2?")).await.unwrap();
        let mut kinds = BTreeSet::new();
        let result: Value = loop {
            let message = soon(socket.next()).await.unwrap().unwrap();
            let line: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
            kinds.insert(line["type"].as_str().unwrap().to_owned());
            if line["type"] == "result" {
                break line;
            }
        };
        assert_eq!(result["result"], "Two and two make 4.");
        assert!(
            kinds.contains("stream_event") && kinds.contains("assistant"),
            "{kinds:?}"
        );
        socket.close(None).await.unwrap();
        server.kill().await.unwrap();
    }

    fn lines_url(origin: &str) -> String {
        origin.replacen("http", "ws", 1)
    }
}
