//! The model of a session.

use super::HubError;

/// Maximum length of the name of a model, in bytes. The longest form is the ARN of an Amazon Bedrock profile.
const LONGEST: usize = 2048;

/// Refuses a text that cannot be the name of a model. Only the CLI knows which models exist.
pub(super) fn check(model: Option<&str>) -> Result<(), HubError> {
    let is_name = |name: &str| {
        let is_text = !name.trim().is_empty() && !name.chars().any(char::is_control);
        is_text && name.len() <= LONGEST
    };
    match model {
        Some(name) if !is_name(name) => {
            let text = "`model`: the name of a model is one line of text, of up to 2,048 bytes";
            Err(HubError::BadRequest(text.to_owned()))
        }
        _ => Ok(()),
    }
}
