//! Prefix programs, which need a POSIX shell on the far side.

use claw_transport::{Prefix, Subprocess, Transport};
use claw_types::Map;
use claw_types::options::QueryOptions;

use crate::shell::program;
use crate::support::line;

/// Says how it was started.
const TELL: &str = r#"#!/bin/sh
echo "args:$(printf ' %s' "$@")"
echo "cwd: $(pwd)"
echo "env: ${CLAUDECODE-none} ${CLAUDE_CODE_SDK_READS_SESSION_STATE-none} ${MINE-none}"
"#;

const ARGS: &str = "args: --output-format=stream-json --verbose --input-format=stream-json";

fn options(path: &std::path::Path, cwd: &std::path::Path) -> QueryOptions {
    let env = [("MINE", Some("it's \"mine\"".to_owned()))];
    QueryOptions::default()
        .path_to_claude_code_executable(path)
        .cwd(cwd)
        .env(env.into_iter().collect::<Map<_>>())
        .model("o $HOME")
}

#[tokio::test]
async fn a_prefix_that_hands_on_words_runs_the_cli() {
    let folder = tempfile::tempdir().unwrap();
    let claude = program(folder.path(), "claude", TELL);
    let launcher = Prefix::exec(["nice", "-n", "1"]);
    let claude = Subprocess::new(&options(&claude, folder.path())).launcher(launcher);
    let mut parts = claude.open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, format!("{ARGS} --model=o $HOME"));
    assert_eq!(
        line(&mut parts).await,
        format!("cwd: {}", folder.path().display())
    );
}

#[tokio::test]
async fn a_prefix_that_hands_on_a_shell_line_runs_the_cli() {
    let folder = tempfile::tempdir().unwrap();
    let claude = program(folder.path(), "claude it's", TELL);
    // What ssh does: the words after the host make one line for a shell.
    let ssh = program(
        folder.path(),
        "ssh",
        "#!/bin/sh\nshift\nexec sh -c \"$*\"\n",
    );
    let launcher = Prefix::shell([ssh.as_os_str(), "host".as_ref()]);
    let claude = Subprocess::new(&options(&claude, folder.path())).launcher(launcher);
    let mut parts = claude.open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, format!("{ARGS} --model=o $HOME"));
    assert_eq!(
        line(&mut parts).await,
        format!("cwd: {}", folder.path().display())
    );
}

#[tokio::test]
async fn a_prefix_runs_a_program_with_an_equals_sign_in_a_directory_called_dash() {
    let folder = tempfile::tempdir().unwrap();
    let [bin, work] = ["a=b", "-"].map(|name| folder.path().join(name));
    std::fs::create_dir(&bin).unwrap();
    std::fs::create_dir(&work).unwrap();
    let claude = program(&bin, "claude", TELL);
    // Its directory is relative to that of the prefix program.
    let far = program(
        folder.path(),
        "far",
        &format!(
            "#!/bin/sh\ncd '{}' && exec \"$@\"\n",
            folder.path().display()
        ),
    );
    let launcher = Prefix::exec([&far]);
    let claude = Subprocess::new(&options(&claude, "-".as_ref())).launcher(launcher);
    let mut parts = claude.open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, format!("{ARGS} --model=o $HOME"));
    assert_eq!(line(&mut parts).await, format!("cwd: {}", work.display()));
}
