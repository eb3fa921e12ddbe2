//! The parameters and results of a handler, derived from its signature. Used for the OpenAPI document, with the feature
//! `schema` only.

#[cfg(not(feature = "schema"))]
mod none {
    /// Implemented by every type without the feature `schema`.
    pub(crate) trait Signature<T> {}

    impl<H, T> Signature<T> for H {}
}

#[cfg(not(feature = "schema"))]
pub(crate) use none::Signature;

#[cfg(feature = "schema")]
pub(crate) use crate::schema::{Facts, Signature};
