//! The control protocol: questions and answers between host and `claude`, on the same two pipes as
//! the conversation.
//!
//! Either side may ask at any time. An answer carries its question's `request_id`; answers come in
//! any order. A question that claw does not know must be answered with the error
//! `unsupported_request`, or `claude` waits for ever.

mod context;
mod dialog;
mod environment;
mod file;
mod hook_callback;
mod hooks_listing;
mod host;
mod initialize;
mod initialized;
mod listing;
mod mcp;
mod mcp_call;
mod mcp_login;
mod memory_dialog;
mod page;
mod permission;
mod reload;
mod request;
mod rewind;
mod sandbox_dialog;
mod session;
mod settings;
mod settings_files;
mod side;
mod task;
mod usage;
mod workspace;
mod workspace_diff;

pub use context::{
    ContextAgent, ContextApiUsage, ContextCategory, ContextCategoryId, ContextCommands,
    ContextDeferredTool, ContextDetail, ContextKind, ContextMcpInstructions, ContextMcpTool,
    ContextMemoryFile, ContextMessages, ContextPart, ContextSkill, ContextSkills, ContextSquare,
    ContextToolUse, GetContextUsage, GetContextUsageResponse,
};
pub use dialog::{
    DialogCancelled, DialogCompleted, Elicitation, ElicitationResponse, RequestUserDialog,
    UserDialogResponse,
};
pub use environment::UpdateEnvironmentVariables;
pub use file::{FileEncoding, ReadFile, ReadFileResponse};
pub use hook_callback::HookCallback;
pub use hooks_listing::{
    EditableHook, GetHooksListing, GetHooksListingResponse, HookEventInfo, HooksBareMode,
    HooksPolicy, HooksSafeMode, ListedHook, ListedHookEvent,
};
pub use host::{
    GetBinaryVersion, GetBinaryVersionResponse, MessageRated, MessageRatedResponse,
    PromptDraftActivity, RatedSurface, RenameSession, Sentiment, SetColor, SetHasSubscribers,
    SetMessageWaiting, SetPromptSuggestionsPaused, SubmitFeedback, SubmitFeedbackResponse,
    TitleSource,
};
pub use initialize::{Initialize, ManifestsOrigin, SdkMcpServerConfig, SdkMcpServerManifest};
pub use initialized::{
    AccountInfo, AgentInfo, ApiProvider, InitializeResponse, ManifestOutcome, ModelInfo,
    SlashCommand,
};
pub use listing::{
    FileSuggestion, FileSuggestions, FileSuggestionsResponse, ListModels, ListModelsResponse,
    ListPermissionRules, ListPermissionRulesResponse, PermissionRuleDescription,
    PermissionRuleEntry, PermissionRuleSource, PermissionRulesState, RuleEditability,
    SettingsParseError, WorkspaceDirectory,
};
pub use mcp::{
    McpConnection, McpMessage, McpMessageResponse, McpReconnect, McpServerIdentity,
    McpServerStatus, McpSetServers, McpSetServersResponse, McpStatus, McpStatusResponse, McpToggle,
    McpToolAnnotations, McpToolInfo,
};
pub use mcp_call::{
    McpCall, McpCallError, McpCallFetched, McpCallInput, McpCallOutput, McpCallResponse,
    McpCallStaging, McpCallStored, McpReadResource, McpReadResourceResponse, McpResourceContents,
    McpToolName, SetMcpPermissionModeOverride, SetMcpPermissionModeOverrideResponse,
};
pub use mcp_login::{ChannelEnable, McpAuthenticate, McpClearAuth, McpOauthCallbackUrl};
pub use memory_dialog::{
    AutoDreamState, AutoMemoryState, GetMemoryDialog, GetMemoryDialogResponse, MemoryDialogEntry,
    MemoryDialogFile, MemoryDialogFolder, MemoryFileKind, MemoryFolderKind, MemoryType,
};
pub use page::{
    ExportConversation, ExportConversationResponse, GetSkillsDialog, GetSkillsDialogResponse,
    GetStatus, GetStatusResponse, SkillHandles, SkillLock, SkillState, SkillsDialogRow, StatusRow,
    StatusSection,
};
pub use permission::{
    AddDirectories, AddRules, CanUseTool, DecisionClassification, DecisionReasonType,
    MatchedAskRule, McpServerProvenance, PermissionAllow, PermissionBehavior, PermissionDeny,
    PermissionDestination, PermissionResult, PermissionRule, PermissionUpdate, RemoveDirectories,
    RemoveRules, ReplaceRules, SetMode,
};
pub use reload::{
    CacheImpact, LoadedPlugin, LspToolChange, RegisterRepoRoot, RegisterRepoRootResponse,
    ReloadOutputStyles, ReloadOutputStylesResponse, ReloadPlugins, ReloadPluginsResponse,
    ReloadSkills, ReloadSkillsResponse,
};
pub use request::{ControlRequest, ControlRequestBody, Request};
pub use rewind::{RewindFiles, RewindFilesResponse};
pub use sandbox_dialog::{
    GetSandboxDialog, GetSandboxDialogResponse, SandboxDependencies, SandboxMode,
    SandboxRestrictions,
};
pub use session::{EndSession, Interrupt, InterruptResponse};
pub use settings::{
    SetMaxThinkingTokens, SetModel, SetModelResponse, SetPermissionMode, SetPermissionModeResponse,
};
pub use settings_files::{
    AppliedSettings, GetSettings, GetSettingsResponse, ServedSettingsState, SettingsFileSource,
    SourceSettings, UpdateSettings, WithheldConfigRoot, WritableSettings,
};
pub use side::{
    GenerateSessionTitle, GenerateSessionTitleResponse, SideAnswer, SideQuestion,
    SideQuestionResponse,
};
pub use task::{
    ApplyFlagSettings, BackgroundTasks, BackgroundTasksResponse, CancelAsyncMessage,
    CancelAsyncMessageResponse, GetTaskOutput, GetTaskOutputResponse, SeedReadState, StopTask,
};
pub use usage::{
    GetSessionCost, GetSessionCostResponse, GetUsage, GetUsageResponse, PlanLimits,
    PlanModelWindow, PlanWindow, SessionUsage, UsageBehavior, UsageBehaviorKey, UsageBehaviors,
    UsageFix, UsagePeriod, UsageRecommendation, UsageShare,
};
pub use workspace::{
    ClaimSession, ClaimSessionResponse, CwdNeedsTrust, CwdRejected, CwdRejection, CwdSet, GetPlan,
    GetPlanResponse, SetCwd, SetCwdResponse, WorkspaceTrust,
};
pub use workspace_diff::{
    DiffBranch, DiffFile, DiffFileHunks, DiffHunk, DiffOmitted, DiffSource, DiffStats, DiffStatus,
    DiffWorkingTree, GetWorkspaceDiff, GetWorkspaceDiffResponse, NoDiffReason, WorkspaceDiff,
};

