//! The live page in Chromium: a server with a scripted agent and the real CLI, and `page.mjs`, which uses its pages.
//!
//! `cargo xtask page` installs what the script needs, and runs this test.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of test functions"
)]

mod agents;
mod answers;
mod back;
mod changes;
mod comfort;
mod comments;
mod director;
mod embedded;
mod finish;
mod forms;
mod long;
#[cfg(feature = "notify")]
mod notify;
mod offers;
mod outbox;
mod reading;
mod scripts;
mod stage;
mod states;
mod trust;
mod usage;

use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Mutex;

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

/// One browser at a time.
static ONE: Mutex<()> = Mutex::const_new(());

/// Runs a script in Chromium, against a server and a director. `more` are arguments of the script.
async fn run(script: &str, server: SocketAddr, director: SocketAddr, more: &[&str]) {
    run_at(script, &format!("http://{server}"), director, more).await;
}

/// Runs a script in Chromium as [`run`] does. `server` is the origin of the server, such as `https://127.0.0.1:8000`.
async fn run_at(script: &str, server: &str, director: SocketAddr, more: &[&str]) {
    let _one = ONE.lock().await;
    let chromium = match script {
        "notify.mjs" => claw_testkit::whole_chromium(),
        _ => claw_testkit::chromium(),
    };
    let (chromium, packages) = (chromium.unwrap(), packages());
    let mut node = Command::new("node");
    node.arg(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/page")
            .join(script),
    );
    node.arg(server);
    node.arg(format!("http://{director}"));
    node.arg(chromium)
        .arg(packages)
        .args(more)
        .kill_on_drop(true);
    // What it says is seen at once, so that it is seen where it hangs.
    let run = tokio::time::timeout(LIMIT, node.status()).await;
    let run = run
        .expect("the script ends")
        .expect("Node.js 20 or newer is there");
    assert!(run.success(), "see above");
}

/// Runs the steps of `page.mjs`, or those of another file.
async fn run_page(steps: &[&str]) {
    let (stage, director) = stage::Stage::start().await;
    run("page.mjs", stage.address, director, steps).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_live_page_in_chromium() {
    run_page(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_in_chromium() {
    run_page(&["answers"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_how_many_taps_in_chromium() {
    run_page(&["taps"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keys_reach_in_chromium() {
    run_page(&["keyboard"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_each_role_sees_in_chromium() {
    run_page(&["roles"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_the_way_in_chromium() {
    run_page(&["clutter"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_completes_a_prompt_in_chromium() {
    run_page(&["complete"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_and_tasks_in_chromium() {
    run_page(&["agents"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_about_earlier_prompts_in_chromium() {
    run_page(&["back"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hands_do_in_chromium() {
    run_page(&["hands"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sessions_use_in_chromium() {
    run_page(&["usage"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_session_has_changed_in_chromium() {
    run_page(&["changes"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn how_a_worktree_is_finished_in_chromium() {
    run_page(&["finish"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_on_lines_in_chromium() {
    run_page(&["comments"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_and_dictated_in_chromium() {
    run_page(&["reading"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_the_connection_in_chromium() {
    run_page(&["outbox"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_servers_and_dialogs_ask_in_chromium() {
    run_page(&["forms"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_under_a_path_in_chromium() {
    use embedded::Place;
    for place in [Place::Router, Place::Nested, Place::Proxy] {
        let stage = embedded::stage(place).await;
        println!("{place:?}");
        run("embedded.mjs", stage.address, stage.director, &[]).await;
    }
}

#[cfg(feature = "notify")]
#[tokio::test(flavor = "multi_thread")]
async fn pages_tell_when_it_matters() {
    let stage = notify::stage().await;
    let (origin, pin) = (
        format!("https://{}", stage.address),
        notify::pin(&stage).await,
    );
    run_at("notify.mjs", &origin, stage.director, &[&pin]).await;
}
