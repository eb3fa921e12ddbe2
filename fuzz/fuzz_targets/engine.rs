//! Any lines, and any order of events: `cargo +nightly fuzz run engine fuzz/corpus/engine fuzz/seeds/engine` (make the
//! first folder). The checked properties are in `crates/claw-client/src/engine/hostile.rs`; the ordinary tests replay
//! the seeds.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| claw_client::fuzz_engine(input));
