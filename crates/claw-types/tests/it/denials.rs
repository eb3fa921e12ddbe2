//! Why a tool did not run: by what the CLI says of it, and by its texts alone.

use claw_types::api::{MessageParam, ToolResultBlock};
use claw_types::message::{NonExecutionKind, PermissionDecision, ToolResultMeta, UserMessage};
use claw_types::{Message, ToolUseId, from_line};

use crate::support::recorded;

#[test]
fn the_texts_of_the_cli_say_what_its_fields_say() {
    let (mut denied, mut ran) = (0, 0);
    for sample in recorded("stdout.ndjson") {
        let Ok(Message::User(user)) = from_line(sample.line.as_bytes()) else {
            continue;
        };
        if sample.name.contains("_oldest") {
            // That CLI has no such fields.
            continue;
        }
        let message = Message::from(*user.clone());
        for result in message.tool_results() {
            let said = user.denial(&result.tool_use_id);
            let meta = user.tool_result_meta.iter().flatten();
            let meta: Vec<_> = meta.filter(|meta| meta.id == result.tool_use_id).collect();
            let kind = meta.iter().find_map(|meta| meta.non_execution_kind.clone());
            assert_eq!(said, kind, "{}", sample.name);
            let mut decisions = meta
                .iter()
                .filter_map(|meta| meta.permission_decision.as_ref());
            // The words of the host, or of a hook, need be no text of the CLI's.
            let own = [Some("user_reject"), Some("hook")];
            let is_own = decisions.any(|decision| own.contains(&decision.source.as_deref()));
            if !is_own || result.denial().is_some() {
                assert_eq!(result.denial(), said, "{}", sample.name);
            }
            *(if said.is_some() {
                &mut denied
            } else {
                &mut ran
            }) += 1;
        }
    }
    assert!(denied >= 5 && ran >= 20, "{denied} denied, {ran} ran");
}

#[test]
fn refusals_where_nobody_can_be_asked_are_known_by_their_texts() {
    for recording in ["refused_unasked/", "refused_unasked_oldest/"] {
        let (mut denied, mut listed) = (Vec::new(), Vec::new());
        for sample in recorded("stdout.ndjson") {
            if !sample.name.starts_with(recording) {
                continue;
            }
            match from_line(sample.line.as_bytes()) {
                Ok(Message::User(mut user)) => {
                    user.tool_result_meta = None;
                    let user = *user;
                    let message = Message::from(user.clone());
                    for result in message.tool_results() {
                        let kind = denial_of(&user, &result.tool_use_id);
                        let is_error = result.is_error == Some(true);
                        let expected = is_error.then_some(NonExecutionKind::UserRejected);
                        assert_eq!(kind, expected, "{}: {}", sample.name, sample.line);
                        denied.extend(kind.map(|_| result.tool_use_id.clone()));
                    }
                }
                Ok(Message::ResultSuccess(result)) => {
                    let ids = result.permission_denials.iter();
                    listed.extend(ids.map(|denial| denial.tool_use_id.clone()));
                }
                _ => {}
            }
        }
        assert_eq!(denied.len(), 12, "{recording}");
        assert_eq!(denied, listed, "{recording}");
    }
}

fn denial_of(user: &UserMessage, id: &ToolUseId) -> Option<NonExecutionKind> {
    let kind = user.denial(id);
    let message = Message::from(user.clone());
    let mut results = message.tool_results();
    let result = results.find(|result| result.tool_use_id == *id);
    assert_eq!(result.and_then(ToolResultBlock::denial), kind);
    kind
}

fn user(text: &str) -> UserMessage {
    let result = ToolResultBlock::new("toolu_1").content(text).is_error(true);
    UserMessage::new(MessageParam::user(vec![result.into()]))
}

fn denial(user: &UserMessage) -> Option<NonExecutionKind> {
    user.denial(&"toolu_1".into())
}

#[test]
fn texts_that_are_not_recorded() {
    use NonExecutionKind as Kind;
    for (text, kind) in [
        ("PreToolUse:Bash hook error: no", Some(Kind::PermissionRule)),
        ("PreToolUse: a poem", None),
        (
            "The user doesn't want to take this action right now. STOP",
            Some(Kind::UserRejected),
        ),
        (
            "Permission for this action was denied by the Claude Code auto mode classifier. Reason: x",
            Some(Kind::AutomodeBlocked),
        ),
        ("Permission denied (os error 13)", None),
        ("This command requires approval of an administrator", None),
        ("This is a command.", None),
        (
            "Exit code 1\ncat in '/a' was blocked. For security, Claude Code may only read.",
            None,
        ),
        (
            "It's not so: the file\n' was blocked. For security, Claude Code may only ",
            None,
        ),
        ("", None),
    ] {
        assert_eq!(denial(&user(text)), kind, "{text}");
    }
    assert_eq!(
        user("Permission to use Bash has been denied.").denial(&"other".into()),
        None
    );
}

#[test]
fn what_is_said_counts_before_the_text() {
    let meta = |decision: &str| {
        ToolResultMeta::new("toolu_1").permission_decision(PermissionDecision::new(decision))
    };
    let refused = "Permission to use Bash has been denied.";
    let ran = user(refused).tool_result_meta(vec![meta("accept")]);
    assert_eq!(denial(&ran), None);
    let rejected = user("No.").tool_result_meta(vec![meta("reject")]);
    assert_eq!(denial(&rejected), Some(NonExecutionKind::PermissionRule));
    let tomorrow = user(refused).tool_result_meta(vec![meta("of tomorrow")]);
    assert_eq!(denial(&tomorrow), Some(NonExecutionKind::PermissionRule));
}
