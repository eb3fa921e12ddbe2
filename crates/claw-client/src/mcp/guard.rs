//! A wrapper around a server. It handles panics, and handlers that do not end in time.

use std::any::Any;
use std::borrow::Cow;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use rmcp::model::{
    CallToolResult, ClientNotification, ClientRequest, ContentBlock, ErrorData, ProtocolVersion,
    ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, Service};
use tokio_util::sync::CancellationToken;

/// Maximum time for a handler to clean up after its call was cancelled or the session ended. After
/// this time, the handler is dropped.
const GRACE: Duration = Duration::from_secs(1);

/// Answers calls whose handler panics, and drops handlers that do not end in time.
pub(super) struct Guarded<S> {
    pub(super) server: Arc<S>,
    /// Cancelled when the connection ends.
    pub(super) end: CancellationToken,
}

impl<S: Service<RoleServer>> Service<RoleServer> for Guarded<S> {
    fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        let is_tool = matches!(request, ClientRequest::CallToolRequest(_));
        // This token is a child of the connection's token, so it is also cancelled when the
        // connection ends.
        let cancelled = context.ct.clone();
        async move {
            let handled = async { self.server.handle_request(request, context).await };
            match guarded(handled, cancelled).await {
                Ended::Done(answer) => answer,
                // This answer is not sent, because the caller has cancelled.
                Ended::Dropped => Err(ErrorData::internal_error("cancelled", None)),
                // The model may read this text, so the cause is only logged.
                Ended::Panicked if is_tool => {
                    let text = ContentBlock::text("the tool failed: it panicked");
                    Ok(CallToolResult::error(vec![text]).into())
                }
                Ended::Panicked => Err(ErrorData::internal_error("the MCP server panicked", None)),
            }
        }
    }

    fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        let end = self.end.clone();
        async move {
            let handled = async { self.server.handle_notification(notification, context).await };
            match guarded(handled, end).await {
                Ended::Done(done) => done,
                Ended::Dropped | Ended::Panicked => Ok(()),
            }
        }
    }

    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }
}

/// The outcome of a handler.
enum Ended<A> {
    Done(A),
    Panicked,
    Dropped,
}

async fn guarded<A>(
    handled: impl Future<Output = A> + Send,
    cancelled: CancellationToken,
) -> Ended<A> {
    let too_late = async {
        cancelled.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        biased;
        done = AssertUnwindSafe(handled).catch_unwind() => match done {
            Ok(answer) => Ended::Done(answer),
            Err(panic) => {
                let panic = text(&*panic);
                tracing::warn!(panic, "a handler of an MCP server panicked");
                Ended::Panicked
            }
        },
        () = too_late => {
            tracing::debug!("a handler of an MCP server is dropped");
            Ended::Dropped
        }
    }
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("not a text")
}
