//! How a CLI is started: arguments, environment, directory.

use std::path::Path;

use claw_testkit::processes;
use claw_transport::{CommandSpec, Parts, Prefix, Subprocess, Transport};
use claw_types::Map;
use claw_types::options::QueryOptions;

use crate::support::{Started, copy, line, soon};

const ARGS: [&str; 3] = [
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
];

/// Arguments that a shell or a careless split would change.
const ODD: [&str; 22] = [
    "",
    " ",
    "two words",
    "\"quoted\"",
    "one\"quote",
    "it's",
    r"C:\Program Files\x\",
    r"back\slash",
    r"two\\",
    r"\",
    r#"\" \\" \\\"#,
    r#"{"a":"b \"c\""}"#,
    "%PATH%",
    "100%",
    "^caret^",
    "a & b | c > d < e",
    "!bang!",
    "$HOME `x` *",
    "tab\tand\nnewline",
    "größe – 🎉",
    "@file",
    "(x);y,z=1",
];

/// Options for a program that takes these steps, whatever its arguments are.
fn options(program: &Path, cwd: &Path, steps: &[&str]) -> QueryOptions {
    let env = [
        ("MINE", Some("it's \"mine\" %PATH% größe".to_owned())),
        ("SCRIPTED_PROCESS", Some(steps.join("\n"))),
    ];
    QueryOptions::default()
        .path_to_claude_code_executable(program)
        .cwd(cwd)
        .env(env.into_iter().collect::<Map<_>>())
        .model("o $HOME %PATH%")
}

async fn arguments(parts: &mut Parts) -> Vec<String> {
    serde_json::from_str(&line(parts).await).unwrap()
}

#[tokio::test]
async fn a_subprocess_is_started_as_the_options_say() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().join("a größe & b");
    std::fs::create_dir(&cwd).unwrap();
    let claude = copy(folder.path(), "claude it's");
    let steps = [
        "args",
        "cwd",
        "env=CLAUDECODE",
        "env=CLAUDE_CODE_SDK_READS_SESSION_STATE",
        "env=MINE",
    ];
    let options = options(&claude, &cwd, &steps);
    let claude = Subprocess::new(&options).permission_prompts(true);
    let mut parts = claude.open().await.unwrap().into_parts();
    let more = ["--model=o $HOME %PATH%", "--permission-prompt-tool=stdio"];
    assert_eq!(arguments(&mut parts).await, [&ARGS[..], &more].concat());
    let entered = std::path::PathBuf::from(line(&mut parts).await);
    assert_eq!(entered.canonicalize().unwrap(), cwd.canonicalize().unwrap());
    assert_eq!(line(&mut parts).await, "none");
    assert_eq!(line(&mut parts).await, "1");
    assert_eq!(line(&mut parts).await, "it's \"mine\" %PATH% größe");
    assert!(soon(parts.process.exited()).await.is_success());
}

#[tokio::test]
async fn arguments_come_as_they_are() {
    let program = processes::program().unwrap();
    let command = CommandSpec::new(program)
        .args(ODD)
        .env("SCRIPTED_PROCESS", "args");
    let mut parts = Started(command).open().await.unwrap().into_parts();
    assert_eq!(arguments(&mut parts).await, ODD);
}

/// What a prefix program is given, wherever the far side is.
#[tokio::test]
async fn a_prefix_program_gets_the_words_of_the_far_side() {
    let folder = tempfile::tempdir().unwrap();
    let ssh = copy(folder.path(), "ssh");
    let options = options("/opt/claude".as_ref(), "/work/project".as_ref(), &["args"]);
    let launcher = Prefix::exec([ssh.as_os_str(), "host".as_ref()]);
    let claude = Subprocess::new(&options).launcher(launcher);
    let mut parts = claude.open().await.unwrap().into_parts();
    let words = arguments(&mut parts).await;
    assert_eq!(
        words[..5],
        [
            "host",
            "sh",
            "-c",
            "cd -- \"$0\" && exec \"$@\"",
            "/work/project"
        ]
    );
    let at = words.iter().position(|word| word == "/opt/claude").unwrap();
    let model = ["--model=o $HOME %PATH%"];
    assert_eq!(words[at + 1..], [&ARGS[..], &model].concat());

    let launcher = Prefix::shell([ssh.as_os_str(), "host".as_ref()]);
    let claude = Subprocess::new(&options).launcher(launcher);
    let mut parts = claude.open().await.unwrap().into_parts();
    let words = arguments(&mut parts).await;
    assert_eq!(words[4], "'/work/project'");
    assert_eq!(words.last().unwrap(), "'--model=o $HOME %PATH%'");
}

/// A prompt of ten megabytes goes over a pipe, and comes back.
#[tokio::test]
async fn a_line_of_ten_megabytes_passes_both_ways() {
    const LENGTH: usize = 10_000_000;
    let mut parts = crate::support::run(&["cat"]).await;
    let sent = "z".repeat(LENGTH);
    let sending = parts.outgoing.send(sent.clone().into());
    let mut incoming = parts.incoming;
    let (sent_out, came) = soon(futures::future::join(
        sending,
        futures::StreamExt::next(&mut incoming),
    ))
    .await;
    sent_out.unwrap();
    match came {
        Some(Ok(claw_codec::LineItem::Line(line))) => assert!(line.raw == sent.as_bytes()),
        other => panic!("{other:?}"),
    }
}
