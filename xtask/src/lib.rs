//! Functions that the project's own commands share. They handle the workspace, gates, other programs, and packages of
//! npm.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "for command line tools: printing is what they do"
)]
#![expect(
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    reason = "nothing outside of the project uses them"
)]

pub mod builds;
pub mod built;
pub mod claude;
pub mod gates;
pub mod lines;
pub mod npm;
pub mod paths;
pub mod python;
pub mod restate;
pub mod run;
pub mod sdk;
pub mod served;
pub mod steps;
pub mod toolchains;
pub mod wine;
pub mod workspace;
