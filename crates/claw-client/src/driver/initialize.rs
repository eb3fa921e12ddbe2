//! Creates the contents of `initialize` from the options, and checks its response.

use claw_transport::TransportError;
use claw_types::control::{Initialize, InitializeResponse};
use claw_types::hook::HookOnFailure;
use claw_types::options::{
    Delivery, InvalidOption, OutputFormat, PermissionMode, PromptText, Skills, SystemPrompt,
    SystemPromptObject,
};
use claw_types::{Json, Map, QueryOptions};

use crate::outcome::error::{Cause, Error};
use crate::requests::callbacks::Closures;
use crate::requests::hook::Hooks;

/// Checks the options before a process is started.
pub(crate) fn check(options: &QueryOptions, closures: &Closures) -> Result<(), Error> {
    let invalid = |error: InvalidOption| Error::from(TransportError::from(error));
    options.validate().map_err(invalid)?;
    closures.hooks.check()?;
    if closures.permission.is_some() && options.permission_prompt_tool_name.is_some() {
        return Err(invalid(InvalidOption::new(
            "permission_prompt_tool_name",
            "cannot be combined with a permission callback",
        )));
    }
    let dialogs = options.supported_dialog_kinds.as_deref();
    let problem = match (
        dialogs.is_some_and(|kinds| !kinds.is_empty()),
        &closures.dialog,
    ) {
        // Without the callback, nothing shows a dialog whose kind is in this list, and the CLI waits forever for its
        // answer.
        (true, None) if !closures.by_application => "requires a callback that shows dialogs",
        (false, Some(_)) => "is empty, so that the dialog callback is never called",
        _ => return Ok(()),
    };
    Err(invalid(InvalidOption::new(
        "supported_dialog_kinds",
        problem,
    )))
}

/// Describes the options that prevent calls of a permission callback. Rules in settings files can prevent such calls
/// too, but this function does not read these files.
pub(crate) fn shadows(options: &QueryOptions) -> Vec<String> {
    let mut shadows = Vec::new();
    if options.permission_mode == Some(PermissionMode::BypassPermissions) {
        shadows.push("the permission mode bypassPermissions".to_owned());
    }
    let allowed = options.allowed_tools.iter().flatten();
    let whole = allowed.filter(|rule| {
        let rule = rule.trim();
        let bare = rule.strip_suffix("()").or_else(|| rule.strip_suffix("(*)"));
        !bare.unwrap_or(rule).contains('(')
    });
    shadows.extend(whole.map(|rule| format!("{rule} in allowed_tools")));
    if options.skills == Some(Skills::all()) {
        shadows.push("all skills allowed by the option skills".to_owned());
    }
    shadows
}

/// Fails if a response to `initialize` is not an object. Its members differ between versions of the CLI, and are not
/// checked.
pub(crate) fn is_object(response: &Json) -> Result<(), Error> {
    if response.as_raw().trim_start().starts_with('{') {
        return Ok(());
    }
    let excerpt: String = response.as_raw().chars().take(80).collect();
    Err(Cause::BadAnswer {
        subtype: "initialize".to_owned(),
        reason: format!("it is no object: {excerpt}"),
    }
    .into())
}

/// Creates the body of `initialize`, the first line that is sent to the CLI. It contains only some of the options. The
/// other options are passed on the command line or in files.
pub(crate) fn initialize(
    options: &QueryOptions,
    hooks: &Hooks,
) -> Result<Box<Initialize>, TransportError> {
    let mut initialize = Box::new(Initialize::new());
    initialize.hooks = hooks.matchers();
    system_prompt(options, &mut initialize);
    let by_file = options.delivery == Some(Delivery::File);
    macro_rules! copy {
        ($field:ident $key:literal initialize() $text:literal) => {
            initialize.$field.clone_from(&options.$field)
        };
        ($field:ident $key:literal launch() $text:literal) => {
            // The response to `initialize` must confirm this option only if its list or map contains something. So an
            // empty one is left out.
            if !by_file
                && options
                    .$field
                    .as_ref()
                    .is_some_and(|values| !values.is_empty())
            {
                initialize.$field.clone_from(&options.$field);
            }
        };
        // Other options are not in `initialize`, or have another form there, so this arm creates no
        // code.
        ($field:ident $key:literal $way:ident($($name:tt)?) $text:literal) => {};
    }
    claw_types::each_option!(copy);
    if let Some(Skills::List(names)) = &options.skills {
        initialize.skills = Some(names.clone());
    }
    if let Some(OutputFormat::JsonSchema(format)) = &options.output_format {
        initialize.json_schema = Some(format.schema.clone());
    }
    if !by_file {
        initialize
            .managed_settings
            .clone_from(&options.managed_settings);
        initialize.settings = options.merged_settings()?;
    }
    Ok(initialize)
}

