//! The data of a registered hook, and its response if it fails.

use std::borrow::Cow;
use std::time::Duration;

use claw_types::control::HookCallback;
use claw_types::hook::{
    HookDecision, HookEvent, HookInput, HookOutput, HookPermissionDecision, HookPermissionDeny,
    HookSpecificOutput, PermissionRequestOutput, PreModelSwitchOutput, PreSkillShellCommandOutput,
    PreToolUseOutput, SyncHookOutput,
};
use claw_types::{Json, Unknown};

use super::kind::{Kind, Response};

/// A registered hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookSpec {
    pub(crate) event: HookEvent,
    /// The time limit of the hook. It is shorter than the CLI's timeout, because a missing answer
    /// is worse than any answer.
    pub(crate) limit: Duration,
    /// Whether the CLI itself denies the action if the hook fails.
    pub(crate) blocks: bool,
    /// Whether the hook also takes an input that does not have the form that claw knows for the event.
    pub(crate) by_name: bool,
}

impl Kind for HookSpec {
    type Body = HookCallback;
    /// The output as JSON, or the reason why it cannot be written.
    type Answer = serde_json::Result<Json>;

    fn name(&self) -> &str {
        self.event.as_str()
    }

    /// Rejects an output that is not an object, which the CLI would ignore, and the output of another event, for which
    /// the CLI would deny the action and report an unexpected error.
    fn objection(&self, output: &Self::Answer) -> Option<String> {
        let output = match output {
            Ok(output) if output.is_object() => output,
            Ok(_) => return Some("the output is not an object".to_owned()),
            Err(error) => return Some(format!("the output cannot be written: {error}")),
        };
        let named = output.get("hookSpecificOutput")?.get("hookEventName");
        let named = named.as_ref().and_then(Json::as_str);
        let event = self.event.as_str();
        match named {
            Some(named) if named == event => None,
            Some(named) => Some(format!(
                "the output is for {named}, but the hook was called for {event}"
            )),
            None => Some("`hookSpecificOutput` has no `hookEventName`".to_owned()),
        }
    }

    fn response(self, output: Self::Answer) -> Response {
        match output {
            Ok(output) => Response::Success(output),
            Err(error) => Response::Error(error.to_string()),
        }
    }

    fn safe(self, reason: String) -> Response {
        let refusal: HookSpecificOutput = match self.event {
            HookEvent::PreToolUse => PreToolUseOutput::new()
                .permission_decision(HookPermissionDecision::Deny)
                .permission_decision_reason(reason)
                .into(),
            HookEvent::PreModelSwitch => PreModelSwitchOutput::new()
                .permission_decision(HookPermissionDecision::Deny)
                .permission_decision_reason(reason)
                .into(),
            HookEvent::PreSkillShellCommand => PreSkillShellCommandOutput::deny(reason).into(),
            HookEvent::PermissionRequest => {
                let denied = HookPermissionDeny::new().message(reason);
                PermissionRequestOutput::new(denied).into()
            }
            HookEvent::UserPromptSubmit => {
                let block = SyncHookOutput::new().decision(HookDecision::Block);
                return Response::success(&block.reason(reason));
            }
            // After an error, the CLI itself denies the action.
            _ if self.blocks => return Response::Error(reason),
            _ => return Response::success(&HookOutput::none()),
        };
        Response::success(&HookOutput::from(refusal))
    }
}

/// Reads a line as a call of a hook whose input can have any form. `None` if the line is no call of a hook.
pub(super) fn call_of_any_form(line: &[u8]) -> Option<HookCallback> {
    let line: Json = serde_json::from_slice(line).ok()?;
    let request = line.get("request")?;
    let text = |key: &str| request.get(key)?.as_str().map(Cow::into_owned);
    if text("subtype")? != "hook_callback" {
        return None;
    }
    let input = HookInput::Unknown(Unknown::new(request.get("input")?));
    let mut call = HookCallback::new(text("callback_id")?, input);
    call.tool_use_id = text("tool_use_id");
    Some(call)
}
