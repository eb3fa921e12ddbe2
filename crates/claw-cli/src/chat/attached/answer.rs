//! Asks the questions of a session that a server runs, and sends the answers that the user types.

use claw_client::types::ToolUseId;
use claw_client::types::control::{CanUseTool, PermissionResult};
use claw_server::{Answer, Answered, Decision, Pending, RequestKind};
use claw_view::AskedPath;

use super::{Handle, http, push};
use crate::ask::Asker;
use crate::escape::one_line;

/// Returns whether a person can answer the request at the terminal.
pub(super) fn is_answered_here(pending: &Pending) -> bool {
    let here = [
        RequestKind::Permission,
        RequestKind::Questions,
        RequestKind::Plan,
    ];
    here.contains(&pending.kind) && pending.tool.is_some()
}

/// Asks the person at the terminal, and sends the answer. The task is cancelled if another viewer has answered.
pub(super) async fn ask(handle: Handle, asker: Asker, pending: Pending) {
    let path = pending.blocked_path.clone();
    let path = path.map(|path| AskedPath::new(path, pending.is_outside));
    let question = question(&pending);
    let result = tokio::select! {
        biased;
        // If the person leaves without an answer, none is sent, so another viewer can answer.
        () = handle.closed() => return,
        result = asker.decide_shared(&question, path) => result,
    };
    let Ok(answer) = serde_json::to_value(answer(&pending, result)) else {
        return;
    };
    push(&mut handle.shared().answers, pending.id.clone());
    let rest = format!("/requests/{}", http::encoded(&pending.id));
    if let Err(why) = handle.post_answer(&rest, &answer).await {
        handle.forget_answer(&pending.id);
        let text = format!("Your answer was not accepted: {why}");
        handle.text(&text).await;
    }
}

/// Converts a request of the server to the form of the CLI.
fn question(pending: &Pending) -> CanUseTool {
    let tool = pending.tool.clone().unwrap_or_default();
    let id = pending.tool_use_id.clone();
    let id = id.unwrap_or_else(|| ToolUseId::from(pending.id.clone()));
    let mut question = CanUseTool::new(tool, pending.input.clone(), id);
    question.decision_reason.clone_from(&pending.reason);
    question.blocked_path.clone_from(&pending.blocked_path);
    question.permission_suggestions = Some(pending.suggestions.clone());
    question.suppress_always_allow_rule = (!pending.may_always).then_some(true);
    question
}

/// Converts an answer to the form of the server.
fn answer(pending: &Pending, result: PermissionResult) -> Answer {
    match result {
        PermissionResult::Allow(allow) => {
            let chosen = allow.updated_permissions.unwrap_or_default();
            let decision = if chosen.is_empty() {
                Decision::Allow
            } else {
                Decision::AllowAlways
            };
            let mut answer = Answer::new(decision);
            if !chosen.is_empty() {
                let all = pending.suggestions.iter().enumerate();
                let positions = all.filter(|(_, one)| chosen.contains(one));
                answer.suggestions = Some(positions.map(|(position, _)| position).collect());
            }
            answer.updated_input = allow.updated_input;
            answer
        }
        PermissionResult::Deny(deny) => {
            let mut answer = Answer::new(Decision::Deny);
            answer.message = Some(deny.message);
            answer.interrupt = deny.interrupt;
            answer
        }
        _ => Answer::new(Decision::Deny),
    }
}

/// Returns a sentence about the answer of another viewer, escaped and with a line ending. Returns `None` if the request
/// was withdrawn.
pub(super) fn sentence(answered: &Answered) -> Option<String> {
    let what = match answered.decision {
        Decision::Allow => "allowed",
        Decision::AllowForSession => "allowed for this session",
        Decision::AllowAlways => "allowed always",
        Decision::Deny => "denied",
        Decision::Accept => "filled in",
        Decision::Decline => "declined",
        _ => "closed",
    };
    match &*answered.by {
        "withdrawn" => None,
        "timeout" => Some(format!("  Nobody has answered in time: {what}.\n")),
        by => Some(format!("  Answered by {}: {what}.\n", one_line(by, 80))),
    }
}

#[cfg(test)]
mod tests {
    use claw_client::types::control::{PermissionAllow, PermissionDeny};
    use serde_json::json;

    use super::*;

    fn pending() -> Pending {
        let rule = |rule: &str| {
            json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": rule}],
                "behavior": "allow", "destination": "localSettings"})
        };
        serde_json::from_value(
            json!({"id": "r1", "kind": "permission", "toolUseId": "t1", "title": "Bash(ls)",
            "tool": "Bash", "input": {"command": "ls"}, "agent": null, "description": null,
            "suggestions": [rule("ls"), rule("cat")], "mayAlways": true, "plan": null,
            "blockedPath": "/etc", "isOutside": true, "reason": "A hook asks."}),
        )
        .unwrap()
    }

    #[test]
    fn a_request_and_its_answer_are_complete_in_the_form_of_the_other_side() {
        let pending = pending();
        let question = question(&pending);
        assert_eq!(
            (&*question.tool_name, question.tool_use_id.as_str()),
            ("Bash", "t1")
        );
        assert_eq!(question.decision_reason.as_deref(), Some("A hook asks."));
        assert_eq!(question.suppress_always_allow_rule, None);
        let once = answer(&pending, PermissionResult::allow());
        assert_eq!(once, Answer::new(Decision::Allow));
        let second =
            PermissionAllow::new().updated_permissions(vec![pending.suggestions[1].clone()]);
        let second = answer(&pending, second.into());
        assert_eq!(
            (second.decision, second.suggestions),
            (Decision::AllowAlways, Some(vec![1]))
        );
        let denied = answer(&pending, PermissionDeny::new("No.").interrupt(true).into());
        let expected = (Decision::Deny, Some("No.".to_owned()), Some(true));
        assert_eq!(
            (denied.decision, denied.message, denied.interrupt),
            expected
        );
        // If the CLI forbids suggestions, none is offered.
        let mut forbidden = pending.clone();
        forbidden.may_always = false;
        assert_eq!(
            super::question(&forbidden).suppress_always_allow_rule,
            Some(true)
        );
    }

    #[test]
    fn who_has_answered_is_named_and_cannot_steer_the_terminal() {
        let by = |by: &str| {
            let answered = json!({"id": "r1", "decision": "allowAlways", "by": by});
            sentence(&serde_json::from_value(answered).unwrap())
        };
        let text = by("a\u{1b}[2Jb\nc").unwrap();
        assert_eq!(text, "  Answered by a\\u{1b}[2Jb c: allowed always.\n");
        assert_eq!(by("withdrawn"), None);
        assert!(by("timeout").unwrap().contains("in time"));
    }
}
