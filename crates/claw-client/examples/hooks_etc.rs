//! A hook that keeps claude from writing below `/etc`, even if rules and callbacks allow it.
//!
//! `cargo run -p claw-client --example hooks_etc -- "Add a line to /etc/hosts."`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::{Component, Path};

use claw_client::hook::PreToolUse;
use claw_client::types::QueryOptions;
use claw_client::types::hook::{HookPermissionDecision, PreToolUseInput, PreToolUseOutput};
use claw_client::types::tool::ToolInput;
use claw_client::{CallbackContext, Error, Session};

async fn guard(input: PreToolUseInput, _: CallbackContext) -> PreToolUseOutput {
    let reason = match input.typed_input() {
        Ok(ToolInput::Write(write)) => why_not(&input.cwd, &write.file_path),
        Ok(ToolInput::Edit(edit)) => why_not(&input.cwd, &edit.file_path),
        // An input that cannot be read might hide its path.
        _ => Some("this hook knows Write and Edit alone"),
    };
    match reason {
        Some(reason) => {
            println!("refused: {reason}");
            PreToolUseOutput::new()
                .permission_decision(HookPermissionDecision::Deny)
                .permission_decision_reason(reason)
        }
        None => PreToolUseOutput::new(),
    }
}

/// Looks where a path leads to: symbolic links count. One with `..` could lead anywhere.
fn why_not(cwd: &str, path: &str) -> Option<&'static str> {
    let path = Path::new(cwd).join(path);
    let leads_to = path.ancestors().find_map(|part| part.canonicalize().ok());
    let is_etc = |path: &Path| path.starts_with("/etc");
    let leads_back = path.components().any(|part| part == Component::ParentDir);
    if leads_back || is_etc(&path) || leads_to.is_none_or(|there| is_etc(&there)) {
        return Some("nothing may be written below /etc");
    }
    None
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "Add a line to /etc/hosts.".to_owned());
    let session = Session::builder(QueryOptions::default())
        .hook::<PreToolUse>("Write|Edit", guard)
        .connect()
        .await?;
    println!("{}", session.ask(prompt).await?);
    session.close().await?;
    Ok(())
}
