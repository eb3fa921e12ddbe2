//! What must not get into a store, and what a session that comes out of one needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use claw_client::OauthToken;
use claw_client::store::{ListSubkeys, MemoryStore, ReadSessions as _, SessionRef};
use claw_client::types::{Json, QueryOptions};
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt as _;
use serde_json::{Value, json};

use super::cli::Cli;
use super::decisions::{says, scenario};
use super::stores::{lines, stored};
use crate::agent::soon;

const SECRETS: [&str; 7] = [
    "sk-secret-key",
    "secret-access",
    "secret-refresh",
    "secret-setting",
    "secret-helper",
    "secret-header",
    "secret-state",
];

/// A user with secrets in every place that the CLI reads.
fn user(cli: &Cli, expires: u64) {
    let claude = cli.home().join(".claude");
    std::fs::create_dir_all(&claude).unwrap();
    let write = |path: std::path::PathBuf, value: &Value| {
        std::fs::write(path, value.to_string()).unwrap();
    };
    let credentials = json!({"claudeAiOauth": {
        "accessToken": "secret-access", "refreshToken": "secret-refresh", "expiresAt": expires,
        "scopes": ["user:inference", "user:profile"], "subscriptionType": "max"
    }});
    write(claude.join(".credentials.json"), &credentials);
    let settings = json!({
        "env": {"MY_TOKEN": "secret-setting", "ANTHROPIC_CUSTOM_HEADERS": "x-mine: secret-header"},
        "apiKeyHelper": "echo secret-helper"
    });
    write(claude.join("settings.json"), &settings);
    let state = json!({"primaryApiKey": "secret-state", "userID": "somebody"});
    write(cli.home().join(".claude.json"), &state);
}

fn with_key(cli: &Cli, key: Option<&str>) -> QueryOptions {
    let mut options = cli.options();
    let env = options.env.get_or_insert_default();
    env.insert("ANTHROPIC_API_KEY", key.map(str::to_owned));
    // Whatever is not on loopback is not there.
    env.insert("HTTPS_PROXY", Some("http://127.0.0.1:9".to_owned()));
    env.insert("NO_PROXY", Some("127.0.0.1".to_owned()));
    options
}

/// Everything that a store has: keys, lines, summaries.
async fn everything(store: &Arc<MemoryStore>) -> Vec<String> {
    let mut all = Vec::new();
    let listed: Vec<_> = store
        .lists()
        .unwrap()
        .sessions(None)
        .try_collect()
        .await
        .unwrap();
    for found in listed {
        all.push(format!("{found:?}"));
        let subkeys = ListSubkeys::subkeys(&**store, &found.session)
            .await
            .unwrap();
        all.extend(lines(store, &found.session, None).await);
        for subkey in subkeys {
            all.push(subkey.as_str().to_owned());
            all.extend(lines(store, &found.session, Some(subkey.as_str())).await);
        }
    }
    all
}

#[tokio::test]
async fn no_secret_of_the_user_reaches_the_store() {
    let api = Api::start(scenarios::subagent()).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let one = Cli::new(&api);
    user(&one, 4_000_000_000_000);
    let options = with_key(&one, Some("sk-secret-key"));
    let session = soon(stored(options, &store).connect()).await.unwrap();
    soon(session.ask("Ask the counter.")).await.unwrap();
    let reference = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();
    let other = Cli::new(&api);
    user(&other, 4_000_000_000_000);
    let options = with_key(&other, Some("sk-secret-key")).resume(reference.session());
    let session = soon(stored(options, &store).connect()).await.unwrap();
    soon(session.ask("And again.")).await.unwrap();
    soon(session.close()).await.unwrap();
    // It was used.
    let asked = format!("{:?}", api.requests());
    assert!(asked.contains("secret-header"));
    let all = everything(&store).await;
    assert!(all.len() > 20 && all.iter().any(|text| text.contains("Ask the counter.")));
    for secret in SECRETS {
        let found = all.iter().find(|text| text.contains(secret));
        assert_eq!(found, None, "{secret}");
    }
}

#[tokio::test]
async fn a_session_from_a_store_asks_its_host_for_a_new_token() {
    let refused = json!({"error": {
        "status": 401, "kind": "authentication_error", "message": "OAuth token has expired."
    }});
    let api = Api::start(scenario(&json!([
        {"when": {"prompt": "Again"}, "answer": refused, "times": 1},
        {"answer": says("Yes.")}
    ])))
    .await
    .unwrap();
    let store = Arc::new(MemoryStore::new());
    let one = Cli::new(&api);
    let options = with_key(&one, Some("sk-secret-key"));
    let session = soon(stored(options, &store).connect()).await.unwrap();
    soon(session.ask("The word is plum.")).await.unwrap();
    let reference: SessionRef = session.mirror().unwrap().session();
    soon(session.close()).await.unwrap();

    let other = Cli::new(&api);
    user(&other, 4_000_000_000_000);
    std::fs::remove_file(other.home().join(".claude/settings.json")).unwrap();
    std::fs::remove_file(other.home().join(".claude.json")).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let asks = asked.clone();
    let mut options = with_key(&other, None).resume(reference.session());
    let env = options.env.get_or_insert_default();
    // The CLI asks programs of some names alone.
    env.insert("CLAUDE_CODE_ENTRYPOINT", Some("local-agent".to_owned()));
    let builder = stored(options, &store).on_oauth_token_refresh(move |_: Json, _| {
        asks.fetch_add(1, Relaxed);
        async { OauthToken::new("fresh-access") }
    });
    let session = soon(builder.connect()).await.unwrap();
    assert_eq!(
        soon(session.ask("Again, which word?")).await.unwrap(),
        "Yes."
    );
    soon(session.close()).await.unwrap();
    // With the token that was copied, and once more with the new one.
    let with_token = api.requests();
    let with_token = with_token
        .iter()
        .filter(|request| request.header("authorization").is_some());
    assert_eq!(with_token.count(), 2);
    assert!(asked.load(Relaxed) > 0);
    for text in everything(&store).await {
        assert!(!text.contains("-access"), "{text}");
    }
}
