//! Derives the parameters and results of a handler from its signature, for the OpenAPI document. The module has
//! contents only with the feature `schema`. The types of arguments and results describe themselves in `schema::parts`.

#[cfg(feature = "schema")]
mod facts;
#[cfg(feature = "schema")]
mod traits;

#[cfg(not(feature = "schema"))]
mod none {
    /// Without the feature `schema`, every type implements this trait.
    pub(crate) trait Signature<T> {}

    impl<H, T> Signature<T> for H {}
}

#[cfg(feature = "schema")]
pub(crate) use facts::{Facts, Generators};
#[cfg(not(feature = "schema"))]
pub(crate) use none::Signature;
#[cfg(feature = "schema")]
pub(crate) use traits::{Input, Output, Signature};
