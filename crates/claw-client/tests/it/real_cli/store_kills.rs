//! A host that is killed while it goes on with a session of a store, and its next start.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_client::Session;
use claw_client::store::{FsStore, SessionRef, SessionStore, StoreError, StoreOptions};
use claw_testkit::api::Api;
use claw_testkit::store::{Call, Intercept, intercepted};
#[cfg(target_os = "linux")]
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;
#[cfg(target_os = "linux")]
use tokio::task::spawn_blocking;

use super::cli::Cli;
use super::decisions::{says, scenario};
use super::stores::{PROJECT, files_with, lines};
use crate::agent::soon;
use crate::apart::{Part, Running, assert_passed, left_in, part};
use crate::proc::{come_true, marked};

const PLACE: &str = "CLAW_TEST_PLACE";
/// A file that the next start of the host makes as soon as it has a session.
const CONNECTED: &str = "connected";
const TTL: Duration = Duration::from_secs(2);

/// Lets a store take no lines, but return some, and have claims.
#[derive(Debug)]
struct Deaf;

impl Intercept for Deaf {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Append {
            pending::<()>().await;
        }
        Ok(())
    }

    fn has(&self, call: Call) -> bool {
        call == Call::Claim
    }
}

fn cli(place: &Path, host: &str) -> Cli {
    let env = std::fs::read_to_string(place.join("env")).unwrap();
    let env: Vec<(String, String)> = serde_json::from_str(&env).unwrap();
    Cli::with_env(env, &place.join(host))
}

fn store(place: &Path) -> FsStore {
    FsStore::new(place.join("shared"))
}

fn options(store: impl SessionStore) -> StoreOptions {
    StoreOptions::from(Arc::new(store))
        .project(PROJECT)
        .ttl(TTL)
}

/// A conversation begins on another host.
async fn begin(place: &Path) {
    let builder = Session::builder(cli(place, "one").options()).store(options(store(place)));
    let session = soon(builder.connect()).await.unwrap();
    soon(session.ask("The word is plum.")).await.unwrap();
    let id = session.mirror().unwrap().session().session().to_owned();
    soon(session.close()).await.unwrap();
    std::fs::write(place.join("id"), id).unwrap();
}

/// It goes on here, until this process is killed.
async fn go_on(place: &Path) {
    let two = cli(place, "two");
    let claude = two.home().join(".claude");
    std::fs::create_dir_all(&claude).unwrap();
    let credentials = r#"{"claudeAiOauth":{"accessToken":"SECRET","refreshToken":"SECRET"}}"#;
    std::fs::write(claude.join(".credentials.json"), credentials).unwrap();
    let id = std::fs::read_to_string(place.join("id")).unwrap();
    let deaf = intercepted(Arc::new(store(place)), Deaf);
    let builder = Session::builder(two.options().resume(id)).store(options(deaf));
    let session = soon(builder.connect()).await.unwrap();
    let _turn = session.send("Wait. The word is quince.").await.unwrap();
    pending::<()>().await;
}

/// The next start of the host, with another session. The killed process has a claim as yet.
async fn start_again(place: &Path) {
    let builder = Session::builder(cli(place, "two").options()).store(options(store(place)));
    let left = checkouts();
    let session = soon(builder.connect()).await.unwrap();
    std::fs::write(place.join(CONNECTED), "").unwrap();
    // The session that begins has a folder of its own, as long as it runs.
    come_true("that what was left is stored", || {
        checkouts().iter().all(|name| !left.contains(name))
    })
    .await;
    soon(session.ask("Hello?")).await.unwrap();
    soon(session.close()).await.unwrap();
}

fn checkouts() -> Vec<String> {
    checkouts_in(&std::env::temp_dir())
}

fn checkouts_in(temporary: &Path) -> Vec<String> {
    let mut names = left_in(temporary);
    names.retain(|name| name.starts_with("claw-checkout-"));
    names
}

/// Plays the part that this process has in a test, if it has one.
async fn is_part_played() -> bool {
    let place = std::env::var_os(PLACE).map(PathBuf::from);
    match (part().as_deref(), place) {
        (Some("begin"), Some(place)) => begin(&place).await,
        (Some("go on"), Some(place)) => go_on(&place).await,
        (Some(_), Some(place)) => start_again(&place).await,
        _ => return false,
    }
    true
}

/// A host process that continues a session of another host.
struct Host {
    test: &'static str,
    folder: TempDir,
    temporary: PathBuf,
    session: SessionRef,
    /// What the store has of the session.
    before: Vec<String>,
    process: Running,
    _api: Api,
}

