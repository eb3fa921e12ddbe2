//! `hook_callback`: what does a hook of the host's say?

use crate::hook::{HookInput, HookOutput};

/// To the host: what does this hook say? Asked for the hooks that `initialize` registered; those of
/// one event are asked at the same time.
///
/// An error as an answer counts as if there were no hook, unless it was registered with
/// `on_failure: block`. No answer in time counts as a refusal; `control_cancel_request` then takes
/// the question back.
#[wire(tag(subtype = "hook_callback"), response = HookOutput)]
pub struct HookCallback {
    /// The callback, by the id that it was registered with.
    pub callback_id: String,
    /// What happened.
    pub input: HookInput,
    /// For events of a tool, its use; for others any text.
    pub tool_use_id: Option<String>,
}
