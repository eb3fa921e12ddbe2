//! Hooks: closures of your program that the CLI calls when events occur.
//!
//! Each event has a marker type in this module. A hook is registered for a marker type, and for a matcher that selects
//! among the occurrences of the event (`typed_input` in the example needs the feature `tools`):
//!
//! ```no_run
//! use claw_client::hook::{HookFor, PreToolUse, Stop};
//! use claw_client::types::hook::{HookPermissionDecision, PreToolUseOutput};
//! use claw_client::types::tool::ToolInput;
//! use claw_client::{QueryOptions, Session};
//! use std::time::Duration;
//!
//! # async fn example() -> Result<(), claw_client::Error> {
//! let session = Session::builder(QueryOptions::default())
//!     .hook::<PreToolUse>("Write|Edit", |input, _| async move {
//!         let path = match input.typed_input() {
//!             Ok(ToolInput::Write(write)) => Some(write.file_path),
//!             Ok(ToolInput::Edit(edit)) => Some(edit.file_path),
//!             _ => None,
//!         };
//!         // An input of an unknown form is denied.
//!         if path.is_some_and(|path| !path.contains("secrets")) {
//!             return None;
//!         }
//!         let deny = PreToolUseOutput::new().permission_decision(HookPermissionDecision::Deny);
//!         Some(deny.permission_decision_reason("that is not for you"))
//!     })
//!     .hook::<Stop>(HookFor::all().timeout(Duration::from_secs(5)), |_, _| async {})
//!     .connect()
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`SessionBuilder::hook_named`](crate::SessionBuilder::hook_named) registers a hook by the name of its event. It is
//! meant for events of a newer CLI, which have no marker type here.
//!
//! # Guarantees
//!
//! - Each call runs in its own task and delays only the action that it was called for. The CLI
//!   calls the hooks of one event concurrently, in no particular order.
//! - A hook that fails (an `Err`, a panic, or no answer in time) **denies** the action that it was called for, if the
//!   event allows denial: `PreToolUse`, `PreSkillShellCommand`, `PermissionRequest`, `PreModelSwitch` and
//!   `UserPromptSubmit`. For other events, a failed hook has no effect by default. If [`HookFor::on_failure`] is
//!   `Block`, the CLI denies the action for those other events too, if it can. `Block` is the default for events that
//!   claw does not know. The log contains the cause of the failure.
//! - If the CLI withdraws the request, the call is dropped, its [`CallbackContext::token`] is
//!   cancelled, and nothing is sent.
//! - claw stops waiting for a hook slightly before the CLI does: a tenth of the hook's timeout earlier, but at most one
//!   second earlier.

mod event;
mod registry;

use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

use claw_types::hook::{
    AsyncHookOutput, HookEvent, HookInput, HookOnFailure, HookOutput, HookSpecificOutput,
    SyncHookOutput,
};

pub use event::*;
pub(crate) use registry::{HookFn, Hooks, callback, callback_named};

use super::context::CallbackContext;

/// Seals [`Hook`], because claw has no types for unknown events. Hooks for these are registered by name.
mod sealed {
    pub trait Sealed {}
}

/// The maximum time by which a hook times out before the CLI's deadline.
const MARGIN: Duration = Duration::from_secs(1);

/// The CLI's default timeout of a hook.
const TIMEOUT: Duration = Duration::from_mins(10);

/// An event for which a hook can be registered. The marker types of the module [`hook`](crate::hook) implement it.
pub trait Hook: sealed::Sealed + Sized + 'static {
    /// The event of the hook.
    const EVENT: HookEvent;

    /// The input of the hook.
    type Input: Send + 'static;

    /// Returns the input of this event. `None` if the input is that of another event.
    fn input(input: HookInput) -> Option<Self::Input>;
}

/// The return type of a hook. It can be an output (the event's own output type, or a general one such as
/// [`HookOutput`]), nothing (`()`), or an `Option` of an output (`None` means that the hook makes no decision). It can
/// also be a `Result` of one of these, with any error that implements `Display`.
pub trait IntoHookOutput<E> {
    /// Converts the value into the output, or into the reason why no output was given.
    fn into_output(self) -> Result<HookOutput, String>;
}

