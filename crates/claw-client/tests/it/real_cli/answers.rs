//! The whole answer of a turn, whatever blocks it has and however often its connection breaks off.

use claw_client::{Message, Session, TurnEvent, query};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, CUT, Rule, Scenario};
use futures::{StreamExt as _, TryStreamExt as _};
use serde_json::json;

use super::{cli::Cli, conversation::Sum, patience};
use crate::agent::soon;

fn halves() -> Answer {
    let citation = json!({"type": "char_location", "cited_text": "half", "document_index": 0,
        "document_title": null, "start_char_index": 0, "end_char_index": 4});
    Answer::message([
        Block::thinking("Two parts.", "signed"),
        Block::cited_text("First half {\"a\":", [citation]),
        Block::text(" second half 1}"),
    ])
}

const WHOLE: &str = "First half {\"a\": second half 1}";

/// The CLI's own result has the last block alone.
#[tokio::test]
async fn an_answer_in_two_blocks_is_given_whole() {
    for partial in [true, false] {
        let api = Api::start(Scenario::new("halves", [Rule::new(halves())]))
            .await
            .unwrap();
        let cli = Cli::new(&api);
        let options = || cli.options().include_partial_messages(partial);
        let answer = soon(async { query("Say it.", options()).await?.answer().await }).await;
        assert_eq!(answer.unwrap(), WHOLE);

        let session = soon(Session::builder(options()).connect()).await.unwrap();
        assert_eq!(soon(session.ask("Say it.")).await.unwrap(), WHOLE);
        let mut turn = session.send("Say it.").await.unwrap();
        assert_eq!(soon(turn.last()).await.unwrap().text(), WHOLE);
        let mut text = session.send("Say it.").await.unwrap().text_stream();
        let pieces: Vec<String> = soon(text.by_ref().try_collect()).await.unwrap();
        assert_eq!(
            (pieces.concat(), &*text.result().unwrap().text()),
            (WHOLE.to_owned(), WHOLE)
        );
        // All other messages have another reader.
        let mut messages = session.messages().unwrap();
        let turn = session.send("Say it.").await.unwrap();
        assert_eq!(soon(turn.answer()).await.unwrap(), WHOLE);
        let mut last = None;
        while last.is_none() {
            let message = soon(messages.try_next()).await.unwrap().unwrap();
            last = match message.into_message() {
                Some(Message::ResultSuccess(result)) => Some(result.result),
                _ => None,
            };
        }
        assert_eq!(last.unwrap(), " second half 1}");
        drop(messages);
        soon(session.close_with(patience())).await.unwrap();
    }
}

/// Text before, between and behind it is the model's, and no part of the output. The CLI's result has the last block alone:
/// the output, or text.
#[tokio::test]
async fn output_of_a_form_beside_text_blocks_is_whole_and_has_nothing_of_them() {
    let output = || Block::tool_use("StructuredOutput", json!({"answer": 4}));
    let text = |text: &str| Block::text(text);
    for (blocks, expected) in [
        (
            vec![text("It is {\"answer\":"), text(" 5}."), output()],
            "{\"answer\":4}",
        ),
        (
            vec![text("{\"answer\": 5} "), output(), text("Or is it")],
            "{\"answer\": 5} Or is it",
        ),
        (
            vec![output(), text("It is"), text(" {\"answer\": 5}")],
            "It is {\"answer\": 5}",
        ),
    ] {
        let rule = Rule::new(Answer::message(blocks));
        let api = Api::start(Scenario::new("beside", [rule])).await.unwrap();
        let cli = Cli::new(&api);
        let builder = Session::builder(cli.options()).output_as::<Sum>();
        let session = soon(builder.connect()).await.unwrap();
        let sum = soon(session.ask_as::<Sum>("What is 2 + 2?")).await;
        assert_eq!(sum.unwrap(), Sum { answer: 4 });
        let turn = session.send("What is 2 + 2?").await.unwrap();
        let result = soon(turn.result()).await.unwrap();
        assert_eq!(result.text(), expected);
        let kept = result.structured_output().unwrap();
        assert_eq!(kept.get("answer").unwrap().parse::<i64>().unwrap(), 4);
        soon(session.close_with(patience())).await.unwrap();
    }
    // Without any structured output, the error contains the whole text.
    let missing = Scenario::new("halves", [Rule::new(halves())]);
    let api = Api::start(missing).await.unwrap();
    let cli = Cli::new(&api);
    let builder = Session::builder(cli.options()).output_as::<Sum>();
    let session = soon(builder.connect()).await.unwrap();
    let error = soon(session.ask_as::<Sum>("What is 2 + 2?")).await;
    let error = error.unwrap_err();
    assert!(error.is_output(), "{error}");
    assert_eq!(error.turn_result().unwrap().text(), WHOLE);
    soon(session.close_with(patience())).await.unwrap();
}

/// The CLI lets the model go on where a block was complete.
#[tokio::test]
async fn an_answer_that_goes_on_after_a_cut_is_given_whole() {
    let cut = Answer::message([
        Block::text("The first block. "),
        Block::text("Half a block").hold(1, CUT),
    ]);
    let rules = [Rule::new(cut).times(1), Rule::new(halves())];
    let api = Api::start(Scenario::new("cut", rules)).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let answer = soon(session.ask("Say it.")).await.unwrap();
    assert_eq!(answer, format!("The first block. {WHOLE}"));
    let resumed = api.requests().pop().unwrap().body.to_string();
    assert!(
        resumed.contains("Resume directly from where it stops"),
        "{resumed}"
    );
    soon(session.close_with(patience())).await.unwrap();
}

/// What was shown of a block that was not complete counts no more: the CLI asks the model anew.
#[tokio::test]
async fn text_of_an_attempt_that_was_cut_is_withdrawn() {
    let cut = || Answer::message([Block::text("Half a block").hold(1, CUT)]);
    let rules = [Rule::new(cut()).times(2), Rule::new(halves())];
    let api = Api::start(Scenario::new("cut", rules)).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let mut events = session.send("Say it.").await.unwrap().events();
    let (mut shown, mut ends, mut withdrawn) = (String::new(), 0, Vec::new());
    while let Some(event) = soon(events.try_next()).await.unwrap() {
        match event {
            TurnEvent::Text(text) => shown += &text,
            TurnEvent::BlockEnd => ends += 1,
            TurnEvent::Withdrawn(gone) => {
                shown.truncate(shown.len() - gone.text.len());
                withdrawn.push(gone.text);
            }
            TurnEvent::Result(result) => assert_eq!(result.text(), WHOLE),
            _ => {}
        }
    }
    assert_eq!((&*shown, ends), (WHOLE, 3));
    assert_eq!(withdrawn, ["Half ", "Half "]);
    soon(session.close_with(patience())).await.unwrap();
}
