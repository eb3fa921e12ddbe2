//! The conformance suite for session stores: checks of the requirements for every [`SessionStore`].
//!
//! The author of an adapter can run the suite with one line of code. Each check gets an empty store.
//!
//! ```
//! # use std::sync::Arc;
//! use claw_store::MemoryStore;
//! use claw_testkit::store;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! store::conformance(async || Arc::new(MemoryStore::new())).await;
//! # });
//! ```
//!
//! The checks of a capability that a store lacks (see [`ReadSessions`](claw_store::ReadSessions) and [`SessionStore`])
//! are skipped, and listed in [`Report::skipped`].
//!
//! The module `faults` (on Unix, with the feature `server`) contains tests for stores that use a server. In these
//! tests, connections end, servers are killed and hosts are suspended. [`samples`] contains keys and lines for further
//! tests.
#![expect(
    clippy::expect_used,
    reason = "a check panics where a store does not do what it should"
)]

mod appending;
mod claiming;
#[cfg(all(unix, feature = "server"))]
pub mod faults;
mod given;
mod hard;
mod intercepted;
mod listing;
pub mod samples;

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use claw_store::SessionStore;
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

pub use intercepted::{Call, Intercept, Intercepted, Interceptor, intercepted};

/// A check. It panics if the store does not meet a requirement. It returns `false` if the store lacks the capability.
type Check = fn(Arc<dyn SessionStore>) -> LocalBoxFuture<'static, bool>;

/// The result of a run of the conformance suite.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The names of the checks that passed.
    pub passed: Vec<&'static str>,
    /// The names of the checks that were skipped, because the store lacks the capability.
    pub skipped: Vec<&'static str>,
    /// The names of the checks that failed, with the messages of their panics.
    pub failed: Vec<(&'static str, String)>,
}

/// Returns all checks with their names.
fn all_checks() -> impl Iterator<Item = (&'static str, Check)> {
    [
        appending::CHECKS,
        listing::CHECKS,
        hard::CHECKS,
        claiming::CHECKS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Runs all checks and returns the results. `empty` creates a new, empty store for each check.
pub async fn report<S: SessionStore>(mut empty: impl AsyncFnMut() -> Arc<S>) -> Report {
    let mut report = Report::default();
    for (name, check) in all_checks() {
        let store = empty().await;
        match AssertUnwindSafe(check(store)).catch_unwind().await {
            Ok(true) => report.passed.push(name),
            Ok(false) => report.skipped.push(name),
            Err(panic) => report.failed.push((name, panic_text(&*panic))),
        }
    }
    report
}

/// Runs all checks and returns the report. `empty` creates a new, empty store for each check. Prints the names of the
/// checks that passed.
///
/// # Panics
///
/// Panics if a check fails. The message contains all failures.
#[expect(
    clippy::print_stdout,
    reason = "a test's output, which is shown where it fails"
)]
pub async fn conformance<S: SessionStore>(empty: impl AsyncFnMut() -> Arc<S>) -> Report {
    let report = report(empty).await;
    println!("{report}");
    assert!(report.failed.is_empty(), "{report}");
    report
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (passed, failed) = (self.passed.len(), self.failed.len());
        writeln!(f, "session store: {passed} checks passed, {failed} failed")?;
        for name in &self.skipped {
            writeln!(f, "not checked, the store lacks the capability: {name}")?;
        }
        for (name, why) in &self.failed {
            writeln!(f, "FAILED {name}: {why}")?;
        }
        Ok(())
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
    text.unwrap_or_else(|| "panicked".to_owned())
}

/// Declares the table of the checks in a file. The name of each check is the name of its function.
macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        pub(super) const CHECKS: &[(&str, super::Check)] =
            &[$((stringify!($name), |store| futures::FutureExt::boxed_local($name(store)))),*];
    };
}
use checks;
