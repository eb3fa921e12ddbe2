//! Two hooks: one refuses harmful commands, and one prints the commands that were run.
//!
//! A hook is called before any rule or permission callback, so it also guards uses that a rule
//! allows.
//!
//! `cargo run -p claw-client --example hooks_guard -- "Clean this folder up."`
#![expect(clippy::print_stdout, reason = "an example prints")]

use claw_client::hook::{PostToolUse, PreToolUse};
use claw_client::types::hook::PreToolUseOutput;
use claw_client::types::hook::{HookPermissionDecision, PostToolUseInput, PreToolUseInput};
use claw_client::types::tool::ToolInput;
use claw_client::{CallbackContext, Error, QueryOptions, Session};

/// The tools that run commands. On Windows, where Git Bash is missing, claude uses PowerShell.
const SHELLS: &str = "Bash|PowerShell";
/// Texts that no command may contain.
const FORBIDDEN: [&str; 3] = ["rm -rf", "git push", "sudo "];

/// Refuses some commands; about others it has no opinion. The model reads the reason.
async fn guard(input: PreToolUseInput, _: CallbackContext) -> Option<PreToolUseOutput> {
    let deny = PreToolUseOutput::new().permission_decision(HookPermissionDecision::Deny);
    let command = match input.typed_input() {
        Ok(ToolInput::Bash(bash)) => Some(bash.command),
        // PowerShell's input has no type.
        _ => input
            .tool_input
            .get("command")
            .and_then(|command| Some(command.as_str()?.into_owned())),
    };
    let Some(command) = command else {
        return Some(deny.permission_decision_reason("this hook knows commands alone"));
    };
    let part = FORBIDDEN.iter().find(|part| command.contains(**part))?;
    println!("refused: {command}");
    Some(deny.permission_decision_reason(format!("`{}` is not allowed here", part.trim())))
}

/// Says nothing to the CLI.
async fn log(input: PostToolUseInput, _: CallbackContext) {
    println!("ran: {}", input.tool_input.as_raw());
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "Clean this folder up.".to_owned());

    let session = Session::builder(QueryOptions::default().allowed_tools(SHELLS.split('|')))
        .hook::<PreToolUse>(SHELLS, guard)
        .hook::<PostToolUse>(SHELLS, log)
        .connect()
        .await?;

    println!("{}", session.ask(prompt).await?);
    session.close().await?;
    Ok(())
}
