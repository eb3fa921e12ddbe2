//! A host that is killed while it goes on with a session of a store, and its next start.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_client::Session;
use claw_client::store::{FsStore, SessionRef, SessionStore, StoreError, StoreOptions};
use claw_testkit::api::Api;
use claw_testkit::store::{Call, Intercept, intercepted};
use serde_json::json;

use super::cli::Cli;
use super::decisions::{says, scenario};
use super::stores::{PROJECT, files_with, lines};
use crate::agent::soon;
use crate::apart::{Part, assert_passed, left_in, part};
use crate::proc::{come_true, marked};

const TEST: &str = "real_cli::store_kills::nothing_is_left_of_a_killed_host_after_its_next_start";
const PLACE: &str = "CLAW_TEST_PLACE";
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
    // The session that begins has a folder of its own, as long as it runs.
    come_true("that what was left is stored", || {
        checkouts().iter().all(|name| !left.contains(name))
    })
    .await;
    soon(session.ask("Hello?")).await.unwrap();
    soon(session.close()).await.unwrap();
}

fn checkouts() -> Vec<String> {
    let mut names = left_in(&std::env::temp_dir());
    names.retain(|name| name.starts_with("claw-checkout-"));
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_killed_host_after_its_next_start() {
    let place = std::env::var_os(PLACE).map(PathBuf::from);
    match (part().as_deref(), place) {
        (Some("begin"), Some(place)) => return begin(&place).await,
        (Some("go on"), Some(place)) => return go_on(&place).await,
        (Some(_), Some(place)) => return start_again(&place).await,
        _ => {}
    }
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
    let named = place.display().to_string();
    let part = |name| {
        Part::new(TEST, name)
            .temporary(&temporary)
            .env(PLACE, &named)
    };
    assert_passed(&part("begin").run());
    let killed = part("go on").spawn();
    soon(api.gates().reached("waits")).await;
    let id = std::fs::read_to_string(place.join("id")).unwrap();
    let session = SessionRef::new(PROJECT, id).unwrap();
    let before = lines(&Arc::new(store(place)), &session, None).await;
    assert!(!before.iter().any(|line| line.contains("quince")));
    assert!(!files_with(&temporary, "plum").is_empty());
    assert!(!files_with(&temporary, "SECRET").is_empty());
    // The CLI gets none of the variables whose names begin with `CLAW_`.
    let home = format!("HOME={}", place.join("two/home").display());
    assert!(!marked(&home).is_empty());
    killed.kill();
    come_true("the end of its CLI", || marked(&home).is_empty()).await;
    assert_passed(&part("again").run());
    let now = lines(&Arc::new(store(place)), &session, None).await;
    assert_eq!(now[..before.len()], before);
    assert!(now.iter().any(|line| line.contains("quince")), "{now:?}");
    for text in ["plum", "quince", "SECRET"] {
        assert_eq!(files_with(&temporary, text), [""; 0]);
    }
    for text in ["plum", "quince"] {
        assert_eq!(files_with(&place.join("two"), text), [""; 0]);
    }
    let left = left_in(&temporary);
    assert!(
        !left.iter().any(|name| name.starts_with("claw-")),
        "{left:?}"
    );
}
