//! Each route is one row of a table. The router, the forwarding between hosts, the guard, the OpenAPI document and the
//! attack tests read the rows. The parameters and responses of a route are derived from the signature of its handler.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::{Extension, Router};
use serde_json::Value;

use crate::actor::has_role;
use crate::audit::{self, Action, Recorded, Recording};
use crate::hub::Hub;
use crate::late_body::{BODY, BodyBound};
use crate::role::Role;
use crate::signature::Signature;

/// How the session of a request is found. If there are several hosts, the request is handled by the host that has the
/// session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SessionIn {
    /// The route is about no session, or about several. The host that receives the request handles it.
    Nothing,
    /// The path contains the session's ID, `{id}`. If no host has the session, the host that receives the request makes
    /// it live.
    Path,
    /// The path contains the session's ID, `{id}`. The request does not make the session live.
    PathOnly,
    /// The body contains the session's ID. The request does not make the session live before its handler runs.
    Body {
        /// A function that returns the session's ID from a body. Returns `None` if the body names no session, or several.
        #[cfg_attr(
            not(feature = "cluster"),
            expect(dead_code, reason = "a single host looks for no session")
        )]
        find: fn(&Value) -> Option<String>,
        /// An example of a body. It names the session `{id}`.
        example: &'static str,
    },
}

/// A route of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Route {
    /// The method. A route with `GET` also has `HEAD`.
    pub method: Method,
    /// The path. Its parameters are in braces, as in `/api/sessions/{id}`.
    pub path: &'static str,
    /// The name of the operation in the OpenAPI document. `None` if the route belongs to the page, and is not in the
    /// document.
    pub name: Option<&'static str>,
    /// One sentence about the route. Empty if the route is not in the OpenAPI document.
    pub about: &'static str,
    /// Whether requests need neither a token nor a login.
    pub is_open: bool,
    /// The minimum role of the sender, if the server has users.
    pub role: Role,
    /// What the audit log records of the requests.
    pub recorded: Recorded,
    /// Maximum size of a body, in bytes.
    pub max_body: usize,
    pub(crate) session: SessionIn,
    /// Whether the route is about the whole server, so that users who see only some projects may not use it.
    pub(crate) of_server: bool,
}

impl Route {
    /// Returns an example of a path of this route, with this session ID. Every other parameter has its own name as its value.
    pub fn example_path(&self, session: &str) -> String {
        self.path.replace("{id}", session).replace(['{', '}'], "")
    }

    /// Returns an example of a body that names this session. Returns `None` if the server does not search for a session in the
    /// body.
    pub fn example_body(&self, session: &str) -> Option<String> {
        match self.session {
            SessionIn::Body { example, .. } => Some(example.replace("{id}", session)),
            _ => None,
        }
    }
}

