//! The virtual objects. Restate runs the exclusive handlers of a session one after the other, in the order of the
//! calls.

use std::time::Duration;

use restate_sdk::context::{
    ContextAwakeables as _, ContextClient as _, ContextSideEffects as _, ObjectContext,
    RunFuture as _, SharedObjectContext,
};
use restate_sdk::endpoint::{Endpoint, HandlerOptions, ServiceOptions};
use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::serde::Json;
use restate_sdk::service::IntoServiceDefinition as _;

use crate::approval::{ClaudeRequest, ClaudeRequestClient, Decided, For, Waits};
use crate::error::AttemptError;
use crate::step::{Begin, Step, StepOutcome};
use crate::worker::{Worker, WorkerError};
use crate::{AnswerRequest, Answered, Interrupted, PromptRequest, SessionStatus, TurnOutcome};

/// The maximum time without progress of a handler that runs no turn.
const SHORT: Duration = Duration::from_mins(1);
/// The maximum number of attempts of a call. After that, Restate pauses the call. Attempts that have begun a turn have
/// a lower limit.
const TRIES: u64 = 50;
/// The maximum pause between two attempts of a call. With this value, all attempts together take about 20 minutes.
const PAUSE: Duration = Duration::from_secs(30);
/// The time for which results can be requested again with an idempotency key.
const KEPT: Duration = Duration::from_hours(24);

/// The virtual object of a session. Its key is the session's ID.
pub(crate) struct ClaudeSession(Worker);

// The state of an object must not contain data that differ from attempt to attempt, such as the worker's address. Such
// data would not match the journal of the previous attempt, and Restate would repeat the turn without end. Such data
// are in the claim in the store instead.
#[restate_sdk::object(name = "ClaudeSession", client_visibility = "pub(crate)")]
impl ClaudeSession {
    /// Runs a turn. The handler itself only waits for the steps, which another object runs, and for answers. Restate
    /// may suspend it during this time, and a suspended handler uses no resources.
    #[handler]
    async fn prompt(
        &self,
        ctx: ObjectContext<'_>,
        request: Json<PromptRequest>,
    ) -> Result<Json<TurnOutcome>, HandlerError> {
        let id = session_id(ctx.key())?;
        let mut step = Step {
            invocation: ctx.invocation_id().to_owned(),
            number: 0,
            begin: Begin::Prompt(request.into_inner().prompt),
        };
        let mut is_repeated = false;
        loop {
            let steps = ctx.object_client::<ClaudeTurnClient>(&*id);
            let Json(ended) = steps.run(Json(step.clone())).call().await?;
            let asked = match ended {
                StepOutcome::Ended(mut outcome) => {
                    outcome.is_repeated |= is_repeated;
                    return Ok(Json(*outcome));
                }
                StepOutcome::Asks(asked) => asked,
            };
            is_repeated |= asked.attempt > 1;
            let (awakeable, answer) = ctx.awakeable::<Json<Decided>>();
            let waits = Waits {
                session: id.clone(),
                awakeable,
                for_ms: self.0.0.limits.answer_ms(),
                by: None,
            };
            let request = ctx.object_client::<ClaudeRequestClient>(&*asked.id);
            request.wait(Json(waits)).call().await?;
            let Json(decided) = answer.await?;
            step.number += 1;
            step.begin = Begin::Answer(asked, decided.decision, decided.by);
        }
    }

    /// Answers a waiting permission request.
    #[handler]
    async fn answer(
        &self,
        ctx: SharedObjectContext<'_>,
        answer: Json<AnswerRequest>,
    ) -> Result<Json<Answered>, HandlerError> {
        let session = session_id(ctx.key())?;
        let Json(answer) = answer;
        let request = ctx.object_client::<ClaudeRequestClient>(&*answer.id);
        Ok(request.answer(Json(For { session, answer })).call().await?)
    }

    /// Interrupts the running turn. Restate's `cancel` is not used, because a running step does not notice it and the
    /// caller would lose the result.
    #[handler]
    async fn interrupt(
        &self,
        ctx: SharedObjectContext<'_>,
    ) -> Result<Json<Interrupted>, HandlerError> {
        let id = session_id(ctx.key())?;
        let worker = &self.0.0;
        let interrupt = ctx.run(|| async move {
            let interrupted = worker.interrupt(&id).await;
            interrupted.map(Json).map_err(AttemptError::into_handler)
        });
        Ok(interrupt.name("interrupt").await?)
    }

