use std::process::Stdio;

use super::*;

#[test]
fn where_there_is_no_descriptor_a_thread_tells_of_the_exit() {
    let mut command = Command::new("sh");
    let mut process = command
        .args(["-c", "read line; exit 3"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let (notifier, mut poller) = notifier().unwrap();
    let ended = watch_by_thread(Pid::from_child(&process), notifier);
    assert!(!ended.load(Ordering::Acquire));
    drop(process.stdin.take());
    assert!(
        poller
            .wait(std::iter::empty(), Some(Duration::from_secs(30)))
            .is_empty()
    );
    assert!(
        ended.load(Ordering::Acquire),
        "the notifier rang without an end"
    );
    // The thread did not reap the process, so its status is still available.
    assert_eq!(process.wait().unwrap().code(), Some(3));
}
