//! Converts requests that open sessions or list sessions, and the responses to these requests.

use agent_client_protocol::Error;
use agent_client_protocol::{v1::schema as v1, v2::schema as v2};
use serde_json::Value;

use super::convert::{same, v2_session};
use crate::failure::invalid;
use crate::offer::Offer;

/// Returns the capabilities of a client. Every client of version 2 shows notices, compactions, terminals and patches.
pub(super) fn offer(client: &v2::ClientCapabilities) -> Offer {
    let elicitation = client.elicitation.as_ref();
    let auth = client.auth.as_ref();
    let meta = client.meta.as_ref();
    let is_set = |name: &str| meta.and_then(|meta| meta.get(name)) == Some(&true.into());
    Offer {
        forms: elicitation.is_some_and(|it| it.form.is_some()),
        urls: elicitation.is_some_and(|it| it.url.is_some()),
        terminal_login: auth.is_some_and(|it| it.terminal.is_some()),
        login_command: is_set("terminal-auth"),
        notices: true,
        compaction: true,
        switches: true,
        terminal_output: true,
        subagent_texts: is_set("subagent-transcript"),
        patches: true,
    }
}

/// Returns the capabilities of this agent.
pub(super) fn capabilities() -> v2::AgentCapabilities {
    let prompts = v2::PromptCapabilities::new()
        .image(v2::PromptImageCapabilities::new())
        .embedded_context(v2::PromptEmbeddedContextCapabilities::new());
    let servers = v2::McpCapabilities::new()
        .stdio(v2::McpStdioCapabilities::new())
        .http(v2::McpHttpCapabilities::new());
    let directories = v2::SessionAdditionalDirectoriesCapabilities::new();
    let sessions = v2::SessionCapabilities::new()
        .prompt(prompts)
        .mcp(servers)
        .delete(v2::SessionDeleteCapabilities::new())
        .additional_directories(directories);
    v2::AgentCapabilities::new()
        .session(sessions)
        .auth(v2::AgentAuthCapabilities::new())
}

/// Converts the login. Returns `None` for a kind of login that this agent does not offer.
pub(super) fn login(method: v1::AuthMethod) -> Option<v2::AuthMethod> {
    let v1::AuthMethod::Terminal(login) = method else {
        return None;
    };
    let id = v2::AuthMethodId::new(login.id.0);
    let terminal = v2::AuthMethodTerminal::new(id, login.name)
        .description(login.description)
        .args(login.args)
        .meta(login.meta);
    Some(v2::AuthMethod::Terminal(terminal))
}

/// Converts the MCP servers of a request.
pub(super) fn servers(servers: &[v2::McpServer]) -> Result<Vec<v1::McpServer>, Error> {
    let convert = |(at, server): (usize, &v2::McpServer)| match server {
        v2::McpServer::Stdio(stdio) => {
            let env = stdio.env.iter();
            let env = env.map(|it| v1::EnvVariable::new(&*it.name, &*it.value));
            let server = v1::McpServerStdio::new(&*stdio.name, stdio.command.0.clone())
                .args(stdio.args.clone())
                .env(env.collect());
            Ok(v1::McpServer::Stdio(server))
        }
        v2::McpServer::Http(http) => {
            let headers = http.headers.iter();
            let headers = headers.map(|it| v1::HttpHeader::new(&*it.name, &*it.value));
            let server = v1::McpServerHttp::new(&*http.name, &*http.url);
            Ok(v1::McpServer::Http(server.headers(headers.collect())))
        }
        _ => Err(invalid(format!(
            "mcpServers[{at}]: the transport is unknown"
        ))),
    };
    servers.iter().enumerate().map(convert).collect()
}

/// Fails if a request has a system prompt, for which this agent offers no capability.
pub(super) fn without_system_prompt(prompt: Option<&v2::SystemPrompt>) -> Result<(), Error> {
    match prompt {
        None => Ok(()),
        Some(_) => Err(invalid("systemPrompt: this agent does not offer it")),
    }
}

/// Converts the blocks of a prompt.
pub(super) fn prompt(blocks: &[v2::ContentBlock]) -> Result<Vec<v1::ContentBlock>, Error> {
    if blocks.is_empty() {
        return Err(invalid("prompt: it has no content"));
    }
    let convert = |(at, block): (usize, &v2::ContentBlock)| {
        same(block).map_err(|_| invalid(format!("prompt[{at}]: the kind of the block is unknown")))
    };
    blocks.iter().enumerate().map(convert).collect()
}

/// Converts config options.
pub(super) fn config_options(options: &[v1::SessionConfigOption]) -> Vec<v2::SessionConfigOption> {
    let convert = |option: &v1::SessionConfigOption| {
        let mut value = serde_json::to_value(option).ok()?;
        let members = value.as_object_mut()?;
        let id = members.remove("id")?;
        members.insert("configId".to_owned(), id);
        serde_json::from_value::<v2::SessionConfigOption>(Value::Object(std::mem::take(members)))
            .ok()
    };
    options.iter().filter_map(convert).collect()
}

/// Converts the value for a config option.
pub(super) fn config_value(
    value: &v2::SessionConfigOptionValue,
) -> Result<v1::SessionConfigOptionValue, Error> {
    match value {
        v2::SessionConfigOptionValue::Id { value } => {
            let value = v1::SessionConfigValueId::new(value.0.clone());
            Ok(v1::SessionConfigOptionValue::ValueId { value })
        }
        v2::SessionConfigOptionValue::Boolean { value } => {
            Ok(v1::SessionConfigOptionValue::Boolean { value: *value })
        }
        _ => Err(invalid("type: the kind of the value is unknown")),
    }
}

/// Converts slash commands.
pub(super) fn commands(update: &v1::AvailableCommandsUpdate) -> Vec<v2::AvailableCommand> {
    let commands = update.available_commands.iter();
    let commands = commands.map(|command| {
        let mut converted = v2::Command::new(&*command.name, &*command.description);
        if let Some(v1::AvailableCommandInput::Unstructured(input)) = &command.input {
            let input = v2::TextCommandInput::new(&*input.hint);
            converted = converted.input(v2::AvailableCommandInput::Text(input));
        }
        v2::AvailableCommand::Command(converted)
    });
    commands.collect()
}

/// Converts a page of the list of sessions.
pub(super) fn listed(response: v1::ListSessionsResponse) -> v2::ListSessionsResponse {
    let sessions = response.sessions.into_iter().map(|session| {
        v2::SessionInfo::new(v2_session(&session.session_id), session.cwd)
            .title(session.title)
            .updated_at(session.updated_at)
    });
    let cursor = response.next_cursor.map(v2::SessionListCursor::from);
    v2::ListSessionsResponse::new(sessions.collect()).next_cursor(cursor)
}
