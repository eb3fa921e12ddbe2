//! Persons whom the host program has identified.

/// A person who has logged in to the host program. The program puts this value into the extensions of a request, before
/// the request reaches the server's [router](crate::Server::router). The request then needs neither the server's token
/// nor a login link. Clients cannot set this value over the network.
///
/// The other checks still apply: the header `Host` must contain a name of the server, and a request that changes
/// something must come from a page of the server itself.
///
/// ```
/// use axum::extract::Request;
/// use axum::http::StatusCode;
/// use axum::middleware::{Next, from_fn};
/// use axum::response::{IntoResponse, Response};
/// use claw_server::{Person, Server};
///
/// async fn log_in(mut request: Request, next: Next) -> Response {
///     match name_of(&request) {
///         Some(name) => request.extensions_mut().insert(Person::new(name)),
///         None => return StatusCode::UNAUTHORIZED.into_response(),
///     };
///     next.run(request).await
/// }
///
/// /// The name of the person who is logged in to this program.
/// fn name_of(request: &Request) -> Option<String> {
///     # let _ = request;
///     # None
///     // …
/// }
///
/// fn app(server: &Server) -> axum::Router {
///     axum::Router::new().merge(server.router_at("/agents").layer(from_fn(log_in)))
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub(crate) name: String,
}

impl Person {
    /// Creates a person with this name. Other viewers see the name, for example at the requests that the person has
    /// answered. The server shows the first 64 characters.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}
