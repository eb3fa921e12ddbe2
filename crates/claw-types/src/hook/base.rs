//! What every hook is told.

use crate::options::EffortLevel;

/// How hard the model works.
#[wire]
pub struct HookEffort {
    /// The level.
    pub level: EffortLevel,
}

/// Declares the input of an event: its own fields, with those that every event has.
macro_rules! hook_input {
    ($(#[doc = $doc:literal])+ $name:ident = $event:literal { $($fields:tt)* }) => {
        hook_input! {
            @with [
                /// The sub-agent in which it happens; absent in the main conversation.
                pub agent_id: Option<String>,
                /// The kind of that sub-agent, or of the agent that plays the main part.
                pub agent_type: Option<String>,
            ]
            $(#[doc = $doc])+ $name = $event { $($fields)* }
        }
    };
    ($(#[doc = $doc:literal])+ $name:ident = $event:literal of an agent { $($fields:tt)* }) => {
        hook_input! {
            @with [
                /// The sub-agent.
                pub agent_id: String,
                /// Its kind; empty for the CLI's own helpers.
                pub agent_type: String,
            ]
            $(#[doc = $doc])+ $name = $event { $($fields)* }
        }
    };
    (@with [$($agent:tt)*] $(#[doc = $doc:literal])+ $name:ident = $event:literal { $($fields:tt)* }) => {
        $(#[doc = $doc])+
        #[wire(tag(hook_event_name = $event))]
        pub struct $name {
            /// The session.
            pub session_id: crate::SessionId,
            /// The session's file.
            pub transcript_path: String,
            /// The working directory.
            pub cwd: String,
            $($fields)*
            /// The prompt that the turn answers. Absent between turns.
            pub prompt_id: Option<String>,
            /// What is asked for and what is not. Absent where that does not matter.
            pub permission_mode: Option<crate::options::PermissionMode>,
            $($agent)*
            /// How hard the model works. Absent where no model works.
            pub effort: Option<crate::hook::HookEffort>,
        }
    };
}
