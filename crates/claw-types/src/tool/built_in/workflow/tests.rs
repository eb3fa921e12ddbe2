use serde_json::json;

use super::super::holds::holds;
use super::*;

#[test]
fn a_workflow() {
    let input = WorkflowInput::new()
        .script("export const meta = {}")
        .name("research")
        .description("d")
        .title("t")
        .args(json!(["a", 1]))
        .script_path("/tmp/w.js")
        .resume_from_run_id("r0");
    holds(
        &input,
        &json!({
            "script": "export const meta = {}", "name": "research", "description": "d",
            "title": "t", "args": ["a", 1], "scriptPath": "/tmp/w.js", "resumeFromRunId": "r0"
        }),
        &["args"],
    );
    let output = WorkflowOutput::new(WorkflowStatus::AsyncLaunched, "w1")
        .task_type(WorkflowTaskType::LocalWorkflow)
        .workflow_name("research")
        .run_id("r1")
        .summary("looks things up")
        .transcript_dir("/tmp/t")
        .script_path("/tmp/w.js")
        .session_url("https://example.com/s")
        .warning("not pushed")
        .error("no meta");
    holds(
        &output,
        &json!({
            "status": "async_launched", "taskId": "w1", "taskType": "local_workflow",
            "workflowName": "research", "runId": "r1", "summary": "looks things up",
            "transcriptDir": "/tmp/t", "scriptPath": "/tmp/w.js",
            "sessionUrl": "https://example.com/s", "warning": "not pushed", "error": "no meta"
        }),
        &[],
    );
}
