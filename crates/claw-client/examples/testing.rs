//! An application, and tests of it that need no `claude`, no network and no key.
//!
//! `cargo run -p claw-client --example testing`
//!
//! In your own project, `denies` and `crashes` are functions with `#[tokio::test]`, and claw-testkit is in
//! `[dev-dependencies]`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::types::QueryOptions;
use claw_client::types::control::PermissionResult;
use claw_client::{Error, Session, SessionBuilder, ToolPermissionRequest};
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::json;

/// The application. The caller decides how the application reaches claude: `main` passes a builder without changes, a
/// test passes a builder with a `transport`.
async fn tidy(builder: SessionBuilder) -> Result<String, Error> {
    let builder = builder.can_use_tool(|tool: ToolPermissionRequest| async move {
        match tool.tool_name() {
            "Bash" => PermissionResult::deny("no shell here"),
            _ => PermissionResult::allow(),
        }
    });
    let session = builder.connect().await?;
    let answer = session.ask("Tidy up.").await?;
    session.close().await?;
    Ok(answer)
}

fn builder(agent: &Agent) -> SessionBuilder {
    Session::builder(QueryOptions::default()).transport(agent.clone())
}

/// claude requests to use the shell. The application denies the request and gives a reason.
async fn denies() -> Result<(), Error> {
    let rm = Block::tool_use("Bash", json!({"command": "rm -rf build"}));
    let agent = Agent::new(Script::new([Step::Turn(vec![
        Step::message([rm]),
        Step::permission(
            [Step::message([Block::text("It is all gone.")])],
            [Step::message([Block::text("I touched nothing.")])],
        ),
    ])]));
    assert_eq!(tidy(builder(&agent)).await?, "I touched nothing.");

    let answers = agent.received().into_iter();
    let mut answers = answers.filter(|line| line["type"] == "control_response");
    let answer = &answers.next().unwrap_or_default()["response"]["response"];
    assert_eq!(
        (&answer["behavior"], &answer["message"]),
        (&json!("deny"), &json!("no shell here"))
    );
    println!("denied: {answer}");
    Ok(())
}

/// claude crashes in the middle of a turn. The application's error contains the last line of stderr.
async fn crashes() {
    let agent = Agent::new(Script::new([Step::Turn(vec![
        Step::message([Block::text("I begin.")]),
        Step::Stderr("fatal: out of memory\n".to_owned()),
        Step::Exit(137),
    ])]));
    let outcome = tidy(builder(&agent)).await;
    assert!(outcome.as_ref().is_err_and(Error::is_exited));
    let outcome = outcome.map_err(|error| error.to_string());
    assert!(
        outcome
            .as_ref()
            .is_err_and(|error| error.contains("out of memory"))
    );
    println!("crashed: {}", outcome.unwrap_or_else(|error| error));
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    denies().await?;
    crashes().await;
    Ok(())
}
