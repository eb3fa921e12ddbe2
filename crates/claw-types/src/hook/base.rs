//! The input that all hooks have in common.

use crate::options::EffortLevel;

/// The effort level of the model, as the input of a hook reports it.
#[wire]
pub struct HookEffort {
    /// The effort level of the model.
    pub level: EffortLevel,
}

/// The prompt of a turn.
#[wire(fields)]
pub(super) struct HookPrompt {
    /// The ID of the prompt that the turn answers. Absent between turns.
    pub prompt_id: Option<String>,
    /// The permission mode of the session. Absent if the CLI reports no permission mode for this event.
    pub permission_mode: Option<crate::options::PermissionMode>,
}

/// The session in which an event occurs.
#[wire(fields)]
pub(super) struct HookPlace {
    /// The ID of the session.
    pub session_id: crate::SessionId,
    /// The path of the session's transcript.
    pub transcript_path: String,
    /// The working directory of the session.
    pub cwd: String,
}

/// The turn and the agent in which an event occurs.
#[wire(fields)]
pub(super) struct HookTurn {
    fields: HookPrompt!(),
    /// The ID of the sub-agent in which the event occurs. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// The type of the agent in which the event occurs: a sub-agent, or the agent that runs the main conversation.
    /// Absent if the main conversation runs without such an agent.
    pub agent_type: Option<String>,
    /// The effort level of the model. Absent if no model is involved.
    pub effort: Option<crate::hook::HookEffort>,
}

/// The turn and the sub-agent in which an event occurs.
#[wire(fields)]
pub(super) struct SubagentHookTurn {
    fields: HookPrompt!(),
    /// The ID of the sub-agent.
    pub agent_id: String,
    /// The type of the sub-agent. Empty for internal helpers of the CLI.
    pub agent_type: String,
    /// The effort level of the model. Absent if no model is involved.
    pub effort: Option<crate::hook::HookEffort>,
}
