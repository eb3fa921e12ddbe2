//! `cargo xtask pictures`: what the documents show of `claw demo`, of `claw chat`, and of a page of `claw view`.
//!
//! The tests of claw-cli have a terminal and a browser. They draw the pictures, and compare those of terminals with
//! those that are kept.

use xtask::run::{Result, cargo, run};

pub(crate) fn main() -> Result {
    let mut test = cargo("test");
    test.args([
        "--package",
        "claw-cli",
        "--features",
        "full",
        "--test",
        "it",
        "pictures::",
    ]);
    run(test.env("CLAW_WRITE_EXPECTED", "1"))
}
