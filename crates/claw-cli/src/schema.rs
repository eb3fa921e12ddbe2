//! `claw schema`. The schemas and the validator need half of claw's build time, so they are behind the feature
//! `schema`.

mod lines;

use std::path::Path;

use crate::outcome::Outcome;

pub(crate) use lines::faults_of;

/// Prints the schema with this name, or checks a file of lines against it.
pub(crate) fn run(name: &str, check: Option<&Path>) -> Outcome {
    match check {
        Some(file) => lines::check(name, file),
        None => lines::print(name),
    }
}
