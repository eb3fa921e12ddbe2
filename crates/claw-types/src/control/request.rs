//! Control requests and the types of their responses.

use serde::de::DeserializeOwned;

use super::{
    ApplyFlagSettings, BackgroundTasks, CanUseTool, CancelAsyncMessage, ChannelEnable, Elicitation,
    EndSession, ExportConversation, FileSuggestions, GenerateSessionTitle, GetBinaryVersion,
    GetContextUsage, GetHooksListing, GetPlan, GetSessionCost, GetSettings, GetTaskOutput,
    GetUsage, GetWorkspaceDiff, HookCallback, Initialize, Interrupt, ListModels,
    ListPermissionRules, McpAuthenticate, McpCall, McpClearAuth, McpMessage, McpOauthCallbackUrl,
    McpReadResource, McpReconnect, McpSetServers, McpStatus, McpToggle, ReadFile, RegisterRepoRoot,
    ReloadOutputStyles, ReloadPlugins, ReloadSkills, RenameSession, RequestUserDialog, RewindFiles,
    SeedReadState, SetColor, SetCwd, SetHasSubscribers, SetMaxThinkingTokens,
    SetMcpPermissionModeOverride, SetModel, SetPermissionMode, SetPromptSuggestionsPaused,
    SideQuestion, StopTask, UpdateSettings,
};
use crate::RequestId;

/// A control request. Requests to `claude` are written to its stdin, and requests to the host come from its stdout.
#[wire(tag(type = "control_request"))]
pub struct ControlRequest {
    /// The ID of the request, which the response repeats. It can be any text that differs from the IDs of all other
    /// pending requests.
    pub request_id: RequestId,
    /// The body of the request.
    pub request: ControlRequestBody,
}

