//! Prompts of every shape that can be built are taken.

use claw_client::Session;
use claw_client::types::api::{
    Base64Source, ContentBlock, DocumentBlock, ImageBlock, MessageParam, TextBlock, TextSource,
};
use claw_client::types::message::{HumanOrigin, Priority, UserMessage};
use claw_client::types::{Message, MessageUuid};
use claw_testkit::api::{Api, scenarios};

use super::cli::Cli;
use crate::agent::{next, soon};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

#[tokio::test]
async fn a_prompt_with_everything_is_answered() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let blocks: Vec<ContentBlock> = vec![
        TextBlock::new("What is 2 + 2?").into(),
        ImageBlock::new(Base64Source::new("image/png", PNG)).into(),
        DocumentBlock::new(TextSource::new("text/plain", "Two and two."))
            .title("Sums")
            .into(),
    ];
    let whole = UserMessage::prompt(blocks)
        .session_id("")
        .priority(Priority::Next)
        .origin(HumanOrigin::new())
        .timestamp("2026-01-02T03:04:05.678Z")
        .client_composed(true)
        .is_synthetic(false)
        .should_query(true)
        .pasted_content(vec!["2 + 2".into()])
        .inline_pastes(vec!["2 + 2".to_owned()]);
    let plain = UserMessage::new(MessageParam::user("What is 2 + 2?")).uuid(MessageUuid::random());
    for prompt in [whole, plain] {
        let result = soon(session.send(prompt).await.unwrap().result())
            .await
            .unwrap();
        assert_eq!(result.text(), "Two and two make 4.");
    }
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn what_is_built_is_what_claude_says() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mut options = cli.options();
    options.extra_args = Some([("replay-user-messages", None)].into_iter().collect());
    let session = soon(Session::builder(options).connect()).await.unwrap();
    let prompt = UserMessage::prompt("What is 2 + 2?");
    let mut turn = session.send(prompt.clone()).await.unwrap();
    let mut replay = None;
    while let Some(message) = next(&mut turn).await.unwrap() {
        if let Message::UserReplay(message) = message {
            replay = Some(message);
        }
    }
    let replay = replay.unwrap();
    let built =
        claw_client::types::message::UserMessageReplay::of(prompt, replay.session_id.clone());
    assert_eq!(
        (&replay.uuid, &replay.message),
        (&built.uuid, &built.message)
    );
    soon(session.close()).await.unwrap();
}
