//! The types as their users see them: nothing that stands on a line is lost, from any source, and
//! whatever stands on it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail like tests"
)]

mod accumulate;
mod answers;
mod build;
mod checklist;
mod constructors;
mod contexts;
mod control;
mod denials;
mod dialect;
mod errors;
mod extra;
mod fixtures;
mod frames;
mod fuzz_seeds;
mod hints;
mod hooks;
mod hostile;
mod internal;
mod kinds;
mod look;
mod mutate;
mod numbers;
mod openness;
mod options;
#[cfg(feature = "schema")]
mod parity;
mod prompts;
mod property;
mod requests;
#[cfg(feature = "schema")]
mod schema;
mod settings;
mod support;
mod surrogates;
mod tools;
mod transcripts;
mod unknowns;
mod usage;
