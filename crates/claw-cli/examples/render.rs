//! Draws a session while it runs: answers as they grow, tools and what they gave, how it ended.
//!
//! `cargo run -p claw-cli --example render -- "How many files are here?"`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example prints"
)]

use std::io::{Write, stdout};

use claw_client::types::control::PermissionResult;
use claw_client::types::{QueryOptions, escape};
use claw_client::{Error, Received, Session, ToolPermissionRequest};
use claw_view::element::{Content, ToolStatus};
use claw_view::{Change, Input, Timeline};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "How many files are here?".to_owned());
    let session = Session::builder(QueryOptions::default().include_partial_messages(true))
        .can_use_tool(|_: ToolPermissionRequest| async { PermissionResult::allow() })
        .connect()
        .await?;

    println!("> {}", escape(&prompt));
    let mut timeline = Timeline::default();
    let mut turn = session.send(prompt).await?;
    while let Some(received) = turn.try_next().await? {
        match received {
            Received::Message(message) => {
                for change in timeline.push(Input::Message(&message)) {
                    draw(&change);
                }
            }
            Received::Unreadable(line) => eprintln!("{line}"),
        }
    }
    session.close().await?;
    Ok(())
}

/// Texts are escaped, so that no output of the model or a tool can control the terminal.
fn draw(change: &Change) {
    match change {
        Change::Added(element) => match &element.content {
            Content::AssistantText(text) => print!("\n{}", escape(&text.text)),
            Content::ToolCall(call) => print!("\n● {}", escape(&call.tool)),
            Content::ToolResult(result) => print!("\n{}", escape(&result.text)),
            Content::TurnEnd(end) => println!("\n— {}", escape(&end.text)),
            _ => {}
        },
        Change::Grew(growth) => print!("{}", escape(&growth.text)),
        Change::Updated(element) => match &element.content {
            Content::ToolCall(call) if call.status == ToolStatus::Running => {
                print!("\n● {}", escape(&call.title));
            }
            _ => {}
        },
        // A program that redraws the screen would update the drawn element here. This one only
        // appends lines.
        _ => {}
    }
    // The reader of stdout may have closed the pipe.
    let _ = stdout().flush();
}
