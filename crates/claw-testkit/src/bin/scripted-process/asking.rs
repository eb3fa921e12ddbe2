//! An MCP server on standard input and output that asks its user a question. Its tool `ask` asks for a name. The result
//! of the tool is the user's reaction, such as `accept:Ada`. The environment variable `MCP_VERSION` determines its
//! version.

use std::env;
use std::io;

use serde_json::{Value, json};

use super::{Result, write_line};

/// The ID of the question.
const QUESTION: u64 = 900;

/// Serves until standard input ends.
pub(super) fn serve() -> Result {
    let version = env::var("MCP_VERSION").unwrap_or_else(|_| "1".into());
    // The tool call that waits for the user's answer.
    let mut call = Value::Null;
    for line in io::stdin().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let mut id = line["id"].clone();
        let result = match line["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "asking", "version": version}
            }),
            Some("tools/list") => json!({
                "tools": [{"name": "ask", "description": "Asks.", "inputSchema": {"type": "object"}}]
            }),
            Some("tools/call") => {
                call = id;
                ask()?;
                continue;
            }
            None if id == QUESTION => {
                id = call.take();
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let answer = &line["result"];
                let (action, name) = (text(&answer["action"]), text(&answer["content"]["name"]));
                json!({"content": [{"type": "text", "text": format!("{action}:{name}")}]})
            }
            _ => json!({}),
        };
        // A notification has no ID and gets no response.
        if !id.is_null() {
            write_line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())?;
        }
    }
    Ok(())
}

fn ask() -> Result {
    let schema = json!({
        "type": "object", "required": ["name"],
        "properties": {"name": {"type": "string", "description": "A name"}}
    });
    let question = json!({
        "jsonrpc": "2.0", "id": QUESTION, "method": "elicitation/create",
        "params": {"message": "Which name?", "requestedSchema": schema}
    });
    write_line(&question.to_string())
}
