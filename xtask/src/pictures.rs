//! `cargo xtask pictures`: draws the pictures in the documents. They show `claw demo`, `claw chat`, a page of `claw
//! view`, and the live page of `claw serve`.
//!
//! The tests of claw-cli, which have a terminal and a browser, draw the pictures. They also compare the pictures of
//! terminals with the stored ones. The pictures of the live page are screenshots of its tests.

use std::fs;

use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;

use crate::page;

/// The pictures of the live page, and the screenshots from which they are copied.
const OF_PAGE: [(&str, &str); 2] = [
    ("serve-permission.png", "edit-light-390.png"),
    ("serve-question.png", "question-dark-390.png"),
];

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
    run(test.env("CLAW_WRITE_EXPECTED", "1"))?;
    let workspace = Workspace::read()?;
    let screenshots = workspace.ci_directory().join("screenshots");
    fs::create_dir_all(&screenshots)?;
    let mut test = page::test(&workspace)?;
    test.env("CLAW_TEST_SCREENSHOTS", &screenshots);
    run(test.arg("the_live_page_in_chromium"))?;
    for (picture, screenshot) in OF_PAGE {
        let kept = workspace.root.join("docs/pictures").join(picture);
        fs::copy(screenshots.join(screenshot), kept)?;
    }
    Ok(())
}
