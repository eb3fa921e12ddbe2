//! The reason why a turn ended.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::StopReason;
use claw_client::TurnResult;
use claw_types::api::StopReason as ModelStop;
use claw_types::message::ResultErrorSubtype;
use serde_json::json;

/// Returns the reason why a turn ended, or its error.
pub(crate) fn stop_reason(result: &TurnResult) -> Result<StopReason, Error> {
    if result.interrupted() {
        return Ok(StopReason::Cancelled);
    }
    let stop = match result {
        TurnResult::Success(success) => success.stop_reason.as_ref(),
        TurnResult::Error(error) => {
            if error.subtype == ResultErrorSubtype::ErrorMaxTurns {
                return Ok(StopReason::MaxTurnRequests);
            }
            error.stop_reason.as_ref()
        }
        _ => None,
    };
    if stop == Some(&ModelStop::Refusal) {
        return Ok(StopReason::Refusal);
    }
    if stop == Some(&ModelStop::MaxTokens) {
        return Ok(StopReason::MaxTokens);
    }
    // The CLI let the model continue a few times, and then ended the turn because the answer exceeded the output limit
    // again.
    if matches!(result, TurnResult::Success(success)
        if success.api_error.as_deref() == Some("max_output_tokens"))
    {
        return Ok(StopReason::MaxTokens);
    }
    if !result.is_error() {
        return Ok(StopReason::EndTurn);
    }
    let text = result.text();
    let is_login = match result {
        TurnResult::Success(success) => {
            success.api_error_type.as_deref() == Some("authentication_error")
                || text.contains("/login")
        }
        _ => false,
    };
    if is_login {
        return Err(Error::auth_required().data(json!({"message": text})));
    }
    Err(Error::new(-32603, text.into_owned()))
}
