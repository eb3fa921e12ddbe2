//! Requests of the CLI that wait for a person, and their answers.

use std::collections::BTreeMap;

use claw_types::control::{
    CanUseTool, DecisionClassification, PermissionAllow, PermissionDeny, PermissionDestination,
    PermissionResult, PermissionUpdate, RequestUserDialog, SetMode,
};
use claw_types::options::PermissionMode;
use claw_types::tool::ToolInput;
use claw_types::{Json, Map, ToolUseId};
use claw_view::{AskedPath, ToolDisplay};
use serde::{Deserialize, Serialize};

use super::form::{FieldError, Form, FormContent};

/// Maximum length of the part of a question that is used as a title, in characters.
const LONGEST_TITLE: usize = 200;

/// The subject of a request that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RequestKind {
    /// The request asks whether a tool may be used.
    Permission,
    /// The model asks a person questions (`AskUserQuestion`).
    Questions,
    /// The model asks a person to approve a plan (`ExitPlanMode`).
    Plan,
    /// An MCP server asks a person for values (an elicitation in the mode `form`).
    Form,
    /// An MCP server asks a person to open an address (an elicitation in the mode `url`).
    Link,
    /// The CLI asks a person to choose (a dialog of the CLI).
    Dialog,
}

/// A permission request, with the server's additional information about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolAsked {
    /// The request of the CLI.
    pub body: CanUseTool,
    /// The permission modes in which the session may continue when a plan is approved.
    pub modes: Vec<PermissionMode>,
    /// The folder in which the session began.
    pub folder: Option<String>,
    /// Whether the path of the request is known to be outside of the session's folders (see
    /// [`SessionFolders`](claw_view::SessionFolders)).
    pub is_outside: bool,
}

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Pending {
    /// The ID of the request. Its answer refers to this ID.
    pub id: String,
    /// The subject of the request: a tool use, questions, a plan, a form, a link or a dialog.
    pub kind: RequestKind,
    /// The ID of the tool use. The element that shows the tool use has the same ID. Null if the request belongs to no
    /// tool use.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// The request in one line: the tool use, such as `Bash(rm -rf build)`, or the question of a form.
    pub title: String,
    /// The name of the tool. Null unless the request is about a tool use.
    pub tool: Option<String>,
    /// The input of the tool. Null unless the request is about a tool use.
    pub input: Json,
    /// The description of the sub-agent that wants to use the tool. Null for the main conversation.
    pub agent: Option<String>,
    /// What the tool use does: in the model's words for a command, and the path for a change of a file. Null if unknown.
    pub description: Option<String>,
    /// The CLI's suggestions: changes to the permissions that make similar requests unnecessary. An answer refers to
    /// them by their positions, counted from 0.
    pub suggestions: Vec<PermissionUpdate>,
    /// Whether the decision `allowAlways` is possible: there are suggestions, and the CLI does not forbid offering
    /// them.
    pub may_always: bool,
    /// The proposed plan, in Markdown. Null unless the request is about a plan.
    pub plan: Option<String>,
    /// The permission modes that can be chosen when the plan is approved. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<PermissionMode>,
    /// The folder in which the turn began, if it is not the folder of the project. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The path at which the CLI's check of the tool use stopped. It may be inside of the session's folders. Absent if the
    /// CLI has sent none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_path: Option<String>,
    /// Whether `blockedPath` is known to be outside of the session's folders: the working directory and the additional
    /// directories, with symbolic links resolved. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outside: bool,
    /// The reason why the CLI asks, in its own words. Absent if the CLI has sent none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The form to fill in. Absent unless the request is a form, a link or a dialog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
}

impl Pending {
    /// Returns the path of the file that the tool wants to use, with a description of this path for people.
    pub(crate) fn asked_path(&self) -> Option<AskedPath> {
        let path = self.blocked_path.clone()?;
        Some(AskedPath::new(path, self.is_outside))
    }

