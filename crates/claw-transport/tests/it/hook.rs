use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_transport::{Transport as _, TransportError, set_launch_hook};

use crate::support::{Started, is_inside, line, process, run, succeeds, this_test_alone};

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Runs the test in a process of its own: nothing was launched there.
fn alone(name: &str, test: impl Future<Output = ()>) {
    if is_inside(name) {
        tokio::runtime::Runtime::new().unwrap().block_on(test);
    } else {
        succeeds(&mut this_test_alone(name));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_hook_does_to_its_thread_holds_for_all_that_is_started() {
    use rustix::thread::{no_new_privs, set_no_new_privs};

    let name = "hook::what_the_hook_does_to_its_thread_holds_for_all_that_is_started";
    alone(name, async {
        let hook = || {
            RUNS.fetch_add(1, Ordering::Relaxed);
            set_no_new_privs(true).map_err(io::Error::from)
        };
        set_launch_hook(hook).unwrap();
        for _ in 0..3 {
            let mut parts = crate::shell::run("grep NoNewPrivs /proc/self/status").await;
            assert_eq!(line(&mut parts).await, "NoNewPrivs:\t1");
        }
        assert_eq!(RUNS.load(Ordering::Relaxed), 1);
        // Not for the host.
        assert!(!no_new_privs().unwrap());
        assert!(set_launch_hook(|| Ok(())).is_err());
    });
}

#[test]
fn where_the_hook_fails_nothing_is_started() {
    alone("hook::where_the_hook_fails_nothing_is_started", async {
        let hook = || match RUNS.fetch_add(1, Ordering::Relaxed) {
            0 => Err(io::Error::other("not today")),
            1 => panic!("as a test may"),
            _ => Ok(()),
        };
        set_launch_hook(hook).unwrap();
        for reason in ["not today", "panicked"] {
            let error = Started(process(&["say=started"])).open().await.unwrap_err();
            assert!(matches!(error, TransportError::LaunchHook(_)), "{error}");
            assert!(error.is_launch_failure() && error.to_string().contains(reason));
        }
        for _ in 0..2 {
            let mut parts = run(&["say=started"]).await;
            assert_eq!(line(&mut parts).await, "started");
        }
        assert_eq!(RUNS.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn after_the_first_launch_it_is_too_late_for_a_hook() {
    let name = "hook::after_the_first_launch_it_is_too_late_for_a_hook";
    alone(name, async {
        run(&[]).await;
        let error = set_launch_hook(|| Err(io::Error::other("never run"))).unwrap_err();
        assert!(error.to_string().contains("before the first"), "{error}");
        run(&[]).await;
    });
}
