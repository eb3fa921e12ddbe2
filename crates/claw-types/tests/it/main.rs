//! The types as their users see them: nothing that stands on a line is lost, from any source, and
//! whatever stands on it.

#[cfg(test)]
mod accumulate;
#[cfg(test)]
mod answers;
#[cfg(test)]
mod build;
#[cfg(test)]
mod checklist;
#[cfg(test)]
mod constructors;
#[cfg(test)]
mod contexts;
#[cfg(test)]
mod control;
#[cfg(test)]
mod denials;
#[cfg(test)]
mod dialect;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod extra;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod frames;
#[cfg(test)]
mod fuzz_seeds;
#[cfg(test)]
mod hints;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod internal;
#[cfg(test)]
mod kinds;
#[cfg(test)]
mod look;
#[cfg(test)]
mod mutate;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod openness;
#[cfg(test)]
mod options;
#[cfg(feature = "schema")]
#[cfg(test)]
mod parity;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod property;
#[cfg(test)]
mod requests;
#[cfg(feature = "schema")]
#[cfg(test)]
mod schema;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod support;
#[cfg(test)]
mod surrogates;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod transcripts;
#[cfg(test)]
mod unknowns;
#[cfg(test)]
mod usage;
