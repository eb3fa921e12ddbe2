//! Options that are handed over in `initialize`, to a CLI that takes them or does not.

use claw_client::types::options::Delivery;
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Session};
use claw_testkit::agent::{Script, Step};
use futures::TryStreamExt;
use serde_json::json;

use crate::agent::{Agent, all, soon};

fn options() -> QueryOptions {
    QueryOptions::default().settings(json!({"permissions": {"deny": ["Bash"]}}))
}

/// Answers the handshake, and says whether it took the settings. Holds the answer at `answer`.
fn initialized(applied: Option<bool>) -> Vec<Step> {
    let mut answer = json!({"commands": [], "agents": [], "output_style": "default",
        "available_output_styles": [], "models": [], "account": {}});
    if let Some(applied) = applied {
        answer["settings_applied"] = applied.into();
    }
    vec![
        Step::expect_request("initialize"),
        Step::gate("answer"),
        Step::Reply(answer),
    ]
}

fn is_not_taken(error: &Error) -> bool {
    error.is_not_taken() && error.to_string().contains("the option settings")
}

#[tokio::test]
async fn a_session_without_its_settings_is_none() {
    for applied in [None, Some(false)] {
        let (pipe, agent) = Agent::start(Script::new(initialized(applied)));
        agent.gates.open("answer");
        let error = soon(Session::builder(options()).transport(pipe).connect())
            .await
            .unwrap_err();
        assert!(is_not_taken(&error), "{error}");
        agent.gone().await;
    }
}

#[tokio::test]
async fn a_query_without_its_settings_says_nothing() {
    let (pipe, agent) = Agent::start(Script::new(initialized(Some(false))));
    let builder = Session::builder(options());
    let messages = soon(builder.transport(pipe).query("Hello?")).await.unwrap();
    agent.gates.open("answer");
    let error = soon(messages.try_collect::<Vec<_>>()).await.unwrap_err();
    assert!(is_not_taken(&error), "{error}");
    let received = agent.received().await;
    assert_eq!(received.len(), 1, "only the handshake: {received:?}");
}

#[tokio::test]
async fn a_prompt_waits_for_the_settings() {
    let mut steps = initialized(Some(true));
    steps.push(Step::Turn(vec![]));
    let (pipe, agent) = Agent::start(Script::new(steps));
    let builder = Session::builder(options());
    let messages = soon(builder.transport(pipe).query("Hello?")).await.unwrap();
    soon(agent.gates.reached("answer")).await;
    agent.gates.open("answer");
    let messages = all(messages).await.unwrap();
    assert!(messages.iter().any(Message::is_result));
    let received = agent.received().await;
    assert_eq!(
        received[0]["request"]["settings"]["permissions"],
        json!({"deny": ["Bash"]})
    );
    assert_eq!(received[1]["message"]["content"], "Hello?");
}

#[tokio::test]
async fn what_goes_in_files_is_not_waited_for() {
    let script = Script::reply("Hello.");
    let (pipe, agent) = Agent::start(script);
    let builder = Session::builder(options().delivery(Delivery::File));
    let session = soon(builder.transport(pipe).connect()).await.unwrap();
    let result = soon(session.send("Hello?").await.unwrap().result()).await;
    assert!(!result.unwrap().is_error());
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    assert!(received[0]["request"].get("settings").is_none());
}

#[tokio::test]
async fn prompts_are_taken_word_for_word_where_that_is_asked_for() {
    for verbatim in [None, Some(true)] {
        let mut options = QueryOptions::default();
        options.verbatim_prompts = verbatim;
        let (pipe, agent) = Agent::start(Script::reply("Hello."));
        let session = soon(Session::builder(options).transport(pipe).connect())
            .await
            .unwrap();
        soon(session.send("/hello").await.unwrap().result())
            .await
            .unwrap();
        soon(session.close()).await.unwrap();
        let received = agent.received().await;
        let prompt = received.iter().find(|line| line["type"] == "user").unwrap();
        assert_eq!(
            prompt.get("client_composed"),
            verbatim.map(|_| &json!(true))
        );
    }
}
