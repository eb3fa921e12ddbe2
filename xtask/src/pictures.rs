//! `cargo xtask pictures`: what the README shows of `claw demo` and of a page of `claw view`.
//!
//! The tests of claw-cli have a terminal and a browser. They draw the pictures, and compare the terminal's with
//! the one that is kept.

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
