//! Requests of the CLI that a person answers: permissions, forms of MCP servers, and dialogs.

use std::sync::Arc;
use std::time::Duration;

use claw_client::types::control::{
    CanUseTool, DialogCancelled, Elicitation, ElicitationResponse, PermissionResult,
    RequestUserDialog, UserDialogResponse,
};
use claw_client::types::hook::ElicitationAction;
use claw_client::{SessionBuilder, ToolPermissionRequest};
use claw_types::options::PermissionMode;
use claw_view::running_hook;
use tokio::sync::oneshot;

use super::control::Control;
use super::shared::Shared;
use crate::conversation::{Asked, DIALOGS, Reply};

/// The permission mode that a person can choose when accepting a plan.
const AFTER_PLAN: PermissionMode = PermissionMode::AcceptEdits;

/// Adds the callbacks that show requests of the CLI to the viewers of a conversation, and wait for their answers. If
/// `answer_limit` is `None`, no person is asked: all permission requests are denied, and no other requests are answered.
pub(super) fn with_callbacks(builder: SessionBuilder, shared: &Arc<Shared>) -> SessionBuilder {
    let to_decide = shared.clone();
    let to_notice = shared.clone();
    let builder = builder
        .can_use_tool(move |request| to_decide.clone().decide(request))
        .on_start_hook(move |hook| {
            let text = running_hook(&hook.name, hook.running_for);
            to_notice.with(|conversation| {
                conversation.start_hook(&hook.name);
                conversation.notice(&text);
            });
        });
    if shared.answer_limit.is_none() {
        return builder;
    }
    let (to_elicit, to_show, to_cancel) = (shared.clone(), shared.clone(), shared.clone());
    builder
        .on_elicitation(move |asked, _| to_elicit.clone().elicit(asked))
        .on_user_dialog(move |dialog, _| to_show.clone().show(dialog))
        // This callback receives the dialogs whose kind is unknown. `show` cancels them. If the server did not answer,
        // the CLI would wait forever.
        .on_request("request_user_dialog", move |body, _| {
            let shared = to_cancel.clone();
            async move {
                let dialog = body.parse().map_err(|error| error.to_string())?;
                let response = shared.show(dialog).await;
                claw_types::Json::new(&response).map_err(|error| error.to_string())
            }
        })
}

/// Returns the kinds of dialogs that the CLI may send, for the options of the CLI. Returns `None` if `answer_limit` is `None`,
/// because no person is then asked.
pub(super) fn dialog_kinds(answer_limit: Option<Duration>) -> Option<Vec<String>> {
    answer_limit.map(|_| DIALOGS.map(str::to_owned).to_vec())
}

impl Shared {
    /// Waits for a person's decision. Denies the request if no person decides. If the future is dropped, the request is
    /// withdrawn.
    pub(super) async fn decide(
        self: Arc<Self>,
        request: ToolPermissionRequest,
    ) -> PermissionResult {
        let folders = self.peek(|conversation| conversation.folders().clone());
        let result = match self.take_reply(&request.body) {
            Some(result) => result,
            None => match self.clone().ask(self.scoped(request.body)).await {
                Ok(Reply::Permission(result)) => result,
                Ok(_) => PermissionResult::deny("the answer is not one to a permission request"),
                Err(reason) => PermissionResult::deny(reason),
            },
        };
        folders.answered(&result);
        result
    }

    /// Returns a permission request without the suggestions and modes that the project does not allow. So viewers do
    /// not see them, and no answer can apply them.
    pub(super) fn scoped(&self, body: CanUseTool) -> Asked {
        let mut asked = Asked::from(body);
        if let Asked::Tool(tool) = &mut asked {
            if let Some(suggestions) = &mut tool.body.permission_suggestions {
                suggestions.retain(|suggestion| self.permission_scope.allows(suggestion));
            }
            let modes = [AFTER_PLAN].into_iter();
            tool.modes = modes
                .filter(|mode| self.permission_scope.allows_mode(mode))
                .collect();
            tool.folder = Some(self.permission_scope.folder());
            let folders = self.peek(|conversation| conversation.folders().clone());
            let path = folders.asked_path(&tool.body);
            tool.is_outside = path.is_some_and(|path| path.is_outside);
        }
        asked
    }

    /// Waits until a person has filled in the form of an MCP server. Returns the action `Cancel` if no person does.
    async fn elicit(self: Arc<Self>, asked: Elicitation) -> ElicitationResponse {
        match self.ask(Asked::Elicitation(Box::new(asked))).await {
            Ok(Reply::Elicitation(response)) => response,
            _ => ElicitationResponse::new(ElicitationAction::Cancel),
        }
    }

    /// Waits until a person has answered a dialog of the CLI. Returns a cancellation if no person answers, or if the
    /// kind of the dialog is unknown.
    async fn show(self: Arc<Self>, dialog: RequestUserDialog) -> UserDialogResponse {
        match self.ask(Asked::Dialog(Box::new(dialog))).await {
            Ok(Reply::Dialog(response)) => response,
            _ => DialogCancelled::new().into(),
        }
    }

    /// Waits for a person's answer. If the future is dropped, the request is withdrawn.
    ///
    /// # Errors
    ///
    /// Fails with the reason why there is no answer.
    async fn ask(self: Arc<Self>, asked: Asked) -> Result<Reply, &'static str> {
        let limit = self
            .answer_limit
            .ok_or("nobody is here who could allow it")?;
        let (sender, mut answer) = oneshot::channel();
        let may_wait = matches!(asked, Asked::Tool(_));
        let id = self.add_request(asked, sender)?;
        let asked = WithdrawOnDrop { shared: self, id };
        let mut left = limit;
        if let Some(after) = asked
            .shared
            .defer_after
            .filter(|it| may_wait && *it < limit)
        {
            match tokio::time::timeout(after, &mut answer).await {
                Ok(answered) => return answered.map_err(|_| "the session is closed"),
                Err(_) => asked.shared.control(Control::Defer(asked.id.clone())),
            }
            // The driver may be unable to defer the request. The process then continues to run, and the request waits for
            // the rest of the time.
            left -= after;
        }
        match tokio::time::timeout(left, &mut answer).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) => Err("the session is closed"),
            Err(_) => {
                asked.shared.withdraw(&asked.id, "timeout");
                // A person may have answered just before the withdrawal. That answer was accepted, so it is used.
                answer.try_recv().map_err(|_| "nobody answered in time")
            }
        }
    }
}

/// Withdraws a request when its callback is dropped.
struct WithdrawOnDrop {
    shared: Arc<Shared>,
    id: String,
}

impl Drop for WithdrawOnDrop {
    fn drop(&mut self) {
        self.shared.withdraw(&self.id, "withdrawn");
    }
}
