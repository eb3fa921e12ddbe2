//! Answers to control requests. On the line they are any JSON, since only the question says which of
//! them it is; so they stand apart.

use schemars::{JsonSchema, SchemaGenerator};

use super::facts::references;
use crate::control::Request;

/// Defines every answer. Pairs of a request and its answer, by their definitions; an answer that may
/// be anything is `Json`.
pub(super) fn answers(generator: &mut SchemaGenerator) -> Vec<(String, String)> {
    macro_rules! pairs {
        ($($request:ident)+ / $($internal:ident)+) => {
            vec![
                $(pair::<crate::control::$request>(generator),)+
                $(pair::<crate::control::internal::$internal>(generator)),+
            ]
        };
    }
    pairs! {
        ApplyFlagSettings BackgroundTasks CanUseTool CancelAsyncMessage ChannelEnable
        Elicitation EndSession ExportConversation FileSuggestions GenerateSessionTitle
        GetBinaryVersion GetContextUsage GetHooksListing GetPlan GetSessionCost GetSettings
        GetTaskOutput GetUsage GetWorkspaceDiff HookCallback Initialize Interrupt ListModels
        ListPermissionRules McpAuthenticate McpCall McpClearAuth McpMessage McpOauthCallbackUrl
        McpReadResource McpReconnect McpSetServers McpStatus McpToggle ReadFile
        RegisterRepoRoot ReloadOutputStyles ReloadPlugins ReloadSkills RenameSession
        RequestUserDialog RewindFiles SeedReadState SetColor SetCwd SetHasSubscribers
        SetMaxThinkingTokens SetMcpPermissionModeOverride SetModel SetPermissionMode
        SetPromptSuggestionsPaused SideQuestion StopTask UpdateSettings
        /
        ClaimSession GetMemoryDialog GetSandboxDialog GetSkillsDialog GetStatus MessageRated
        PromptDraftActivity SetMessageWaiting SubmitFeedback
    }
}

fn pair<R: Request<Response: JsonSchema> + JsonSchema>(
    generator: &mut SchemaGenerator,
) -> (String, String) {
    // An `Option` where an answer may carry nothing.
    let answer = generator.subschema_for::<R::Response>().to_value();
    let answer = references(&answer).next().unwrap_or_default().to_owned();
    (R::schema_name().into_owned(), answer)
}
