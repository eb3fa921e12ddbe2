//! The data of a registered hook, and its response if it fails.

use std::time::Duration;

use claw_types::Json;
use claw_types::control::HookCallback;
use claw_types::hook::{
    HookDecision, HookEvent, HookOutput, HookPermissionDecision, HookPermissionDeny,
    HookSpecificOutput, PermissionRequestOutput, PreModelSwitchOutput, PreSkillShellCommandOutput,
    PreToolUseOutput, SyncHookOutput,
};

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
}

impl Kind for HookSpec {
    type Body = HookCallback;
    type Answer = HookOutput;

    fn name(&self) -> &str {
        self.event.as_str()
    }

    /// Rejects the output type of another event, for which the CLI would deny the action and report
    /// an unexpected error.
    fn objection(&self, output: &HookOutput) -> Option<String> {
        let HookOutput::Sync(output) = output else {
            return None;
        };
        let specific = Json::new(output.hook_specific_output.as_ref()?).ok()?;
        let named: String = specific.get("hookEventName")?.parse().ok()?;
        let event = self.event.as_str();
        (named != event)
            .then(|| format!("the output is for {named}, but the hook was called for {event}"))
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
            HookEvent::PreSkillShellCommand => PreSkillShellCommandOutput::deny(reason).into(),
            HookEvent::PermissionRequest => {
                let denied = HookPermissionDeny::new().message(reason);
                PermissionRequestOutput::new(denied).into()
            }
            HookEvent::UserPromptSubmit => {
                let block = SyncHookOutput::new().decision(HookDecision::Block);
                return self.response(block.reason(reason).into());
            }
            // The CLI itself denies the action.
            _ if self.blocks => return Response::Error(reason),
            _ => return self.response(HookOutput::none()),
        };
        self.response(refusal.into())
    }
}
