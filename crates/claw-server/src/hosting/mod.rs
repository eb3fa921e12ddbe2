//! Anthropic's hosting contract: a small HTTP interface. A gateway uses one of its routes to run turns.

mod access;
mod id;
mod refusal;
mod turn;

use std::future::Future;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::net::TcpListener;

pub use id::hosted_session;

use crate::api::{self, Api, sessions};
use crate::stream::Listeners;
use crate::{HubError, Server, Token, metrics};
use access::Access;
use refusal::Detail;

/// Maximum size of a body, in bytes. The reference server of the hosting contract has the same limit.
const BODY: usize = 256 << 10;

/// Settings for serving the hosting contract: the project of the sessions, and who has access. The hosting contract is
/// the small HTTP interface for agent servers that Anthropic's cookbook describes.
///
/// By default, requests need no token, but their `Host` header must be a name of loopback.
///
/// ```no_run
/// use claw_server::{Hosting, Project, Server, Token};
///
/// # async fn example(token: Token) -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder().project(Project::new("/srv/shop")?).build()?;
/// let listener = tokio::net::TcpListener::bind("0.0.0.0:8000").await?;
/// let hosting = Hosting::new("shop").token(token);
/// server.serve_hosting(&hosting, listener, std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Hosting {
    project: String,
    access: Access,
}

impl Hosting {
    /// Creates settings. The sessions run in the project with this name.
    pub fn new(project: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            access: Access::Loopback,
        }
    }

    /// Sets the token that every request except `GET /health` must contain, in the header `Authorization: Bearer`. Any
    /// `Host` header is then allowed.
    #[must_use]
    pub fn token(mut self, token: Token) -> Self {
        self.access = Access::Token(token);
        self
    }

    /// Declares that only a gateway can reach the server, and that the gateway allows only a session's owner to use the
    /// session. The server then accepts any `Host` header. Requests need no token, unless [`token`](Self::token) has
    /// set one.
    #[must_use]
    pub fn behind_gateway(mut self) -> Self {
        if let Access::Loopback = self.access {
            self.access = Access::Gateway;
        }
        self
    }
}

/// The state that the handlers of the hosting contract share.
#[derive(Debug)]
struct Hosted {
    api: Arc<Api>,
    project: String,
}

impl Server {
    /// Returns the routes of the hosting contract, with their own access checks: `GET /health`, `GET /metrics` and
    /// `POST /sessions/{id}/messages`. Serve them alone, or nest them below a path of your own router. The sessions are
    /// those of the [hub](Self::hub).
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::NoProject`] if no project has the name that was given to [`Hosting::new`].
    pub fn hosting(&self, hosting: &Hosting) -> Result<Router, HubError> {
        self.hub().project(&hosting.project)?;
        let hosted = Hosted {
            api: self.api.clone(),
            project: hosting.project.clone(),
        };
        let guard = from_fn_with_state(Arc::new(hosting.access.clone()), access::guard);
        let count = from_fn_with_state(self.api.metrics.clone(), metrics::count);
        let metrics = get(api::metrics::metrics).with_state(self.api.clone());
        Ok(Router::new()
            .route("/health", get(sessions::health))
            .route("/metrics", metrics)
            .route("/sessions/{id}/messages", post(turn::messages))
            .fallback(async || Detail::not_found())
            .method_not_allowed_fallback(async || Detail::not_allowed())
            .layer(DefaultBodyLimit::max(BODY))
            .layer(guard)
            .layer(count)
            .with_state(Arc::new(hosted)))
    }

    /// Serves the hosting contract until `shutdown` completes, and then ends all sessions as [`serve`](Self::serve)
    /// does.
    ///
    /// # Errors
    ///
    /// Fails if no project has the name that was given to [`Hosting::new`]; if the listener's address is unknown; or if
    /// the address is not a loopback address, and neither a [token](Hosting::token) nor a
    /// [gateway](Hosting::behind_gateway) was set.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: open connections are aborted.
    pub async fn serve_hosting(
        &self,
        hosting: &Hosting,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        let router = self.hosting(hosting).map_err(io::Error::other)?;
        if !listener.local_addr()?.ip().is_loopback() {
            match hosting.access {
                Access::Loopback => {
                    let text = "a server that other machines can reach needs a token or a gateway";
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
                }
                Access::Gateway => tracing::warn!(
                    "other machines can reach the server without a token: let nothing but the gateway through to it"
                ),
                Access::Token(_) if self.has_tls() => {}
                Access::Token(_) => tracing::warn!(
                    "the server can be reached from other machines: give it TLS, or put a proxy with TLS before it"
                ),
            }
        }
        self.serve_router(router, Listeners::of(listener), shutdown)
            .await;
        Ok(())
    }
}