impl Host {
    async fn start(test: &'static str, in_turn: fn(&Path)) -> Self {
        let api = Api::start(scenario(&json!([
            {"when": {"prompt": "Wait"}, "answer": {"message": [{
                "type": "text", "text": "I wait.", "hold": [{"before": 0, "gate": "waits"}]
            }]}},
            {"answer": says("Yes.")}
        ])))
        .await
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (place, temporary) = (folder.path(), folder.path().join("tmp"));
        std::fs::create_dir(&temporary).unwrap();
        std::fs::write(place.join("env"), json!(api.env()).to_string()).unwrap();
        assert_passed(&part_of(test, "begin", place).run());
        let process = part_of(test, "go on", place).spawn();
        soon(api.gates().reached("waits")).await;
        // The CLI may not have written the prompt yet.
        in_turn(place);
        let id = std::fs::read_to_string(place.join("id")).unwrap();
        let session = SessionRef::new(PROJECT, id).unwrap();
        let before = lines(&Arc::new(store(place)), &session, None).await;
        assert!(!before.iter().any(|line| line.contains("quince")));
        assert!(!files_with(&temporary, "plum").is_empty());
        assert!(!files_with(&temporary, "SECRET").is_empty());
        Self {
            test,
            folder,
            temporary,
            session,
            before,
            process,
            _api: api,
        }
    }

    fn place(&self) -> &Path {
        self.folder.path()
    }

    fn cli(&self) -> Vec<u32> {
        cli_of(self.place())
    }

    /// Checks that the store has everything, and the disk nothing.
    async fn assert_stored(&self) {
        let place = self.place();
        let now = lines(&Arc::new(store(place)), &self.session, None).await;
        assert_eq!(now[..self.before.len()], self.before);
        assert!(now.iter().any(|line| line.contains("quince")), "{now:?}");
        for text in ["plum", "quince", "SECRET"] {
            assert_eq!(files_with(&self.temporary, text), [""; 0]);
        }
        for text in ["plum", "quince"] {
            assert_eq!(files_with(&place.join("two"), text), [""; 0]);
        }
        let left = left_in(&self.temporary);
        assert!(
            !left.iter().any(|name| name.starts_with("claw-")),
            "{left:?}"
        );
    }
}

/// The processes of the CLI. The CLI gets none of the variables whose names begin with `CLAW_`.
fn cli_of(place: &Path) -> Vec<u32> {
    marked(&format!("HOME={}", place.join("two/home").display()))
}

fn part_of(test: &str, name: &str, place: &Path) -> Part {
    Part::new(test, name)
        .temporary(place.join("tmp"))
        .env(PLACE, &place.display().to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_killed_host_after_its_next_start() {
    if is_part_played().await {
        return;
    }
    let mut host = Host::start(
        "real_cli::store_kills::nothing_is_left_of_a_killed_host_after_its_next_start",
        |_| {},
    )
    .await;
    assert!(!host.cli().is_empty());
    host.process.kill();
    come_true("the end of its CLI", || host.cli().is_empty()).await;
    assert_passed(&part_of(host.test, "again", host.place()).run());
    host.assert_stored().await;
}

/// The CLI of the killed host is stopped in its turn, so that it writes and ends after the next start of the host.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_last_lines_of_a_cli_that_ends_after_the_next_start_of_its_host_are_stored() {
    if is_part_played().await {
        return;
    }
    let mut host = Host::start(
        "real_cli::store_kills::the_last_lines_of_a_cli_that_ends_after_the_next_start_of_its_host_are_stored",
        |place| signal(&cli_of(place), Signal::STOP),
    )
    .await;
    let (cli, checkouts) = (host.cli(), checkouts_in(&host.temporary));
    host.process.kill();
    assert_eq!(host.cli(), cli);
    assert_eq!(checkouts.len(), 2, "{checkouts:?}");
    // The claim of the killed host expires. Without a claim, the next host stores the lines of the folder at its start.
    let store = store(host.place());
    let claims = store.claims().unwrap();
    soon(async {
        while let Some((_, left)) = claims.holder(&host.session).await.unwrap() {
            tokio::time::sleep(left).await;
        }
    })
    .await;
    let again = part_of(host.test, "again", host.place());
    let again = spawn_blocking(|| again.run());
    let connected = host.place().join(CONNECTED);
    come_true("the next start of the host", || {
        connected.exists() || again.is_finished()
    })
    .await;
    let now = checkouts_in(&host.temporary);
    assert!(checkouts.iter().all(|name| now.contains(name)), "{now:?}");
    signal(&cli, Signal::CONT);
    assert_passed(&again.await.unwrap());
    come_true("the end of the CLI", || host.cli().is_empty()).await;
    host.assert_stored().await;
}

#[cfg(target_os = "linux")]
fn signal(processes: &[u32], signal: Signal) {
    for pid in processes {
        let pid = Pid::from_raw(pid.cast_signed()).unwrap();
        // A process may have ended.
        let _ = kill_process(pid, signal);
    }
}
