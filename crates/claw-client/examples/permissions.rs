//! Who decides what tools may do: rules first, then a person.
//!
//! `cargo run -p claw-client --example permissions -- "Write hello into greeting.txt."`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::io::stdin;

use claw_client::{
    Error, FirstMatch, PermissionResult, QueryOptions, Session, ToolPermissionRequest,
};

/// Asks on the terminal. No answer is a no.
async fn ask_person(request: ToolPermissionRequest) -> PermissionResult {
    println!(
        "May claude use {}({})? [y/N/always]",
        request.tool_name(),
        request.input().as_raw()
    );
    let typed = tokio::task::spawn_blocking(|| stdin().lines().next());
    let line = match typed.await {
        Ok(Some(Ok(line))) => line,
        _ => String::new(),
    };
    match line.trim() {
        "y" => PermissionResult::allow(),
        // Similar uses are not asked again in this session. No settings file is written.
        "always" => request.allow_for_session(),
        _ => PermissionResult::deny("The user said no."),
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "Write hello into greeting.txt.".to_owned());

    // The first part that has an opinion decides; where none has, it is a no.
    let rules = FirstMatch::new()
        .allow(["Read", "Glob", "Grep"])
        .deny(["WebFetch", "WebSearch"], "there is no network here")
        .decide(ask_person);
    let session = Session::builder(QueryOptions::default())
        .permissions(rules)
        .connect()
        .await?;

    println!("{}", session.ask(prompt).await?);
    session.close().await?;
    Ok(())
}
