//! Converts permission requests of Claude Code to permission requests of the protocol.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SessionId,
};
use claw_client::ToolPermissionRequest;
use claw_types::control::{
    DecisionClassification, PermissionAllow, PermissionDeny, PermissionDestination,
    PermissionResult, PermissionUpdate, SetMode,
};
use claw_types::options::PermissionMode;
use claw_view::{SessionFolders, suggestion};

use crate::peer::Peer;
use crate::question;
use crate::tool_request::{cancelled, tool_call};

/// The maximum number of suggestions that become options.
const SUGGESTIONS: usize = 8;

/// An option of a permission request, and the result if the person chooses this option.
struct Choice {
    option: PermissionOption,
    result: PermissionResult,
}

impl Choice {
    fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        kind: PermissionOptionKind,
        result: impl Into<PermissionResult>,
    ) -> Self {
        Self {
            option: PermissionOption::new(id.into(), name.into(), kind),
            result: result.into(),
        }
    }
}

/// Sends a permission request to the client. The tool use is denied if the request fails, or if the response is not one
/// of the options.
pub(crate) async fn decide(
    peer: &Peer,
    session: &SessionId,
    folders: &SessionFolders,
    request: ToolPermissionRequest,
) -> PermissionResult {
    if let Some(questions) = request.questions() {
        return question::ask(peer, session, &request, questions).await;
    }
    let choices = choices(&request);
    let options = choices.iter().map(|choice| choice.option.clone());
    let asked = RequestPermissionRequest::new(
        session.clone(),
        tool_call(&peer.offer, folders, &request),
        options.collect(),
    );
    match peer.permission(asked).await {
        Ok(answer) => match answer.outcome {
            RequestPermissionOutcome::Selected(selected) => {
                let mut choices = choices.into_iter();
                let chosen = choices.find(|it| it.option.option_id == selected.option_id);
                chosen.map_or_else(
                    || PermissionResult::deny("The client chose an option that does not exist."),
                    |choice| choice.result,
                )
            }
            _ => cancelled(peer),
        },
        Err(error) => PermissionResult::deny(format!("Nobody could be asked: {}", error.message)),
    }
}

fn choices(request: &ToolPermissionRequest) -> Vec<Choice> {
    if request.plan().is_some() {
        return plan_choices();
    }
    let mut choices = vec![Choice::new(
        "allow",
        "Allow",
        PermissionOptionKind::AllowOnce,
        once(),
    )];
    if request.body.suppress_always_allow_rule != Some(true) {
        let suggestions = request.body.permission_suggestions.iter().flatten();
        for (at, update) in suggestions.take(SUGGESTIONS).enumerate() {
            // A suggestion that cannot be described in words is not offered.
            let Some(words) = suggestion(update) else {
                continue;
            };
            let mut allow = PermissionAllow::new();
            allow.updated_permissions = Some(vec![update.clone()]);
            allow.decision_classification = Some(DecisionClassification::UserPermanent);
            choices.push(Choice::new(
                format!("suggestion-{at}"),
                format!("Allow, and {words}"),
                PermissionOptionKind::AllowAlways,
                allow,
            ));
        }
    }
    choices.push(Choice::new(
        "reject",
        "Reject",
        PermissionOptionKind::RejectOnce,
        rejected("The user rejected this tool use."),
    ));
    choices
}

/// Returns the options for a plan. Each option that approves the plan also sets the mode in which the session
/// continues.
fn plan_choices() -> Vec<Choice> {
    let approve = |mode: PermissionMode| {
        let mut allow = once();
        let change = SetMode::new(mode, PermissionDestination::Session);
        allow.updated_permissions = Some(vec![PermissionUpdate::SetMode(change)]);
        allow
    };
    vec![
        Choice::new(
            "plan-accept-edits",
            "Approve, and accept edits",
            PermissionOptionKind::AllowAlways,
            approve(PermissionMode::AcceptEdits),
        ),
        Choice::new(
            "plan-ask",
            "Approve, and ask before each edit",
            PermissionOptionKind::AllowOnce,
            approve(PermissionMode::Default),
        ),
        Choice::new(
            "plan-reject",
            "Keep planning",
            PermissionOptionKind::RejectOnce,
            rejected("The user wants to keep planning."),
        ),
    ]
}

fn once() -> PermissionAllow {
    let mut allow = PermissionAllow::new();
    allow.decision_classification = Some(DecisionClassification::UserTemporary);
    allow
}

fn rejected(reason: &str) -> PermissionDeny {
    let mut deny = PermissionDeny::new(reason);
    deny.decision_classification = Some(DecisionClassification::UserReject);
    deny
}
