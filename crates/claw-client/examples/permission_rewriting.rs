//! Lets claude write files, but only into the folder `drafts`: the path is rewritten before the tool runs.
//!
//! `cargo run -p claw-client --example permission_rewriting -- "Write a haiku into haiku.txt."`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use claw_client::types::control::{PermissionAllow, PermissionResult};
use claw_client::types::tool::ToolInput;
use claw_client::types::{Json, QueryOptions};
use claw_client::{Error, Session, ToolPermissionRequest};

/// Allows `Write`, in `drafts`, and nothing else.
async fn redirect(request: ToolPermissionRequest) -> PermissionResult {
    let Ok(ToolInput::Write(mut write)) = request.typed_input() else {
        return PermissionResult::deny("only Write is allowed here");
    };
    let Some(name) = Path::new(&write.file_path).file_name() else {
        return PermissionResult::deny("this path names no file");
    };
    let Ok(folder) = std::env::current_dir() else {
        return PermissionResult::deny("there is no working directory");
    };
    let path = folder.join("drafts").join(name);
    println!(
        "{} becomes {}",
        write.file_path.escape_debug(),
        path.display()
    );
    write.file_path = path.display().to_string();
    match Json::new(&write) {
        Ok(input) => PermissionAllow::new().updated_input(input).into(),
        Err(error) => PermissionResult::deny(error.to_string()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let asked = std::env::args().nth(1);
    let prompt = asked.unwrap_or_else(|| "Write a haiku into haiku.txt.".to_owned());
    let session = Session::builder(QueryOptions::default())
        .can_use_tool(redirect)
        .connect()
        .await?;
    println!("{}", session.ask(prompt).await?);
    session.close().await?;
    Ok(())
}
