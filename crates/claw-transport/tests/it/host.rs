use std::io::{BufRead, BufReader};
use std::process::Stdio;

use claw_testkit::processes;

use crate::support::{is_inside, mark, run, this_test_alone, until, until_none_has};

const NAME: &str = "host::a_host_that_is_killed_leaves_no_process";

/// Behaves as the CLI does: it has a child in a session of its own, and ends it on SIGTERM.
#[cfg(unix)]
async fn cli() -> claw_transport::Parts {
    let script = r#"
        setsid sleep 1000 &
        trap "kill $!; exit 143" TERM
        echo ready
        while :; do wait; done
    "#;
    crate::shell::run(script).await
}

/// Has a child that has cut itself loose. Its job ends both.
#[cfg(windows)]
async fn cli() -> claw_transport::Parts {
    run(&["daemon=wait", "say=ready", "wait"]).await
}

#[test]
fn a_host_that_is_killed_leaves_no_process() {
    if is_inside(NAME) {
        return be_the_host();
    }
    let mut host = this_test_alone(NAME)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(host.stdout.take().unwrap()).lines();
    let marks: Vec<String> = output
        .map_while(Result::ok)
        .filter_map(|line| Some(line.split_once("mark=")?.1.to_owned()))
        .take(2)
        .collect();
    assert_eq!(marks.len(), 2, "the host started two");
    assert!(
        marks
            .iter()
            .all(|mark| !processes::with_variable(mark).is_empty())
    );
    host.kill().unwrap();
    host.wait().unwrap();
    for mark in &marks {
        until_none_has(mark);
    }
}

/// Starts two, says so, and does nothing more: it is killed.
fn be_the_host() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let parts = runtime.block_on(async {
        let mut simple = run(&["say=ready", "wait"]).await;
        let mut cli = cli().await;
        crate::support::line(&mut simple).await;
        crate::support::line(&mut cli).await;
        [simple, cli]
    });
    let pid = parts[1].process.pid().unwrap();
    until("the child is there", || {
        processes::with_variable(&mark(&parts[1].process)).len() == 2 && processes::is_alive(pid)
    });
    for parts in &parts {
        println!("\nmark={}", mark(&parts.process));
    }
    loop {
        std::thread::park();
    }
}
