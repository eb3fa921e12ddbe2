//! `SendFeedback`: a report to the makers of Claude Code.

/// The kind of a feedback report.
#[wire(open)]
pub enum FeedbackType {
    /// A report of a defect.
    Bug = "bug",
    /// A report with an idea for an improvement.
    Idea = "idea",
    /// A report about a missing capability.
    MissingCapability = "missing_capability",
}

/// The kind of mistake that a model made.
#[wire(open)]
pub enum FeedbackFailureMode {
    /// The model did not follow instructions.
    InstructionFollowing = "instruction_following",
    /// The model took a destructive action.
    DestructiveActions = "destructive_actions",
    /// The model wrote bad code.
    CodeQuality = "code_quality",
    /// The model repeated itself or looped.
    RepetitionAndLooping = "repetition_and_looping",
    /// The model failed at something that it could do before.
    ModelRegression = "model_regression",
    /// The model was overconfident or made false claims.
    OverconfidenceAndHallucination = "overconfidence_and_hallucination",
    /// The model forgot or ignored context.
    ContextAndMemory = "context_and_memory",
    /// The model did more than it should have.
    Overeager = "overeager",
    /// The model overcorrected after feedback.
    OverCorrection = "over_correction",
    /// The model stopped before the work was done.
    StoppingShort = "stopping_short",
    /// The model disputed or declined the request.
    DisputeOrDecline = "dispute_or_decline",
    /// The model started too many sub-agents.
    SubagentOverspawn = "subagent_overspawn",
    /// The model had the wrong tone, or preached.
    ToneOrPreachiness = "tone_or_preachiness",
    /// The model asked too many questions.
    ExcessiveQuestions = "excessive_questions",
    /// The model did things that nobody asked for.
    UnwantedScope = "unwanted_scope",
    /// Another kind of mistake.
    Other = "other",
}

/// The kind of work that a session was doing.
#[wire(open)]
pub enum FeedbackTaskCategory {
    /// The task was to change code.
    CodeEdit = "code_edit",
    /// The task was to find or fix a defect.
    Debug = "debug",
    /// The task was to explain something to the user.
    Explain = "explain",
    /// The task was to plan work.
    Plan = "plan",
    /// The task was to run shell commands.
    Shell = "shell",
    /// The task was to search for something.
    Search = "search",
    /// The task was to review something, such as a change.
    Review = "review",
    /// The session was doing another kind of work.
    Other = "other",
}

/// The input of the `SendFeedback` tool: a report.
#[wire]
pub struct SendFeedbackInput {
    /// The kind of report.
    #[wire(rename = "type")]
    pub kind: FeedbackType,
    /// A description of what happened, in one line.
    pub title: String,
    /// The details as a labelled Markdown list: what happened, what should have happened, what the user said, steps to
    /// reproduce, and evidence.
    pub details: String,
    /// The part of Claude Code that the report is about, such as `hooks config` or `/help`.
    pub area: Option<String>,
    /// The model's mistake. Absent if the report is about the program alone.
    pub failure_mode: Option<FeedbackFailureMode>,
    /// The kind of work that the session was doing. Absent if unclear.
    pub task_category: Option<FeedbackTaskCategory>,
}

/// The output of the `SendFeedback` tool.
#[wire]
pub struct SendFeedbackOutput {
    /// Whether the report was sent.
    pub success: bool,
    /// The text that the model reads.
    pub message: String,
}

#[cfg(test)]
mod tests;
