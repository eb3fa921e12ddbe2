//! The example `proxy` as a process, between this host and programs that play `claude`.

use std::io::{Read, Write};
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Stdio};
use std::thread;

use claw_client::Session;
use claw_client::codec::DEFAULT_LIMIT;
use claw_client::types::QueryOptions;
use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use proptest::prelude::*;

use crate::agent::soon;
use crate::examples::built;
use crate::proc::{kill, marked, wait_until};
use crate::process::options;

/// The proxy in front of this program.
fn proxy(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(built("proxy"));
    command
        .args(args)
        .env("PROXY_CLAUDE", program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The proxy in front of a process that takes these steps.
fn process(steps: &[&str]) -> Command {
    let program = claw_testkit::processes::program().unwrap();
    proxy(&program.display().to_string(), steps)
}

/// What comes back of `input` through the proxy and a process that repeats it, so through both directions, and how it
/// ended.
fn through_cat(input: Vec<u8>, sizes: &[usize]) -> (Vec<u8>, Option<i32>) {
    let mut child = process(&["cat"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let sizes = sizes.to_vec();
    let writer = thread::spawn(move || {
        let mut rest = &input[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at((*size).min(rest.len()));
            stdin.write_all(piece).unwrap();
            rest = more;
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    (output.stdout, output.status.code())
}

#[test]
fn every_byte_passes_both_ways() {
    let odd = [
        &b"\xEF\xBB\xBF{\"type\":\"keep_alive\"}\r\n\n \t\n\r\n"[..],
        b"stray text\n\xff\xfe\0\n{\"cut\":\n\r\r\nlone \r in it\n\xEF\xBB\xBF\n",
        "{\"text\":\"\u{2028}\u{1f600}\"}\n".as_bytes(),
        &b"x".repeat(1 << 20),
        b"\r\nno ending",
    ]
    .concat();
    for input in [odd, b"\r".to_vec(), b"\xEF\xBB\xBF".to_vec(), Vec::new()] {
        let (output, code) = through_cat(input.clone(), &[7, 70_000]);
        assert!(output == input, "{} bytes of {}", output.len(), input.len());
        assert_eq!(code, Some(0));
    }
}

#[test]
fn a_line_over_the_limit_passes() {
    let mut input = b"x".repeat(DEFAULT_LIMIT + 100);
    input.extend_from_slice(b"\nshort\n");
    let (output, code) = through_cat(input.clone(), &[1 << 20]);
    assert!(output == input, "{} bytes of {}", output.len(), input.len());
    assert_eq!(code, Some(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_bytes_in_any_pieces_pass(
        input in proptest::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(&b"\n\r{}\" \xEF\xBB\xBF"[..])],
            0..3000,
        ),
        sizes in proptest::collection::vec(1..200_usize, 1..9),
    ) {
        prop_assert_eq!(through_cat(input.clone(), &sizes), (input, Some(0)));
    }
}

#[tokio::test]
async fn a_session_through_the_proxy_is_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let steps = [
        Step::Turn(vec![Step::message([Block::text("fine")])]),
        Step::expect_prompt(),
        Step::Stderr("fatal: it burns\n".into()),
        Step::Exit(3),
    ];
    let mut options = options(folder.path(), &Script::new(steps));
    let agent = agent::program().unwrap().display().to_string();
    let mut env = options.env.take().unwrap();
    env.insert("PROXY_CLAUDE", Some(agent));
    let options: QueryOptions = options
        .env(env)
        .path_to_claude_code_executable(built("proxy"));
    let session = soon(Session::builder(options).connect()).await.unwrap();
    assert_eq!(soon(session.ask("Go")).await.unwrap(), "fine");
    let error = soon(session.ask("Again")).await.unwrap_err();
    let exited = error.exited().unwrap();
    assert_eq!(
        (exited.exit.code(), exited.stderr.trim()),
        (Some(3), "fatal: it burns")
    );
}

/// What the lines of a stream are numbered is what they are numbered behind a proxy.
#[tokio::test]
async fn numbers_of_lines_are_the_same_behind_the_proxy() {
    let folder = tempfile::tempdir().unwrap();
    let odd = "\r\n\n  \nstray text\r\n{\"cut\":\n\n";
    let turn = vec![Step::Raw(odd.into()), Step::message([Block::text("fine")])];
    let script = Script::new([Step::Turn(turn)]);
    let agent = agent::program().unwrap();
    let mut numbers = Vec::new();
    for program in [agent.clone(), built("proxy")] {
        let mut options = options(folder.path(), &script);
        let mut env = options.env.take().unwrap();
        env.insert("PROXY_CLAUDE", Some(agent.display().to_string()));
        let options = options.env(env).path_to_claude_code_executable(program);
        let recorded = folder.path().join("recorded");
        let session = Session::builder(options).record(&recorded).connect();
        let session = soon(session).await.unwrap();
        let mut turn = soon(session.send("Go")).await.unwrap();
        let mut seen = Vec::new();
        while let Some(item) = soon(turn.next_frame()).await {
            seen.push(item.unwrap().number());
        }
        soon(session.close()).await.unwrap();
        // Each is the number of its line in what the CLI wrote.
        let lines = std::fs::read_to_string(recorded.join("stdout.ndjson")).unwrap();
        let stray = lines.lines().position(|line| line == "stray text").unwrap() as u64;
        assert!(
            seen.contains(&(stray + 1)) && seen.contains(&(stray + 2)),
            "{seen:?}"
        );
        assert!(
            !seen.contains(&stray) && !seen.contains(&(stray + 3)),
            "{seen:?}"
        );
        numbers.push(seen);
    }
    assert_eq!(numbers[0], numbers[1]);
}

#[test]
fn the_exit_code_and_stderr_are_passed_on() {
    for (steps, expected) in [(["warn=why", "exit=7"], 7), (["warn=why", "signal=9"], 137)] {
        let output = process(&steps).output().unwrap();
        assert_eq!(output.status.code(), Some(expected));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "why\n");
    }
    let output = proxy("/nowhere/claude", &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("proxy: "));
}

/// The proxy in front of a script that starts another process, once both run.
#[cfg(unix)]
fn with_a_child(mark: &str) -> Child {
    let script = "trap 'exit 9' TERM; sleep 1000 & echo there; wait";
    let mut child = proxy("/bin/sh", &["-c", script])
        .env("PROXY_TEST", mark)
        .spawn()
        .unwrap();
    let mut there = [0; 6];
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut there).unwrap();
    assert_eq!(&there, b"there\n");
    child
}

fn nothing_is_left(mark: &str) {
    let variable = format!("PROXY_TEST={mark}");
    wait_until("nothing is left", || marked(&variable).is_empty());
}

#[cfg(unix)]
#[test]
fn a_signal_is_passed_on_and_nothing_is_left() {
    let mark = format!("term-{}", std::process::id());
    let mut child = with_a_child(&mark);
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(9));
    nothing_is_left(&mark);
}

/// On Windows, where a job ends with its host, also nothing of what the program has started.
#[cfg(windows)]
#[test]
fn nothing_is_left_of_a_proxy_that_is_killed() {
    let mark = format!("kill-{}", std::process::id());
    let mut child = process(&["daemon=wait", "say=there", "wait"]);
    let mut child = child.env("PROXY_TEST", &mark).spawn().unwrap();
    let mut there = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut there)
        .unwrap();
    wait_until("all three are there", || {
        marked(&format!("PROXY_TEST={mark}")).len() == 3
    });
    kill(child.id());
    child.wait().unwrap();
    nothing_is_left(&mark);
}

#[cfg(unix)]
#[test]
fn nothing_is_left_of_a_proxy_that_is_killed() {
    let mark = format!("kill-{}", std::process::id());
    let mut child = with_a_child(&mark);
    kill(child.id());
    child.wait().unwrap();
    // What it started is left to the system where its host is killed: see docs/processes.md.
    let variable = format!("PROXY_TEST={mark}");
    let is_shell = |pid: &u32| {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        name.trim() != "sleep"
    };
    wait_until("no `claude` is left", || {
        !marked(&variable).iter().any(is_shell)
    });
    marked(&variable).into_iter().for_each(kill);
}

#[test]
fn the_end_of_input_and_a_host_that_reads_no_more_end_it() {
    let mut child = process(&["cat-stderr", "say=rest", "exit=4"])
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"last").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        (&output.stdout[..], &output.stderr[..]),
        (&b"rest\n"[..], &b"last\n"[..])
    );

    let mark = format!("deaf-{}", std::process::id());
    let mut child = process(&["flood=100000000,1,121"])
        .env("PROXY_TEST", &mark)
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(!child.wait().unwrap().success());
    nothing_is_left(&mark);
}

