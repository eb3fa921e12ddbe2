//! Sessions that go on, on the real CLI.

use claw_client::types::Message;
use claw_client::types::control::{GetContextUsage, SetModel};
use claw_client::{Prompt, Session};
use claw_testkit::api::{Api, Scenario, scenarios};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use super::{cli::Cli, patience};
use crate::agent::{all, next, soon};

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
pub(super) struct Sum {
    /// The result of the addition.
    pub(super) answer: i64,
}

/// The model gives this as its output, again and again.
fn structured(block: &serde_json::Value) -> Scenario {
    let rules = json!([{"answer": {"message": [block]}}]);
    serde_json::from_value(json!({"name": "structured", "rules": rules})).unwrap()
}

#[tokio::test]
async fn output_of_a_form_right_wrong_and_missing() {
    let output = |input| {
        structured(&json!({"type": "tool_use", "name": "StructuredOutput",
        "input": {"answer": input}}))
    };
    let cases = [
        (output(json!(4)), "right"),
        (output(json!("four")), "wrong"),
        (
            structured(&json!({"type": "text", "text": "It is four."})),
            "missing",
        ),
    ];
    for (scenario, how) in cases {
        let api = Api::start(scenario).await.unwrap();
        let cli = Cli::new(&api);
        let builder = Session::builder(cli.options()).output_as::<Sum>();
        let session = soon(builder.connect()).await.unwrap();
        let answer = soon(session.ask_as::<Sum>("What is 2 + 2?")).await;
        let fits = match (&answer, how) {
            (Ok(answer), "right") => *answer == Sum { answer: 4 },
            (Err(error), "wrong") => error.is_turn_failed(),
            (Err(error), "missing") => {
                error.is_output() && error.turn_result().unwrap().text() == "It is four."
            }
            _ => false,
        };
        assert!(fits, "{how}: {answer:?}");
        soon(session.close_with(patience())).await.unwrap();
    }
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Person {
    name: String,
}

/// The CLI puts prompts that wait into one turn.
#[tokio::test]
async fn three_that_ask_at_once_get_their_own_answers() {
    const NAMES: [&str; 3] = ["Ada", "Bob", "Eve"];
    let rules = NAMES.map(|name| {
        json!({
            "when": {"prompt": name},
            "answer": {"message": [
                {"type": "tool_use", "name": "StructuredOutput", "input": {"name": name}}
            ]},
        })
    });
    let scenario = json!({"name": "people", "rules": rules});
    let api = Api::start(serde_json::from_value(scenario).unwrap())
        .await
        .unwrap();
    let cli = Cli::new(&api);
    let builder = Session::builder(cli.options()).output_as::<Person>();
    let session = soon(builder.connect()).await.unwrap();
    let ask = |name| session.ask_as::<Person>(format!("Who is {name}?"));
    let answers = soon(futures::future::join_all(NAMES.map(ask))).await;
    for (name, answer) in NAMES.iter().zip(answers) {
        assert_eq!(answer.unwrap().name, *name);
    }
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_session_is_gone_on_with_and_forked() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let session_of = |messages: &[Message]| {
        let init = messages.iter().find_map(|message| match message {
            Message::SystemInit(init) => Some(init.session_id.clone()),
            _ => None,
        });
        init.unwrap()
    };
    let answers = |messages: &[Message]| {
        messages.iter().rev().find_map(|message| match message {
            Message::Assistant(answer) => Some(answer.uuid.clone()),
            _ => None,
        })
    };
    let ask = async |options| {
        let query = soon(claw_client::query("What is 2 + 2?", options))
            .await
            .unwrap();
        all(query).await.unwrap()
    };
    let first = ask(cli.options()).await;
    let id = session_of(&first);
    let resumed = ask(cli.options().resume(id.clone())).await;
    assert_eq!(session_of(&resumed), id);
    let continued = ask(cli.options().continue_session(true)).await;
    assert_eq!(session_of(&continued), id);
    let forked = ask(cli.options().resume(id.clone()).fork_session(true)).await;
    assert_ne!(session_of(&forked), id);
    let at = answers(&first).unwrap();
    let back = ask(cli.options().resume(id.clone()).resume_session_at(at)).await;
    assert_eq!(session_of(&back), id);
    // What the model was told grows with what was said, and is cut back at the end.
    let asked = api.requests();
    let asked = asked.iter().filter(|request| request.is_message());
    let said = |body: &serde_json::Value| body["messages"].as_array().map_or(0, Vec::len);
    let lengths: Vec<_> = asked.map(|request| said(&request.body)).collect();
    let [first, resumed, continued, forked, back] = lengths[..] else {
        panic!("{lengths:?}")
    };
    assert!(
        first < resumed && resumed < continued && continued < forked,
        "{lengths:?}"
    );
    assert_eq!(back, resumed, "{lengths:?}");
}

#[tokio::test]
async fn a_prompt_that_wants_no_answer_is_remembered() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let aside = Prompt::from("My name is Ada.").without_answer();
    let result = soon(session.send(aside).await.unwrap().result())
        .await
        .unwrap();
    assert!(!result.is_error() && result.text().is_empty(), "{result:?}");
    assert_eq!(
        soon(session.ask("What is 2 + 2?")).await.unwrap(),
        "Two and two make 4."
    );
    assert!(
        api.requests()
            .iter()
            .any(|request| request.body.to_string().contains("Ada"))
    );
    let usage = session.usage();
    assert_eq!((usage.results, usage.turns), (2, 1));
    assert!(
        usage.tokens().output > 0 && usage.cost_usd > 0.0,
        "{usage:?}"
    );
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_prompt_that_waits_is_taken_back() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let running = session.send("Count").await.unwrap();
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    let later = Prompt::from("And this").priority(claw_client::types::message::Priority::Later);
    let waiting = session.send(later).await.unwrap();
    assert!(soon(waiting.cancel()).await.unwrap().cancelled);
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    assert!(!soon(running.result()).await.unwrap().is_error());
    assert!(soon(waiting.result()).await.unwrap_err().is_result_lost());
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn prompts_of_a_stream_are_all_answered() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let prompts = stream::iter(["One?", "Two?"]);
    let query = soon(Session::builder(cli.options()).query_all(prompts))
        .await
        .unwrap();
    let messages = all(query).await.unwrap();
    let named: usize = messages
        .iter()
        .filter_map(|message| match message {
            Message::ResultSuccess(result) => result.user_message_uuids.as_ref().map(Vec::len),
            _ => None,
        })
        .sum();
    assert_eq!(named, 2);
}

