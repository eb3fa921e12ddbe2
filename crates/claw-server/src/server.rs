//! The server, which serves sessions over HTTP.

mod builder;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::Redirect;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::actor::{Seen, is_seen};
use crate::api::table::{self, Route, Row};
use crate::api::{Api, CliInfo};
use crate::base::Base;
#[cfg(feature = "cluster")]
use crate::cluster;
use crate::connections::{self, Connections, Served};
use crate::guard::{self, Guard, PublicUrl};
#[cfg(feature = "notify")]
use crate::role::Role;
use crate::stream::Listeners;
#[cfg(feature = "notify")]
use crate::tls::plain;
use crate::{Hub, Token, metrics, page, routes};

pub use builder::{ServerBuilder, SetupError};

/// The `tracing` target of the warning that other machines can reach the server without TLS. A program that shows its
/// own warning can filter out this target.
pub const NO_TLS: &str = "claw_server::no_tls";

/// Sessions of Claude Code as a service. Clones share the same server.
///
/// ```no_run
/// use claw_server::{Project, Server};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder().project(Project::new("/srv/shop")?).build()?;
/// println!("{}", server.token().expose());
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
/// axum::serve(listener, server.router()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) api: Arc<Api>,
    guard: Arc<Guard>,
    connections: Connections,
    /// Whether the program has set the token. If not, the token was generated.
    has_own_token: bool,
    #[cfg(feature = "notify")]
    tls: Option<crate::tls::Tls>,
    #[cfg(feature = "notify")]
    push: Arc<crate::push::PushSetup>,
}

