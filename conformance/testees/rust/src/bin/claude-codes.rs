//! The testee of the crate claude-codes.

use claude_codes::{
    AsyncClient, ClaudeCliBuilder, ClaudeInput, ClaudeOutput, ControlRequest,
    ControlRequestPayload, ControlResponse, Result,
};
use serde_json::json;
use testees::{Case, Permission, print_event, read, run, unsupported};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let case = read()?;
    if case.hook.is_some() {
        unsupported("hooks: the crate has types for them, and no callbacks");
    }
    if case.tool.is_some() {
        unsupported("MCP servers in the process");
    }
    if case.time_limit.is_some() {
        unsupported("a limit for the time without a message");
    }
    if case.partial_messages {
        unsupported("requesting partial messages");
    }
    if case
        .permission
        .as_ref()
        .is_some_and(|it| it.raise.is_some())
    {
        unsupported("permission callbacks: the program answers requests itself, so none can fail");
    }
    run(&case, || play(&case)).await;
    Ok(())
}

async fn play(case: &Case) -> Result<()> {
    let mut builder = ClaudeCliBuilder::new()
        .command(&case.claude)
        .working_directory(&case.folder);
    if case.permission.is_some() {
        builder = builder.permission_prompt_tool("stdio");
    }
    let mut client = AsyncClient::from_builder(builder).await?;
    let talked = talk(case, &mut client).await;
    let ended = client.shutdown().await;
    talked.and(ended)
}

async fn talk(case: &Case, client: &mut AsyncClient) -> Result<()> {
    if case.permission.is_some() {
        client.enable_tool_approval().await?;
    }
    for prompt in &case.prompts {
        if case.is_plain() {
            let mut stream = client.query_stream(prompt).await?;
            while let Some(output) = stream.next().await {
                print(&output?);
            }
            continue;
        }
        client
            .send(&ClaudeInput::user_message_without_session(prompt))
            .await?;
        let mut is_first = true;
        let mut kept = None;
        loop {
            let output = client.receive().await?;
            print(&output);
            match output {
                ClaudeOutput::Result(_) => break,
                ClaudeOutput::ControlRequest(request) => {
                    let response = answer(case, &request);
                    if case.permission.as_ref().is_some_and(|it| it.after_result) {
                        kept = response;
                    } else if let Some(response) = response {
                        client.send_control_response(response).await?;
                    }
                }
                ClaudeOutput::Assistant(_) if is_first => {
                    is_first = false;
                    if case.leave {
                        return Ok(());
                    }
                    if case.interrupt {
                        client.interrupt().await?;
                    }
                }
                _ => {}
            }
        }
        if let Some(response) = kept {
            client.send_control_response(response).await?;
        }
    }
    Ok(())
}

/// Prints a message. Requests and responses are none.
fn print(output: &ClaudeOutput) {
    let is_message = !matches!(
        output,
        ClaudeOutput::ControlRequest(_)
            | ClaudeOutput::ControlResponse(_)
            | ClaudeOutput::ControlCancelRequest(_)
    );
    if is_message {
        print_event("message", json!(output));
    }
}

/// Returns the response to a request for permission.
fn answer(case: &Case, request: &ControlRequest) -> Option<ControlResponse> {
    let (Some(permission), ControlRequestPayload::CanUseTool(asked)) =
        (&case.permission, &request.request)
    else {
        return None;
    };
    print_event(
        "permission",
        json!({"tool": asked.tool_name, "input": asked.input}),
    );
    let id = &request.request_id;
    Some(match permission {
        Permission {
            behavior: Some(behavior),
            ..
        } if behavior == "deny" => asked.deny(&permission.message, id),
        Permission {
            updated_input: Some(input),
            ..
        } => asked.allow_with(input.clone(), id),
        _ => asked.allow(id),
    })
}