#[test]
fn a_slow_reader_holds_up_the_writer_and_fills_no_memory() {
    const SENT: usize = 100 << 20;
    let mut child = process(&["cat"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let line = [&b"x".repeat(999)[..], b"\n"].concat();
        for _ in 0..SENT / line.len() {
            stdin.write_all(&line).unwrap();
        }
        stdin
    });
    let mut stdout = child.stdout.take().unwrap();
    let (mut read, mut piece) = (0, [0; 512]);
    while read < SENT / 1000 * 1000 {
        read += stdout.read(&mut piece).unwrap();
    }
    // Other systems do not keep the highest value of another process.
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.unwrap().split_whitespace().next().unwrap();
        let peak: usize = peak.parse().unwrap();
        assert!(peak < 40 << 10, "{peak} KiB");
    }
    drop(writer.join().unwrap());
    assert!(child.wait().unwrap().success());
}

/// An answer that hides what it says is not passed on while one waits to be refused.
#[test]
fn an_answer_that_cannot_be_read_does_not_get_past_the_guard() {
    let request = r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"rm -rf x"},"tool_use_id":"t"}}"#;
    let say = format!("say={request}");
    let answers = [
        (
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"behavior":"allow"}}}"#,
            Some("does not pass this proxy"),
        ),
        (r#"{"type":"control_response","response":"#, None),
    ];
    for (answer, expected) in answers {
        let mut child = process(&[&say, "cat-stderr"]).spawn().unwrap();
        let mut asked = vec![0; request.len() + 1];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut asked)
            .unwrap();
        assert_eq!(&asked[..request.len()], request.as_bytes());
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "{answer}").unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!told.contains("allow"), "{told}");
        if let Some(expected) = expected {
            assert!(told.contains(expected), "{told}");
        }
    }
}
