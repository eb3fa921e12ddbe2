//! The lines with which programs in other languages are tested. They are all lines of the fixtures, and some lines of
//! future versions.

use std::fs;

use serde_json::{Value, json};

use crate::run::Result;
use crate::workspace::{Workspace, has_extension, slashes};

/// Returns the recorded lines of a direction: `stdout`, `stdin` or `transcript`.
///
/// # Errors
/// Fails if a fixture cannot be read.
pub fn recorded(workspace: &Workspace, way: &str) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for file in workspace.files()? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_of_way = name.split('.').next() == Some(way) && has_extension(&*name, "ndjson");
        if is_of_way && slashes(&file).starts_with("fixtures/") {
            let text = fs::read_to_string(workspace.root.join(&file))?;
            lines.extend(text.lines().map(str::to_owned));
        }
    }
    Ok(lines)
}

/// Returns lines that a newer CLI, or a host for a newer CLI, may write. Two of them have unknown kinds. The third one
/// has a known kind, with an unknown value and an unknown field.
pub fn tomorrow(way: &str) -> [Value; 3] {
    if way == "stdin" {
        let allowed = json!({ "behavior": "allow", "updatedInput": {} });
        let answer = json!({ "subtype": "success", "request_id": "1", "response": allowed });
        return [
            json!({ "type": "of_tomorrow" }),
            json!({ "type": "of_tomorrow", "subtype": "success", "request_id": "1" }),
            json!({ "type": "control_response", "response": answer, "of_tomorrow": [1] }),
        ];
    }
    [
        json!({ "type": "of_tomorrow", "uuid": "u", "session_id": "s" }),
        json!({ "type": "system", "subtype": "of_tomorrow", "uuid": "u", "session_id": "s" }),
        json!({
            "type": "system", "subtype": "init", "uuid": "u", "session_id": "s",
            "apiKeySource": "of_tomorrow", "claude_code_version": "9.9.9", "cwd": "/work/project",
            "tools": [], "mcp_servers": [], "model": "m", "permissionMode": "of_tomorrow",
            "slash_commands": [], "output_style": "default", "skills": [], "plugins": [],
            "agents": [], "of_tomorrow": { "deep": null }
        }),
    ]
}
