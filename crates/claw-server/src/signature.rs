//! Derives the parameters and results of a handler from its signature, for the OpenAPI document. Without the feature `schema`,
//! the module does nothing. The module `schema::parts` implements the descriptions of arguments and results for their types.

#[cfg(feature = "schema")]
mod facts;
#[cfg(feature = "schema")]
mod traits;

#[cfg(not(feature = "schema"))]
mod none {
    /// A trait that every type implements, so that bounds on it have no effect. With the feature `schema`, the trait with
    /// the same name in the module `traits` is used instead.
    pub(crate) trait Signature<T> {}

    impl<H, T> Signature<T> for H {}
}

#[cfg(feature = "schema")]
pub(crate) use facts::{Facts, Generators};
#[cfg(not(feature = "schema"))]
pub(crate) use none::Signature;
#[cfg(feature = "schema")]
pub(crate) use traits::{Input, Output, Signature};
