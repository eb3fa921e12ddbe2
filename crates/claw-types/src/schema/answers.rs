//! Responses to control requests. On the wire they are any JSON, because only the request tells
//! their kind. They are therefore defined separately.

use schemars::{JsonSchema, SchemaGenerator};

use super::facts::references;
use crate::control::Request;

/// Defines every response. Returns pairs of a request and its response, by definition. A response
/// that may be anything is `Json`.
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
    // An `Option` if a response may carry nothing.
    let answer = generator.subschema_for::<R::Response>().to_value();
    let answer = references(&answer).next().unwrap_or_default().to_owned();
    (R::schema_name().into_owned(), answer)
}
