//! `hook_callback`: a hook that the host answers.

use crate::hook::{HookInput, HookOutput};

/// To the host: answer a hook that `initialize` registered. The hooks of one event are called
/// concurrently.
///
/// An error response counts as no hook, unless the hook was registered with `onFailure: block`. No
/// response in time counts as a denial; `control_cancel_request` then withdraws the request.
#[wire(tag(subtype = "hook_callback"), response = HookOutput)]
pub struct HookCallback {
    /// The ID of the callback, as registered.
    pub callback_id: String,
    /// The event and its details.
    pub input: HookInput,
    /// The ID of the tool use, for events of a tool. Any other text for other events.
    pub tool_use_id: Option<String>,
}
