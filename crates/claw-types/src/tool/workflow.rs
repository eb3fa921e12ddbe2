//! `Workflow`: a script that runs agents.

use crate::Json;

/// What `Workflow` is given: a script, a script's path, or a known one's name. Of several the path
/// holds.
#[wire]
pub struct WorkflowInput {
    /// The script. It begins with what it is called and of what phases it is made.
    pub script: Option<String>,
    /// A known workflow: one of the CLI's own, or of the project's `.claude/workflows`.
    pub name: Option<String>,
    /// Not looked at: the script says it.
    pub description: Option<String>,
    /// Not looked at: the script says it.
    pub title: Option<String>,
    /// What the script is given, as its global `args`: any JSON.
    pub args: Option<Json>,
    /// The file that holds the script: one of one's own, or the one that a run before has left.
    #[wire(rename = "scriptPath")]
    pub script_path: Option<String>,
    /// A run of this session to go on from. What its agents gave is taken over, as far as the script
    /// has not changed.
    #[wire(rename = "resumeFromRunId")]
    pub resume_from_run_id: Option<String>,
}

/// Where a workflow was started.
#[wire(open)]
pub enum WorkflowStatus {
    /// In this process, in the background.
    AsyncLaunched = "async_launched",
    /// In a session elsewhere.
    RemoteLaunched = "remote_launched",
}

/// The kind of task that a workflow is.
#[wire(open)]
pub enum WorkflowTaskType {
    /// One in this process.
    LocalWorkflow = "local_workflow",
    /// A session elsewhere.
    RemoteAgent = "remote_agent",
}

/// What `Workflow` gives: the task that runs it.
#[wire(rename_all = "camelCase")]
pub struct WorkflowOutput {
    /// Where it was started.
    pub status: WorkflowStatus,
    /// The task.
    pub task_id: String,
    /// The kind of task. Absent on results of older CLIs.
    pub task_type: Option<WorkflowTaskType>,
    /// The workflow's name, as its script says. Absent on results of older CLIs.
    pub workflow_name: Option<String>,
    /// This run, to go on from. Absent where it runs elsewhere, and on results of older CLIs.
    pub run_id: Option<String>,
    /// What it does, in words.
    pub summary: Option<String>,
    /// The directory into which its agents' conversations are written.
    pub transcript_dir: Option<String>,
    /// The file that holds the script: it can be changed and run again.
    pub script_path: Option<String>,
    /// The page of the session elsewhere.
    pub session_url: Option<String>,
    /// Something that the person should know, and that hinders nothing.
    pub warning: Option<String>,
    /// What is wrong with the script. Then nothing runs.
    pub error: Option<String>,
}

#[cfg(test)]
mod tests;
