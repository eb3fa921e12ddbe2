//! The kinds of stores that a program can open by URL.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::Result;
use crate::{ReadSessions, SessionStore};

/// The function of a [`Scheme`] that opens the store of a URL.
pub type Open = for<'a> fn(url: &'a str) -> BoxFuture<'a, Result<Arc<dyn SessionStore>>>;

/// The function of a [`Scheme`] that opens a store in the layout of another program.
pub type OpenForeign =
    for<'a> fn(url: &'a str, layout: Foreign<'a>) -> BoxFuture<'a, Result<Arc<dyn ReadSessions>>>;

/// A kind of store that URLs name by their scheme, such as `redis` in `redis://host/0`. Each adapter has a scheme. A
/// program passes the schemes of its adapters to [`open`](crate::open).
#[derive(Debug, Clone, Copy)]
pub struct Scheme {
    names: &'static [&'static str],
    open: Open,
    open_foreign: Option<OpenForeign>,
}

/// The layout of a store that was written by the example adapter of an official SDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every caller makes one")]
pub struct Foreign<'a> {
    /// The SDK.
    pub sdk: Sdk,
    /// The name of the table, or the prefix of the keys. `None` means the name that the example uses.
    pub name: Option<&'a str>,
}

/// An official SDK, whose examples contain adapters of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each adapter handles both")]
pub enum Sdk {
    /// The TypeScript SDK.
    TypeScript,
    /// The Python SDK.
    Python,
}

impl Scheme {
    /// Creates the scheme of a store. The first name is the usual one. All other names have the same meaning. `open`
    /// opens the store with its default settings.
    ///
    /// # Panics
    ///
    /// Panics if there are no names. In a constant, the compilation fails instead.
    pub const fn new(names: &'static [&'static str], open: Open) -> Self {
        assert!(!names.is_empty(), "a scheme has a name");
        Self {
            names,
            open,
            open_foreign: None,
        }
    }

    /// Sets the function that opens a store which the example of an official SDK has written.
    #[must_use]
    pub const fn foreign(mut self, open: OpenForeign) -> Self {
        self.open_foreign = Some(open);
        self
    }

    /// The names of the scheme. The first one is the usual one.
    pub fn names(&self) -> &'static [&'static str] {
        self.names
    }

    pub(crate) fn open<'a>(&self, url: &'a str) -> BoxFuture<'a, Result<Arc<dyn SessionStore>>> {
        (self.open)(url)
    }

    pub(crate) fn opens_foreign(&self) -> Option<OpenForeign> {
        self.open_foreign
    }
}
