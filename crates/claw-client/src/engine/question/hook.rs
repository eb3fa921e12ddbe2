//! What is known of a hook that was registered, and what is said in its place when it fails.

use std::time::Duration;

use claw_types::Json;
use claw_types::hook::{
    HookDecision, HookEvent, HookOutput, HookPermissionDecision, HookPermissionDeny,
    HookSpecificOutput, PermissionRequestOutput, PreModelSwitchOutput, PreToolUseOutput,
    SyncHookOutput,
};

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

impl HookSpec {
    /// What is answered where the callback gave nothing; `Err` for an error.
    pub(super) fn failed(&self, reason: String) -> Result<HookOutput, String> {
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
                return Ok(block.reason(reason).into());
            }
            // The CLI knows what to refuse.
            _ if self.blocks => return Err(reason),
            _ => return Ok(HookOutput::none()),
        };
        Ok(refusal.into())
    }

    /// Why this cannot be an answer of the hook, if it cannot: the CLI would refuse what it was
    /// called for, and call it an unexpected error.
    pub(super) fn objection(&self, output: &HookOutput) -> Option<String> {
        let HookOutput::Sync(output) = output else {
            return None;
        };
        let said = Json::new(output.hook_specific_output.as_ref()?).ok()?;
        let said: String = said.get("hookEventName")?.parse().ok()?;
        let event = self.event.as_str();
        (said != event).then(|| format!("it speaks of {said}, and was called for {event}"))
    }
}
