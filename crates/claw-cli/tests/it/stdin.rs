//! What `claw run` reads from stdin, with the real CLI.
#![cfg(unix)]

use std::process::Stdio;
use std::time::{Duration, Instant};

use claw_testkit::api::scenarios;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};

use super::chat::Terminal;
use super::claw::Ran;
use super::real_cli::{Place, wait};

/// Starts the command, with a pipe as its stdin.
fn piped(mut command: Command) -> (Child, ChildStdin) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

async fn run(place: &Place, args: &[&str], input: &[u8]) -> Ran {
    let (child, mut stdin) = piped(place.claw(args));
    // It may end before it has read all.
    let _ = stdin.write_all(input).await;
    drop(stdin);
    wait(child.wait_with_output()).await
}

/// The text of the prompt that the model was sent.
fn prompt(place: &Place) -> String {
    let requests = place.api.requests();
    let messages = requests.last().unwrap().body["messages"].clone();
    let content = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "user");
    let texts: Vec<_> = content
        .flat_map(|message| match &message["content"] {
            serde_json::Value::Array(blocks) => blocks.clone(),
            text => vec![serde_json::json!({"text": text})],
        })
        .filter_map(|block| Some(block["text"].as_str()?.to_owned()))
        .filter(|text| !text.starts_with("<system-reminder>"))
        .collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    texts.into_iter().next().unwrap()
}

#[tokio::test]
async fn a_pipe_is_context_behind_the_prompt_as_with_claude() {
    let place = Place::new(scenarios::text()).await;
    let ran = run(
        &place,
        &["run", "-q", "Explain."],
        b"line one\nlast line\n\n",
    )
    .await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    assert_eq!(prompt(&place), "Explain.\nline one\nlast line\n\n");

    let mut claude = Command::new(claw_testkit::claude().unwrap());
    claude
        .args(["-p", "Explain."])
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs(place.api.env())
        .env("HOME", place.folder.path().join("home"))
        .current_dir(place.folder.path().join("work"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (child, mut stdin) = piped(claude);
    stdin.write_all(b"line one\nlast line\n\n").await.unwrap();
    drop(stdin);
    assert_eq!(wait(child.wait_with_output()).await.code, Some(0));
    assert_eq!(prompt(&place), "Explain.\nline one\nlast line\n\n");
}

#[tokio::test]
async fn without_input_there_is_the_prompt_alone() {
    let place = Place::new(scenarios::text()).await;
    let ran = run(&place, &["run", "-q", "Explain."], b"").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    assert_eq!(prompt(&place), "Explain.");
    let file = place.folder.path().join("log");
    std::fs::write(&file, "from a file\n").unwrap();
    let mut command = place.claw(&["run", "-q", "Explain."]);
    command.stdin(std::fs::File::open(&file).unwrap());
    assert_eq!(wait(command.output()).await.code, Some(0));
    assert_eq!(prompt(&place), "Explain.\nfrom a file\n");
}

#[tokio::test]
async fn a_dash_reads_the_prompt() {
    let place = Place::new(scenarios::text()).await;
    let ran = run(&place, &["run", "-q", "-"], b"Say\nhello.\n").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    assert_eq!(prompt(&place), "Say\nhello.\n");
    let ran = run(&place, &["run", "-q", "-"], b" \n").await;
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("there is no prompt on stdin"),
        "{}",
        ran.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dash_reads_the_prompt_from_a_terminal() {
    let place = Place::new(scenarios::text()).await;
    let mut terminal = Terminal::run(&place, &["run", "-"]);
    terminal.press("Say\rhello.\r\u{4}");
    terminal.until("done: 1 turn");
    assert_eq!(prompt(&place), "Say\nhello.\n");
}

/// As a host that starts commands with a pipe that it never writes to.
#[tokio::test]
async fn an_open_and_silent_stdin_is_not_waited_for() {
    let place = Place::new(scenarios::text()).await;
    let (child, stdin) = piped(place.claw(&["run", "-q", "Explain."]));
    let ran = wait(child.wait_with_output()).await;
    drop(stdin);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("nothing came on stdin within 3 seconds"),
        "{}",
        ran.stderr
    );
    assert_eq!(prompt(&place), "Explain.");
}

/// Once something has come, the rest is waited for; so is all of it with `--stdin` and with a dash.
#[tokio::test]
async fn input_that_has_begun_is_waited_for() {
    let place = Place::new(scenarios::text()).await;
    let silent = Duration::from_secs(4);
    for (args, before, expected) in [
        (
            &["run", "-q", "Explain."][..],
            "begun\n",
            "Explain.\nbegun\nended\n",
        ),
        (
            &["run", "-q", "--stdin", "Explain."],
            "",
            "Explain.\nended\n",
        ),
        (&["run", "-q", "-"], "", "ended\n"),
    ] {
        let (child, mut stdin) = piped(place.claw(args));
        stdin.write_all(before.as_bytes()).await.unwrap();
        // Longer than it waits for the first byte: the time is what is tested here.
        let since = Instant::now();
        tokio::time::sleep(silent).await;
        assert!(since.elapsed() >= silent);
        stdin.write_all(b"ended\n").await.unwrap();
        drop(stdin);
        let ran = wait(child.wait_with_output()).await;
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{args:?}");
        assert_eq!(prompt(&place), expected);
    }
}

#[tokio::test]
async fn too_much_and_what_is_no_text_are_told() {
    let place = Place::new(scenarios::text()).await;
    let much = vec![b'a'; 10 * 1024 * 1024 + 1];
    for args in [&["run", "-q", "Explain."][..], &["run", "-"]] {
        let ran = run(&place, args, &much).await;
        assert_eq!(ran.code, Some(3), "{}", ran.stdout);
        assert!(
            ran.stderr.contains("more than 10 MiB for one prompt"),
            "{}",
            ran.stderr
        );
    }
    assert!(place.api.requests().is_empty());
    let ran = run(&place, &["run", "-q", "Explain."], b"ab\xffc").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("byte 3 of stdin"), "{}", ran.stderr);
    assert_eq!(prompt(&place), "Explain.\nab\u{fffd}c");

    let mut command = place.claw(&["run", "-q", "Explain."]);
    command.stdin(std::fs::File::open(place.folder.path()).unwrap());
    let ran = wait(command.output()).await;
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    assert!(ran.stderr.contains("stdin: "), "{}", ran.stderr);
}
