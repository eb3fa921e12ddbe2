//! Control requests, and which answer belongs to which.

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

/// A control request: to `claude` on stdin, to the host on stdout.
#[wire(tag(type = "control_request"))]
pub struct ControlRequest {
    /// Names the request; its answer carries the same. Any text that is not in use.
    pub request_id: RequestId,
    /// What is asked.
    pub request: ControlRequestBody,
}

/// What is asked.
#[wire(tag = subtype)]
pub enum ControlRequestBody {
    /// To the host: may this tool be used?
    CanUseTool(Box<CanUseTool>),
    /// To the host: what does this hook say?
    HookCallback(Box<HookCallback>),
    /// Both ways: a message of, or to, one of the host's own MCP servers.
    McpMessage(Box<McpMessage>),
    /// To the host: an MCP server asks the user something.
    Elicitation(Box<Elicitation>),
    /// To the host: show this dialog.
    RequestUserDialog(Box<RequestUserDialog>),
    /// To `claude`: begin, with these settings.
    Initialize(Box<Initialize>),
    /// To `claude`: stop the running turn.
    Interrupt(Box<Interrupt>),
    /// To `claude`: another permission mode.
    SetPermissionMode(Box<SetPermissionMode>),
    /// To `claude`: another model.
    SetModel(Box<SetModel>),
    /// To `claude`: more thinking, or less.
    SetMaxThinkingTokens(Box<SetMaxThinkingTokens>),
    /// To `claude`: how is it with the MCP servers?
    McpStatus(Box<McpStatus>),
    /// To `claude`: other MCP servers.
    McpSetServers(Box<McpSetServers>),
    /// To `claude`: connect an MCP server again.
    McpReconnect(Box<McpReconnect>),
    /// To `claude`: switch an MCP server on or off.
    McpToggle(Box<McpToggle>),
    /// To `claude`: bring files back.
    RewindFiles(Box<RewindFiles>),
    /// To `claude`: end a background task.
    StopTask(Box<StopTask>),
    /// To `claude`: let what runs go on in the background.
    BackgroundTasks(Box<BackgroundTasks>),
    /// To `claude`: drop a prompt that waits.
    CancelAsyncMessage(Box<CancelAsyncMessage>),
    /// To `claude`: settings over all others.
    ApplyFlagSettings(Box<ApplyFlagSettings>),
    /// To `claude`: take a file as read.
    SeedReadState(Box<SeedReadState>),
    /// To `claude`: what is the context window full of?
    GetContextUsage(Box<GetContextUsage>),
    /// To `claude`: what has the session cost?
    GetSessionCost(GetSessionCost),
    /// To `claude`: what has the session used?
    GetUsage(Box<GetUsage>),
    /// To `claude`: which models are there?
    ListModels(ListModels),
    /// To `claude`: which files may be meant?
    FileSuggestions(Box<FileSuggestions>),
    /// To `claude`: which permission rules hold?
    ListPermissionRules(Box<ListPermissionRules>),
    /// To `claude`: which hooks are there?
    GetHooksListing(GetHooksListing),
    /// To `claude`: read the plugins again.
    ReloadPlugins(Box<ReloadPlugins>),
    /// To `claude`: read the skills again.
    ReloadSkills(ReloadSkills),
    /// To `claude`: read the output styles again.
    ReloadOutputStyles(ReloadOutputStyles),
    /// To `claude`: this folder belongs to the session as well.
    RegisterRepoRoot(Box<RegisterRepoRoot>),
    /// To `claude`: what is in this file?
    ReadFile(Box<ReadFile>),
    /// To `claude`: which settings hold?
    GetSettings(GetSettings),
    /// To `claude`: write this into a settings file.
    UpdateSettings(Box<UpdateSettings>),
    /// To `claude`: use a tool of an MCP server.
    McpCall(Box<McpCall>),
    /// To `claude`: read a resource of an MCP server.
    McpReadResource(Box<McpReadResource>),
    /// To `claude`: another permission mode for an MCP server.
    SetMcpPermissionModeOverride(Box<SetMcpPermissionModeOverride>),
    /// To `claude`: begin a login to an MCP server.
    McpAuthenticate(Box<McpAuthenticate>),
    /// To `claude`: forget the login to an MCP server.
    McpClearAuth(Box<McpClearAuth>),
    /// To `claude`: a login to an MCP server has led back.
    McpOauthCallbackUrl(Box<McpOauthCallbackUrl>),
    /// To `claude`: let an MCP server bring messages.
    ChannelEnable(Box<ChannelEnable>),
    /// To `claude`: what has a background task written?
    GetTaskOutput(Box<GetTaskOutput>),
    /// To `claude`: ask the model beside the conversation.
    SideQuestion(Box<SideQuestion>),
    /// To `claude`: find a title.
    GenerateSessionTitle(Box<GenerateSessionTitle>),
    /// To `claude`: call the session this.
    RenameSession(Box<RenameSession>),
    /// To `claude`: show the session in this colour.
    SetColor(Box<SetColor>),
    /// To `claude`: is there anybody who watches?
    SetHasSubscribers(Box<SetHasSubscribers>),
    /// To `claude`: which version are you?
    GetBinaryVersion(GetBinaryVersion),
    /// To `claude`: stop suggesting prompts.
    SetPromptSuggestionsPaused(Box<SetPromptSuggestionsPaused>),
    /// To `claude`: the conversation as text.
    ExportConversation(ExportConversation),
    /// To `claude`: what is the plan?
    GetPlan(GetPlan),
    /// To `claude`: work in this folder.
    SetCwd(Box<SetCwd>),
    /// To `claude`: what is changed here?
    GetWorkspaceDiff(GetWorkspaceDiff),
    /// To `claude`: end.
    EndSession(EndSession),
    /// To `claude`: something that is in no published type, and that `claw-client` has no method for.
    /// Without the feature `internal`, and where it does not have the form that claw knows, it is
    /// [`Unknown`](Self::Unknown).
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(super::internal::InternalRequest),
}

/// A control request, with the type of its answer. The word is the wire's, which has it for both
/// directions; in claw-client those to `claude` are calls, and those to the host requests.
pub trait Request: Into<ControlRequestBody> {
    /// What a success carries. `Option<Json>` reads an answer that may carry nothing.
    type Response: DeserializeOwned;
}
