//! `SendFeedback`: a report to those who make Claude Code.

/// What a report is about.
#[wire(open)]
pub enum FeedbackType {
    /// Something does not work.
    Bug = "bug",
    /// Something could be better.
    Idea = "idea",
    /// Something cannot be done.
    MissingCapability = "missing_capability",
}

/// What a model did wrong.
#[wire(open)]
pub enum FeedbackFailureMode {
    /// It did not do as it was told.
    InstructionFollowing = "instruction_following",
    /// It destroyed something.
    DestructiveActions = "destructive_actions",
    /// It wrote bad code.
    CodeQuality = "code_quality",
    /// It said or did the same again and again.
    RepetitionAndLooping = "repetition_and_looping",
    /// It could do this before.
    ModelRegression = "model_regression",
    /// It claimed what is not so.
    OverconfidenceAndHallucination = "overconfidence_and_hallucination",
    /// It forgot.
    ContextAndMemory = "context_and_memory",
    /// It did more than it should.
    Overeager = "overeager",
    /// It took a correction too far.
    OverCorrection = "over_correction",
    /// It stopped before it was done.
    StoppingShort = "stopping_short",
    /// It argued, or would not do it.
    DisputeOrDecline = "dispute_or_decline",
    /// It started too many sub-agents.
    SubagentOverspawn = "subagent_overspawn",
    /// Its tone was wrong.
    ToneOrPreachiness = "tone_or_preachiness",
    /// It asked too much.
    ExcessiveQuestions = "excessive_questions",
    /// It did something besides.
    UnwantedScope = "unwanted_scope",
    /// Something else.
    Other = "other",
}

/// What a session was doing.
#[wire(open)]
pub enum FeedbackTaskCategory {
    /// Changing code.
    CodeEdit = "code_edit",
    /// Looking for a fault.
    Debug = "debug",
    /// Explaining.
    Explain = "explain",
    /// Planning.
    Plan = "plan",
    /// Running commands.
    Shell = "shell",
    /// Searching.
    Search = "search",
    /// Reviewing.
    Review = "review",
    /// Something else.
    Other = "other",
}

/// What `SendFeedback` is given: a report.
#[wire]
pub struct SendFeedbackInput {
    /// What it is about.
    #[wire(rename = "type")]
    pub kind: FeedbackType,
    /// What happened, in a line.
    pub title: String,
    /// What happened and what should have, what the person said, how to see it again, what shows it:
    /// a list with labels, in Markdown.
    pub details: String,
    /// The part of Claude Code that it is about.
    pub area: Option<String>,
    /// What the model did wrong. Absent where it is about the program alone.
    pub failure_mode: Option<FeedbackFailureMode>,
    /// What the session was doing. Absent where that is not clear.
    pub task_category: Option<FeedbackTaskCategory>,
}

/// What `SendFeedback` gives.
#[wire]
pub struct SendFeedbackOutput {
    /// Whether it was sent.
    pub success: bool,
    /// What the model reads.
    pub message: String,
}

#[cfg(test)]
mod tests;
