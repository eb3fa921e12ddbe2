//! The questions of `AskUserQuestion`, and elicitations of MCP servers.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction as Action, ElicitationContentValue as Value,
    ElicitationFormMode, ElicitationPropertySchema, ElicitationSchema, ElicitationSessionScope,
    ElicitationUrlMode, EnumOption, MultiSelectPropertySchema, PermissionOption,
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    StringPropertySchema,
};
use claw_client::ToolPermissionRequest;
use claw_types::Json;
use claw_types::control::{Elicitation, ElicitationResponse, PermissionResult};
use claw_types::hook::{ElicitationAction, ElicitationMode};
use claw_types::tool::{AskUserQuestionInput, Question};
use claw_view::is_web_address;

use claw_view::SessionFolders;

use crate::peer::Peer;
use crate::tool_request::{cancelled, tool_call};
use crate::updates::call_id;

/// Asks the person the questions. If the client supports forms, they are asked in a form. Otherwise, they are asked one
/// after the other as lists of options.
pub(crate) async fn ask(
    peer: &Peer,
    session: &SessionId,
    request: &ToolPermissionRequest,
    questions: AskUserQuestionInput,
) -> PermissionResult {
    let answered = if peer.offer.forms {
        in_form(peer, session, request, questions).await
    } else {
        one_by_one(peer, session, request, questions).await
    };
    match answered {
        Some(Ok(answered)) => PermissionResult::answers(&answered),
        Some(Err(reason)) => PermissionResult::deny(reason),
        None => cancelled(peer),
    }
}

/// The answers to the questions. `None` means that the person cancelled. `Some(Err(_))` means that a question has no
/// answer.
type Answered = Option<Result<AskUserQuestionInput, String>>;

async fn in_form(
    peer: &Peer,
    session: &SessionId,
    request: &ToolPermissionRequest,
    mut asked: AskUserQuestionInput,
) -> Answered {
    let mut schema = ElicitationSchema::new();
    for (at, question) in asked.questions.iter().enumerate() {
        schema.properties.insert(key(at), property(question));
        if !question.choices().is_empty() {
            let other = StringPropertySchema::new().title("Another answer".to_owned());
            let other = ElicitationPropertySchema::String(other);
            schema.properties.insert(other_key(at), other);
        }
    }
    let scope =
        ElicitationSessionScope::new(session.clone()).tool_call_id(call_id(request.tool_use_id()));
    let title = asked.title.clone();
    let title = title.unwrap_or_else(|| "Claude has a question".to_owned());
    let form = CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), title);
    let answer = match peer.elicitation(form).await {
        Ok(answer) => answer,
        Err(error) => return Some(Err(format!("Nobody could be asked: {}", error.message))),
    };
    let content = match answer.action {
        Action::Accept(accepted) => accepted.content.unwrap_or_default(),
        Action::Cancel => return None,
        _ => return Some(Err("The user declined to answer.".to_owned())),
    };
    let questions = asked.questions.clone();
    for (at, question) in questions.iter().enumerate() {
        let own = texts(content.get(&other_key(at)));
        // If a question takes only one answer, the person's own text replaces a chosen option.
        let chosen = if question.is_multi_select() || own.is_empty() {
            texts(content.get(&key(at)))
        } else {
            Vec::new()
        };
        for text in chosen.into_iter().chain(own) {
            asked = asked.answer(&question.question, text);
        }
    }
    if asked.answers.is_none() {
        return Some(Err("The user gave no answer.".to_owned()));
    }
    Some(Ok(asked))
}

/// Returns the name of a question's field. The question is the title of the field.
fn key(at: usize) -> String {
    format!("question{}", at + 1)
}

/// Returns the name of the field for an answer that is not one of the question's choices.
fn other_key(at: usize) -> String {
    format!("{}-other", key(at))
}

