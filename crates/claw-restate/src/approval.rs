//! Permission requests that wait for their answers. Each request is a virtual object that accepts only the first
//! answer.
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

/// The time for which an answered request is stored, together with the name of the person who answered.
const REMEMBERED: Duration = Duration::from_hours(24);
/// The key under which the waiting request is stored in the state of the object.
const STATE: &str = "request";

/// The virtual object of a permission request. Its key is the ID of the request.
pub(crate) struct ClaudeRequest;

/// A permission request that waits for its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Waits {
    /// The ID of the session. An answer must contain the same ID, so that it cannot be an answer to a request of
    /// another session.
    pub(crate) session: String,
    /// The ID of the awakeable for which the turn waits.
    pub(crate) awakeable: String,
    /// The maximum time that the request waits, in milliseconds. After that, the tool is denied.
    pub(crate) for_ms: u64,
    /// The person or program that answered the request. Absent until the request is answered.
    pub(crate) by: Option<String>,
}

/// An answer, and the session to which it belongs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct For {
    pub(crate) session: String,
    pub(crate) answer: AnswerRequest,
}

/// The answer for which a turn waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Decided {
    pub(crate) decision: PermissionResult,
    pub(crate) by: String,
}

#[restate_sdk::object(name = "ClaudeRequest", client_visibility = "pub(crate)")]
impl ClaudeRequest {
    /// Stores a request, so that it waits for its answer.
    #[handler]
    async fn wait(&self, ctx: ObjectContext<'_>, waits: Json<Waits>) -> Result<(), HandlerError> {
        let limit = Duration::from_millis(waits.0.for_ms);
        ctx.set(STATE, waits);
        ctx.object_client::<ClaudeRequestClient>(ctx.key())
            .expire()
            .send_after(limit);
        Ok(())
    }

    /// Accepts the first answer to a request. A later answer is refused, and the response contains the name of the
    /// person who answered first. The object checks this itself, because Restate accepts any number of answers.
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

    /// Denies the request if it has no answer. Otherwise, removes the answered request.
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
