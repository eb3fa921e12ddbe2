//! The testee of the crate claude-agent-sdk-rs.

use std::collections::HashMap;
use std::sync::Arc;

use claude_agent_sdk_rs::{
    ClaudeAgentOptions, ClaudeClient, HookCallback, HookEvent, HookJsonOutput, HookMatcher,
    McpServerConfig, McpServers, McpToolResultContent, Message, PermissionResult,
    PermissionResultAllow, PermissionResultDeny, Result, ToolResult, UserContentBlock,
    create_sdk_mcp_server, query_stream_with_content, tool,
};
use futures::StreamExt as _;
use serde_json::{from_value, json};
use testees::{Case, Hook, Permission, Tool, print_event, read, run, unsupported};
use tokio::sync::Semaphore;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let case = read()?;
    let fails = case
        .permission
        .as_ref()
        .is_some_and(|it| it.raise.is_some())
        || case.hook.as_ref().is_some_and(|it| it.raise.is_some());
    if fails {
        unsupported("callbacks that fail: permissions and hooks return no Result");
    }
    if case.time_limit.is_some() {
        unsupported("a limit for the time without a message");
    }
    run(&case, || play(&case)).await;
    Ok(())
}

fn options(case: &Case, results: &Arc<Semaphore>) -> ClaudeAgentOptions {
    let mut options = ClaudeAgentOptions::builder()
        .cli_path(case.claude.clone())
        .cwd(case.folder.clone())
        .include_partial_messages(case.partial_messages)
        .build();
    if let Some(permission) = case.permission.clone() {
        let results = Arc::clone(results);
        options.permission_prompt_tool_name = Some("stdio".to_owned());
        options.can_use_tool = Some(Arc::new(move |tool, input, _| {
            print_event("permission", json!({"tool": tool, "input": input}));
            let result = decide(&permission);
            let results = permission.after_result.then(|| Arc::clone(&results));
            Box::pin(async {
                if let Some(results) = results {
                    let _permit = results.acquire_owned().await;
                }
                result
            })
        }));
    }
    if let Some(hook) = case.hook.clone() {
        let Ok(event) = from_value::<HookEvent>(json!(hook.event)) else {
            unsupported("hooks of this event");
        };
        let matcher = HookMatcher::builder().hooks(vec![callback(hook)]).build();
        options.hooks = Some(HashMap::from([(event, vec![matcher])]));
    }
    if let Some(own) = case.tool.clone() {
        let server = own.server.clone();
        let config = create_sdk_mcp_server(&server, "1.0.0", vec![double(own)]);
        let servers = HashMap::from([(server, McpServerConfig::Sdk(config))]);
        options.mcp_servers = McpServers::Dict(servers);
    }
    options
}

fn decide(permission: &Permission) -> PermissionResult {
    if permission.behavior.as_deref() == Some("deny") {
        let message = permission.message.clone();
        return PermissionResult::Deny(PermissionResultDeny {
            message,
            interrupt: false,
        });
    }
    PermissionResult::Allow(PermissionResultAllow {
        updated_input: permission.updated_input.clone(),
        updated_permissions: None,
    })
}

fn callback(hook: Hook) -> HookCallback {
    Arc::new(move |input, _, _| {
        print_event("hook", json!({"event": hook.event, "input": input}));
        let output = from_value::<HookJsonOutput>(hook.response.clone());
        Box::pin(async { output.expect("the response has the form of a hook's output") })
    })
}

fn double(own: Tool) -> claude_agent_sdk_rs::SdkMcpTool {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]});
    let name = own.name.clone();
    tool!(name, "Doubles a number", schema, move |input| {
        print_event("tool", json!({"name": own.name, "input": input}));
        let result = match &own.raise {
            Some(text) => Err(anyhow::anyhow!(text.clone())),
            None => Ok(ToolResult {
                content: vec![McpToolResultContent::Text {
                    text: own.response.clone(),
                }],
                is_error: false,
            }),
        };
        async { result }
    })
}

/// Sends one prompt, as structured content, which is written as a line of JSON.
async fn ask(case: &Case, options: ClaudeAgentOptions) -> Result<()> {
    let content = vec![UserContentBlock::text(&case.prompts[0])];
    let mut stream = query_stream_with_content(content, Some(options)).await?;
    while let Some(message) = stream.next().await {
        print_event("message", json!(message?));
    }
    Ok(())
}

async fn play(case: &Case) -> Result<()> {
    // Has a permit for each result.
    let results = Arc::new(Semaphore::new(0));
    let options = options(case, &results);
    if case.is_plain() {
        return ask(case, options).await;
    }
    let mut client = ClaudeClient::new(options);
    client.connect().await?;
    let talked = talk(case, &mut client, &results).await;
    let ended = client.disconnect().await;
    talked.and(ended)
}

async fn talk(case: &Case, client: &mut ClaudeClient, results: &Semaphore) -> Result<()> {
    for prompt in &case.prompts {
        client.query(prompt).await?;
        let mut is_first = true;
        let mut stream = client.receive_response();
        while let Some(message) = stream.next().await {
            let message = message?;
            print_event("message", json!(message));
            if matches!(message, Message::Result(_)) {
                results.add_permits(1);
            }
            if !matches!(message, Message::Assistant(_)) || !std::mem::take(&mut is_first) {
                continue;
            }
            if case.leave {
                return Ok(());
            }
            if case.interrupt {
                client.interrupt().await?;
            }
        }
    }
    Ok(())
}
