//! Permission requests that wait for their answers. Each is a virtual object, which accepts the first answer.
#![expect(
    clippy::unused_async,
    reason = "the macro takes async functions, also where nothing is waited for"
)]

use std::time::Duration;

use claw_types::control::PermissionResult;
use restate_sdk::context::{
    ContextAwakeables as _, ContextClient as _, ContextReadState as _, ContextWriteState as _,
    ObjectContext,
};
use restate_sdk::errors::{HandlerError, TerminalError};
use restate_sdk::serde::Json;
use serde::{Deserialize, Serialize};

use crate::{AnswerRequest, Answered};

/// The time for which an answered request is remembered, with the name of the person who answered.
const REMEMBERED: Duration = Duration::from_hours(24);
/// The key under which the object keeps the waiting request.
const STATE: &str = "request";

/// The virtual object of a request. Its key is the request's ID.
pub(crate) struct ClaudeRequest;

/// A waiting request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Waits {
    /// The session that the answer must name, so that it cannot be for another one.
    pub(crate) session: String,
    /// The ID of the awakeable for which the turn waits.
    pub(crate) awakeable: String,
    /// The maximum time that the request waits. After that, the tool is denied.
    pub(crate) for_ms: u64,
    /// The person or program that answered the request. Absent before the answer.
    pub(crate) by: Option<String>,
}

/// An answer for a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct For {
    pub(crate) session: String,
    pub(crate) answer: AnswerRequest,
}

/// The answer that a turn waits for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Decided {
    pub(crate) decision: PermissionResult,
    pub(crate) by: String,
}

#[restate_sdk::object(name = "ClaudeRequest", client_visibility = "pub(crate)")]
impl ClaudeRequest {
    /// Stores a request, which then waits for its answer.
    #[handler]
    async fn wait(&self, ctx: ObjectContext<'_>, waits: Json<Waits>) -> Result<(), HandlerError> {
        let limit = Duration::from_millis(waits.0.for_ms);
        ctx.set(STATE, waits);
        ctx.object_client::<ClaudeRequestClient>(ctx.key())
            .expire()
            .send_after(limit);
        Ok(())
    }

    /// Takes an answer, if it is the first one. A later answer is refused with the name of the first, because Restate itself
    /// accepts any number of answers.
    #[handler]
    async fn answer(
        &self,
        ctx: ObjectContext<'_>,
        given: Json<For>,
    ) -> Result<Json<Answered>, HandlerError> {
        let Json(For { session, answer }) = given;
        let waits = ctx.get::<Json<Waits>>(STATE).await?;
        let Some(Json(mut waits)) = waits.filter(|waits| waits.0.session == session) else {
            return Err(TerminalError::new_with_code(404, "no such request waits").into());
        };
        if let Some(by) = waits.by {
            return Ok(Json(Answered { counts: false, by }));
        }
        let by = answer.by.clone();
        let decided = Decided {
            decision: answer.decision,
            by: answer.by,
        };
        ctx.resolve_awakeable(&waits.awakeable, Json(decided));
        waits.by = Some(by.clone());
        ctx.set(STATE, Json(waits));
        Ok(Json(Answered { counts: true, by }))
    }

    /// Denies requests without an answer, and forgets answered ones.
    #[handler]
    async fn expire(&self, ctx: ObjectContext<'_>) -> Result<(), HandlerError> {
        let waits = ctx.get::<Json<Waits>>(STATE).await?;
        let Some(Json(mut waits)) = waits else {
            return Ok(());
        };
        if waits.by.is_some() {
            ctx.clear(STATE);
            return Ok(());
        }
        let decided = Decided {
            decision: PermissionResult::deny("Nobody has answered in time."),
            by: "nobody".to_owned(),
        };
        ctx.resolve_awakeable(&waits.awakeable, Json(decided));
        waits.by = Some("nobody".to_owned());
        ctx.set(STATE, Json(waits));
        ctx.object_client::<ClaudeRequestClient>(ctx.key())
            .expire()
            .send_after(REMEMBERED);
        Ok(())
    }
}