use crate::{Json, RequestId, ToolUseId, Unknown};

/// The answer to a question.
#[wire(tag(type = "control_response"))]
pub struct ControlResponse {
    /// The answer.
    pub response: ControlResponseBody,
}

impl ControlResponse {
    /// A success that carries a payload.
    pub fn success(request_id: impl Into<RequestId>, payload: Json) -> Self {
        Self::new(ControlSuccess::new(request_id).response(payload))
    }

    /// A failure, with the reason in words.
    pub fn error(request_id: impl Into<RequestId>, error: impl Into<String>) -> Self {
        Self::new(ControlError::new(request_id, error))
    }

    /// The question that this answers; `None` for a form of answer that claw does not know.
    pub fn request_id(&self) -> Option<&RequestId> {
        match &self.response {
            ControlResponseBody::Success(success) => Some(&success.request_id),
            ControlResponseBody::Error(error) => Some(&error.request_id),
            ControlResponseBody::Unknown(_) => None,
        }
    }
}

/// An answer: it worked, or it did not.
#[wire]
pub enum ControlResponseBody {
    /// It worked.
    Success(Box<ControlSuccess>),
    /// It did not.
    Error(Box<ControlError>),
    /// A form that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// It worked.
#[wire(tag(subtype = "success"))]
pub struct ControlSuccess {
    /// The question.
    pub request_id: RequestId,
    /// What the question asked for. Absent on many that ask for nothing.
    pub response: Option<Json>,
    /// On the answer to `initialize`: permission questions that wait, to be taken as if they had
    /// just come.
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// On the answer to `initialize`: dialogs that wait.
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Elicitations that wait.
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// It did not work.
#[wire(tag(subtype = "error"))]
pub struct ControlError {
    /// The question.
    pub request_id: RequestId,
    /// Why, in words.
    pub error: String,
    /// Why, as a code such as `unsupported_request`.
    pub error_code: Option<String>,
    /// The model that goes on answering, where another could not be set.
    pub model: Option<String>,
    /// Permission questions that wait.
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// Dialogs that wait.
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Elicitations that wait.
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// The asker no longer waits for an answer. Whoever works on it stops, and sends nothing.
#[wire(tag(type = "control_cancel_request"))]
pub struct ControlCancelRequest {
    /// The question.
    pub request_id: RequestId,
    /// The tool use that was asked about.
    pub tool_use_id: Option<ToolUseId>,
}

/// A sign of life: something takes long. Needs no answer.
#[wire(tag(type = "keep_alive"))]
pub struct KeepAlive {
    /// How far the start has come. Only where start-up marks were asked for.
    pub startup_mark: Option<String>,
}
