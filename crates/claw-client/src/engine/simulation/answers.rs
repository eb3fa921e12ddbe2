//! The answers of callbacks, and the required responses on the wire.

use claw_types::control::{
    DialogCompleted, ElicitationResponse, PermissionResult, UserDialogResponse,
};
use claw_types::hook::{
    ElicitationAction, HookEvent, HookOutput, HookSpecificOutput, PreToolUseOutput, StopOutput,
    SyncHookOutput,
};
use serde_json::{Value, json};

use super::*;

/// The registered hooks: `hook_0` and so on.
pub(super) const HOOKS: [(HookEvent, bool); 5] = [
    (HookEvent::PreToolUse, false),
    (HookEvent::UserPromptSubmit, false),
    (HookEvent::PermissionRequest, false),
    (HookEvent::Stop, false),
    (HookEvent::Stop, true),
];

/// Returns the answer of a callback.
pub(super) fn reply(what: Requested, id: &str, yes: bool) -> Reply {
    match what {
        Requested::Hook(number) => {
            let context = StopOutput::new().additional_context(id);
            let output = SyncHookOutput::new().reason(if yes { "yes" } else { "no" });
            Reply::Hook(match HOOKS[number % HOOKS.len()].0 {
                HookEvent::Stop if yes => hook_output(HookSpecificOutput::from(context)),
                _ => hook_output(output),
            })
        }
        Requested::Elicitation => Reply::Elicitation(ElicitationResponse::new(if yes {
            ElicitationAction::Accept
        } else {
            ElicitationAction::Decline
        })),
        Requested::Dialog => {
            let result = Json::from(json!(if yes { id } else { "no" }));
            Reply::Dialog(UserDialogResponse::from(DialogCompleted::new(result)))
        }
        Requested::Mcp => Reply::Mcp(Some(Json::from(json!({"yes": yes})))),
        Requested::Other => Reply::Other(Json::from(json!({"yes": yes}))),
        _ if yes => Reply::Permission(PermissionResult::allow()),
        _ => Reply::Permission(PermissionResult::deny("no")),
    }
}

fn hook_output(output: impl Into<HookOutput>) -> serde_json::Result<Json> {
    Json::new(&output.into())
}

/// Returns an answer to another kind of request, or an answer that the CLI would reject.
pub(super) fn wrong(what: Requested) -> Reply {
    match what {
        // This output is for the event `PreToolUse`. Only one of the registered hooks has this
        // event, so the output is wrong for all others.
        Requested::Hook(number) if HOOKS[number % HOOKS.len()].0 != HookEvent::PreToolUse => {
            Reply::Hook(hook_output(HookSpecificOutput::from(
                PreToolUseOutput::new(),
            )))
        }
        Requested::Permission => Reply::Hook(hook_output(HookOutput::none())),
        _ => Reply::Permission(PermissionResult::allow()),
    }
}

/// Whether the payload is the callback's answer.
pub(super) fn is_expected(what: Requested, payload: &Value, id: &str, yes: bool) -> bool {
    match what {
        Requested::Hook(number) => match HOOKS[number % HOOKS.len()].0 {
            HookEvent::Stop if yes => payload["hookSpecificOutput"]["additionalContext"] == id,
            _ => payload["reason"] == if yes { "yes" } else { "no" },
        },
        Requested::Elicitation => payload["action"] == if yes { "accept" } else { "decline" },
        Requested::Dialog => payload["result"] == if yes { id } else { "no" },
        Requested::Mcp => payload["mcp_response"]["yes"] == yes,
        Requested::Other => payload["yes"] == yes,
        _ if yes => payload["behavior"] == "allow" && payload["updatedInput"]["of"] == id,
        _ => payload["behavior"] == "deny",
    }
}

/// Whether the response is the one that the engine must send if a callback gives no answer.
pub(super) fn is_safe(what: Requested, response: &Value) -> bool {
    let payload = &response["response"];
    let own = &payload["hookSpecificOutput"];
    match what {
        Requested::Hook(number) | Requested::BadHook(number) => match HOOKS[number % HOOKS.len()] {
            (HookEvent::PreToolUse, _) => own["permissionDecision"] == "deny",
            (HookEvent::PermissionRequest, _) => own["decision"]["behavior"] == "deny",
            (HookEvent::UserPromptSubmit, _) => payload["decision"] == "block",
            (_, true) => response["subtype"] == "error",
            _ => *payload == json!({}),
        },
        Requested::Elicitation => payload["action"] == "cancel",
        Requested::Dialog => payload["behavior"] == "cancelled",
        Requested::Permission => payload["behavior"] == "deny",
        Requested::Mcp => payload["mcp_response"]["error"]["code"] == -32603,
        _ => response["subtype"] == "error",
    }
}
