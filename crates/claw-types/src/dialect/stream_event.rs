//! Stream events in an old form: a name and a payload.

use super::assistant::answer;
use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::Json;

/// An old form of a stream event. The line contains the event's name and payload, but not the field `type`.
#[wire]
pub struct OldStreamEvent {
    /// The name of the event, such as `message_start`.
    pub event_type: String,
    /// The payload of the event.
    pub data: Json,
}

impl Old for OldStreamEvent {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let Ok(mut event) = self.data.parse::<Draft>() else {
            return Err(UpgradeError::NoCounterpart {
                form: "{event_type, data}",
                why: "its data is no object",
            });
        };
        if self.event_type == "message_start" {
            // The event has only the response's ID; the response itself is still empty.
            let mut message = Draft::default();
            event.rename("message_id", "id");
            event.move_to(&["id"], &mut message);
            event.fill("message", &answer(message, &[], fill)?);
        }
        event.set("type", &self.event_type);
        let mut line = Draft::of(self);
        line.remove("event_type");
        line.remove("data");
        line.set("type", "stream_event");
        line.set("event", &event);
        line.nullable("parent_tool_use_id");
        line.identify(fill);
        line.stdout()
    }
}
