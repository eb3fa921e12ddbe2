use serde_json::json;

use super::super::holds::{holds, texts};
use super::*;

#[test]
fn servers() {
    let input = RefreshMcpToolsInput::new().server("files");
    holds(&input, &json!({"server": "files"}), &[]);
    let files = McpRefresh::new("files", McpRefreshStatus::Refreshed)
        .tool_count(2)
        .added(texts(["read"]))
        .removed(texts(["write"]));
    let mail = McpRefresh::new("mail", McpRefreshStatus::NotConnected).error("gone");
    holds(
        &RefreshMcpToolsOutput::from(vec![files, mail]),
        &json!([
            {
                "server": "files", "status": "refreshed", "toolCount": 2, "added": ["read"],
                "removed": ["write"]
            },
            {"server": "mail", "status": "not_connected", "error": "gone"}
        ]),
        &[],
    );
}
