//! Every recorded answer, read as the type that its question pairs it with: lossless, and nothing
//! of it left in `extra` but what is listed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use claw_types::control::internal::*;
use claw_types::control::*;
use claw_types::{Json, StdinMessage, StdoutMessage, Typed, from_line};
use serde::Serialize;

use crate::extra::extras;
use crate::support::{Sample, assert_lossless, recorded};

/// Struct, key, and why the key is not a field.
const LISTED: &[(&str, &str, &str)] = &[];

/// A question, by its folder and id.
type Asked = HashMap<(String, String), ControlRequestBody>;

fn folder(sample: &Sample) -> String {
    sample.name.split('/').next().unwrap().to_owned()
}

/// All questions and answers of the recordings, in both directions.
fn exchanged() -> (Asked, Vec<(Sample, ControlResponse)>) {
    let (mut asked, mut answers) = (Asked::new(), Vec::new());
    for (file, to_claude) in [("stdin.ndjson", true), ("stdout.ndjson", false)] {
        for sample in recorded(file) {
            let (request, response) = if to_claude {
                match from_line(sample.line.as_bytes()).unwrap() {
                    StdinMessage::ControlRequest(request) => (Some(request), None),
                    StdinMessage::ControlResponse(response) => (None, Some(response)),
                    _ => continue,
                }
            } else {
                match from_line(sample.line.as_bytes()).unwrap() {
                    StdoutMessage::ControlRequest(request) => (Some(request), None),
                    StdoutMessage::ControlResponse(response) => (None, Some(response)),
                    _ => continue,
                }
            };
            if let Some(request) = request {
                let id = (folder(&sample), request.request_id.to_string());
                asked.insert(id, request.request);
            }
            if let Some(response) = response {
                answers.push((sample, *response));
            }
        }
    }
    (asked, answers)
}

/// Reads an answer as the question's own; what is left in `extra`.
fn read<R: Request>(payload: Option<&Json>) -> Result<BTreeSet<(String, String)>, String>
where
    R::Response: Typed + Serialize + Debug,
{
    // An answer without a payload is read as null is.
    let text = payload.map_or("null", Json::as_raw);
    let answer: R::Response = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if payload.is_some() {
        assert_lossless(&answer, text);
    }
    Ok(extras(&answer))
}

