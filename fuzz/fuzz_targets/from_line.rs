//! Any bytes as a line: `cargo +nightly fuzz run from_line fuzz/corpus/from_line fuzz/seeds/from_line` (create the
//! first folder; found inputs are written there). The checked properties are beside the ordinary tests, which replay
//! the seeds.
#![no_main]

#[path = "../../crates/claw-types/tests/it/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|line: &[u8]| property::holds(line));
