//! The kinds of requests and their answers, in one table.
//!
//! A new kind is a row of the table, and a [`Kind`] for its stored data. The compiler then requires
//! the rest: the code that recognises it (`OpenRequests::take`: a variant that is never created is
//! an error), and the code that answers it (the `match` in `callbacks.rs`).

use super::hook::HookSpec;
use super::kind::{Kind, McpCall, OtherKind, PendingDialog, PendingElicitation, Response, ToolUse};

macro_rules! kinds {
    ($($kind:ident($kept:ty))+) => {
        /// A request of the CLI that this host answers.
        #[derive(Debug)]
        pub(crate) enum RequestBody {
            $($kind(Box<<$kept as Kind>::Body>),)+
        }

        /// A callback's answer to a request of the CLI.
        #[derive(Debug)]
        pub(crate) enum Reply {
            $($kind(<$kept as Kind>::Answer),)+
            /// The session sends no answer: the request is answered in another way.
            Elsewhere,
        }

        /// The data that is needed to answer a request.
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

            /// Returns the response to a request with this reply, or the reason why the reply does
            /// not fit.
            pub(super) fn response(self, reply: Reply) -> Result<Response, (Self, String)> {
                match (self, reply) {
                    (_, Reply::Elsewhere) => Ok(Response::Nothing),
                    $((Self::$kind(kept), Reply::$kind(answer)) => match kept.objection(&answer) {
                        None => Ok(kept.response(answer)),
                        Some(reason) => Err((Self::$kind(kept), reason)),
                    },)+
                    (pending, _) => Err((pending, "the answer is for another kind of request".to_owned())),
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
    Elicitation(PendingElicitation)
    Dialog(PendingDialog)
    Mcp(McpCall)
    Other(OtherKind)
}
