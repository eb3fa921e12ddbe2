//! `hook_callback`: a request to the host to run one of its hook callbacks.

use crate::hook::{HookInput, HookOutput};

/// To the host: run a hook callback that the host registered in `initialize`. If an event has several callbacks, the
/// CLI calls them concurrently.
///
/// If the host responds with an error, the CLI continues as if there were no hook. But if the hook was registered with
/// `onFailure: block`, the CLI denies the action. If the host does not respond before the hook's timeout, the CLI
/// denies the action too, and sends a `control_cancel_request` to the host.
#[wire(tag(subtype = "hook_callback"), response = HookOutput)]
pub struct HookCallback {
    /// The ID of the callback, as registered in `initialize`.
    pub callback_id: String,
    /// The event for which the hook is called, with its details.
    pub input: HookInput,
    /// The ID of the tool use, if the event is about a tool use. For other events, this field can be any text.
    pub tool_use_id: Option<String>,
}
