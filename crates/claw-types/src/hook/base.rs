//! What every hook is told.

use crate::options::EffortLevel;

/// How hard the model works.
#[wire]
pub struct HookEffort {
    /// The level.
    pub level: EffortLevel,
}

/// The prompt of a turn.
#[wire(fields)]
pub(super) struct HookPrompt {
    /// The prompt that the turn answers. Absent between turns.
    pub prompt_id: Option<String>,
    /// What is asked for and what is not. Absent where that does not matter.
    pub permission_mode: Option<crate::options::PermissionMode>,
}

/// Where something happens.
#[wire(fields)]
pub(super) struct HookPlace {
    /// The session.
    pub session_id: crate::SessionId,
    /// The session's file.
    pub transcript_path: String,
    /// The working directory.
    pub cwd: String,
}

/// In which turn it happens, and who is at work.
#[wire(fields)]
pub(super) struct HookTurn {
    fields: HookPrompt!(),
    /// The sub-agent in which it happens; absent in the main conversation.
    pub agent_id: Option<String>,
    /// The kind of that sub-agent, or of the agent that plays the main part.
    pub agent_type: Option<String>,
    /// How hard the model works. Absent where no model works.
    pub effort: Option<crate::hook::HookEffort>,
}

/// In which turn it happens, where it happens to a sub-agent.
#[wire(fields)]
pub(super) struct SubagentHookTurn {
    fields: HookPrompt!(),
    /// The sub-agent.
    pub agent_id: String,
    /// Its kind; empty for the CLI's own helpers.
    pub agent_type: String,
    /// How hard the model works. Absent where no model works.
    pub effort: Option<crate::hook::HookEffort>,
}
