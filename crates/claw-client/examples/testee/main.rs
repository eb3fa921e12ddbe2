//! The testee of claw-client for `claw conform`: it does what one case says, and prints what its user sees. With
//! `--blocking`, it uses the API without async.
//!
//! From a checkout: `cargo build -p claw-client --features blocking,mcp --example testee`, and
//! `cargo run --features full -- conform -- target/debug/examples/testee`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error as StdError;
use std::io::stdin;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claw_client::hook::HookFor;
use claw_client::{
    Error, Json, Message, PermissionAllow, PermissionDeny, PermissionResult, QueryOptions,
    Received, Session, SessionBuilder, ToolPermissionRequest,
};
use futures::StreamExt as _;
use futures::future::join_all;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

mod blocking;

/// A case, as `claw conform` gives it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    claude: PathBuf,
    folder: String,
    prompts: Vec<String>,
    #[serde(default)]
    partial_messages: bool,
    permission: Option<Permission>,
    hook: Option<Hook>,
    tool: Option<Tool>,
    #[serde(default)]
    interrupt: bool,
    #[serde(default)]
    leave: bool,
    sessions: Option<usize>,
    time_limit: Option<u64>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Permission {
    behavior: Option<String>,
    updated_input: Option<Value>,
    message: Option<String>,
    raise: Option<String>,
    #[serde(default)]
    after_result: bool,
}

#[derive(Clone, Deserialize)]
struct Hook {
    event: String,
    response: Option<Value>,
    raise: Option<String>,
}

#[derive(Clone, Deserialize)]
struct Tool {
    server: String,
    response: Option<String>,
    raise: Option<String>,
}

impl Case {
    fn options(&self) -> QueryOptions {
        QueryOptions::default()
            .path_to_claude_code_executable(&self.claude)
            .cwd(&self.folder)
            .include_partial_messages(self.partial_messages)
    }
}

impl Hook {
    /// Reports the call. Returns what the hook returns.
    fn call(&self, input: &Json) -> Result<Value, String> {
        print_event("hook", &json!({"event": self.event, "input": input}));
        let output = self.raise.clone().map_or(Ok(self.response.clone()), Err);
        output.map(Option::unwrap_or_default)
    }
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Numbers {
    a: i64,
}

#[tool_router(server_handler)]
impl Tool {
    #[tool(description = "Doubles a number")]
    fn double(&self, Parameters(Numbers { a }): Parameters<Numbers>) -> Result<String, String> {
        print_event("tool", &json!({"name": "double", "input": {"a": a}}));
        match &self.raise {
            Some(text) => Err(text.clone()),
            None => Ok(self.response.clone().unwrap_or_default()),
        }
    }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    let case: Case = serde_json::from_str(&line)?;
    let played = if std::env::args().any(|argument| argument == "--blocking") {
        blocking::play_all(&case)
    } else {
        play_all(&case)?
    };
    for error in played.into_iter().filter_map(Result::err) {
        print_event("error", &json!(error.to_string()));
    }
    print_event("end", &json!(true));
    Ok(())
}

#[tokio::main]
async fn play_all(case: &Case) -> std::io::Result<Vec<Result<(), Error>>> {
    let sessions = (0..case.sessions.unwrap_or(1)).map(|_| play(case));
    Ok(join_all(sessions).await)
}

async fn play(case: &Case) -> Result<(), Error> {
    // Has a permit for each result.
    let results = Arc::new(Semaphore::new(0));
    let session = builder(case, &results).connect().await?;
    let talked = talk(case, &session, &results).await;
    let closed = session.close().await;
    talked.and(closed.map(drop))
}

fn builder(case: &Case, results: &Arc<Semaphore>) -> SessionBuilder {
    let mut builder = Session::builder(case.options());
    if let Some(seconds) = case.time_limit {
        builder = builder.stall_timeout(Duration::from_secs(seconds));
    }
    if let Some(permission) = case.permission.clone() {
        let results = Arc::clone(results);
        builder = builder.can_use_tool(move |request| {
            let answer = answer(&permission, &request);
            let results = permission.after_result.then(|| Arc::clone(&results));
            async move {
                if let Some(results) = results {
                    let _permit = results.acquire().await;
                }
                answer
            }
        });
    }
    if let Some(hook) = case.hook.clone() {
        let event = hook.event.clone();
        builder = builder.hook_named(event, HookFor::all(), move |input, _| {
            let output = hook.call(&input);
            async { output }
        });
    }
    if let Some(tool) = case.tool.clone() {
        builder = builder.mcp_server(tool.server.clone(), tool);
    }
    builder
}

fn answer(
    permission: &Permission,
    request: &ToolPermissionRequest,
) -> Result<PermissionResult, String> {
    print_event(
        "permission",
        &json!({"tool": request.tool_name(), "input": request.input()}),
    );
    if let Some(text) = &permission.raise {
        return Err(text.clone());
    }
    if permission.behavior.as_deref() == Some("deny") {
        let message = permission.message.clone().unwrap_or_default();
        return Ok(PermissionDeny::new(message).into());
    }
    let mut allow = PermissionAllow::new();
    if let Some(input) = &permission.updated_input {
        allow = allow.updated_input(input.clone());
    }
    Ok(allow.into())
}

/// Sends the prompts, and prints the messages of each turn.
async fn talk(case: &Case, session: &Session, results: &Semaphore) -> Result<(), Error> {
    for prompt in &case.prompts {
        let mut turn = session.send(prompt).await?;
        let mut is_first = true;
        while let Some(received) = turn.next().await {
            // A line that is no message does not end the session.
            let Received::Message(message) = received? else {
                continue;
            };
            print_event("message", &json!(message));
            if matches!(message, Message::ResultSuccess(_) | Message::ResultError(_)) {
                results.add_permits(1);
            }
            if !matches!(message, Message::Assistant(_)) || !std::mem::take(&mut is_first) {
                continue;
            }
            if case.leave {
                return Ok(());
            }
            if case.interrupt {
                session.interrupt().await?;
            }
        }
    }
    Ok(())
}

/// Prints an event.
fn print_event(name: &str, value: &Value) {
    println!("{}", json!({name: value}));
}
