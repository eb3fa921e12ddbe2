//! What is known of a hook that was registered, and what is said in its place when it fails.

use std::time::Duration;

use claw_types::Json;
use claw_types::control::HookCallback;
use claw_types::hook::{
    HookDecision, HookEvent, HookOutput, HookPermissionDecision, HookPermissionDeny,
    HookSpecificOutput, PermissionRequestOutput, PreModelSwitchOutput, PreToolUseOutput,
    SyncHookOutput,
};

use super::kind::{Kind, Response};

/// A hook that was registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookSpec {
    pub(crate) event: HookEvent,
    /// How long it may take: less than what the CLI waits, since no answer in time is worse than
    /// any answer.
    pub(crate) limit: Duration,
    /// The CLI was told to refuse what the hook was called for if the hook fails.
    pub(crate) blocks: bool,
}

impl Kind for HookSpec {
    type Body = HookCallback;
    type Answer = HookOutput;

    fn name(&self) -> &str {
        self.event.as_str()
    }

    /// The CLI would refuse what the hook was called for, and call it an unexpected error.
    fn objection(&self, output: &HookOutput) -> Option<String> {
        let HookOutput::Sync(output) = output else {
            return None;
        };
        let said = Json::new(output.hook_specific_output.as_ref()?).ok()?;
        let said: String = said.get("hookEventName")?.parse().ok()?;
        let event = self.event.as_str();
        (said != event).then(|| format!("it speaks of {said}, and was called for {event}"))
    }

    fn response(self, output: HookOutput) -> Response {
        Response::success(&output)
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
            HookEvent::PermissionRequest => {
                let denied = HookPermissionDeny::new().message(reason);
                PermissionRequestOutput::new(denied).into()
            }
            HookEvent::UserPromptSubmit => {
                let block = SyncHookOutput::new().decision(HookDecision::Block);
                return self.response(block.reason(reason).into());
            }
            // The CLI knows what to refuse.
            _ if self.blocks => return Response::Error(reason),
            _ => return self.response(HookOutput::none()),
        };
        self.response(refusal.into())
    }
}
