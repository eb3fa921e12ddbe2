//! Which sessions the real CLI goes on with, and which are refused before it is started.

use claw_client::transport::Subprocess;
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Session};
use claw_testkit::api::{Api, scenarios};
use futures::{TryFutureExt, TryStreamExt};

use super::cli::Cli;
use crate::agent::{all, soon};

const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

/// Asks something, and gives the session that it was asked in.
async fn ask(options: QueryOptions) -> Result<String, Error> {
    let query = soon(claw_client::query("What is 2 + 2?", options)).await?;
    let messages = all(query).await?;
    let id = messages.iter().find_map(|message| match message {
        Message::ResultSuccess(result) => Some(result.session_id.to_string()),
        _ => None,
    });
    Ok(id.unwrap_or_else(|| panic!("{messages:?}")))
}

fn with(options: &QueryOptions, name: &str, value: &std::path::Path) -> QueryOptions {
    let mut env = options.env.clone().unwrap();
    env.insert(name, Some(value.display().to_string()));
    options.clone().env(env)
}

#[tokio::test]
async fn an_unknown_session_is_refused_before_the_start() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    ask(cli.options()).await.unwrap();
    let options = cli.options().resume(UNKNOWN);
    let error = soon(Session::builder(options.clone()).connect())
        .await
        .unwrap_err();
    assert!(error.is_launch_failure(), "{error}");
    let session = error
        .session_not_found()
        .unwrap_or_else(|| panic!("{error}"));
    assert_eq!(session.id, UNKNOWN);
    assert_eq!(session.searched, Some(cli.home().join(".claude/projects")));
    assert!(session.file.is_none() && session.exited.is_none());
    // Asked, the CLI says the same.
    let unchecked = Subprocess::new(&options).check_resume(false);
    let error = soon(Session::builder(options).transport(unchecked).connect())
        .await
        .unwrap_err();
    assert!(error.is_exited(), "{error}");
    is_unknown(&error, UNKNOWN);
}

/// Whatever says that there is no such session: claw before the start, or the CLI.
#[tokio::test]
async fn an_unknown_session_fails_the_same_way_however_it_is_resumed() {
    let api = Api::start(scenarios::text()).await.unwrap();
    // No session was ever kept here.
    let cli = Cli::new(&api);
    for unknown in [UNKNOWN, "no such title", "/no/such/file.jsonl"] {
        let options = cli.options().resume(unknown);
        let error = soon(Session::builder(options.clone()).connect()).await;
        is_unknown(&error.unwrap_err(), unknown);
        let connected = soon(Session::builder(options.clone()).connect());
        let asked = connected.and_then(|session| session.ask("Hi")).await;
        is_unknown(&asked.unwrap_err(), unknown);
        let mut query = soon(claw_client::query("Hi", options)).await;
        // Where it starts, the error is all that comes.
        let error = match &mut query {
            Ok(query) => soon(query.try_next()).await.unwrap_err(),
            Err(_) => query.unwrap_err(),
        };
        is_unknown(&error, unknown);
    }
}

fn is_unknown(error: &Error, unknown: &str) {
    assert!(error.is_session_not_found(), "{unknown}: {error:?}");
    let session = error.session_not_found().unwrap();
    // One that is kept would have its file.
    assert_eq!((&*session.id, &session.file), (unknown, &None));
    assert!(error.to_string().contains(unknown), "{unknown}: {error}");
}

#[tokio::test]
async fn a_session_is_looked_for_where_its_configuration_is() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    // So that there are sessions here as well.
    ask(cli.options()).await.unwrap();
    let config = cli.folder().join("config");
    let there = with(&cli.options(), "CLAUDE_CONFIG_DIR", &config);
    let id = ask(there.clone()).await.unwrap();
    assert_eq!(ask(there.resume(&*id)).await.unwrap(), id);
    let error = ask(cli.options().resume(&*id)).await.unwrap_err();
    assert!(error.is_session_not_found(), "{error}");
}