impl Server {
    /// Creates a builder of a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::new()
    }

    /// Returns the token that gives access to the server.
    pub fn token(&self) -> &Token {
        &self.guard.token
    }

    /// Returns the version of the CLI that runs the sessions, and the account that is logged in to the CLI. If no
    /// session can work, also returns the reason. The call starts the CLI to get this information. It starts no CLI if
    /// there is a result without a problem from the last minute.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. If this call has started a CLI, that CLI is killed.
    pub async fn cli(&self) -> CliInfo {
        self.api.cli.check().await
    }

    /// Returns the hub, which holds the sessions of the server.
    pub fn hub(&self) -> &Hub {
        &self.api.hub
    }

    /// Returns the path of a link that logs one browser in. The link works only once, and only for a quarter of an
    /// hour.
    pub fn login_path(&self) -> String {
        format!("/login/{}", self.guard.logins.code(None))
    }

    /// Returns a router with all routes and their access checks. Serve it, or merge it into another router at its root.
    /// Use [`router_at`](Self::router_at) for another path in that router.
    ///
    /// A program with its own login identifies the sender of a request with [`Person`](crate::Person).
    ///
    /// This call also starts reading the sessions on disk for the list of sessions.
    pub fn router(&self) -> Router {
        let routes = self.guarded();
        // A proxy may forward the path of the public address unchanged. So the routes are also served below this path.
        match self.guard.public.as_ref().map(PublicUrl::base) {
            Some(base) if !base.as_str().is_empty() => nested(base, routes.clone()).merge(routes),
            _ => routes,
        }
    }

    /// Returns the [router](Self::router) for a path in another router: its routes, and the links and calls of its
    /// page, begin with the path `base`, such as `/agents`. Merge it into the router of your program.
    ///
    /// ```
    /// # async fn example(server: claw_server::Server) {
    /// let app = axum::Router::new()
    ///     .route("/", axum::routing::get(async || "My program."))
    ///     .merge(server.router_at("/agents"));
    /// # let _ = app;
    /// # }
    /// ```
    ///
    /// `Router::nest("/agents", server.router())` is the same, except that it does not respond to `/agents/`.
    ///
    /// # Panics
    ///
    /// Panics if `base` is not a path of one or more segments of letters, digits, `-`, `_`, `.` and `~`.
    pub fn router_at(&self, base: &str) -> Router {
        let path = Base::new(base).filter(|base| !base.as_str().is_empty());
        let Some(path) = path else {
            panic!("{base:?} is not a path such as /agents");
        };
        nested(&path, self.guarded())
    }

    fn guarded(&self) -> Router {
        if let Err(error) = self.hub().index() {
            // The router is created without the index. Each request for the list of sessions tries again to build the index.
            tracing::warn!("{error}");
        }
        let guard = from_fn_with_state(self.guard.clone(), guard::guard);
        let count = from_fn_with_state(self.api.metrics.clone(), metrics::count);
        let rows = self.rows();
        #[cfg(feature = "cluster")]
        let rows: Vec<_> = match &self.guard.cluster {
            Some(cluster) => {
                let rows = rows.into_iter();
                rows.map(|row| cluster::placed(cluster, row)).collect()
            }
            None => rows,
        };
        // Whether the user may see the session is checked before the request is forwarded to another host. The
        // forwarding opens the session and starts its process, which a user who may not see it must not cause.
        let mut rows: Vec<_> = rows;
        if self.guard.users.is_some() {
            for row in rows.iter_mut().filter(|row| !row.route.is_open) {
                let seen = Seen {
                    hub: self.hub().clone(),
                    of_server: row.route.of_server,
                };
                let handler = std::mem::take(&mut row.handler);
                row.handler = handler.route_layer(from_fn_with_state(seen, is_seen));
            }
        }
        let audited = self.guard.audit.as_ref().map(|_| self.hub());
        let router = table::router(rows, audited)
            .fallback(routes::nowhere)
            .method_not_allowed_fallback(routes::method_not_allowed);
        #[cfg(feature = "cluster")]
        let router = match &self.guard.cluster {
            Some(cluster) => router.layer(from_fn_with_state(cluster.clone(), cluster::receive)),
            None => router,
        };
        router.layer(guard).layer(count)
    }

    /// Returns all rows, with the states of their handlers.
    fn rows(&self) -> Vec<Row<()>> {
        let mut rows = table::with_state(routes::rows(), &self.api);
        rows.extend(table::with_state(page::rows(), &self.api));
        rows.extend(table::with_state(guard::login::rows(), &self.guard));
        #[cfg(feature = "notify")]
        if let Some(push) = self.push.open(
            self.hub(),
            self.guard.public.as_ref(),
            self.guard.users.as_ref(),
            self.api.roles.of("answerRequest").unwrap_or(Role::Own),
        ) {
            rows.extend(table::with_state(crate::push::routes::rows(), &push));
        }
        rows
    }

    /// Returns the routes of the [router](Self::router), for example to write the rules of a proxy. If a server cannot
    /// store subscriptions to notifications, its router does not have the routes below `/push`.
    pub fn routes() -> Vec<Route> {
        let mut routes = table::routes(routes::rows());
        routes.extend(table::routes(page::rows()));
        routes.extend(table::routes(guard::login::rows()));
        #[cfg(feature = "notify")]
        routes.extend(table::routes(crate::push::routes::rows()));
        routes
    }

    /// Ends all live sessions. Running turns may continue for the time `within`, and are then interrupted. Completes
    /// when the processes have ended and their transcripts are complete, but at most 10 s after the processes were
    /// asked to end. Viewers receive an event that their session is closed. A session that is opened later is not
    /// ended, so your program must accept no more requests.
    ///
    /// [`serve`](Self::serve) calls this method itself. A program that serves the [`router`](Self::router) in another
    /// way must call this method when it shuts down:
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use claw_server::{Project, Server};
    ///
    /// # async fn example(signal: impl Future<Output = ()> + Send + 'static) -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder().project(Project::new("/srv/shop")?).build()?;
    /// let app = axum::Router::new()
    ///     .route("/hello", axum::routing::get(async || "Hello."))
    ///     .merge(server.router());
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    /// let shutdown = async move {
    ///     signal.await;
    ///     server.end(Duration::from_secs(20)).await;
    /// };
    /// axum::serve(listener, app).with_graceful_shutdown(shutdown).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, some sessions may stay open, and some may be closed in the middle of a turn. The
    /// processes of closed sessions still end.
    pub async fn end(&self, within: Duration) {
        self.hub().end(within).await.await;
    }

    /// Serves connections until `shutdown` completes. Then the server accepts no more connections. Running turns may
    /// continue for the time [`Connections::finish`], and all processes are ended as [`end`](Self::end) does.
    ///
    /// # Errors
    ///
    /// Fails if the listener's address is unknown, or if it is not a loopback address and [no
    /// token](ServerBuilder::token) was set.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: open connections are aborted.
    pub async fn serve(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        self.check_listener(&listener)?;
        self.serve_router(self.router(), Listeners::of(listener), shutdown)
            .await;
        Ok(())
    }

    /// Serves connections as [`serve`](Self::serve) does. Also serves programs of the server's user over a Unix socket.
    /// A request over the socket needs no token. It has the rights of the owner, even if the server has
    /// [users](ServerBuilder::users). Its header `Host` must be `claw`. It must not contain the headers in which
    /// browsers name the origin of a request (`Origin`, `Cookie`, `Sec-Fetch-Site`). The socket is removed when the
    /// server begins to end.
    ///
    /// # Errors
    ///
    /// The errors of [`serve`](Self::serve).
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: open connections are aborted.
    #[cfg(unix)]
    pub async fn serve_with_socket(
        &self,
        listener: TcpListener,
        socket: crate::UserSocket,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        self.check_listener(&listener)?;
        let listeners = Listeners {
            tcp: listener,
            socket: Some(socket),
        };
        self.serve_router(self.router(), listeners, shutdown).await;
        Ok(())
    }

    /// Checks that the listener is on loopback, or that the program has set a token.
    fn check_listener(&self, listener: &TcpListener) -> io::Result<()> {
        if listener.local_addr()?.ip().is_loopback() {
            return Ok(());
        }
        if !self.has_own_token {
            let text = "a server that other machines can reach needs a token of its own";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        if !self.has_tls() {
            tracing::warn!(
                target: NO_TLS,
                "the server can be reached from other machines: give it TLS, or put a proxy with TLS before it"
            );
        }
        Ok(())
    }

    /// Returns whether the server itself terminates TLS.
    pub(crate) fn has_tls(&self) -> bool {
        #[cfg(feature = "notify")]
        return self.tls.is_some();
        #[cfg(not(feature = "notify"))]
        false
    }

    /// Serves connections with these routes until `shutdown` completes, and then ends all sessions.
    pub(crate) async fn serve_router(
        &self,
        router: Router,
        listeners: Listeners,
        shutdown: impl Future<Output = ()> + Send,
    ) {
        let served = Served {
            router,
            #[cfg(feature = "notify")]
            tls: (self.tls.clone()).map(|tls| {
                let plain = plain::router(self.guard.clone(), &tls);
                (tls, plain)
            }),
        };
        connections::serve(
            served,
            &self.hub().clone(),
            &self.api.metrics,
            listeners,
            &self.connections,
            shutdown,
        )
        .await;
    }
}

/// Adds a path prefix to routes. Requests for the prefix with a `/` at its end are redirected to the prefix itself.
fn nested(base: &Base, routes: Router) -> Router {
    let home = base.home().to_owned();
    let slash = get(async move || Redirect::permanent(&home));
    Router::new()
        .nest(base.as_str(), routes)
        .route(&format!("{}/", base.as_str()), slash)
}
