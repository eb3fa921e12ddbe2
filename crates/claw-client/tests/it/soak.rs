//! Many sessions leave this process as it was: memory, descriptors, tasks, threads, children.

use std::fmt;
use std::path::Path;

use claw_client::Session;
use claw_client::types::QueryOptions;
use claw_testkit::agent::Script;
use futures::{StreamExt, stream};

use crate::agent::soon;
use crate::proc::{children, come_true, descriptors, memory, threads};
use crate::process::options;

/// What a process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Has {
    descriptors: usize,
    tasks: usize,
    threads: Option<usize>,
    children: usize,
    kib: usize,
}

impl Has {
    pub(crate) fn now() -> Self {
        Self {
            descriptors: descriptors(),
            tasks: tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks(),
            threads: threads(),
            children: children().len(),
            kib: memory(),
        }
    }

    /// Waits until there is no more of anything than there was. What an allocator keeps for later
    /// is not counted: so many KiB.
    pub(crate) async fn again(self, what: &str, kib: usize) {
        let fits = |now: Self| {
            now.descriptors <= self.descriptors
                && now.tasks <= self.tasks
                && now.threads <= self.threads
                && now.children == 0
        };
        come_true(what, || fits(Self::now())).await;
        let now = Self::now();
        println!("{what}: before {self}, after {now}");
        assert!(
            now.kib <= self.kib + kib,
            "memory grew by more than {kib} KiB"
        );
    }
}

impl fmt::Display for Has {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            descriptors,
            tasks,
            threads,
            children,
            kib,
        } = self;
        let threads = threads.map_or_else(|| "?".to_owned(), |threads| threads.to_string());
        write!(
            f,
            "{descriptors} descriptors, {tasks} tasks, {threads} threads, {children} children, {kib} KiB"
        )
    }
}

/// A whole session, ended as every third is ended: closed, dropped, or killed.
async fn live(options: QueryOptions, number: usize) {
    let session = soon(Session::builder(options).connect()).await.unwrap();
    let result = soon(session.send("Go").await.unwrap().result()).await;
    assert!(!result.unwrap().is_error());
    match number % 3 {
        0 => assert!(soon(session.close()).await.unwrap().is_success()),
        1 => drop(session),
        _ => session.process().kill(),
    }
}

async fn soak(folder: &Path) {
    let options = options(folder, &Script::reply("I was here."));
    let lives = |count, at_once| {
        let each = |number| live(options.clone(), number);
        stream::iter(0..count).map(each).buffer_unordered(at_once)
    };
    // What stays: the supervisor, the allocator's own, the runtime's threads.
    lives(50, 50).collect::<Vec<_>>().await;
    come_true("the end of the first", || children().is_empty()).await;
    let before = Has::now();
    lives(500, 1).collect::<Vec<_>>().await;
    before
        .again("500 sessions, one after another", 4 << 10)
        .await;
    lives(50, 50).collect::<Vec<_>>().await;
    before.again("50 sessions at once", 8 << 10).await;
}

#[test]
fn five_hundred_sessions_and_fifty_at_once_leave_nothing() {
    if claw_testkit::alone("soak::five_hundred_sessions_and_fifty_at_once_leave_nothing") {
        claw_testkit::agent::program().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(soak(folder.path()));
    }
}
