//! Any bytes in any pieces: `cargo +nightly fuzz run codec fuzz/corpus/codec fuzz/seeds/codec` (make the first folder).
//! The checked properties are beside the ordinary tests, which replay the seeds.
#![no_main]

#[path = "../../crates/claw-codec/tests/it/property.rs"]
mod property;
#[path = "../../crates/claw-codec/tests/it/support.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|data: &[u8]| property::holds(data));