impl<E: Hook> IntoHookOutput<E> for () {
    fn into_output(self) -> Result<HookOutput, String> {
        Ok(HookOutput::none())
    }
}

impl<E: Hook, T: IntoHookOutput<E>> IntoHookOutput<E> for Option<T> {
    fn into_output(self) -> Result<HookOutput, String> {
        self.map_or_else(|| Ok(HookOutput::none()), T::into_output)
    }
}

impl<E: Hook, T: IntoHookOutput<E>, X: Display> IntoHookOutput<E> for Result<T, X> {
    fn into_output(self) -> Result<HookOutput, String> {
        self.map_err(|error| error.to_string())
            .and_then(T::into_output)
    }
}

/// The closure of a hook: any `Fn(input, context)` whose future returns what [`IntoHookOutput`]
/// accepts.
pub trait HookCall<E: Hook>:
    Fn(E::Input, CallbackContext) -> <Self as HookCall<E>>::Answer + Send + Sync + 'static
{
    /// The future that the closure returns.
    type Answer: Future<Output: IntoHookOutput<E>> + Send + 'static;
}

impl<E, F, Fut> HookCall<E> for F
where
    E: Hook,
    F: Fn(E::Input, CallbackContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoHookOutput<E>> + Send + 'static,
{
    type Answer = Fut;
}

macro_rules! outputs {
    ($($output:ty)+) => {$(
        impl<E: Hook> IntoHookOutput<E> for $output {
            fn into_output(self) -> Result<HookOutput, String> {
                Ok(self.into())
            }
        }
    )+};
}

outputs!(HookOutput SyncHookOutput AsyncHookOutput HookSpecificOutput);

/// The matcher and settings of a hook: the first argument of [`SessionBuilder::hook`](crate::SessionBuilder::hook). A
/// string converts into a `HookFor` with the string as its matcher.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct HookFor {
    matcher: Option<String>,
    timeout: Option<Duration>,
    on_failure: Option<HookOnFailure>,
    in_background: bool,
}

impl HookFor {
    /// Selects every occurrence of the event.
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects those occurrences of the event that this matcher matches. For tool events, the CLI compares the matcher
    /// with the name of the tool; for other events, with the event's source, trigger or type.
    ///
    /// The matcher `Bash` matches exactly this name, and `Write|Edit` matches either of the two names. A matcher with
    /// any other character than letters, digits, `_`, `-`, `|`, commas and spaces is a regular expression, which
    /// matches anywhere in the name unless it has `^` and `$`. An expression that is not valid matches nothing, and the
    /// CLI reports no error.
    pub fn matching(matcher: impl Into<String>) -> Self {
        Self {
            matcher: Some(matcher.into()).filter(|matcher| !matcher.is_empty()),
            ..Self::default()
        }
    }

    /// Sets the timeout of each call of the hook. Default: ten minutes. claw counts a call as failed slightly before
    /// this time has passed, so that the response still reaches the CLI in time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the CLI's reaction to a failure of the hook. `Block` requires a CLI that supports it; otherwise the
    /// session fails before any prompt is sent, and [`Error::is_not_taken`](crate::Error::is_not_taken) is true for
    /// the error.
    pub fn on_failure(mut self, on_failure: HookOnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }

    /// Runs the hook in the background: claw answers the CLI at once, so that the CLI continues. The hook's output is
    /// discarded, and its failure is logged. The hook may run until the session ends.
    pub fn in_background(mut self) -> Self {
        self.in_background = true;
        self
    }
}

impl From<&str> for HookFor {
    fn from(matcher: &str) -> Self {
        Self::matching(matcher)
    }
}

impl From<String> for HookFor {
    fn from(matcher: String) -> Self {
        Self::matching(matcher)
    }
}

#[cfg(test)]
mod tests;
