//! Validation of options before a process is started.

use std::fmt;

use super::{
    AgentMcpServer, Delivery, McpOtherServer, McpServerConfig, OutputFormat, PermissionMode,
    Plugin, QueryOptions, SettingsOrPath, Skills, SystemPrompt, SystemPromptObject, Thinking,
    Tools,
};
use crate::{Extra, Map};

/// An option, or a combination of options, that the CLI refuses or misinterprets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidOption {
    /// The name of the option: a field of [`QueryOptions`].
    pub option: &'static str,
    /// The reason why the option is invalid.
    pub reason: String,
}

impl InvalidOption {
    /// Creates an error for this option and this reason.
    pub fn new(option: &'static str, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { option, reason }
    }
}

impl fmt::Display for InvalidOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option {}: {}", self.option, self.reason)
    }
}

impl std::error::Error for InvalidOption {}

impl QueryOptions {
    /// Checks for options that the CLI refuses or misinterprets. Call this method before starting a CLI. The method
    /// does not check whether models, agents and files exist, because only the CLI knows that.
    ///
    /// # Errors
    ///
    /// Fails if an option is invalid. The error names the first invalid option that was found.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        known("options", &self.extra)?;
        self.validate_model()?;
        self.validate_session()?;
        self.validate_permissions()?;
        self.validate_tools()?;
        servers("mcp_servers", self.mcp_servers.as_ref())?;
        for (_, agent) in self.agents.iter().flatten() {
            for server in agent.mcp_servers.iter().flatten() {
                if let AgentMcpServer::Inline(inline) = server {
                    servers("agents", Some(inline))?;
                }
            }
        }
        match &self.system_prompt {
            Some(SystemPrompt::Object(SystemPromptObject::Unknown(_))) => {
                return Err(unknown("system_prompt"));
            }
            Some(SystemPrompt::Object(SystemPromptObject::Preset(preset)))
                if preset.preset != "claude_code" =>
            {
                return Err(preset_unknown("system_prompt", &preset.preset));
            }
            _ => {}
        }
        if let Some(managed) = &self.managed_settings
            && !is_object(managed)
        {
            return Err(InvalidOption::new("managed_settings", "must be an object"));
        }
        if self.managed_settings.is_some() && self.delivery == Some(Delivery::File) {
            return Err(InvalidOption::new(
                "managed_settings",
                "cannot be given in a file",
            ));
        }
        match &self.settings {
            Some(SettingsOrPath::Inline(settings)) if !is_object(settings) => {
                return Err(InvalidOption::new(
                    "settings",
                    "must be an object or a path",
                ));
            }
            // The CLI would take it for settings, on a command line that everybody can read.
            Some(SettingsOrPath::Path(path)) if path.trim_start().starts_with('{') => {
                return Err(InvalidOption::new(
                    "settings",
                    "an object is given as an object, not as text",
                ));
            }
            _ => {}
        }
        self.merged_settings().map(drop)
    }

    fn validate_model(&self) -> Result<(), InvalidOption> {
        if self.fallback_model.is_some() && self.model == self.fallback_model {
            return Err(InvalidOption::new(
                "fallback_model",
                "the model to fall back to must be another one than `model`",
            ));
        }
        if self.max_turns.is_some_and(|turns| turns == 0) {
            return Err(InvalidOption::new(
                "max_turns",
                "a turn takes at least one answer",
            ));
        }
        if let Some(Thinking::Unknown(_)) = &self.thinking {
            return Err(unknown("thinking"));
        }
        match &self.output_format {
            Some(OutputFormat::Unknown(_)) => Err(unknown("output_format")),
            Some(OutputFormat::JsonSchema(format)) if !is_object(&format.schema) => Err(
                InvalidOption::new("output_format", "the schema must be an object"),
            ),
            _ => Ok(()),
        }
    }

    fn validate_session(&self) -> Result<(), InvalidOption> {
        let continues = self.continue_session == Some(true);
        let refuse = |option, reason: &str| Err(InvalidOption::new(option, reason));
        if continues && self.resume.is_some() {
            return refuse("resume", "cannot stand beside continue_session");
        }
        if self.session_id.is_some()
            && (continues || self.resume.is_some())
            && self.fork_session != Some(true)
        {
            return refuse(
                "session_id",
                "beside resume or continue_session it needs fork_session",
            );
        }
        if self.resume_session_at.is_some() && self.resume.is_none() {
            return refuse("resume_session_at", "needs resume");
        }
        if self.resume_drops_turn.is_some() && self.resume_session_at.is_none() {
            return refuse("resume_drops_turn", "needs resume_session_at");
        }
        Ok(())
    }

    fn validate_permissions(&self) -> Result<(), InvalidOption> {
        if self.permission_mode == Some(PermissionMode::BypassPermissions)
            && self.allow_dangerously_skip_permissions != Some(true)
        {
            return Err(InvalidOption::new(
                "permission_mode",
                "bypassPermissions needs allow_dangerously_skip_permissions",
            ));
        }
        Ok(())
    }

    fn validate_tools(&self) -> Result<(), InvalidOption> {
        if let Some(Tools::Preset(preset)) = &self.tools
            && preset.preset != "claude_code"
        {
            return Err(preset_unknown("tools", &preset.preset));
        }
        rules("allowed_tools", self.allowed_tools.as_deref())?;
        rules("disallowed_tools", self.disallowed_tools.as_deref())?;
        match &self.skills {
            Some(Skills::Set(set)) if !set.is_known() => {
                let reason = format!("`{set}` is neither `all` nor a list");
                return Err(InvalidOption::new("skills", reason));
            }
            Some(Skills::List(names)) => names.iter().try_for_each(|name| skill(name))?,
            _ => {}
        }
        if self
            .plugins
            .iter()
            .flatten()
            .any(|plugin| matches!(plugin, Plugin::Unknown(_)))
        {
            return Err(unknown("plugins"));
        }
        for name in self.extra_args.iter().flatten().map(|(name, _)| name) {
            if name.is_empty() || name.starts_with('-') || name.contains(['=', ' ']) {
                let reason = format!("`{name}` is no name of a flag (give it without dashes)");
                return Err(InvalidOption::new("extra_args", reason));
            }
        }
        Ok(())
    }
}

