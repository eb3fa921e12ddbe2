//! The route for the OpenAPI document, which `cargo xtask schema write` writes.

use std::borrow::Cow;

use super::response::Document;
use crate::base::Base;

const DOCUMENT: &str = include_str!("../../openapi.json");

/// The member of the document that contains the path of the server. Its last occurrence is in `servers`.
const ROOT: &str = r#""url": "/""#;

pub(crate) async fn document(base: Base) -> Document {
    Document(match DOCUMENT.rsplit_once(ROOT) {
        Some((before, behind)) if base.home() != "/" => {
            Cow::Owned(format!(r#"{before}"url": "{}"{behind}"#, base.home()))
        }
        _ => Cow::Borrowed(DOCUMENT),
    })
}
