//! `Workflow`: runs a script that runs sub-agents.

use crate::Json;

/// The input of the `Workflow` tool: a script, the path of a script, or the name of a known workflow. If several are
/// given, the path is used.
#[wire]
pub struct WorkflowInput {
    /// The source code of the script. The script starts with the workflow's name and phases.
    pub script: Option<String>,
    /// The name of a known workflow: a built-in workflow, or a workflow from the project's folder `.claude/workflows`.
    pub name: Option<String>,
    /// A description of the workflow. The CLI ignores this field, because the script contains the description.
    pub description: Option<String>,
    /// A title of the workflow. The CLI ignores this field, because the script contains the title.
    pub title: Option<String>,
    /// The value of the script's global `args`: any JSON.
    pub args: Option<Json>,
    /// The path of the script: a file that the user wrote, or the script file that an earlier run saved.
    #[wire(rename = "scriptPath")]
    pub script_path: Option<String>,
    /// The ID of an earlier run to resume, from the same session. The results of its sub-agents are reused for the
    /// parts of the script that have not changed.
    #[wire(rename = "resumeFromRunId")]
    pub resume_from_run_id: Option<String>,
}

/// Where a workflow runs: in the CLI's process or in a remote session.
#[wire(open)]
pub enum WorkflowStatus {
    /// The workflow runs in the background, in the CLI's process.
    AsyncLaunched = "async_launched",
    /// The workflow runs in a remote session.
    RemoteLaunched = "remote_launched",
}

/// The type of the background task that runs a workflow.
#[wire(open)]
pub enum WorkflowTaskType {
    /// A workflow in the CLI's process.
    LocalWorkflow = "local_workflow",
    /// A remote session.
    RemoteAgent = "remote_agent",
}

/// The output of the `Workflow` tool: the background task that runs the workflow.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct WorkflowOutput {
    /// Where the workflow runs: in the CLI's process or in a remote session.
    pub status: WorkflowStatus,
    /// The ID of the background task.
    pub task_id: String,
    /// The type of the background task. Absent on results of older CLIs.
    pub task_type: Option<WorkflowTaskType>,
    /// The name of the workflow, from its script. Absent on results of older CLIs.
    pub workflow_name: Option<String>,
    /// The ID of the run. The run can be resumed with this ID. Absent for a remote workflow and on results of older
    /// CLIs.
    pub run_id: Option<String>,
    /// The purpose of the workflow, in words.
    pub summary: Option<String>,
    /// The directory with the transcripts of the workflow's sub-agents.
    pub transcript_dir: Option<String>,
    /// The path of the script file. The file can be changed and run again.
    pub script_path: Option<String>,
    /// The URL of the remote session.
    pub session_url: Option<String>,
    /// A warning for the user that does not prevent the run.
    pub warning: Option<String>,
    /// The error in the script. If there is an error, the workflow does not run.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests;