fn property(question: &Question) -> ElicitationPropertySchema {
    let choices = question.choices().iter();
    let options: Vec<_> = choices
        .map(|it| {
            let option = EnumOption::new(&it.label, &it.label);
            option.description(it.description.clone())
        })
        .collect();
    if options.is_empty() {
        return ElicitationPropertySchema::String(
            StringPropertySchema::new().title(question.question.clone()),
        );
    }
    if question.is_multi_select() {
        let many = MultiSelectPropertySchema::titled(options);
        return ElicitationPropertySchema::Array(many.title(question.question.clone()));
    }
    let one = StringPropertySchema::new().one_of(options);
    ElicitationPropertySchema::String(one.title(question.question.clone()))
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) if !text.is_empty() => vec![text.clone()],
        Some(Value::StringArray(texts)) => texts.clone(),
        Some(Value::Integer(number)) => vec![number.to_string()],
        Some(Value::Number(number)) => vec![number.to_string()],
        Some(Value::Boolean(is_so)) => vec![is_so.to_string()],
        _ => Vec::new(),
    }
}

async fn one_by_one(
    peer: &Peer,
    session: &SessionId,
    request: &ToolPermissionRequest,
    mut asked: AskUserQuestionInput,
) -> Answered {
    const SKIP: &str = "skip";
    let questions = asked.questions.clone();
    for question in &questions {
        let choices = question.choices().iter().enumerate();
        let mut options: Vec<_> = choices
            .map(|(at, choice)| {
                let name = choice.label.clone();
                PermissionOption::new(at.to_string(), name, PermissionOptionKind::AllowOnce)
            })
            .collect();
        options.push(PermissionOption::new(
            SKIP,
            "Do not answer",
            PermissionOptionKind::RejectOnce,
        ));
        let mut call = tool_call(&peer.offer, &SessionFolders::default(), request);
        call.fields.title = Some(question.question.clone());
        let asking = RequestPermissionRequest::new(session.clone(), call, options);
        let outcome = match peer.permission(asking).await {
            Ok(answer) => answer.outcome,
            Err(error) => return Some(Err(format!("Nobody could be asked: {}", error.message))),
        };
        let RequestPermissionOutcome::Selected(selected) = outcome else {
            return None;
        };
        let chosen: Option<usize> = selected.option_id.0.parse().ok();
        let chosen = chosen.and_then(|at| question.choices().get(at));
        let Some(choice) = chosen else {
            return Some(Err("The user did not answer.".to_owned()));
        };
        asked = asked.answer(&question.question, &choice.label);
    }
    Some(Ok(asked))
}

/// Sends an elicitation of an MCP server to the client. The elicitation is declined if the client does not support its
/// kind, or if its URL must not be offered as a link.
pub(crate) async fn elicit(
    peer: &Peer,
    session: &SessionId,
    elicitation: Elicitation,
) -> ElicitationResponse {
    let declined = || ElicitationResponse::new(ElicitationAction::Decline);
    let scope = ElicitationSessionScope::new(session.clone());
    let mode = match elicitation.mode {
        Some(ElicitationMode::Url) if peer.offer.urls => {
            let url = elicitation.url.filter(|url| is_web_address(url));
            let (Some(url), Some(id)) = (url, elicitation.elicitation_id) else {
                return declined();
            };
            agent_client_protocol::v1::schema::ElicitationMode::from(ElicitationUrlMode::new(
                scope, id, url,
            ))
        }
        None | Some(ElicitationMode::Form) if peer.offer.forms => {
            let schema = elicitation.requested_schema.as_ref();
            let schema = schema.and_then(|schema| schema.parse::<ElicitationSchema>().ok());
            let Some(schema) = schema else {
                return declined();
            };
            ElicitationFormMode::new(scope, schema).into()
        }
        _ => return declined(),
    };
    match peer
        .elicitation(CreateElicitationRequest::new(mode, elicitation.message))
        .await
    {
        Ok(answer) => match answer.action {
            Action::Accept(accepted) => {
                let mut response = ElicitationResponse::new(ElicitationAction::Accept);
                response.content = accepted.content.as_ref().and_then(json);
                response
            }
            Action::Decline => declined(),
            _ => ElicitationResponse::new(ElicitationAction::Cancel),
        },
        Err(_) => ElicitationResponse::new(ElicitationAction::Cancel),
    }
}

fn json(content: &BTreeMap<String, Value>) -> Option<Json> {
    Json::new(content).ok()
}