    /// Creates the request for a tool use. `directory` is the session's current folder.
    pub(super) fn of_tool(id: String, asked: &ToolAsked, directory: Option<&str>) -> Self {
        let body = &asked.body;
        let (kind, plan) = match body.typed_input() {
            Ok(ToolInput::AskUserQuestion(_)) => (RequestKind::Questions, None),
            Ok(ToolInput::ExitPlanMode(plan)) => (RequestKind::Plan, plan.plan.clone()),
            _ => (RequestKind::Permission, None),
        };
        let suggestions = body.permission_suggestions.clone().unwrap_or_default();
        let may_always = !suggestions.is_empty() && body.suppress_always_allow_rule != Some(true);
        Self {
            id,
            kind,
            tool_use_id: Some(body.tool_use_id.clone()),
            title: ToolDisplay::of(&body.tool_name, &body.input).text(),
            tool: Some(body.tool_name.clone()),
            input: body.input.clone(),
            agent: None,
            description: body.description.clone(),
            suggestions,
            may_always,
            plan,
            modes: match kind {
                RequestKind::Plan => asked.modes.clone(),
                _ => Vec::new(),
            },
            directory: directory
                .filter(|directory| {
                    asked
                        .folder
                        .as_deref()
                        .is_some_and(|folder| folder != *directory)
                })
                .map(str::to_owned),
            blocked_path: body.blocked_path.clone(),
            is_outside: asked.is_outside,
            reason: body.decision_reason.clone(),
            form: None,
        }
    }

    /// Creates the request to fill in a form, or to open an address.
    pub(super) fn of_form(id: String, form: Form) -> Self {
        let kind = match form.url {
            Some(_) => RequestKind::Link,
            None => RequestKind::Form,
        };
        Self {
            id,
            kind,
            tool_use_id: None,
            title: format!("{} asks: {}", form.from, form.message)
                .chars()
                .take(LONGEST_TITLE)
                .collect(),
            tool: None,
            agent: None,
            input: Json::null(),
            description: None,
            suggestions: Vec::new(),
            may_always: false,
            plan: None,
            modes: Vec::new(),
            directory: None,
            blocked_path: None,
            is_outside: false,
            reason: None,
            form: Some(form),
        }
    }

    /// Creates the request to answer a dialog of the CLI.
    pub(super) fn of_dialog(id: String, dialog: &RequestUserDialog, form: Form) -> Self {
        Self {
            kind: RequestKind::Dialog,
            tool_use_id: dialog.tool_use_id.clone(),
            ..Self::of_form(id, form)
        }
    }
}

/// A viewer's decision about a request of the CLI that waits for a person: about a tool use, questions, a plan, a form,
/// a link or a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Decision {
    /// Allow the tool use this time.
    Allow,
    /// Allow the tool use, and apply the suggestions for this session only. Nothing is written to a settings file.
    AllowForSession,
    /// Allow the tool use, and apply the suggestions as the CLI proposes them. Some of them are written to a settings
    /// file.
    AllowAlways,
    /// Deny the tool use.
    Deny,
    /// Accept a form and send its values in `content`, or agree to open the address of a link.
    Accept,
    /// Decline a form: the person does not want to give the values.
    Decline,
    /// Close a form without a decision. A form that nobody answers is closed in this way.
    Cancel,
}

/// A person's answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Answer {
    /// The decision about the request.
    pub decision: Decision,
    /// The reason for the decision `deny`. The model reads the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether the decision `deny` also stops the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<bool>,
    /// The input that the tool gets in place of its original input. Used if the tool is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Json>,
    /// The chosen answers. Used if questions are answered. A key is the text of a question, and its value is the list
    /// of chosen answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, Vec<String>>>,
    /// The plan to follow in place of the proposed plan. Used if a plan is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The positions of the suggestions to apply, counted from 0. Used with the decisions `allowForSession` and
    /// `allowAlways`. Absent means all suggestions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<usize>>,
    /// The permission mode in which the session continues: one of the request's `modes`. Used if a plan is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// The values of the form, by the names of its fields. Used with the decision `accept`. An optional field may be
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<FormContent>,
}

