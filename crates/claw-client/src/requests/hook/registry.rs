//! The hooks of a session: their registration in `initialize`, and their data for the engine and
//! the driver.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use claw_types::control::HookCallback;
use claw_types::hook::{HookEvent, HookMatcher, HookOnFailure};
use claw_types::{Json, Map, Number, Tri};
use futures::future::BoxFuture;
use serde::Serialize;

use super::{Hook, HookCall, HookFor, IntoHookOutput, MARGIN, TIMEOUT};
use crate::engine::HookSpec;
use crate::outcome::error::{Cause, Error};
use crate::requests::answer::IntoAnswer;
use crate::requests::context::CallbackContext;

/// A type-erased closure of a hook. It returns the output as JSON.
pub(crate) type HookFn = Arc<
    dyn Fn(HookCallback, CallbackContext) -> BoxFuture<'static, Result<Json, String>> + Send + Sync,
>;

/// Erases the type of the closure of a typed hook.
pub(crate) fn callback<E: Hook>(call: impl HookCall<E>) -> HookFn {
    let call = Arc::new(call);
    Arc::new(move |called, context| {
        let call = call.clone();
        Box::pin(async move {
            let event = E::EVENT;
            let input = E::input(called.input)
                .ok_or_else(|| format!("the hook input is not of the event {event}"))?;
            json(&call(input, context).await.into_output()?)
        })
    })
}

/// Erases the type of the closure of a hook that is registered by the name of its event.
pub(crate) fn callback_named<F, Fut>(call: F) -> HookFn
where
    F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer<Json>> + Send + 'static,
{
    let call = Arc::new(call);
    Arc::new(move |called, context| {
        let call = call.clone();
        Box::pin(async move { call(json(&called.input)?, context).await.into_answer() })
    })
}

fn json(value: &impl Serialize) -> Result<Json, String> {
    Json::new(value).map_err(|error| error.to_string())
}

/// The hooks of a session, in the order of their registration.
#[derive(Default)]
pub(crate) struct Hooks(Vec<Registered>);

struct Registered {
    event: HookEvent,
    what: HookFor,
    /// Whether the event was given by its name. The closure then receives the input in any form.
    by_name: bool,
    /// The closure. `None` if the requests of the hook go to
    /// [`Session::requests`](crate::Session::requests).
    call: Option<HookFn>,
}

impl Hooks {
    /// Registers a hook for an event that the application chose by its type, such as `PreToolUse`.
    pub(crate) fn register(&mut self, event: HookEvent, what: HookFor, call: Option<HookFn>) {
        self.0.push(Registered {
            event,
            what,
            by_name: false,
            call,
        });
    }

    /// Registers a hook for the event with this name. A failed hook of an event that claw does not know blocks the
    /// action by default, because the action may be one that hooks guard.
    pub(crate) fn register_named(
        &mut self,
        event: String,
        mut what: HookFor,
        call: Option<HookFn>,
    ) {
        if !HookEvent::KNOWN.contains(&event.as_str()) {
            what.on_failure.get_or_insert(HookOnFailure::Block);
        }
        self.0.push(Registered {
            event: event.into(),
            what,
            by_name: true,
            call,
        });
    }

    /// Rejects hooks that would never be called.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let never = self.0.iter().find(|hook| is_never_called(hook));
        match never {
            Some(hook) => Err(Error::from(Cause::HookNeverCalled {
                event: hook.event.clone(),
            })),
            None => Ok(()),
        }
    }

    /// Returns the matchers for `initialize`.
    pub(crate) fn matchers(&self) -> Option<Map<Vec<HookMatcher>>> {
        let mut events: Vec<(&str, Vec<HookMatcher>)> = Vec::new();
        for (number, hook) in self.0.iter().enumerate() {
            let mut matcher = HookMatcher::new(vec![id(number)]);
            if let Some(text) = &hook.what.matcher {
                matcher.matcher = Tri::Value(text.clone());
            }
            matcher.timeout = hook.what.timeout.map(seconds);
            matcher.on_failure.clone_from(&hook.what.on_failure);
            let event = hook.event.as_str();
            match events.iter_mut().find(|(name, _)| *name == event) {
                Some((_, matchers)) => matchers.push(matcher),
                None => events.push((event, vec![matcher])),
            }
        }
        (!events.is_empty()).then(|| events.into_iter().collect())
    }

    /// Returns the data of the hooks for the engine. The keys are the IDs of the hooks.
    pub(crate) fn specs(&self) -> HashMap<String, HookSpec> {
        let spec = |(number, hook): (usize, &Registered)| {
            let timeout = hook.what.timeout.unwrap_or(TIMEOUT);
            let spec = HookSpec {
                event: hook.event.clone(),
                limit: timeout.saturating_sub((timeout / 10).min(MARGIN)),
                blocks: hook.what.on_failure == Some(HookOnFailure::Block),
                by_name: hook.by_name,
            };
            (id(number), spec)
        };
        self.0.iter().enumerate().map(spec).collect()
    }

    /// Returns the closure with this ID, and whether it runs in the background.
    pub(crate) fn call(&self, callback: &str) -> Option<(HookFn, bool)> {
        let number: usize = callback.strip_prefix(PREFIX)?.parse().ok()?;
        let hook = self.0.get(number)?;
        Some((hook.call.clone()?, hook.what.in_background))
    }
}

const PREFIX: &str = "hook_";

fn id(number: usize) -> String {
    format!("{PREFIX}{number}")
}

/// Converts the timeout into seconds, as an integer if it is whole.
fn seconds(timeout: Duration) -> Number {
    match timeout.subsec_nanos() {
        0 => timeout.as_secs().into(),
        _ => timeout.as_secs_f64().into(),
    }
}

/// Whether the CLI never calls the hook. The CLI calls no callback when its process starts or ends,
/// but it does when a conversation begins or ends in between.
fn is_never_called(hook: &Registered) -> bool {
    let called_for: &[&str] = match hook.event {
        HookEvent::Setup => &[],
        HookEvent::SessionStart => &["compact", "clear"],
        HookEvent::SessionEnd => &["clear"],
        _ => return false,
    };
    let in_between = |matcher: &String| {
        let mut reasons = matcher.split('|').map(str::trim);
        reasons.all(|reason| called_for.contains(&reason))
    };
    !hook.what.matcher.as_ref().is_some_and(in_between)
}