/// The body of a control request.
#[wire(tag = subtype, requests)]
pub enum ControlRequestBody {
    /// To the host: decide whether a tool may be used.
    CanUseTool(Box<CanUseTool>),
    /// To the host: run a hook callback.
    HookCallback(Box<HookCallback>),
    /// In both directions: forward a message to or from one of the host's own MCP servers.
    McpMessage(Box<McpMessage>),
    /// To the host: answer an elicitation, which is a question from an MCP server to the user.
    Elicitation(Box<Elicitation>),
    /// To the host: show a dialog.
    RequestUserDialog(Box<RequestUserDialog>),
    /// To `claude`: initialize the session.
    Initialize(Box<Initialize>),
    /// To `claude`: interrupt the running turn.
    Interrupt(Box<Interrupt>),
    /// To `claude`: set the permission mode.
    SetPermissionMode(Box<SetPermissionMode>),
    /// To `claude`: set the model.
    SetModel(Box<SetModel>),
    /// To `claude`: set the amount of thinking.
    SetMaxThinkingTokens(Box<SetMaxThinkingTokens>),
    /// To `claude`: get the status of the MCP servers.
    McpStatus(Box<McpStatus>),
    /// To `claude`: replace the MCP servers that the host declared.
    McpSetServers(Box<McpSetServers>),
    /// To `claude`: reconnect an MCP server.
    McpReconnect(Box<McpReconnect>),
    /// To `claude`: enable or disable an MCP server.
    McpToggle(Box<McpToggle>),
    /// To `claude`: rewind files to their state before a prompt.
    RewindFiles(Box<RewindFiles>),
    /// To `claude`: stop a background task.
    StopTask(Box<StopTask>),
    /// To `claude`: move running tool uses to the background.
    BackgroundTasks(Box<BackgroundTasks>),
    /// To `claude`: cancel a queued prompt.
    CancelAsyncMessage(Box<CancelAsyncMessage>),
    /// To `claude`: apply settings that override the settings files.
    ApplyFlagSettings(Box<ApplyFlagSettings>),
    /// To `claude`: treat a file as read, so that it can be edited.
    SeedReadState(Box<SeedReadState>),
    /// To `claude`: get the contents of the context window.
    GetContextUsage(Box<GetContextUsage>),
    /// To `claude`: get the cost of the session.
    GetSessionCost(GetSessionCost),
    /// To `claude`: get the cost and token usage of the session, and the used share of the subscription plan's limits.
    GetUsage(Box<GetUsage>),
    /// To `claude`: list the models that can be chosen.
    ListModels(ListModels),
    /// To `claude`: suggest files for a text that was typed after `@`.
    FileSuggestions(Box<FileSuggestions>),
    /// To `claude`: list the permission rules.
    ListPermissionRules(Box<ListPermissionRules>),
    /// To `claude`: list the hooks.
    GetHooksListing(GetHooksListing),
    /// To `claude`: reload the plugins.
    ReloadPlugins(Box<ReloadPlugins>),
    /// To `claude`: reload the skills.
    ReloadSkills(ReloadSkills),
    /// To `claude`: reload the output styles.
    ReloadOutputStyles(ReloadOutputStyles),
    /// To `claude`: add a directory to the session.
    RegisterRepoRoot(Box<RegisterRepoRoot>),
    /// To `claude`: read a file.
    ReadFile(Box<ReadFile>),
    /// To `claude`: get the settings.
    GetSettings(GetSettings),
    /// To `claude`: write to a settings file.
    UpdateSettings(Box<UpdateSettings>),
    /// To `claude`: call a tool of an MCP server.
    McpCall(Box<McpCall>),
    /// To `claude`: read a resource of an MCP server.
    McpReadResource(Box<McpReadResource>),
    /// To `claude`: set a permission mode for the tools of one MCP server.
    SetMcpPermissionModeOverride(Box<SetMcpPermissionModeOverride>),
    /// To `claude`: start a login to an MCP server.
    McpAuthenticate(Box<McpAuthenticate>),
    /// To `claude`: delete the saved login to an MCP server.
    McpClearAuth(Box<McpClearAuth>),
    /// To `claude`: complete a login to an MCP server.
    McpOauthCallbackUrl(Box<McpOauthCallbackUrl>),
    /// To `claude`: let an MCP server send messages into the session.
    ChannelEnable(Box<ChannelEnable>),
    /// To `claude`: get the output of a background task.
    GetTaskOutput(Box<GetTaskOutput>),
    /// To `claude`: ask the model a question that does not become part of the conversation.
    SideQuestion(Box<SideQuestion>),
    /// To `claude`: let the model generate a title.
    GenerateSessionTitle(Box<GenerateSessionTitle>),
    /// To `claude`: set the title of the session.
    RenameSession(Box<RenameSession>),
    /// To `claude`: set the display colour of the session.
    SetColor(Box<SetColor>),
    /// To `claude`: report whether anyone watches the session.
    SetHasSubscribers(Box<SetHasSubscribers>),
    /// To `claude`: get the version of the CLI.
    GetBinaryVersion(GetBinaryVersion),
    /// To `claude`: pause or resume prompt suggestions.
    SetPromptSuggestionsPaused(Box<SetPromptSuggestionsPaused>),
    /// To `claude`: export the conversation as text.
    ExportConversation(ExportConversation),
    /// To `claude`: get the plan of the session.
    GetPlan(GetPlan),
    /// To `claude`: change the working directory.
    SetCwd(Box<SetCwd>),
    /// To `claude`: get the changes in the workspace, as git reports them.
    GetWorkspaceDiff(GetWorkspaceDiff),
    /// To `claude`: end the session.
    EndSession(EndSession),
    /// To `claude`: a request that is not part of the official SDK's published types, and for which `claw-client` has
    /// no method. Without the feature `internal`, the request is read as [`Unknown`](Self::Unknown). A request that
    /// does not have the form that claw knows is also read as `Unknown`.
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(super::internal::InternalRequest),
}

/// A control request, together with the type of its response. In claw-client, a request to `claude` is called a call,
/// and a request to the host is called a request.
pub trait Request: Into<ControlRequestBody> {
    /// The type of the payload of a success response. The type `Option<Json>` also accepts a response without a
    /// payload.
    type Response: DeserializeOwned;
}