    /// Returns the state of the session according to the store.
    #[handler]
    async fn status(
        &self,
        ctx: SharedObjectContext<'_>,
    ) -> Result<Json<SessionStatus>, HandlerError> {
        let id = session_id(ctx.key())?;
        let status = self.0.0.status(&id).await;
        status.map(Json).map_err(AttemptError::into_handler)
    }
}

/// The virtual object that runs the steps of a session's turns. Its key is the session's ID.
pub(crate) struct ClaudeTurn(Worker);

#[restate_sdk::object(name = "ClaudeTurn", client_visibility = "pub(crate)")]
impl ClaudeTurn {
    /// Runs a step. The step is repeated as a whole until Restate has received its result.
    #[handler]
    async fn run(
        &self,
        ctx: ObjectContext<'_>,
        step: Json<Step>,
    ) -> Result<Json<StepOutcome>, HandlerError> {
        let id = session_id(ctx.key())?;
        let worker = &self.0.0;
        let turn = ctx.run(|| async move {
            let attempt = worker.attempt(&id, step.into_inner()).await;
            attempt.map(Json).map_err(AttemptError::into_handler)
        });
        Ok(turn.name("turn").await?)
    }
}

/// Returns the ID of a session. It must be a UUID, because claude resumes only sessions with such IDs.
fn session_id(key: &str) -> Result<String, TerminalError> {
    let is_uuid = key.len() == 36 && uuid::Uuid::try_parse(key).is_ok();
    let wrong =
        || TerminalError::new_with_code(400, format!("{key:?} is not the ID of a session: a UUID"));
    is_uuid.then(|| key.to_ascii_lowercase()).ok_or_else(wrong)
}

/// The endpoint that Restate calls.
pub(crate) fn endpoint(worker: &Worker, identity_keys: &[String]) -> Result<Endpoint, WorkerError> {
    let limits = &worker.0.limits;
    let session = ClaudeSession(worker.clone()).into_service_definition();
    let turn = ClaudeTurn(worker.clone()).into_service_definition();
    let request = ClaudeRequest.into_service_definition();
    let mut builder = Endpoint::builder()
        .bind(
            session.options(
                waiting()
                    .handler("interrupt", once())
                    .handler("status", once()),
            ),
        )
        .bind(turn.options(long(limits.inactivity())))
        .bind(request.options(waiting().ingress_private(true)));
    for key in identity_keys {
        builder = builder
            .identity_key(key)
            .map_err(|error| WorkerError::IdentityKey(error.to_string()))?;
    }
    Ok(builder.build())
}

/// Returns the options for an object whose handlers only wait. Nothing is lost when Restate suspends such a handler.
fn waiting() -> ServiceOptions {
    repeated(ServiceOptions::new())
        .inactivity_timeout(SHORT)
        .abort_timeout(SHORT)
        .idempotency_retention(KEPT)
        .journal_retention(KEPT)
        .enable_lazy_state(true)
}

/// Returns the options for a handler that is called only once. Restate need not store its result.
fn once() -> HandlerOptions {
    HandlerOptions::new().journal_retention(Duration::ZERO)
}

/// Returns the options for an object whose handler runs as long as a turn and is repeated after a failure.
fn long(inactivity: Duration) -> ServiceOptions {
    repeated(ServiceOptions::new())
        .ingress_private(true)
        .inactivity_timeout(inactivity)
        .abort_timeout(inactivity)
        .journal_retention(KEPT)
        // The object has no state.
        .enable_lazy_state(true)
}

/// Sets how Restate repeats a call if its handler fails or if no worker accepts it. These settings replace those of the
/// Restate server.
fn repeated(options: ServiceOptions) -> ServiceOptions {
    options
        .retry_policy_initial_interval(Duration::from_millis(100))
        .retry_policy_exponentiation_factor(2.0)
        .retry_policy_max_interval(PAUSE)
        .retry_policy_max_attempts(TRIES)
        // The call is paused and not killed, so that a person can examine and resume it.
        .retry_policy_pause_on_max_attempts()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_uuid() {
        assert!(
            session_id("4F6E1C3A-0000-4000-8000-000000000000").is_ok_and(|id| id.starts_with("4f"))
        );
        for wrong in [
            "",
            "x",
            "../4f6e1c3a-0000-4000-8000-000000000000",
            "4f6e1c3a000040008000000000000000",
        ] {
            assert_eq!(session_id(wrong).unwrap_err().code(), 400, "{wrong}");
        }
    }

    #[test]
    fn no_time_out_is_shorter_than_a_turn() {
        let limits = crate::Limits::default();
        assert!(limits.inactivity() > limits.turn * 2);
    }
}
