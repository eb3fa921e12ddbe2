//! The testkit from outside.

mod agent;
mod api;
mod client;
mod program;
