//! The agent, with a client that writes its lines itself.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that fails says where"
)]

mod cancel;
mod editor;
mod faults;
mod kit;
mod links;
mod permissions;
mod prompts;
mod real_cli;
mod sessions;
mod starts;
#[cfg(feature = "v2-draft")]
mod v2;
mod validity;
