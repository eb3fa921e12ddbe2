//! The live page in Chromium: a server with a scripted agent and the real CLI, and `page.mjs`, which uses its pages.
//!
//! `cargo xtask page` installs what the script needs, and runs this test.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests stand outside of test functions"
)]

#[cfg(feature = "push")]
mod notify;
mod scripts;
mod stage;
mod trust;

use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;

/// However slow the machine is.
const LIMIT: Duration = Duration::from_mins(10);

/// The folder with the packages of npm.
fn packages() -> PathBuf {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/ci/page");
    let folder = env::var_os("CLAW_TEST_PAGE").map_or(target, PathBuf::from);
    assert!(
        folder.join("node_modules/puppeteer-core").is_dir(),
        "the tests of the live page need packages of npm: `cargo xtask page` installs them and runs these tests"
    );
    folder
}

/// Runs a script in Chromium, against a server and a director.
async fn run(script: PathBuf, server: SocketAddr, director: SocketAddr) {
    let (chromium, packages) = (claw_testkit::chromium().unwrap(), packages());
    let mut node = Command::new("node");
    node.arg(script);
    node.arg(format!("http://{server}"));
    node.arg(format!("http://{director}"));
    node.arg(chromium).arg(packages).kill_on_drop(true);
    // What it says is seen at once, so that it is seen where it hangs.
    let run = tokio::time::timeout(LIMIT, node.status()).await;
    let run = run
        .expect("the script ends")
        .expect("Node.js 20 or newer is there");
    assert!(run.success(), "see above");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_live_page_in_chromium() {
    let (stage, director) = stage::Stage::start().await;
    run(stage::script(), stage.address, director).await;
}

#[cfg(feature = "push")]
#[tokio::test(flavor = "multi_thread")]
async fn pages_tell_when_it_matters() {
    let stage = notify::stage().await;
    run(notify::script(), stage.address, stage.director).await;
}