/// Refuses options that claw does not know, because a misspelt option may be a restriction.
fn known(option: &'static str, extra: &Extra) -> Result<(), InvalidOption> {
    // A null counts as an option that is not set.
    match extra.iter().find(|(_, value)| value.as_raw() != "null") {
        Some((name, _)) => {
            let reason =
                format!("claw knows no option `{name}` (a flag of the CLI's goes to extraArgs)");
            Err(InvalidOption::new(option, reason))
        }
        None => Ok(()),
    }
}

fn unknown(option: &'static str) -> InvalidOption {
    InvalidOption::new(option, "claw does not know its `type`")
}

fn preset_unknown(option: &'static str, preset: &str) -> InvalidOption {
    let reason = format!("there is no preset `{preset}`, only `claude_code`");
    InvalidOption::new(option, reason)
}

fn is_object(json: &crate::Json) -> bool {
    json.as_raw().trim_start().starts_with('{')
}

fn servers(
    option: &'static str,
    servers: Option<&Map<McpServerConfig>>,
) -> Result<(), InvalidOption> {
    for (name, server) in servers.into_iter().flatten() {
        let reason = match server {
            McpServerConfig::Other(McpOtherServer::Http(_) | McpOtherServer::Sse(_))
            | McpServerConfig::Stdio(_) => continue,
            McpServerConfig::Other(McpOtherServer::Sdk(_)) => {
                "one of the host's own cannot be given as an option"
            }
            McpServerConfig::Other(_) => "claw does not know its `type`",
        };
        let reason = format!("server `{name}`: {reason}");
        return Err(InvalidOption::new(option, reason));
    }
    Ok(())
}

/// Checks the form of rules: `Tool` or `Tool(what)`. On the command line, they stand in one list. The CLI divides it at
/// commas and spaces outside of parentheses, which it does not nest, and skips what it cannot read without a word. So an
/// open parenthesis takes along the rules behind it.
fn rules(option: &'static str, rules: Option<&[String]>) -> Result<(), InvalidOption> {
    for rule in rules.into_iter().flatten() {
        let trimmed = rule.trim();
        let reason = match (trimmed.find('('), trimmed.contains(')')) {
            _ if trimmed.is_empty() => "it is empty",
            (None, true) => "it closes a parenthesis that it does not open",
            (Some(0), _) => "it names no tool",
            (Some(_), _) if !trimmed.ends_with(')') => "it does not end with its parenthesis",
            (Some(open), _) if is_divided(&trimmed[open..]) => {
                "the CLI would divide it at the space or comma behind an inner parenthesis (a rule in `settings` may \
                 have one)"
            }
            (None, false) | (Some(_), _) => continue,
        };
        let reason = format!("{rule:?} is no rule such as `Tool` or `Tool(what)`: {reason}");
        return Err(InvalidOption::new(option, reason));
    }
    Ok(())
}

/// Whether a space or a comma stands where the CLI sees no open parenthesis.
fn is_divided(text: &str) -> bool {
    let mut inside = false;
    text.chars().any(|c| {
        inside = c == '(' || inside && c != ')';
        !inside && (c == ',' || c.is_whitespace())
    })
}

/// Checks a skill's name. It becomes a rule, `Skill(name)`, in a list separated by commas, and must not add to the list
/// or match other skills.
fn skill(name: &str) -> Result<(), InvalidOption> {
    let reason = if name.is_empty() || name.trim() != name {
        "empty, or with space around it"
    } else if name
        .chars()
        .any(|c| matches!(c, '(' | ')' | ',' | '\u{feff}') || c.is_control())
    {
        "parentheses, commas and control characters are not allowed"
    } else if name.starts_with('/') {
        "a skill is named without a slash in front"
    } else if name == "*" || name.ends_with(":*") || name.ends_with(" *") {
        "it would stand for other skills (for all, say `all`)"
    } else if name.contains("\\\\") || name.ends_with('\\') {
        "a backslash would change what follows"
    } else {
        return Ok(());
    };
    let reason = format!("{name:?} is no skill's name: {reason}");
    Err(InvalidOption::new("skills", reason))
}

#[cfg(test)]
mod tests;
