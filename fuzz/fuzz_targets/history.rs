//! Any bytes as a transcript: `cargo +nightly fuzz run history fuzz/corpus/history fuzz/seeds/transcript` (make the
//! first folder). The checked properties are beside the ordinary tests, which replay the seeds.
#![no_main]

#[path = "../../crates/claw-sessions/tests/it/property.rs"]
#[expect(dead_code, reason = "the other target calls the rest of it")]
mod property;

use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

libfuzzer_sys::fuzz_target!(|data: &[u8]| property::history_holds(FOLDER.path(), data));
