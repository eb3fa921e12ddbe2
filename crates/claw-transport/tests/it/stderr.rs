use std::sync::mpsc;

use claw_testkit::processes;
use claw_transport::Transport;

use crate::support::{DEADLINE, Started, is_inside, process, run, soon, this_test_alone};

#[tokio::test]
async fn a_megabyte_of_stderr_is_drained_while_nobody_polls() {
    let parts = run(&["fill-stderr=1000000", "warn=end"]).await;
    // No task but this one, which waits without the runtime.
    let exit = futures::executor::block_on(parts.process.exited());
    assert!(exit.is_success());
    assert_eq!(parts.process.stderr_tail(), "end\n");
}

#[tokio::test]
async fn the_exit_error_quotes_what_was_written_last() {
    let steps = [
        "warn=Error: no such option; key is sk-ant-abc123",
        "warn-env=MY_TOKEN",
        "exit=1",
    ];
    let command = process(&steps).env("MY_TOKEN", "very-secret");
    let parts = Started(command).open().await.unwrap();
    let exit = soon(parts.process.exited()).await;
    assert_eq!(exit.code(), Some(1));
    let text = parts.process.exit_error(exit).to_string();
    assert!(
        text.contains(&exit.to_string()) && text.contains("no such option"),
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
    let command = process(&["warn=one", "warn=two", "warn-bytes=116,104,114,101,101"])
        .on_stderr(move |line| sender.send(line.to_owned()).unwrap());
    let _parts = Started(command).open().await.unwrap();
    for expected in ["one", "two", "three"] {
        assert_eq!(lines.recv_timeout(DEADLINE).unwrap(), expected);
    }
}

#[tokio::test]
async fn a_callback_that_blocks_holds_up_nobody() {
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let command =
        process(&["warn=1", "warn=2", "warn=3", "fill-stderr=1000000"]).on_stderr(move |_| {
            let _ = wait.lock().unwrap().recv();
        });
    let parts = Started(command).open().await.unwrap();
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
    let memory = || processes::peak_memory() / 1024;
    let (release, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    // Bytes that are no UTF-8 take three times their room.
    let command = process(&["flood-stderr=4000,60000,255"]).on_stderr(move |_| {
        let _ = wait.lock().unwrap().recv();
    });
    let before = memory();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let parts = runtime
        .block_on(Started(command).open())
        .unwrap()
        .into_parts();
    let exit = runtime.block_on(soon(parts.process.exited()));
    assert!(exit.is_success());
    let grown = memory() - before;
    println!("4,000 lines of 60 kB: memory grew by {grown} MiB");
    assert!(grown < 40, "{grown} MiB");
    drop(release);
}
