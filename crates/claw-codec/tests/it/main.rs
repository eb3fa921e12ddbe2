//! The codec as its users see it: any input, in any pieces, both ways.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod chunks;
mod encode;
mod fixtures;
mod fuzz_seeds;
mod long;
mod property;
mod stream;
mod support;
