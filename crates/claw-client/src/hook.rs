//! Hooks that are closures.
//!
//! A hook is registered for an event, by that event's marker in this module, and for what it is
//! about:
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
//!         // What is not as it should be may be anything.
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
//! # What is guaranteed
//!
//! - Each call runs in a task of its own, and holds nothing up but what it was called for. The CLI
//!   calls the hooks of one event at the same time, in no order.
//! - A hook that fails (an `Err`, a panic, no answer in its time) **refuses** what it was called for
//!   where that can be refused: `PreToolUse`, `PermissionRequest`, `PreModelSwitch` and
//!   `UserPromptSubmit`. Any other hook then says nothing; with [`HookFor::on_failure`] the CLI
//!   refuses what it can. The log has the cause.
//! - When the CLI no longer waits, the call is dropped, its [`CallbackContext::token`] is cancelled, and
//!   nothing is sent.
//! - The answer is given a little before the CLI's own deadline: a tenth of it, a second at most.

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
pub(crate) use registry::{HookFn, Hooks, callback};

use crate::CallbackContext;

/// Closes [`Hook`]: an event that claw does not know has no type of its own.
mod sealed {
    pub trait Sealed {}
}

/// The longest time before the CLI's deadline at which a hook is given up.
const MARGIN: Duration = Duration::from_secs(1);

/// How long the CLI waits where nothing else is said.
const TIMEOUT: Duration = Duration::from_mins(10);

/// An event that a hook can be registered for. The types of [`hook`](crate::hook) are these.
pub trait Hook: sealed::Sealed + Sized + 'static {
    /// The event.
    const EVENT: HookEvent;

    /// What a hook is told of it.
    type Input: Send + 'static;

    /// The input, if it is one of this event.
    fn input(input: HookInput) -> Option<Self::Input>;
}

/// What a hook may give: an output, of the event or of every event, nothing (`()`), an `Option` of one
/// (`None` says nothing), or one of these that may have failed, with whatever error can be printed.
pub trait IntoHookOutput<E> {
    /// The output, or why there is none.
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

/// A hook's closure: any `Fn(input, context)` whose future gives what [`IntoHookOutput`] takes.
pub trait HookCall<E: Hook>:
    Fn(E::Input, CallbackContext) -> <Self as HookCall<E>>::Answer + Send + Sync + 'static
{
    /// Its future.
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

/// What a hook is called for, and how: the first argument of
/// [`SessionBuilder::hook`](crate::SessionBuilder::hook). A text is a matcher.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct HookFor {
    matcher: Option<String>,
    timeout: Option<Duration>,
    on_failure: Option<HookOnFailure>,
    in_background: bool,
}

impl HookFor {
    /// Everything that the event may be about.
    pub fn all() -> Self {
        Self::default()
    }

    /// What a matcher fits: a regular expression such as `Write|Edit`, for the name of a tool with
    /// events of tools; the source, trigger or type with others.
    pub fn matching(matcher: impl Into<String>) -> Self {
        Self {
            matcher: Some(matcher.into()).filter(|matcher| !matcher.is_empty()),
            ..Self::default()
        }
    }

    /// How long a call may take. The CLI waits so long; claw gives an answer a little earlier. Ten
    /// minutes where it is not set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What the CLI does when the hook fails. `Block` needs a CLI that knows it; one that does not
    /// is an error ([`Error::is_not_taken`](crate::Error::is_not_taken)) before any prompt is sent.
    pub fn on_failure(mut self, on_failure: HookOnFailure) -> Self {
        self.on_failure = Some(on_failure);
        self
    }

    /// Nobody waits for the hook: the CLI is told so at once, and goes on. What it gives is let go of;
    /// that it failed stands in the log. It may run as long as the session.
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
