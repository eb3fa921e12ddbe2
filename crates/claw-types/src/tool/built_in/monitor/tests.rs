use serde_json::json;

use super::super::holds::{holds, texts};
use super::*;

#[test]
fn a_watch() {
    let socket = MonitorSocket::new("wss://example.com").protocols(texts(["v1"]));
    let input = MonitorInput::new("errors in the log", 300_000)
        .command("tail -f log")
        .ws(socket);
    holds(
        &input,
        &json!({
            "description": "errors in the log", "timeout_ms": 300_000, "command": "tail -f log",
            "ws": {"url": "wss://example.com", "protocols": ["v1"]}
        }),
        &[],
    );
    let output = MonitorOutput::new("b1", 0)
        .persistent(true)
        .kept_in_sandbox_by_check(true);
    holds(
        &output,
        &json!({"taskId": "b1", "timeoutMs": 0, "persistent": true, "keptInSandboxByCheck": true}),
        &[],
    );
}
