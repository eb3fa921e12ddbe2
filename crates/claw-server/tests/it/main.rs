//! The server over its interfaces.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that fails says where"
)]

mod attacks;
mod client;
mod disk;
mod idle;
mod page;
mod socket;
mod suggestions;
mod thin;
