//! Functions for recordings that the project's programs share.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    reason = "for command line tools: printing is what they do"
)]
#![expect(
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    reason = "nothing outside of the project uses them"
)]

pub mod fixtures;
