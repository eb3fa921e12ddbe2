//! `claw schema`. The schemas, and what checks against them, are half of what claw takes to build: they are
//! behind the feature `schema`.

#[cfg(feature = "schema")]
mod lines;

use std::path::Path;

use crate::outcome::Outcome;

#[cfg(feature = "schema")]
pub(crate) use lines::faults_of;

/// Prints the schema of that name, or checks a file of lines against it.
#[cfg(feature = "schema")]
pub(crate) fn run(name: &str, check: Option<&Path>) -> Outcome {
    match check {
        Some(file) => lines::check(name, file),
        None => lines::print(name),
    }
}

/// Says how to build a claw that can.
#[cfg(not(feature = "schema"))]
pub(crate) fn run(_name: &str, _check: Option<&Path>) -> Outcome {
    anstream::eprintln!(
        "claw: this claw was built without the feature `schema`. With it: `cargo run --features schema -- schema …` \
         in a checkout, or `cargo install --path crates/claw-cli --features schema`. The schemas also lie in the \
         project's folder `schemas`."
    );
    Outcome::Usage
}
