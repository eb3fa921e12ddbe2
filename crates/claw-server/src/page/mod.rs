//! The live page: HTML that is generated here, and style sheets and scripts that are plain files.
//!
//! The page of a session receives server-sent events, which [`fragments`] makes from the events of its conversation.
//! Actions of a person are calls of the API. The page has no inline scripts or styles: [`POLICY`] is its content
//! security policy.

mod activity;
mod assets;
mod changes;
mod chart;
mod find;
mod folded;
mod forms;
mod fragments;
mod joined;
mod keys;
mod may;
mod parts;
mod quotas;
mod requests;
mod routes;
mod shell;
mod usage;
mod window;
mod worker;

pub(crate) use routes::{Browsed, login, refused, rows};

/// The content security policy of all pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
