//! The testee of the crate claude-cli-sdk.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use claude_cli_sdk::config::INPUT_FORMAT_STREAM_JSON;
use claude_cli_sdk::{
    Client, ClientConfig, HookEvent, HookMatcher, HookOutput, Message, PermissionContext,
    PermissionDecision, Result, UserContent,
};
use futures::{Stream, StreamExt as _};
use serde_json::{Value, from_value, json};
use testees::{Case, Hook, Permission, print_event, read, run, unsupported};
use tokio::sync::Semaphore;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let case = read()?;
    if case.tool.is_some() {
        unsupported("MCP servers in the process");
    }
    let fails = case
        .permission
        .as_ref()
        .is_some_and(|it| it.raise.is_some())
        || case.hook.as_ref().is_some_and(|it| it.raise.is_some());
    if fails {
        unsupported("callbacks that fail: permissions and hooks return no Result");
    }
    run(&case, || play(&case)).await;
    Ok(())
}

/// The configuration for a session that reads lines of JSON, whose first prompt is the first line.
fn config(case: &Case, results: &Arc<Semaphore>) -> ClientConfig {
    let prompt = &case.prompts[0];
    let first = json!({"type": "user", "message": {"role": "user", "content": prompt}});
    let mut config = ClientConfig::builder()
        .prompt(prompt)
        .cli_path(case.claude.clone())
        .cwd(case.folder.clone())
        .input_format(INPUT_FORMAT_STREAM_JSON)
        .init_stdin_message(first.to_string())
        .end_input_on_connect(false)
        .build();
    if case.partial_messages {
        config.extra_args = BTreeMap::from([("include-partial-messages".to_owned(), None)]);
    }
    config.read_timeout = case.time_limit.map(Duration::from_secs);
    if let Some(permission) = case.permission.clone() {
        let results = Arc::clone(results);
        config.can_use_tool = Some(Arc::new(
            move |tool: &str, input: &Value, _: PermissionContext| {
                print_event("permission", json!({"tool": tool, "input": input}));
                let decision = decide(&permission);
                let results = permission.after_result.then(|| Arc::clone(&results));
                Box::pin(async {
                    if let Some(results) = results {
                        let _permit = results.acquire_owned().await;
                    }
                    decision
                })
            },
        ));
    }
    if let Some(hook) = case.hook.clone() {
        config.hooks = vec![matcher(hook)];
    }
    config
}

fn decide(permission: &Permission) -> PermissionDecision {
    match &permission.updated_input {
        _ if permission.behavior.as_deref() == Some("deny") => {
            PermissionDecision::deny(&permission.message)
        }
        Some(input) => PermissionDecision::allow_with_input(input.clone()),
        None => PermissionDecision::allow(),
    }
}

fn matcher(hook: Hook) -> HookMatcher {
    // The crate names events as PreToolUse, and writes them as pre_tool_use.
    let name: String = hook
        .event
        .chars()
        .enumerate()
        .fold(String::new(), |name, (at, letter)| {
            let gap = if at > 0 && letter.is_uppercase() {
                "_"
            } else {
                ""
            };
            name + gap + &letter.to_lowercase().to_string()
        });
    let Ok(event) = from_value::<HookEvent>(json!(name)) else {
        unsupported("hooks of this event");
    };
    let call = move |input, _, _| {
        print_event("hook", json!({"event": hook.event, "input": json!(input)}));
        let reason = hook.response["reason"].as_str().unwrap_or_default();
        let output = if hook.response["decision"] == "block" {
            HookOutput::block(reason)
        } else {
            HookOutput::allow()
        };
        Box::pin(async { output }) as _
    };
    HookMatcher::new(event, Arc::new(call))
}

async fn play(case: &Case) -> Result<()> {
    // Has a permit for each result.
    let results = Arc::new(Semaphore::new(0));
    let mut client = Client::new(config(case, &results))?;
    let info = client.connect().await?;
    // The crate keeps the first message, and returns its values.
    print_event(
        "message",
        json!({"type": "system", "subtype": "init", "session_id": info.session_id,
        "model": info.model, "cwd": info.cwd, "tools": info.tools}),
    );
    let talked = talk(case, &client, &results).await;
    let ended = client.close().await;
    talked.and(ended.map(drop))
}

async fn talk(case: &Case, client: &Client, results: &Semaphore) -> Result<()> {
    // This stream has all messages of the session, and the others end with their turns.
    let all = client.receive_messages()?;
    let mut has_left = take_turn(case, client, results, all, true).await?;
    for prompt in &case.prompts[1..] {
        if has_left {
            break;
        }
        let turn = client.send_content(vec![UserContent::text(prompt)])?;
        has_left = take_turn(case, client, results, turn, false).await?;
    }
    Ok(())
}

/// Prints the messages of a turn. Returns whether the user leaves.
async fn take_turn(
    case: &Case,
    client: &Client,
    results: &Semaphore,
    messages: impl Stream<Item = Result<Message>>,
    continues: bool,
) -> Result<bool> {
    let mut messages = std::pin::pin!(messages);
    let mut is_first = true;
    while let Some(message) = messages.next().await {
        let message = message?;
        print_event("message", json!(message));
        match message {
            Message::Result(_) => {
                results.add_permits(1);
                if continues {
                    break;
                }
            }
            Message::Assistant(_) if std::mem::take(&mut is_first) => {
                if case.leave {
                    return Ok(true);
                }
                if case.interrupt {
                    client.interrupt().await?;
                }
            }
            _ => {}
        }
    }
    Ok(false)
}
