//! A hook that delays the start of a session.

use std::time::Duration;

/// A hook of a settings file that runs while the CLI starts. Passed to the callback of
/// [`SessionBuilder::on_start_hook`](crate::SessionBuilder::on_start_hook).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningHook {
    /// The name of the hook: its event and the matched value, such as `SessionStart:startup`.
    pub name: String,
    /// The time since the CLI has reported its start.
    pub running_for: Duration,
}
