//! `ProposeSkills` and `ProposeGoal`: what the model would have, for a person to agree to.

use crate::Count;

/// What `ProposeSkills` is given: skills to be made or changed.
#[wire]
pub struct ProposeSkillsInput {
    /// One to three of them.
    pub proposals: Vec<SkillProposal>,
}

/// What is proposed.
#[wire(open)]
pub enum SkillProposalKind {
    /// A new skill.
    New = "new",
    /// A change of one that there is.
    Improvement = "improvement",
}

/// A skill to be made or changed. What it says stands in `skill_md`, or, as changes, in `edits`.
#[wire]
pub struct SkillProposal {
    /// Its name: small letters, digits and dashes; 64 characters at most for a new one.
    pub name: String,
    /// Whether it is new.
    pub kind: SkillProposalKind,
    /// When the skill is to be used, in a sentence of 1024 characters at most: what decides that it
    /// is.
    pub description: String,
    /// The skill to be changed. Absent for a new one.
    pub target: Option<String>,
    /// Files of memory in which this way of working was seen.
    pub evidence: Option<Vec<String>>,
    /// What to change in its `SKILL.md`, one after the other; 1 to 100. Only for one that there is.
    pub edits: Option<Vec<SkillEdit>>,
    /// The whole `SKILL.md`, its head included. In place of `edits` for one that there is.
    #[wire(rename = "skillMd")]
    pub skill_md: Option<String>,
}

/// A change in a skill's file.
#[wire]
pub struct SkillEdit {
    /// What is there: once, not more.
    pub old_string: String,
    /// What is put in its place.
    pub new_string: String,
}

/// What `ProposeSkills` gives.
#[wire(rename_all = "camelCase")]
pub struct ProposeSkillsOutput {
    /// How many proposals the person is shown.
    pub proposal_count: Count,
}

/// What `ProposeGoal` is given: when the work is done.
#[wire]
pub struct ProposeGoalInput {
    /// What must be so, in words that somebody else can check by the conversation; 500 characters
    /// at most.
    pub condition: String,
    /// `false`: the goal is set without a question, since the person has said it. Absent or `true`:
    /// the person is asked. While there is a goal already, always.
    pub ask_user: Option<bool>,
}

/// What `ProposeGoal` gives.
#[wire(rename_all = "camelCase")]
pub struct ProposeGoalOutput {
    /// What must be so.
    pub condition: String,
    /// Whether the person was asked.
    pub ask_user: bool,
}

#[cfg(test)]
mod tests;