impl Answer {
    /// Creates an answer with this decision and nothing else.
    pub fn new(decision: Decision) -> Self {
        Self {
            decision,
            message: None,
            interrupt: None,
            updated_input: None,
            answers: None,
            plan: None,
            suggestions: None,
            mode: None,
            content: None,
        }
    }

    /// Whether the answer contains a field that only answers to permission requests have.
    pub(super) fn has_permission(&self) -> bool {
        self.message.is_some()
            || self.interrupt.is_some()
            || self.updated_input.is_some()
            || self.answers.is_some()
            || self.plan.is_some()
            || self.suggestions.is_some()
            || self.mode.is_some()
    }

    /// Converts the answer to a permission request to the form that the CLI expects.
    ///
    /// # Errors
    ///
    /// Fails with the reason why the answer does not fit the request. The request then still waits.
    pub(super) fn resolve(&self, asked: &ToolAsked) -> Result<PermissionResult, String> {
        let to = &asked.body;
        let is_for_form = [Decision::Accept, Decision::Decline, Decision::Cancel];
        if is_for_form.contains(&self.decision) || self.content.is_some() {
            return Err("`accept`, `decline`, `cancel` and `content` are for forms".to_owned());
        }
        if self.decision == Decision::Deny {
            let message = self.message.clone();
            let message = message.unwrap_or_else(|| "The user denied this.".to_owned());
            let deny = PermissionDeny::new(message)
                .decision_classification(DecisionClassification::UserReject);
            return Ok(match self.interrupt {
                Some(true) => deny.interrupt(true).into(),
                _ => deny.into(),
            });
        }
        let mut allow = self.input(to)?.map_or_else(PermissionAllow::new, |input| {
            PermissionAllow::new().updated_input(input)
        });
        let mut updates = self.updates(to)?;
        updates.extend(self.mode_update(asked)?);
        allow.decision_classification = Some(match self.decision {
            Decision::AllowAlways => DecisionClassification::UserPermanent,
            _ => DecisionClassification::UserTemporary,
        });
        if !updates.is_empty() {
            allow.updated_permissions = Some(updates);
        }
        Ok(allow.into())
    }

    /// Returns the input with which the tool runs. Returns `None` if the tool runs with its original input.
    fn input(&self, to: &CanUseTool) -> Result<Option<Json>, String> {
        if self.updated_input.is_some() && (self.answers.is_some() || self.plan.is_some()) {
            return Err("`updatedInput` excludes `answers` and `plan`".to_owned());
        }
        let json = |value: Result<Json, serde_json::Error>| {
            value.map(Some).map_err(|error| error.to_string())
        };
        match (to.typed_input(), &self.answers, &self.plan) {
            (Ok(ToolInput::AskUserQuestion(asked)), Some(answers), None) => {
                let mut asked = *asked;
                for (question, chosen) in answers {
                    if !asked
                        .questions
                        .iter()
                        .any(|known| known.question == *question)
                    {
                        return Err(format!("no question is {question:?}"));
                    }
                    for answer in chosen {
                        asked = asked.answer(question, answer);
                    }
                }
                json(Json::new(&asked))
            }
            (Ok(ToolInput::AskUserQuestion(_)), None, None) if self.updated_input.is_none() => {
                Err("questions are allowed with `answers`".to_owned())
            }
            (Ok(ToolInput::ExitPlanMode(proposed)), None, Some(plan)) => {
                json(Json::new(&proposed.plan(plan.clone())))
            }
            (_, Some(_), _) => Err("`answers` are for questions".to_owned()),
            (_, _, Some(_)) => Err("`plan` is for plans".to_owned()),
            _ => self
                .updated_input
                .as_ref()
                .map(|input| checked(to, input))
                .transpose(),
        }
    }

