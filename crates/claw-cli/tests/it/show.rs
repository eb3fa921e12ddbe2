//! `claw show`.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::claw::{Ran, claw, fixtures, ran, text};

fn show(args: &[&str]) -> Ran {
    let args: Vec<_> = ["show"].iter().chain(args).copied().collect();
    ran(claw(&args).output().unwrap())
}

/// An answer of the model as a line.
pub(crate) fn answer(number: usize, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        r#"{{"type":"assistant","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":"m","content":[{{"type":"text","text":{text}}}],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":2}}}},"parent_tool_use_id":null,"uuid":"u-{number}","session_id":"s"}}"#
    )
}

#[test]
fn a_recording_shows_prompts_where_they_were_taken_up() {
    let shown = show(&[text(&fixtures().join("bash_denied"))]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let expected = "\
> Write hello into greeting.txt.
✻ Thinking
  A shell command does it.
I write the file.
● Bash(echo hello | tee greeting.txt)  (Write the greeting)
✗ (the answer was no)
  Not today.
I could not write the file.
— done: 2 turns,";
    assert!(shown.stdout.starts_with(expected), "{}", shown.stdout);
}

#[test]
fn every_recording_and_transcript_is_shown() {
    let mut shown = 0;
    for folder in fs::read_dir(fixtures()).unwrap() {
        let folder = folder.unwrap().path();
        for name in ["", "transcript.ndjson"] {
            let path = folder.join(name);
            let whole = if name.is_empty() {
                folder.join("stdout.ndjson")
            } else {
                path.clone()
            };
            if !whole.is_file() {
                continue;
            }
            let ran = show(&[text(&path), "--width", "60"]);
            assert_eq!(
                (ran.code, &*ran.stderr),
                (Some(0), ""),
                "{}",
                path.display()
            );
            let steers = |c: char| c.is_control() && c != '\n';
            assert!(!ran.stdout.contains(steers), "{}", path.display());
            shown += 1;
        }
    }
    assert!(shown > 150, "{shown}");
}

#[test]
fn a_transcript_and_what_claude_wrote_show_the_same_answer() {
    let folder = fixtures().join("rewind_files");
    let parts = ["● Write(", "1 + "];
    for name in ["stdout.ndjson", "transcript.ndjson"] {
        let shown = show(&[text(&folder.join(name))]).stdout;
        for part in parts {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }
}

#[test]
fn elements_as_json() {
    let ran = show(&[text(&fixtures().join("bash_denied")), "--json"]);
    let kinds: Vec<_> = ran
        .stdout
        .lines()
        .map(|line| {
            let element: serde_json::Value = serde_json::from_str(line).unwrap();
            element["content"]["type"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected = [
        "userInput",
        "thinking",
        "assistantText",
        "toolCall",
        "toolResult",
        "assistantText",
        "turnEnd",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn a_file_that_is_not_there_is_said() {
    let ran = show(&["no/such/file"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("no/such/file"), "{}", ran.stderr);
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(show(&[text(empty.path())]).code, Some(3));
}

#[test]
fn nothing_hostile_reaches_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    let hostile = "\u{1b}[2J\u{7}\u{202e}\u{9b}31m\r\u{200b}<script>";
    let title = serde_json::to_string(hostile).unwrap();
    let tool = format!(
        r#"{{"type":"assistant","message":{{"id":"m","type":"message","role":"assistant","model":"m","content":[{{"type":"tool_use","id":"t","name":{title},"input":{{"command":{title}}}}},{{"type":"tool_use","id":"e","name":"Write","input":{{"file_path":{title},"content":{title}}}}},{{"type":"new","a":{title}}}],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":2}}}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"}}"#
    );
    let lines = [answer(1, hostile), tool, hostile.to_owned()];
    // Bytes that are no text.
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend(b"\n\xff\xfe\x1b[0m");
    fs::write(&file, bytes).unwrap();
    let plain = show(&[text(&file)]).stdout;
    assert!(
        plain.contains("\\u{1b}[2J\\u{7}\\u{202e}\\u{9b}31m\\u{d}\\u{200b}<script>"),
        "{plain}"
    );
    // With colours, the only escapes are claw's own.
    let coloured = claw(&["show", text(&file)])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    let coloured = ran(coloured).stdout;
    for escape in coloured.split('\u{1b}').skip(1) {
        let (code, _) = escape.split_once('m').unwrap();
        let code = code.strip_prefix('[').unwrap();
        assert!(
            code.chars().all(|c| c.is_ascii_digit() || c == ';'),
            "{code:?}"
        );
    }
    let bad = |c: char| matches!(c, '\u{7}' | '\r' | '\u{9b}' | '\u{202e}' | '\u{200b}');
    assert!(
        coloured.contains('\u{1b}') && !coloured.contains(bad),
        "{coloured:?}"
    );
}

#[test]
fn a_recording_is_followed_until_its_session_ends() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = fixtures().join("bash_denied");
    let lines = |name| fs::read_to_string(recorded.join(name)).unwrap();
    let (stdout, stdin) = (lines("stdout.ndjson"), lines("stdin.ndjson"));
    fs::write(folder.path().join("stdin.ndjson"), stdin).unwrap();
    let growing = folder.path().join("stdout.ndjson");
    // Half of it, and half a line.
    let (first, rest) = stdout.split_at(stdout.find("I could not").unwrap());
    fs::write(&growing, first).unwrap();
    let mut child = claw(&["show", "--follow", text(folder.path())])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap()).lines();
    let up_to = |shown: &mut dyn Iterator<Item = std::io::Result<String>>, part: &str| {
        let line = shown.map(Result::unwrap).find(|line| line.contains(part));
        assert!(line.is_some(), "{part}");
    };
    up_to(&mut shown, "Not today.");
    let mut growing = OpenOptions::new().append(true).open(&growing).unwrap();
    growing.write_all(rest.as_bytes()).unwrap();
    up_to(&mut shown, "I could not write the file.");
    up_to(&mut shown, "— done");
    // It ends by itself: its output does.
    assert!(shown.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// What a command writes, as it comes: up to a line that has that part.
fn lines_of(child: &mut std::process::Child) -> impl FnMut(&str) + use<> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = stdout.lines().map_while(Result::ok);
        lines.try_for_each(|line| sender.send(line))
    });
    move |part| {
        loop {
            let line = lines.recv_timeout(Duration::from_mins(1));
            if line.unwrap_or_else(|_| panic!("no {part}")).contains(part) {
                break;
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_or_replaced_is_shown_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    let long = [
        answer(1, "The first."),
        answer(2, "The second."),
        String::new(),
    ];
    for json in [false, true] {
        fs::write(&file, long.join("\n")).unwrap();
        let mut args = vec!["show", "--follow", text(&file)];
        args.extend(json.then_some("--json"));
        let mut child = claw(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut up_to = lines_of(&mut child);
        up_to("The second.");
        // Cut, with ids that were there before.
        fs::write(&file, answer(1, "The third.") + "\n").unwrap();
        if json {
            up_to(r#"{"change":"removed","value":"msg_1.0"}"#);
            up_to(r#"{"change":"removed","value":"msg_2.0"}"#);
        } else {
            up_to("Another session is there now.");
        }
        up_to("The third.");
        // Another one in its place, which is longer.
        let other = folder.path().join("other");
        fs::write(&other, answer(1, "The fourth.") + "\n" + &long.join("\n")).unwrap();
        fs::rename(&other, &file).unwrap();
        up_to("The fourth.");
        up_to("The second.");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_following_and_leaves_the_terminal_clean() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Read as _;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    let event = |event: &str| {
        format!(
            r#"{{"type":"stream_event","event":{event},"session_id":"s","parent_tool_use_id":null,"uuid":"e"}}"#
        )
    };
    // A text in mid-line, and a tool that waits for its result.
    let tool = answer(1, "").replace(
        r#"{"type":"text","text":""}"#,
        r#"{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"a","old_string":"b","new_string":"c"}}"#,
    );
    let lines = [
        tool,
        event(
            r#"{"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}}}"#,
        ),
        event(
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ),
        event(
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"First line.\nOnce upon a "}}"#,
        ),
        String::new(),
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    for from_pipe in [false, true] {
        let source = if from_pipe { "-" } else { text(&file) };
        let mut command = claw(&["show", "--follow", source]);
        command
            .env("CLICOLOR_FORCE", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        // Stays open: more may come.
        let mut stdin = child.stdin.take().unwrap();
        if from_pipe {
            stdin.write_all(lines.join("\n").as_bytes()).unwrap();
        }
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut shown = String::new();
        while !shown.contains("First line.") {
            assert!(stdout.read_line(&mut shown).unwrap() > 0, "{shown}");
        }
        let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
        stdout.read_to_string(&mut shown).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{shown}");
        assert!(ended.stderr.is_empty());
        drop(stdin);
        // Nothing that was begun is lost, no colour stays, and the prompt is on a line of its own.
        assert!(shown.contains("Once upon a"), "{shown:?}");
        assert!(shown.contains("Update(a)"), "{shown:?}");
        assert!(shown.ends_with('\n'), "{shown:?}");
        let last = shown.rsplit('\u{1b}').next().unwrap();
        assert!(last.starts_with("[0m"), "{shown:?}");
    }
}

#[test]
fn a_pipe_is_drawn_as_it_comes_and_to_its_end() {
    for args in [&["show", "-"][..], &["show", "--follow", "-"]] {
        let mut child = claw(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut up_to = lines_of(&mut child);
        let mut stdin = child.stdin.take().unwrap();
        for number in 0..200 {
            let text = format!("Answer {number}.");
            writeln!(stdin, "{}", answer(number, &text)).unwrap();
            up_to(&text);
        }
        // A last line without an end.
        stdin.write_all(answer(200, "The end.").as_bytes()).unwrap();
        drop(stdin);
        up_to("The end.");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    let lines: Vec<_> = (0..20)
        .map(|number| answer(number, &"x ".repeat(50_000)))
        .collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let mut child = claw(&["show", text(&file)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
}

/// Checks that the work for a file is linear in its size. A file with four times as much of everything may take at most
/// 4.15 times as many processor instructions. Work at the start of the program is not counted. The number of instructions does
/// not depend on the load of the machine. `args` are the arguments of `claw` for a file.
#[cfg(target_os = "linux")]
pub(crate) fn assert_linear(args: &dyn Fn(&Path) -> Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let [nothing, few, many] = [0, 1, 4].map(|times| {
        let file = folder.path().join(format!("{times}.ndjson"));
        fs::write(&file, of_all_kinds(times).join("\n")).unwrap();
        instructions(&args(&file))
    });
    let (few, many) = (few - nothing, many - nothing);
    assert!(
        many * 20 < few * 83,
        "{few} instructions for some of everything, {many} for four times as much"
    );
}

/// How many instructions claw takes for that.
#[cfg(target_os = "linux")]
fn instructions(args: &[String]) -> u64 {
    let mut valgrind = std::process::Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no"]);
    valgrind.arg("--cachegrind-out-file=/dev/null");
    let output = valgrind
        .arg(env!("CARGO_BIN_EXE_claw"))
        .args(args)
        .stdout(Stdio::null())
        .output()
        .expect("valgrind is there: apt-get install --no-install-recommends valgrind");
    // `claw check` finds something in what follows.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    let count = said.lines().find_map(|line| line.split_once("refs:"));
    let count = count.expect("valgrind counts").1.trim().replace(',', "");
    count.parse().unwrap()
}

/// Returns lines of all kinds, `times` as many of each: long texts, many lines, an answer of many pieces, many tool uses
/// without a result, and IDs that repeat. Of the work of `claw show`, each kind takes between a twentieth and a half.
#[cfg(target_os = "linux")]
fn of_all_kinds(times: usize) -> Vec<String> {
    if times == 0 {
        return Vec::new();
    }
    let event = |number: usize, event: &str| {
        format!(
            r#"{{"type":"stream_event","event":{event},"session_id":"s","parent_tool_use_id":null,"uuid":"e-{number}"}}"#
        )
    };
    let start = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}}}"#;
    let block =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let piece = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word-by-word"}}"#;
    let pieces = std::iter::repeat_n(piece, 60 * times);
    let pieces = [start, block].into_iter().chain(pieces).enumerate();
    let tool = |number: usize| {
        answer(number, "").replace(
            r#"{"type":"text","text":""}"#,
            &format!(
                r#"{{"type":"tool_use","id":"t{number}","name":"Edit","input":{{"file_path":"a","old_string":"b","new_string":"c"}}}}"#
            ),
        )
    };
    let result = r#"{"type":"tool_result","tool_use_id":"t","content":""}"#;
    let results = vec![result; 250 * times].join(",");
    let by_turns = |number: usize| {
        let id = format!(r#""id":"msg_{}""#, number % 2);
        answer(number, "a").replacen(&format!(r#""id":"msg_{number}""#), &id, 1)
    };
    // Each kind has numbers of its own, because equal IDs mean the same message.
    let numbers = |kind: usize, count: usize| (1_000_000 * kind..).take(count * times);
    let mut lines = vec![
        answer(2, &"a\u{1b}<b> ".repeat(1_000 * times)),
        answer(3, &"x".repeat(8 * 1024 * times)),
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{results}]}},"parent_tool_use_id":null,"uuid":"u"}}"#
        ),
    ];
    lines.extend(pieces.map(|(number, text)| event(number, text)));
    lines.extend(numbers(1, 60).map(|number| answer(number, "Hello.")));
    lines.extend(numbers(2, 40).map(tool));
    lines.extend(numbers(3, 100).map(by_turns));
    lines
}

#[cfg(target_os = "linux")]
#[test]
fn four_times_as_much_takes_no_more_than_linear_work() {
    for form in [["--width", "80"].as_slice(), &["--json"]] {
        assert_linear(&|file| {
            let args = ["show", text(file)];
            let args = args.iter().chain(form);
            args.map(ToString::to_string).collect()
        });
    }
}
