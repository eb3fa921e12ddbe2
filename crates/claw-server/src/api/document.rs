//! The OpenAPI document, as `cargo xtask schema write` has written it.

use super::response::Document;

const DOCUMENT: &str = include_str!("openapi.json");

pub(crate) async fn document() -> Document {
    Document(DOCUMENT)
}
