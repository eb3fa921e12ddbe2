//! The kinds of requests, and what is answered to each: one table.
//!
//! A new kind is a row of the table, and a [`Kind`] for what is kept of it. The compiler asks for the
//! rest: who recognises it (`OpenRequests::take`: a variant that nobody makes is an error), and who
//! answers it (the `match` in `callbacks.rs`).

use claw_types::control::{
    CanUseTool, DialogCancelled, Elicitation, ElicitationResponse, PermissionResult,
    RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::ElicitationAction;
use claw_types::{Json, ToolUseId};
use serde::Serialize;

use super::hook::HookSpec;
use super::mcp::McpCall;

/// A kind of request, as what is kept of one until it is answered.
pub(crate) trait Kind {
    /// What the CLI says.
    type Body;

    /// What is answered.
    type Answer;

    /// What the log calls it.
    fn name(&self) -> &str;

    /// Why this cannot be the answer, if it cannot.
    fn objection(&self, _answer: &Self::Answer) -> Option<String> {
        None
    }

    /// What an answer is on the wire.
    fn response(self, answer: Self::Answer) -> Response;

    /// The response where there is no answer, for this reason: the one that does the least harm.
    fn safe(self, reason: String) -> Response;
}

/// What is written.
#[derive(Debug)]
pub(crate) enum Response {
    Success(Json),
    Error(String),
    /// Nothing: somebody else answers, or nobody waits.
    Nothing,
}

impl Response {
    pub(super) fn success(payload: &impl Serialize) -> Self {
        match Json::new(payload) {
            Ok(payload) => Self::Success(payload),
            Err(error) => Self::Error(format!("the answer cannot be written: {error}")),
        }
    }
}

macro_rules! kinds {
    ($($kind:ident($kept:ty))+) => {
        /// A request that somebody here answers.
        #[derive(Debug)]
        pub(crate) enum RequestBody {
            $($kind(Box<<$kept as Kind>::Body>),)+
        }

        /// What was answered.
        #[derive(Debug)]
        pub(crate) enum Reply {
            $($kind(<$kept as Kind>::Answer),)+
            /// Nothing from here: somebody answers it in another way.
            Elsewhere,
        }

        /// What is needed to answer a request.
        #[derive(Debug)]
        pub(super) enum Pending {
            $($kind($kept),)+
        }

        impl Pending {
            pub(super) fn name(&self) -> &str {
                match self {
                    $(Self::$kind(kept) => kept.name(),)+
                }
            }

            /// The response to a request with this reply, or why the reply is none to it.
            pub(super) fn response(self, reply: Reply) -> Result<Response, (Self, String)> {
                match (self, reply) {
                    (_, Reply::Elsewhere) => Ok(Response::Nothing),
                    $((Self::$kind(kept), Reply::$kind(answer)) => match kept.objection(&answer) {
                        None => Ok(kept.response(answer)),
                        Some(reason) => Err((Self::$kind(kept), reason)),
                    },)+
                    (pending, _) => Err((pending, "it is an answer to something else".to_owned())),
                }
            }

            pub(super) fn safe(self, reason: String) -> Response {
                match self {
                    $(Self::$kind(kept) => kept.safe(reason),)+
                }
            }
        }
    };
}

kinds! {
    Permission(ToolUse)
    Hook(HookSpec)
    Elicitation(Elicited)
    Dialog(Shown)
    Mcp(McpCall)
    Other(OtherKind)
}

/// What the answer about a tool has to repeat.
#[derive(Debug)]
pub(crate) struct ToolUse {
    pub(super) input: Json,
    pub(super) tool_use_id: ToolUseId,
}

impl Kind for ToolUse {
    type Body = CanUseTool;
    type Answer = PermissionResult;

    fn name(&self) -> &'static str {
        "can_use_tool"
    }

    /// Adds what the CLI wants repeated. Older ones refuse a yes that does not say to what.
    fn response(self, mut answer: PermissionResult) -> Response {
        match &mut answer {
            PermissionResult::Allow(allow) => {
                allow.updated_input.get_or_insert(self.input);
                allow.tool_use_id.get_or_insert(self.tool_use_id);
            }
            PermissionResult::Deny(deny) => {
                deny.tool_use_id.get_or_insert(self.tool_use_id);
            }
            _ => {}
        }
        Response::success(&answer)
    }

    fn safe(self, reason: String) -> Response {
        self.response(PermissionResult::deny(reason))
    }
}

/// An MCP server waits for the user.
#[derive(Debug)]
pub(crate) struct Elicited;

impl Kind for Elicited {
    type Body = Elicitation;
    type Answer = ElicitationResponse;

    fn name(&self) -> &'static str {
        "elicitation"
    }

    fn response(self, answer: ElicitationResponse) -> Response {
        Response::success(&answer)
    }

    /// The user has turned away.
    fn safe(self, _reason: String) -> Response {
        self.response(ElicitationResponse::new(ElicitationAction::Cancel))
    }
}

/// A dialog waits for the user.
#[derive(Debug)]
pub(crate) struct Shown;

impl Kind for Shown {
    type Body = RequestUserDialog;
    type Answer = UserDialogResponse;

    fn name(&self) -> &'static str {
        "request_user_dialog"
    }

    fn response(self, answer: UserDialogResponse) -> Response {
        Response::success(&answer)
    }

    /// The user has turned away.
    fn safe(self, _reason: String) -> Response {
        self.response(DialogCancelled::new().into())
    }
}

/// A request that claw does not know by name.
#[derive(Debug)]
pub(crate) struct OtherRequest {
    pub(crate) subtype: String,
    /// All of it, its subtype included.
    pub(crate) body: Json,
}

/// The subtype of a request that claw does not know by name.
#[derive(Debug)]
pub(crate) struct OtherKind(pub(super) String);

impl Kind for OtherKind {
    type Body = OtherRequest;
    type Answer = Json;

    fn name(&self) -> &str {
        &self.0
    }

    fn response(self, answer: Json) -> Response {
        Response::Success(answer)
    }

    fn safe(self, reason: String) -> Response {
        Response::Error(reason)
    }
}
