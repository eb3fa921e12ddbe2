//! The effort level of a live session.

use claw_types::control::ApplyFlagSettings;
use claw_types::options::EffortLevel;
use serde_json::json;

use super::{HubError, LiveSession};
use crate::choices::ProjectChoices;

/// The name of the model's default level.
const DEFAULT: &str = "default";

/// The levels that every version of the CLI accepts.
const LEVELS: [EffortLevel; 5] = [
    EffortLevel::Low,
    EffortLevel::Medium,
    EffortLevel::High,
    EffortLevel::Xhigh,
    EffortLevel::Max,
];

/// Fails if the effort level is unknown. The CLI would accept such a level and ignore it.
pub(super) fn check(
    effort: Option<&EffortLevel>,
    learned: &ProjectChoices,
) -> Result<(), HubError> {
    match effort {
        Some(effort) if !LEVELS.contains(effort) && !learned.has_effort(effort) => {
            let text = "there is no such effort level";
            Err(HubError::BadRequest(text.to_owned()))
        }
        _ => Ok(()),
    }
}

impl LiveSession {
    /// Sets the effort level from the next answer on. `default` means the model's default level.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if `effort` is not a known effort level, and with [`HubError::Claude`] if
    /// the CLI refuses it.
    pub async fn set_effort(&self, effort: EffortLevel) -> Result<(), HubError> {
        let effort = Some(effort).filter(|effort| effort.as_str() != DEFAULT);
        check(effort.as_ref(), &self.shared.learned)?;
        let settings = json!({ "effortLevel": effort });
        let change = ApplyFlagSettings::new(settings);
        self.pooled.change(change).await?;
        self.shared
            .with(|conversation| conversation.set(|state| state.effort = effort));
        Ok(())
    }
}
