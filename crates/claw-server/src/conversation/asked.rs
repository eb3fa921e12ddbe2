//! The requests of the CLI that wait for a person, and the answers in the form that the CLI expects.

use claw_types::control::{
    CanUseTool, DialogCancelled, DialogCompleted, Elicitation, ElicitationResponse,
    PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::ElicitationAction;
use claw_types::{Json, Map};
use serde::Serialize;

use super::form::{self, Form};
use super::request::{Answer, AnswerError, Decision, Pending, ToolAsked};

/// A request of the CLI that a person must answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Asked {
    /// The CLI asks whether a tool may be used.
    Tool(Box<ToolAsked>),
    /// An MCP server asks a person for input (an elicitation).
    Elicitation(Box<Elicitation>),
    /// The CLI shows a dialog.
    Dialog(Box<RequestUserDialog>),
}

impl From<CanUseTool> for Asked {
    fn from(body: CanUseTool) -> Self {
        Self::Tool(Box::new(ToolAsked {
            body,
            modes: Vec::new(),
            folder: None,
            is_outside: false,
        }))
    }
}

/// The answer to a request, in the form that the CLI expects.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Reply {
    /// The answer to a permission request.
    Permission(PermissionResult),
    /// The answer to an elicitation.
    Elicitation(ElicitationResponse),
    /// The answer to a dialog.
    Dialog(UserDialogResponse),
}

impl Asked {
    /// Returns the request as viewers see it. Returns `None` for a dialog of an unknown kind.
    pub(super) fn pending(&self, id: String, directory: Option<&str>) -> Option<Pending> {
        Some(match self {
            Self::Tool(asked) => Pending::of_tool(id, asked, directory),
            Self::Elicitation(asked) => Pending::of_form(id, form::of_elicitation(asked)),
            Self::Dialog(dialog) => Pending::of_dialog(id, dialog, form::of_dialog(dialog)?),
        })
    }

    /// Converts an answer to the form that the CLI expects.
    ///
    /// # Errors
    ///
    /// Fails with the reason why the answer does not fit the request. The request then still waits.
    pub(super) fn resolve(&self, answer: &Answer, pending: &Pending) -> Result<Reply, AnswerError> {
        let form = match (self, &pending.form) {
            (Self::Tool(asked), _) => {
                let result = answer.resolve(asked).map_err(AnswerError::Unfit)?;
                return Ok(Reply::Permission(result));
            }
            (_, Some(form)) => form,
            (_, None) => return Err(AnswerError::Unfit("there is no form".to_owned())),
        };
        let content = content(answer, form)?;
        if matches!(self, Self::Dialog(_)) {
            return Ok(Reply::Dialog(dialog_response(content)));
        }
        let mut response = ElicitationResponse::new(match answer.decision {
            Decision::Accept => ElicitationAction::Accept,
            Decision::Decline => ElicitationAction::Decline,
            _ => ElicitationAction::Cancel,
        });
        // A form that only contains a link has no fields, so its response contains no values.
        response.content = content.filter(|_| form.url.is_none());
        Ok(Reply::Elicitation(response))
    }

    /// Returns the decision that is made if no person answers the request.
    pub(super) fn unanswered(&self) -> Decision {
        match self {
            Self::Tool(_) => Decision::Deny,
            Self::Elicitation(_) | Self::Dialog(_) => Decision::Cancel,
        }
    }
}

/// Returns the response to a dialog. The response is the value of the dialog's only field.
fn dialog_response(content: Option<Json>) -> UserDialogResponse {
    let Some(content) = content else {
        return DialogCancelled::new().into();
    };
    let values: Option<Map<Json>> = content.parse().ok();
    let chosen = values.and_then(|values| values.get(form::CHOICE).cloned());
    DialogCompleted::new(chosen.unwrap_or_else(Json::null)).into()
}

/// Returns the values of an accepted form. Returns `None` if the form is declined or cancelled.
fn content(answer: &Answer, form: &Form) -> Result<Option<Json>, AnswerError> {
    let unfit = |text: &str| Err(AnswerError::Unfit(text.to_owned()));
    if answer.has_permission() {
        return unfit("a form is answered with `decision` and `content` alone");
    }
    match answer.decision {
        Decision::Accept => {}
        Decision::Decline | Decision::Cancel if answer.content.is_some() => {
            return unfit("`content` is for forms that are accepted");
        }
        Decision::Decline | Decision::Cancel => return Ok(None),
        _ => return unfit("a form is answered with `accept`, `decline` or `cancel`"),
    }
    if let Some(problem) = &form.problem {
        return unfit(problem);
    }
    let given = answer.content.clone().unwrap_or_default();
    form.check(&given).map(Some).map_err(AnswerError::Fields)
}
