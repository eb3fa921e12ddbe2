use std::sync::mpsc;
use std::time::Duration;

use claw_transport::Transport;

use crate::support::{Sh, is_inside, run, sh, soon, this_test_alone};

#[tokio::test]
async fn a_megabyte_of_stderr_is_drained_while_nobody_polls() {
    let parts = run("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2").await;
    // No task but this one, which waits without the runtime.
    let exit = futures::executor::block_on(parts.process.exited());
    assert!(exit.is_success());
    assert_eq!(parts.process.stderr_tail(), "end\n");
}

#[tokio::test]
async fn the_exit_error_quotes_what_was_written_last() {
    let script =
        "echo 'Error: no such option; key is sk-ant-abc123' >&2; echo $MY_TOKEN >&2; exit 1";
    let command = sh(script).env("MY_TOKEN", "very-secret");
    let parts = Sh(command).open().await.unwrap();
    let exit = soon(parts.process.exited()).await;
    let text = parts.process.exit_error(exit).to_string();
    assert!(
        text.contains("exit status: 1") && text.contains("no such option"),
        "{text}"
    );
    assert!(
        !text.contains("abc123") && !text.contains("very-secret"),
        "{text}"
    );
}

#[tokio::test]
async fn a_callback_gets_each_line() {
    let (sender, lines) = mpsc::channel();
    let command = sh("echo one >&2; echo two >&2; printf three >&2")
        .on_stderr(move |line| sender.send(line.to_owned()).unwrap());
    let _parts = Sh(command).open().await.unwrap();
    for expected in ["one", "two", "three"] {
        assert_eq!(
            lines.recv_timeout(Duration::from_secs(30)).unwrap(),
            expected
        );
    }
}

#[tokio::test]
async fn a_callback_that_blocks_holds_up_nobody() {
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let command = sh("for n in 1 2 3; do echo $n >&2; done; head -c 1000000 /dev/zero >&2")
        .on_stderr(move |_| {
            let _ = wait.lock().unwrap().recv();
        });
    let parts = Sh(command).open().await.unwrap();
    assert!(soon(parts.process.exited()).await.is_success());
    drop(release);
}

#[test]
fn what_a_callback_that_blocks_does_not_take_costs_little_memory() {
    const NAME: &str = "stderr::what_a_callback_that_blocks_does_not_take_costs_little_memory";
    if !is_inside(NAME) {
        let output = this_test_alone(NAME).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        print!("{said}");
        return;
    }
    let memory = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.unwrap().split_whitespace().next().unwrap();
        kib.parse::<usize>().unwrap() / 1024
    };
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    // Bytes that are no UTF-8 take three times their room.
    let script = r"line=$(head -c 60000 /dev/zero | tr '\0' '\377'); yes $line | head -n 4000 >&2";
    let command = sh(script).on_stderr(move |_| {
        let _ = wait.lock().unwrap().recv();
    });
    let before = memory();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let parts = runtime.block_on(Sh(command).open()).unwrap().into_parts();
    let exit = runtime.block_on(soon(parts.process.exited()));
    assert!(exit.is_success());
    let grown = memory() - before;
    println!("4,000 lines of 60 kB: memory grew by {grown} MiB");
    assert!(grown < 40, "{grown} MiB");
    drop(release);
}
