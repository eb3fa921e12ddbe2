use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// What a fork has: the parent's value, and not its thread.
fn forked() -> Runtime {
    let runtime = Runtime::get().unwrap();
    Runtime {
        host: runtime.host ^ 1,
        ..runtime
    }
}

#[test]
fn what_is_of_the_parent_panics_in_a_fork_instead_of_waiting_for_ever() {
    let waited = catch_unwind(AssertUnwindSafe(|| forked().wait(pending::<()>())));
    let panic = waited.unwrap_err();
    let text = panic.downcast_ref::<&str>().unwrap();
    assert!(text.contains("forked"), "{text}");
}

#[test]
fn a_fork_starts_a_thread_of_its_own() {
    *STARTED.lock().unwrap() = Some(forked());
    let runtime = Runtime::get().unwrap();
    assert!(runtime.is_of(std::process::id()));
    assert_eq!(runtime.wait(ready(4)), 4);
}