fn read_as(
    asked: &ControlRequestBody,
    payload: Option<&Json>,
) -> Result<BTreeSet<(String, String)>, String> {
    match asked {
        ControlRequestBody::CanUseTool(_) => read::<CanUseTool>(payload),
        ControlRequestBody::HookCallback(_) => read::<HookCallback>(payload),
        ControlRequestBody::McpMessage(_) => read::<McpMessage>(payload),
        ControlRequestBody::Elicitation(_) => read::<Elicitation>(payload),
        ControlRequestBody::RequestUserDialog(_) => read::<RequestUserDialog>(payload),
        ControlRequestBody::Initialize(_) => read::<Initialize>(payload),
        ControlRequestBody::Interrupt(_) => read::<Interrupt>(payload),
        ControlRequestBody::SetPermissionMode(_) => read::<SetPermissionMode>(payload),
        ControlRequestBody::SetModel(_) => read::<SetModel>(payload),
        ControlRequestBody::SetMaxThinkingTokens(_) => read::<SetMaxThinkingTokens>(payload),
        ControlRequestBody::McpStatus(_) => read::<McpStatus>(payload),
        ControlRequestBody::McpSetServers(_) => read::<McpSetServers>(payload),
        ControlRequestBody::McpReconnect(_) => read::<McpReconnect>(payload),
        ControlRequestBody::McpToggle(_) => read::<McpToggle>(payload),
        ControlRequestBody::RewindFiles(_) => read::<RewindFiles>(payload),
        ControlRequestBody::StopTask(_) => read::<StopTask>(payload),
        ControlRequestBody::BackgroundTasks(_) => read::<BackgroundTasks>(payload),
        ControlRequestBody::CancelAsyncMessage(_) => read::<CancelAsyncMessage>(payload),
        ControlRequestBody::ApplyFlagSettings(_) => read::<ApplyFlagSettings>(payload),
        ControlRequestBody::SeedReadState(_) => read::<SeedReadState>(payload),
        ControlRequestBody::GetContextUsage(_) => read::<GetContextUsage>(payload),
        ControlRequestBody::GetSessionCost(_) => read::<GetSessionCost>(payload),
        ControlRequestBody::GetUsage(_) => read::<GetUsage>(payload),
        ControlRequestBody::ListModels(_) => read::<ListModels>(payload),
        ControlRequestBody::FileSuggestions(_) => read::<FileSuggestions>(payload),
        ControlRequestBody::ListPermissionRules(_) => read::<ListPermissionRules>(payload),
        ControlRequestBody::GetHooksListing(_) => read::<GetHooksListing>(payload),
        ControlRequestBody::ReloadPlugins(_) => read::<ReloadPlugins>(payload),
        ControlRequestBody::ReloadSkills(_) => read::<ReloadSkills>(payload),
        ControlRequestBody::ReloadOutputStyles(_) => read::<ReloadOutputStyles>(payload),
        ControlRequestBody::RegisterRepoRoot(_) => read::<RegisterRepoRoot>(payload),
        ControlRequestBody::ReadFile(_) => read::<ReadFile>(payload),
        ControlRequestBody::GetSettings(_) => read::<GetSettings>(payload),
        ControlRequestBody::UpdateSettings(_) => read::<UpdateSettings>(payload),
        ControlRequestBody::McpCall(_) => read::<McpCall>(payload),
        ControlRequestBody::McpReadResource(_) => read::<McpReadResource>(payload),
        ControlRequestBody::SetMcpPermissionModeOverride(_) => {
            read::<SetMcpPermissionModeOverride>(payload)
        }
        ControlRequestBody::McpAuthenticate(_) => read::<McpAuthenticate>(payload),
        ControlRequestBody::McpClearAuth(_) => read::<McpClearAuth>(payload),
        ControlRequestBody::McpOauthCallbackUrl(_) => read::<McpOauthCallbackUrl>(payload),
        ControlRequestBody::ChannelEnable(_) => read::<ChannelEnable>(payload),
        ControlRequestBody::GetTaskOutput(_) => read::<GetTaskOutput>(payload),
        ControlRequestBody::SideQuestion(_) => read::<SideQuestion>(payload),
        ControlRequestBody::GenerateSessionTitle(_) => read::<GenerateSessionTitle>(payload),
        ControlRequestBody::RenameSession(_) => read::<RenameSession>(payload),
        ControlRequestBody::SetColor(_) => read::<SetColor>(payload),
        ControlRequestBody::SetHasSubscribers(_) => read::<SetHasSubscribers>(payload),
        ControlRequestBody::GetBinaryVersion(_) => read::<GetBinaryVersion>(payload),
        ControlRequestBody::SetPromptSuggestionsPaused(_) => {
            read::<SetPromptSuggestionsPaused>(payload)
        }
        ControlRequestBody::ExportConversation(_) => read::<ExportConversation>(payload),
        ControlRequestBody::GetPlan(_) => read::<GetPlan>(payload),
        ControlRequestBody::SetCwd(_) => read::<SetCwd>(payload),
        ControlRequestBody::GetWorkspaceDiff(_) => read::<GetWorkspaceDiff>(payload),
        ControlRequestBody::EndSession(_) => read::<EndSession>(payload),
        ControlRequestBody::Internal(asked) => match asked {
            InternalRequest::SetMessageWaiting(_) => read::<SetMessageWaiting>(payload),
            InternalRequest::PromptDraftActivity(_) => read::<PromptDraftActivity>(payload),
            InternalRequest::MessageRated(_) => read::<MessageRated>(payload),
            InternalRequest::SubmitFeedback(_) => read::<SubmitFeedback>(payload),
            InternalRequest::GetStatus(_) => read::<GetStatus>(payload),
            InternalRequest::GetSkillsDialog(_) => read::<GetSkillsDialog>(payload),
            InternalRequest::GetMemoryDialog(_) => read::<GetMemoryDialog>(payload),
            InternalRequest::GetSandboxDialog(_) => read::<GetSandboxDialog>(payload),
            InternalRequest::ClaimSession(_) => read::<ClaimSession>(payload),
            _ => Ok(BTreeSet::new()),
        },
        _ => Ok(BTreeSet::new()),
    }
}

#[test]
fn every_recorded_answer_is_of_its_question_s_type() {
    let (asked, answers) = exchanged();
    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (sample, response) in &answers {
        let ControlResponseBody::Success(success) = &response.response else {
            continue;
        };
        let id = (folder(sample), success.request_id.to_string());
        let Some(asked) = asked.get(&id) else {
            continue;
        };
        let extras = read_as(asked, success.response.as_ref());
        found.extend(extras.unwrap_or_else(|error| panic!("{}: {error}", sample.name)));
        *read.entry(asked.subtype().into_owned()).or_default() += 1;
    }
    let listed = LISTED
        .iter()
        .map(|(owner, key, _)| ((*owner).to_owned(), (*key).to_owned()));
    assert_eq!(found, listed.collect::<BTreeSet<_>>());
    // The 13 of the classic protocol are all among them.
    for subtype in [
        "initialize",
        "interrupt",
        "can_use_tool",
        "set_permission_mode",
        "set_model",
        "set_max_thinking_tokens",
        "mcp_status",
        "mcp_message",
        "mcp_set_servers",
        "mcp_reconnect",
        "mcp_toggle",
        "hook_callback",
        "rewind_files",
    ] {
        assert!(
            read.contains_key(subtype),
            "{subtype} is answered in no recording: {read:?}"
        );
    }
}