/// Adds a field that claw does not know. Fails if claw knows the field.
pub(crate) fn add_field(
    request: &mut Initialize,
    name: &str,
    value: &Json,
) -> Result<(), TransportError> {
    let subtype = Json::from(serde_json::Value::from("initialize"));
    let alone: Map<Json> = Map::of_values([("subtype", subtype), (name, value.clone())]);
    let alone: Option<Initialize> = Json::new(&alone).and_then(|alone| alone.parse()).ok();
    if alone.is_none_or(|alone| alone.extra.get(name).is_none()) {
        let reason = format!("sets {name}, which claw knows");
        return Err(InvalidOption::new("initialize_field", reason).into());
    }
    request.extra.insert(name, value.clone());
    Ok(())
}

fn system_prompt(options: &QueryOptions, initialize: &mut Initialize) {
    match &options.system_prompt {
        // The options set no system prompt. If the field were absent, the CLI would use Claude Code's own system
        // prompt. So an empty prompt is sent.
        None => initialize.system_prompt = Some(vec![String::new()]),
        Some(SystemPrompt::Text(text)) => initialize.system_prompt = Some(vec![text.clone()]),
        Some(SystemPrompt::Parts(parts)) => initialize.system_prompt = Some(parts.clone()),
        Some(SystemPrompt::Object(SystemPromptObject::Custom(custom))) => {
            initialize.system_prompt = Some(match &custom.prompt {
                PromptText::Parts(parts) => parts.clone(),
                PromptText::Text(text) => vec![text.clone()],
                _ => vec![String::new()],
            });
            initialize.system_prompt_snapshot = custom.snapshot;
        }
        Some(SystemPrompt::Object(SystemPromptObject::Preset(preset))) => {
            initialize.append_system_prompt.clone_from(&preset.append);
            initialize.exclude_dynamic_sections = preset.exclude_dynamic_sections;
            initialize.system_prompt_snapshot = preset.snapshot;
        }
        // A form that this version of claw does not know. Its fields are unknown too, so nothing is set.
        Some(_) => {}
    }
}

/// A function that returns whether the response confirms an option.
type Taken = fn(&InitializeResponse) -> bool;

/// The options that the response must confirm. A CLI that does not know them would continue without them.
#[derive(Debug, Default)]
pub(crate) struct Confirm(Vec<(&'static str, Taken)>);

impl Confirm {
    pub(crate) fn of(initialize: &Initialize) -> Self {
        let blocks = initialize.hooks.iter().flatten().any(|(_, matchers)| {
            matchers
                .iter()
                .any(|matcher| matcher.on_failure == Some(HookOnFailure::Block))
        });
        let all: [(&str, bool, Taken); 6] = [
            ("mcp_servers", initialize.mcp_servers.is_some(), |answer| {
                answer.mcp_servers_applied == Some(true)
            }),
            ("settings", initialize.settings.is_some(), |answer| {
                answer.settings_applied == Some(true)
            }),
            (
                "managed_settings",
                initialize.managed_settings.is_some(),
                |answer| answer.managed_settings_applied == Some(true),
            ),
            (
                "disallowed_tools",
                initialize.disallowed_tools.is_some(),
                |answer| answer.disallowed_tools_applied == Some(true),
            ),
            ("plugins", initialize.plugins.is_some(), |answer| {
                answer.plugins_applied == Some(true)
            }),
            ("hooks", blocks, |answer| {
                answer.hook_on_failure_supported == Some(true)
                    && answer.hooks_applied != Some(false)
            }),
        ];
        let sent = all.into_iter().filter(|(_, sent, _)| *sent);
        Self(sent.map(|(option, _, taken)| (option, taken)).collect())
    }

    /// Whether any option must be confirmed.
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the first option that the response does not confirm.
    pub(crate) fn missing(&self, answer: Option<&InitializeResponse>) -> Option<&'static str> {
        let is_missing = |taken: &Taken| !answer.is_some_and(taken);
        let mut all = self.0.iter();
        all.find(|(_, taken)| is_missing(taken))
            .map(|(option, _)| *option)
    }
}

#[cfg(test)]
mod tests;
