//! The control protocol: questions and answers between host and `claude`, on the same two pipes as
//! the conversation.
//!
//! Either side may ask at any time. An answer carries its question's `request_id`; answers come in
//! any order. A question that claw does not know must be answered with the error
//! `unsupported_request`, or `claude` waits for ever.

mod dialog;
mod environment;
mod hook_callback;
mod initialize;
mod initialized;
mod mcp;
mod permission;
mod rewind;
mod session;
mod settings;
mod task;

pub use dialog::{
    DialogCancelled, DialogCompleted, Elicitation, ElicitationResponse, RequestUserDialog,
    UserDialogResponse,
};
pub use environment::UpdateEnvironmentVariables;
pub use hook_callback::HookCallback;
pub use initialize::{Initialize, ManifestsOrigin, SdkMcpServerConfig, SdkMcpServerManifest};
pub use initialized::{
    AccountInfo, AgentInfo, ApiProvider, InitializeResponse, ManifestOutcome, ModelInfo,
    SlashCommand,
};
pub use mcp::{
    McpConnection, McpMessage, McpMessageResponse, McpReconnect, McpServerIdentity,
    McpServerStatus, McpSetServers, McpSetServersResponse, McpStatus, McpStatusResponse, McpToggle,
    McpToolAnnotations, McpToolInfo,
};
pub use permission::{
    AddDirectories, AddRules, CanUseTool, DecisionClassification, DecisionReasonType,
    MatchedAskRule, McpServerProvenance, PermissionAllow, PermissionBehavior, PermissionDeny,
    PermissionDestination, PermissionResult, PermissionRule, PermissionUpdate, RemoveDirectories,
    RemoveRules, ReplaceRules, SetMode,
};
pub use rewind::{RewindFiles, RewindFilesResponse};
pub use session::{EndSession, Interrupt, InterruptResponse};
pub use settings::{
    SetMaxThinkingTokens, SetModel, SetModelResponse, SetPermissionMode, SetPermissionModeResponse,
};
pub use task::{
    ApplyFlagSettings, BackgroundTasks, BackgroundTasksResponse, CancelAsyncMessage,
    CancelAsyncMessageResponse, SeedReadState, StopTask,
};

use claw_types_derive::{Wire, WireUnion};
use serde::de::DeserializeOwned;

use crate::{Extra, Json, RequestId, ToolUseId, Unknown};

/// A question: to `claude` on stdin, to the host on stdout.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "control_request"))]
#[non_exhaustive]
pub struct ControlRequest {
    /// Names the question; its answer carries the same. Any text that is not in use.
    pub request_id: RequestId,
    /// What is asked.
    pub request: ControlRequestBody,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What is asked.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[wire(tag = subtype)]
#[non_exhaustive]
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
    /// To `claude`: end.
    EndSession(EndSession),
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A question together with the type of its answer.
pub trait Request: Into<ControlRequestBody> {
    /// What a success carries. `Option<Json>` reads an answer that may carry nothing.
    type Response: DeserializeOwned;
}

/// The answer to a question.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "control_response"))]
#[non_exhaustive]
pub struct ControlResponse {
    /// The answer.
    pub response: ControlResponseBody,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
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
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "success"))]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// It did not work.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "error"))]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The asker no longer waits for an answer. Whoever works on it stops, and sends nothing.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "control_cancel_request"))]
#[non_exhaustive]
pub struct ControlCancelRequest {
    /// The question.
    pub request_id: RequestId,
    /// The tool use that was asked about.
    pub tool_use_id: Option<ToolUseId>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A sign of life: something takes long. Needs no answer.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "keep_alive"))]
#[non_exhaustive]
pub struct KeepAlive {
    /// How far the start has come. Only where start-up marks were asked for.
    pub startup_mark: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