    /// Returns the change of the permission mode that a person has chosen when approving a plan. If the CLI has suggested a
    /// change to this mode, returns the suggestion.
    fn mode_update(&self, asked: &ToolAsked) -> Result<Option<PermissionUpdate>, String> {
        let Some(mode) = &self.mode else {
            return Ok(None);
        };
        if !matches!(asked.body.typed_input(), Ok(ToolInput::ExitPlanMode(_))) {
            return Err("`mode` is for plans".to_owned());
        }
        if !asked.modes.contains(mode) {
            return Err(format!("the mode {mode} cannot be chosen here"));
        }
        let suggested = asked.body.permission_suggestions.as_deref();
        let mut suggested = suggested.unwrap_or_default().iter();
        let own = suggested
            .find(|update| matches!(update, PermissionUpdate::SetMode(set) if set.mode == *mode));
        let set = || SetMode::new(mode.clone(), PermissionDestination::Session).into();
        Ok(Some(own.cloned().unwrap_or_else(set)))
    }

    /// Returns the suggestions to apply.
    fn updates(&self, to: &CanUseTool) -> Result<Vec<PermissionUpdate>, String> {
        let for_session = match self.decision {
            Decision::AllowForSession => true,
            Decision::AllowAlways => false,
            _ => return Ok(Vec::new()),
        };
        if !for_session && to.suppress_always_allow_rule == Some(true) {
            return Err("the CLI forbids to allow this always".to_owned());
        }
        let all = to.permission_suggestions.as_deref().unwrap_or_default();
        let chosen = match &self.suggestions {
            None => all.to_vec(),
            Some(places) => places
                .iter()
                .map(|&place| {
                    let found = all.get(place).cloned();
                    found.ok_or_else(|| format!("there is no suggestion {place}"))
                })
                .collect::<Result<_, _>>()?,
        };
        if chosen.is_empty() {
            return Err("there is no suggestion to apply: `allow` allows this time".to_owned());
        }
        if !for_session {
            return Ok(chosen);
        }
        let here = chosen.into_iter().filter_map(PermissionUpdate::for_session);
        Ok(here.collect())
    }
}

/// Checks an input that a person has changed. If the input were empty, the CLI would run the original input. If the
/// input were invalid, the tool would fail without a message.
fn checked(to: &CanUseTool, input: &Json) -> Result<Json, String> {
    let is_empty = |json: &Json| json.parse::<Map<Json>>().map(|members| members.is_empty());
    match is_empty(input) {
        Err(_) => return Err("`updatedInput` has to be an object".to_owned()),
        Ok(true) if !is_empty(&to.input).unwrap_or_default() => {
            let text = "`updatedInput` is empty: the tool would run with its original input";
            return Err(text.to_owned());
        }
        Ok(_) => {}
    }
    // If the original input does not fit the known type either, the CLI is newer than this type. The changed input is
    // then not checked.
    if to.typed_input().is_ok()
        && let Err(error) = ToolInput::of(&to.tool_name, input)
    {
        return Err(format!(
            "`updatedInput` is no input of {}: {error}",
            to.tool_name
        ));
    }
    Ok(input.clone())
}

/// The answer to a request: the decision, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answered {
    /// The ID of the request.
    pub id: String,
    /// The decision that was accepted.
    pub decision: Decision,
    /// The source of the decision: the name that the deciding viewer has given itself, `another viewer` if that viewer
    /// has no name, `withdrawn` if the CLI withdrew the request, or `timeout` if nobody answered in time. Only the
    /// deciding viewer itself may see `you` instead: always over the WebSocket, and in the HTTP response to its answer
    /// if it has no name.
    pub by: String,
}

/// The reason why an answer was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// No request has this ID.
    #[error("no request has this ID")]
    Unknown,
    /// The request was already answered.
    #[error("the request was answered before, by {}", .0.by)]
    Late(Answered),
    /// The answer does not fit the request. The request still waits for an answer.
    #[error("the answer does not fit: {0}")]
    Unfit(String),
    /// Some values of the form are not valid. The request still waits for an answer. The error contains no values.
    #[error("the form cannot be accepted: {}", listed(.0))]
    Fields(Vec<FieldError>),
}

/// Returns the errors of all fields, on one line.
fn listed(errors: &[FieldError]) -> String {
    let errors = errors
        .iter()
        .map(|error| format!("{} {}", error.name, error.message));
    errors.collect::<Vec<_>>().join("; ")
}
