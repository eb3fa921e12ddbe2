//! A route as one row. The router and the OpenAPI document are both made of rows, and what a row takes and gives is read
//! off the signature of its handler.

use std::convert::Infallible;

use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::{Extension, Router};

use crate::late_body::BodyBound;
use crate::signature::Signature;

/// The method of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Patch,
}

/// A route.
#[cfg_attr(
    not(feature = "schema"),
    expect(dead_code, reason = "what the OpenAPI document alone says")
)]
pub(crate) struct Route<S> {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// The name of the operation, for generators.
    pub(crate) name: &'static str,
    /// One line about it.
    pub(crate) about: &'static str,
    /// Whether it needs neither token nor cookie.
    pub(crate) is_open: bool,
    #[cfg(feature = "schema")]
    pub(crate) describe: fn(&mut crate::signature::Facts<'_>),
    handler: MethodRouter<S>,
}

impl<S: Clone + Send + Sync + 'static> Route<S> {
    fn new<H: Handler<T, S> + Signature<T>, T: 'static>(
        method: Method,
        path: &'static str,
        name: &'static str,
        handler: H,
        about: &'static str,
    ) -> Self {
        let filter = match method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
            Method::Patch => MethodFilter::PATCH,
        };
        Self {
            method,
            path,
            name,
            about,
            is_open: false,
            #[cfg(feature = "schema")]
            describe: H::describe,
            handler: on(filter, handler),
        }
    }

    /// Needs neither token nor cookie: the guard lets it pass.
    pub(crate) fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Takes bodies of up to this many bytes.
    pub(crate) fn up_to(mut self, bytes: usize) -> Self {
        let limit = DefaultBodyLimit::max(bytes);
        let handler = self.handler.layer::<_, Infallible>(limit);
        self.handler = handler.layer(Extension(BodyBound(bytes)));
        self
    }
}

macro_rules! methods {
    ($($name:ident $method:ident),*) => {$(
        /// A row: the path, the name of the operation, its handler, and one line about it.
        pub(crate) fn $name<H: Handler<T, S> + Signature<T>, T: 'static, S: Clone + Send + Sync + 'static>(
            path: &'static str,
            name: &'static str,
            handler: H,
            about: &'static str,
        ) -> Route<S> {
            Route::new(Method::$method, path, name, handler, about)
        }
    )*};
}

methods!(get Get, post Post, patch Patch);

/// The router of all rows.
pub(crate) fn router<S: Clone + Send + Sync + 'static>(routes: Vec<Route<S>>) -> Router<S> {
    let add = |router: Router<S>, route: Route<S>| router.route(route.path, route.handler);
    routes.into_iter().fold(Router::new(), add)
}
