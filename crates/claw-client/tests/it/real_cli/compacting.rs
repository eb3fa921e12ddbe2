//! Compactions on request, by the real CLI.

use claw_client::types::message::CompactTrigger;
use claw_client::{Error, Session};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, ApiError, Rule, Scenario, scenarios};

use super::{Cli, patience};
use crate::agent::soon;

fn is_not_compacted(error: &Error, text: &str, is_failed: bool) {
    let why = error.not_compacted().unwrap_or_else(|| panic!("{error}"));
    assert!(why.reason.contains(text), "{why:?}");
    assert_eq!(why.is_failed, is_failed, "{why:?}");
}

#[tokio::test]
async fn a_conversation_is_compacted_on_request() {
    let api = Api::start(scenarios::compact()).await.unwrap();
    let cli = Cli::new(&api);
    for verbatim in [false, true] {
        let options = cli.options().verbatim_prompts(verbatim);
        let session = soon(Session::builder(options).connect()).await.unwrap();
        let error = soon(session.compact()).await.unwrap_err();
        is_not_compacted(&error, "No messages to compact", false);

        soon(session.ask("Hello?")).await.unwrap();
        api.take_requests();
        let done = soon(session.compact_with("Keep the greeting."))
            .await
            .unwrap();
        assert_eq!(done.trigger, CompactTrigger::Manual);
        assert!(
            done.pre_tokens.get() > 0 && done.post_tokens.is_some(),
            "{done:?}"
        );
        let asked = api.take_requests();
        assert!(
            asked
                .iter()
                .any(|request| request.body.to_string().contains("Keep the greeting."))
        );

        // The summary has taken the place of the first prompt.
        soon(session.ask("And now?")).await.unwrap();
        let asked = api.take_requests().pop().unwrap();
        assert!(
            asked.body["messages"]
                .to_string()
                .contains("They said hello.")
        );
        assert!(!asked.body["messages"].to_string().contains("Hello?"));
        soon(session.close_with(patience())).await.unwrap();
    }
}

/// The API fails, the compaction is interrupted, or the command is disabled. The session continues each time.
#[tokio::test]
async fn a_compaction_that_fails_says_why() {
    let refused = ApiError::new(400, "invalid_request_error", "No summary today");
    let refused = Answer::Error(refused.header("x-should-retry", "false"));
    let summary = Block::text("<summary>They said hello.</summary>").hold(0, "summary");
    let api = Api::start(Scenario::new(
        "failing",
        [
            Rule::new(refused).on_prompt("Refuse this."),
            Rule::new(Answer::message([summary])).on_prompt("summary"),
            Rule::new(Answer::message([Block::text("Hello there.")])),
        ],
    ));
    let api = api.await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    soon(session.ask("Hello?")).await.unwrap();
    let error = soon(session.compact_with("Refuse this."))
        .await
        .unwrap_err();
    is_not_compacted(&error, "No summary today", true);

    let compacting = tokio::spawn(session.compact());
    soon(api.gates().reached("summary")).await;
    soon(session.interrupt()).await.unwrap();
    let error = soon(compacting).await.unwrap().unwrap_err();
    is_not_compacted(&error, "aborted", true);
    assert_eq!(
        soon(session.ask("Still there?")).await.unwrap(),
        "Hello there."
    );
    soon(session.close_with(patience())).await.unwrap();

    let mut options = cli.options();
    let env = options.env.get_or_insert_default();
    env.insert("DISABLE_COMPACT", Some("1".to_owned()));
    let session = soon(Session::builder(options).connect()).await.unwrap();
    soon(session.ask("Hello?")).await.unwrap();
    let error = soon(session.compact()).await.unwrap_err();
    is_not_compacted(&error, "/compact isn't available", false);
    soon(session.close_with(patience())).await.unwrap();
}
