//! What a handler takes and gives, read off its signature: with the feature `schema` for the OpenAPI document, and
//! without it not at all.

#[cfg(not(feature = "schema"))]
mod none {
    /// Any handler.
    pub(crate) trait Signature<T> {}

    impl<H, T> Signature<T> for H {}
}

#[cfg(not(feature = "schema"))]
pub(crate) use none::Signature;

#[cfg(feature = "schema")]
pub(crate) use crate::schema::{Facts, Signature};
