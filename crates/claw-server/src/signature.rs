//! The parameters and results of a handler, derived from its signature. Used for the OpenAPI document, with the feature
//! `schema` only. The types of arguments and results describe themselves in `schema::parts`.

#[cfg(feature = "schema")]
mod facts;
#[cfg(feature = "schema")]
mod traits;

#[cfg(not(feature = "schema"))]
mod none {
    /// Implemented by every type without the feature `schema`.
    pub(crate) trait Signature<T> {}

    impl<H, T> Signature<T> for H {}
}

#[cfg(feature = "schema")]
pub(crate) use facts::{Facts, Generators};
#[cfg(not(feature = "schema"))]
pub(crate) use none::Signature;
#[cfg(feature = "schema")]
pub(crate) use traits::{Input, Output, Signature};