#[tokio::test]
async fn text_comes_in_pieces_and_the_session_answers_meanwhile() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let mut text = session.send("Count").await.unwrap().text_stream();
    api.gates().open("first");
    let first = soon(text.next()).await.unwrap().unwrap();
    assert!(!first.is_empty());
    soon(session.call(GetContextUsage::new())).await.unwrap();
    let model = soon(session.call(SetModel::new().model("haiku")))
        .await
        .unwrap();
    assert!(model.unwrap().model.contains("haiku"));
    soon(session.reinitialize()).await.unwrap();
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    let rest: Vec<String> = soon(text.by_ref().try_collect()).await.unwrap();
    let result = text.result().unwrap();
    assert_eq!(format!("{first}{}", rest.concat()), result.text());
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn work_in_the_background_has_a_result_of_its_own() {
    let scenario = scenarios::subagent_background();
    let prompt = scenario.prompt.clone();
    let api = Api::start(scenario).await.unwrap();
    let cli = Cli::new(&api);
    let builder = Session::builder(cli.options());
    let builder =
        builder.can_use_tool(|_| async { claw_client::types::control::PermissionResult::allow() });
    let session = soon(builder.connect()).await.unwrap();
    let mut messages = session.messages().unwrap();
    let turn = session.send(prompt).await.unwrap();
    assert!(!soon(turn.result()).await.unwrap().is_error());
    let mut results = 0;
    while results < 2 {
        let message = next(&mut messages).await.unwrap().unwrap();
        results += usize::from(message.is_result());
    }
    assert_eq!(session.usage().subagents, 1);
    soon(session.close_with(patience())).await.unwrap();
}
