//! A program without async: a question, a chat, and a person who is asked before a tool is used.
//!
//! `cargo run -p claw-client --features blocking --example blocking -- "Write hello into greeting.txt."`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::io::{Write, stdin, stdout};

use claw_client::blocking::Session;
use claw_client::types::QueryOptions;
use claw_client::types::control::PermissionResult;
use claw_client::{Error, ToolPermissionRequest};

/// Asks on the terminal. There is no hurry, because the closure runs on its own thread.
fn ask_person(tool: &ToolPermissionRequest) -> PermissionResult {
    let input = tool.input().as_raw();
    println!("May claude use {}({input})? [y/N]", tool.tool_name());
    match stdin().lines().next() {
        Some(Ok(line)) if line.trim() == "y" => PermissionResult::allow(),
        _ => PermissionResult::deny("The user said no."),
    }
}

fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "Write hello into greeting.txt.".to_owned());

    let options = QueryOptions::default().include_partial_messages(true);
    let session = Session::builder(options)
        .can_use_tool(|tool| ask_person(&tool))
        .connect()?;

    // The text as it comes.
    for piece in session.send(prompt)?.text_stream() {
        print!("{}", piece?);
        // If the terminal has been closed, the write fails, and there is no remedy.
        let _ = stdout().flush();
    }
    println!();

    let exit = session.close()?;
    println!("claude ended: {exit}");
    Ok(())
}
