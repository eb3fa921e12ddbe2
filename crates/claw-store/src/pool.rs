//! A pool of threads for calls that block on the disk. An async runtime could run such calls, but this crate depends on
//! none.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use futures::channel::oneshot;

/// The maximum number of calls that run concurrently. Further calls are queued.
const THREADS: usize = 16;

/// The time after which an idle thread ends.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static STATE: Mutex<State> = Mutex::new(State {
    jobs: VecDeque::new(),
    threads: 0,
    idle: 0,
});
static ADDED: Condvar = Condvar::new();

/// Runs a call that blocks. If the call panics, the panic resumes in the caller.
///
/// # Cancel safety
///
/// The call runs to its end even if the future is dropped.
pub(crate) async fn run<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn(call).await {
        Ok(Ok(value)) => value,
        Ok(Err(panic)) => resume_unwind(panic),
        // Unreachable: every queued call runs before it is dropped, and sends its result.
        Err(_) => futures::future::pending().await,
    }
}

/// Starts a call that blocks. Returns the receiver of its result.
pub(crate) fn spawn<T: Send + 'static>(
    call: impl FnOnce() -> T + Send + 'static,
) -> oneshot::Receiver<thread::Result<T>> {
    let (sender, receiver) = oneshot::channel();
    add(Box::new(move || {
        let _ = sender.send(catch_unwind(AssertUnwindSafe(call)));
    }));
    receiver
}

fn add(job: Job) {
    let mut state = state();
    state.jobs.push_back(job);
    if state.idle >= state.jobs.len() {
        ADDED.notify_one();
        return;
    }
    if state.threads == THREADS {
        return;
    }
    let started = thread::Builder::new()
        .name("claw-store".to_owned())
        .spawn(work);
    match started {
        Ok(_) => state.threads += 1,
        // A new thread could not be started. If the pool has other threads, one of them runs the call. Otherwise, the
        // current thread runs it.
        Err(_) if state.threads > 0 => {}
        Err(_) => {
            let job = state.jobs.pop_back();
            drop(state);
            if let Some(job) = job {
                job();
            }
        }
    }
}

fn work() {
    let mut state = state();
    loop {
        while let Some(job) = state.jobs.pop_front() {
            drop(state);
            job();
            state = self::state();
        }
        state.idle += 1;
        let (woken, wait) = ADDED
            .wait_timeout(state, IDLE)
            .unwrap_or_else(PoisonError::into_inner);
        state = woken;
        state.idle -= 1;
        if wait.timed_out() && state.jobs.is_empty() {
            state.threads -= 1;
            return;
        }
    }
}

fn state() -> MutexGuard<'static, State> {
    // No code panics while it holds the lock, so the state is consistent even if the lock is poisoned.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::sync::mpsc;

    use futures::FutureExt as _;
    use futures::executor::block_on;
    use futures::future::join_all;

    use super::*;

    #[test]
    fn a_call_is_a_future_and_its_panic_is_the_callers() {
        assert_eq!(block_on(run(|| 2)), 2);
        let panics = AssertUnwindSafe(run(|| -> u8 { panic!("out of luck") }));
        let panic = block_on(panics.catch_unwind()).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of luck"));
    }

    #[test]
    fn more_calls_than_threads_are_all_made() {
        let calls = (0..10 * THREADS).map(|at| run(move || at));
        let made = block_on(join_all(calls));
        assert!(made.into_iter().eq(0..10 * THREADS));
    }

    #[test]
    fn a_call_that_waits_for_another_does_not_hold_it_up() {
        let (sender, receiver) = mpsc::channel();
        let waits = run(move || receiver.recv());
        let sends = run(move || sender.send(7));
        let (waited, sent) = block_on(futures::future::join(waits, sends));
        sent.unwrap();
        assert_eq!(waited, Ok(7));
    }
}
