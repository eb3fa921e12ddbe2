//! What `initialize` says, out of the options.

use claw_types::QueryOptions;
use claw_types::control::Initialize;
use claw_types::options::SystemPrompt;

/// The first line's content. What is not here is on the command line.
pub(crate) fn initialize(options: &QueryOptions) -> Initialize {
    let mut initialize = Initialize::new();
    match &options.system_prompt {
        // Absent on the wire would mean Claude Code's own.
        None => initialize.system_prompt = Some(vec![String::new()]),
        Some(SystemPrompt::Text(text)) => initialize.system_prompt = Some(vec![text.clone()]),
        Some(SystemPrompt::Parts(parts)) => initialize.system_prompt = Some(parts.clone()),
        Some(SystemPrompt::Preset(preset)) => {
            initialize.append_system_prompt.clone_from(&preset.append);
            initialize.exclude_dynamic_sections = preset.exclude_dynamic_sections;
        }
        // A form that this version does not know says nothing to it either.
        Some(_) => {}
    }
    initialize
}

#[cfg(test)]
mod tests;
