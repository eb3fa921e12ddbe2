//! `propose_skills` and `SetGoal` (earlier `ProposeGoal`): proposals of the model that a person accepts or rejects.

use crate::Count;

/// The input of the `propose_skills` tool: skills to create or change.
#[wire]
pub struct ProposeSkillsInput {
    /// The proposals: one to three of them.
    pub proposals: Vec<SkillProposal>,
}

/// The kind of a skill proposal.
#[wire(open)]
pub enum SkillProposalKind {
    /// The proposal creates a new skill.
    New = "new",
    /// The proposal changes an existing skill.
    Improvement = "improvement",
}

/// A proposal to create or change a skill. The content is a complete `SKILL.md` or a list of edits.
#[wire]
pub struct SkillProposal {
    /// The name of the skill: lowercase letters, digits and dashes. At most 64 characters for a new skill.
    pub name: String,
    /// Whether the skill is new or changed.
    pub kind: SkillProposalKind,
    /// The situation in which the skill is to be used, in a sentence of at most 1024 characters. The model reads this
    /// sentence to decide whether to use the skill.
    pub description: String,
    /// The skill to change. Absent for a new skill.
    pub target: Option<String>,
    /// The memory files that record the way of working that the skill describes.
    pub evidence: Option<Vec<String>>,
    /// The 1 to 100 changes to the skill's `SKILL.md`, applied in order. Only for an existing skill.
    pub edits: Option<Vec<SkillEdit>>,
    /// The complete `SKILL.md`, front matter included. For an existing skill, it can be given instead of `edits`.
    #[wire(rename = "skillMd")]
    pub skill_md: Option<String>,
}

/// A change to a skill's file.
#[wire]
pub struct SkillEdit {
    /// The text to replace, which must occur exactly once.
    pub old_string: String,
    /// The text to put in place of the old text.
    pub new_string: String,
}

/// The output of the `propose_skills` tool.
#[wire(rename_all = "camelCase")]
pub struct ProposeSkillsOutput {
    /// The number of proposals that are shown to the user.
    pub proposal_count: Count,
}

/// The input of the `SetGoal` tool (earlier `ProposeGoal`): a goal, which is the condition that the finished work
/// fulfils.
#[wire]
pub struct ProposeGoalInput {
    /// The condition that the finished work fulfils. A reader of the conversation must be able to check whether the
    /// condition is met. At most 500 characters.
    pub condition: String,
    /// Whether the user is asked to confirm the goal. If `false`, the goal is set without asking, because the user has
    /// already stated it. If absent or `true`, the user is asked. If another goal is already set, the user is always
    /// asked.
    pub ask_user: Option<bool>,
}

/// The output of the `SetGoal` tool (earlier `ProposeGoal`).
#[wire(rename_all = "camelCase")]
pub struct ProposeGoalOutput {
    /// The condition that the finished work fulfils.
    pub condition: String,
    /// Whether the user was asked to confirm the goal.
    pub ask_user: bool,
}

#[cfg(test)]
mod tests;
