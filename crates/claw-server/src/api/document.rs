//! The OpenAPI document, as `cargo xtask schema write` has written it.

use std::borrow::Cow;

use super::response::Document;
use crate::guard::Base;

const DOCUMENT: &str = include_str!("../../openapi.json");

/// Where the document says that the server is: at the root. The last one is that of the server itself.
const ROOT: &str = r#""url": "/""#;

pub(crate) async fn document(base: Base) -> Document {
    Document(match DOCUMENT.rsplit_once(ROOT) {
        Some((before, behind)) if base.home() != "/" => {
            Cow::Owned(format!(r#"{before}"url": "{}"{behind}"#, base.home()))
        }
        _ => Cow::Borrowed(DOCUMENT),
    })
}