/// The minimum role for each operation and for each part of an operation, by its name. The roles come from the rows of the
/// routes.
#[derive(Debug)]
pub(crate) struct Roles(BTreeMap<&'static str, Role>);

impl Roles {
    pub(crate) fn new(routes: &[Route], parts: &[(&'static str, Role)]) -> Self {
        let named = routes.iter();
        let named = named.filter_map(|route| Some((route.name?, route.role)));
        Self(named.chain(parts.iter().copied()).collect())
    }

    /// Returns the minimum role for the operation with this name. Returns `None` if there is no such operation.
    pub(crate) fn of(&self, operation: &str) -> Option<Role> {
        self.0.get(operation).copied()
    }

    /// Returns the names of all operations.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}

/// A route with its handler. `S` is the state of the handler.
pub(crate) struct Row<S> {
    pub(crate) route: Route,
    /// A function that adds the parameters and responses of the handler to the OpenAPI document. `None` if the route is not in
    /// the document.
    #[cfg(feature = "schema")]
    pub(crate) describe: Option<fn(&mut crate::signature::Facts<'_>)>,
    pub(crate) handler: MethodRouter<S>,
}

impl<S> Row<S> {
    /// Makes the route accept requests without a token and without a login.
    pub(crate) fn open(mut self) -> Self {
        self.route.is_open = true;
        self
    }

    /// Marks the route as being about the whole server.
    pub(crate) fn of_server(mut self) -> Self {
        self.route.of_server = true;
        self
    }

    /// Sets the maximum size of bodies, in bytes. The default is [`BODY`].
    pub(crate) fn up_to(mut self, bytes: usize) -> Self {
        self.route.max_body = bytes;
        self
    }
}

/// A method with axum's filter for it, and what the audit log records of the requests.
pub(crate) struct Verb(Method, MethodFilter, Recorded);

/// A method whose requests change something. A row needs a [`Verb`], so each such row must choose what is recorded.
pub(crate) struct Changing(Method, MethodFilter);

/// The method `GET`. Its rows also accept `HEAD`.
pub(crate) const GET: Verb = Verb(Method::GET, MethodFilter::GET, Recorded::Nothing);
pub(crate) const POST: Changing = Changing(Method::POST, MethodFilter::POST);
pub(crate) const DELETE: Changing = Changing(Method::DELETE, MethodFilter::DELETE);
pub(crate) const PATCH: Changing = Changing(Method::PATCH, MethodFilter::PATCH);

impl Changing {
    /// Records each request as this action.
    pub(crate) fn records(self, action: Action) -> Verb {
        Verb(self.0, self.1, Recorded::Request(action))
    }

    /// Leaves the recording to the handler, which records each call of a request separately.
    pub(crate) fn records_each(self, actions: &'static [Action]) -> Verb {
        Verb(self.0, self.1, Recorded::Messages(actions))
    }
}

impl Verb {
    /// Leaves the recording to the handler, which records each message of the connection separately.
    pub(crate) fn records_each(self, actions: &'static [Action]) -> Self {
        Self(self.0, self.1, Recorded::Messages(actions))
    }
}

/// Creates a row of an interface for programs. The arguments are the method, the path, the minimum role, the name of
/// the operation in the OpenAPI document, the way to find the session, the handler, and one sentence about the route.
pub(crate) fn api<H, T, S>(
    verb: Verb,
    path: &'static str,
    role: Role,
    name: &'static str,
    session: SessionIn,
    handler: H,
    about: &'static str,
) -> Row<S>
where
    H: Handler<T, S> + Signature<T>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    let mut row = page(verb, path, role, session, handler);
    row.route.name = Some(name);
    row.route.about = about;
    #[cfg(feature = "schema")]
    {
        row.describe = Some(H::describe);
    }
    row
}

/// Creates a row for a route of the page. The OpenAPI document does not contain it.
pub(crate) fn page<H, T, S>(
    Verb(method, filter, recorded): Verb,
    path: &'static str,
    role: Role,
    session: SessionIn,
    handler: H,
) -> Row<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    Row {
        route: Route {
            method,
            path,
            name: None,
            about: "",
            is_open: false,
            role,
            recorded,
            max_body: BODY,
            session,
            of_server: false,
        },
        #[cfg(feature = "schema")]
        describe: None,
        handler: on(filter, handler),
    }
}

/// Sets the state of the handlers in these rows.
pub(crate) fn with_state<S>(rows: Vec<Row<S>>, state: &S) -> Vec<Row<()>>
where
    S: Clone + Send + Sync + 'static,
{
    let with_state = |row: Row<S>| Row {
        route: row.route,
        #[cfg(feature = "schema")]
        describe: row.describe,
        handler: row.handler.with_state(state.clone()),
    };
    rows.into_iter().map(with_state).collect()
}

/// Returns the routes of these rows, without the handlers.
pub(crate) fn routes<S>(rows: Vec<Row<S>>) -> Vec<Route> {
    rows.into_iter().map(|row| row.route).collect()
}

/// Returns the router of all rows. `audited` is the hub of a server with an audit log.
pub(crate) fn router(rows: Vec<Row<()>>, audited: Option<&Hub>) -> Router {
    rows.into_iter().fold(Router::new(), |router, row| {
        let bytes = row.route.max_body;
        let limit = DefaultBodyLimit::max(bytes);
        let handler = row.handler.layer::<_, Infallible>(limit);
        let mut handler = handler.layer(Extension(BodyBound(bytes)));
        // The next layer records refusals, and encloses this layer. So a request that is refused because of its role is
        // recorded too.
        if !row.route.is_open {
            handler = handler.route_layer(from_fn_with_state(row.route.role, has_role));
        }
        if let (Recorded::Request(action), Some(hub)) = (row.route.recorded, audited) {
            let recording = Recording::new(action, hub.clone());
            handler = handler.route_layer(from_fn_with_state(recording, audit::record));
        }
        router.route(row.route.path, handler)
    })
}
