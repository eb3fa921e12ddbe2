//! What the CLI says on standard error alone, and ends; and many starts.

use claw_client::types::options::PermissionMode;
use claw_client::types::{Map, QueryOptions};
use claw_client::{Error, Session};
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt;

use super::cli::Cli;
use crate::agent::soon;

async fn is_refused(options: QueryOptions, words: &str) {
    let error = soon(Session::builder(options.clone()).connect()).await;
    says(&error.unwrap_err(), words);
    let messages = soon(claw_client::query("Hi", options)).await.unwrap();
    let error = soon(messages.try_collect::<Vec<_>>()).await.unwrap_err();
    says(&error, words);
}

fn says(error: &Error, words: &str) {
    let exited = error.exited().unwrap_or_else(|| panic!("{words}: {error}"));
    assert_eq!(exited.exit.code(), Some(1), "{words}: {error}");
    assert!(exited.stderr.contains(words), "{words}: {error}");
    assert!(error.to_string().contains(words), "{error}");
}

fn argument(name: &str, value: Option<&str>) -> Map<Option<String>> {
    let mut arguments = Map::default();
    arguments.insert(name, value.map(str::to_owned));
    arguments
}

#[tokio::test]
async fn an_unknown_option_is_quoted() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli.options().extra_args(argument("no-such-option", None));
    is_refused(options, "no-such-option").await;
}

#[tokio::test]
async fn a_session_id_in_use_is_quoted() {
    const ID: &str = "01234567-89ab-4def-8123-456789abcdef";
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli.options().session_id(ID);
    let messages = soon(claw_client::query("Hi", options.clone()))
        .await
        .unwrap();
    soon(messages.try_collect::<Vec<_>>()).await.unwrap();
    is_refused(options, ID).await;
}

#[tokio::test]
async fn a_bad_mcp_configuration_is_quoted() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli
        .options()
        .extra_args(argument("mcp-config", Some("/no/such/file.json")));
    // On Windows it is named with a drive and other slashes.
    is_refused(options, "file.json").await;
}

#[tokio::test]
async fn a_refusal_to_root_alone_is_quoted() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli
        .options()
        .permission_mode(PermissionMode::BypassPermissions)
        .allow_dangerously_skip_permissions(true);
    #[cfg(unix)]
    let is_root = rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    let is_root = false;
    if is_root {
        is_refused(options, "root").await;
    } else {
        // It is refused to nobody else.
        let session = soon(Session::builder(options).connect()).await.unwrap();
        soon(session.close()).await.unwrap();
    }
}

async fn soak() {
    use crate::proc::{children, come_true};
    use crate::soak::Has;
    use futures::{StreamExt as _, stream};

    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let live = |_| async {
        let builder = Session::builder(cli.options());
        let session = soon(builder.connect()).await.unwrap();
        let turn = session.send("What is 2 + 2?").await.unwrap();
        assert!(!soon(turn.result()).await.unwrap().is_error());
        soon(session.close()).await.unwrap();
    };
    let lives = |count| stream::iter(0..count).map(live).buffer_unordered(2);
    // What stays: the supervisor, the API's threads and connections.
    lives(2).collect::<Vec<_>>().await;
    come_true("the end of the first", || children().is_empty()).await;
    let before = Has::now();
    lives(20).collect::<Vec<_>>().await;
    before.again("20 sessions with the real CLI", 8 << 10).await;
}

#[test]
fn twenty_sessions_leave_nothing() {
    if claw_testkit::alone("real_cli::starts::twenty_sessions_leave_nothing") {
        tokio::runtime::Runtime::new().unwrap().block_on(soak());
    }
}
