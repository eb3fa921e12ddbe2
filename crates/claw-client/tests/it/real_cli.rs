//! The real CLI, against the scripted Messages API.

use claw_client::Session;
use claw_client::types::Message;
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt;

mod cli;

use cli::Cli;

#[tokio::test]
async fn a_query_is_answered() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mut messages = Session::builder(cli.options())
        .query("What is 2 + 2?")
        .await
        .unwrap();
    let mut texts = String::new();
    let mut results = 0;
    while let Some(message) = messages.try_next().await.unwrap() {
        if let Message::Assistant(_) = message {
            texts.push_str(&message.text());
        }
        results += usize::from(message.is_result());
    }
    assert_eq!((texts.as_str(), results), ("Two and two make 4.", 1));
    assert!(messages.session().process().exit().unwrap().is_success());
}
