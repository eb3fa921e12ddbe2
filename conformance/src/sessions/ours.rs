//! claw's answers.

use std::ffi::OsString;
use std::path::Path;

use claw_sessions::{Error, Messages, Sessions};
use serde_json::{Value, json};

use super::world::Question;
use xtask::run::Result;

/// Returns claw's answer to a question, in the form of the TypeScript package.
pub(super) fn answer(config: &Path, question: &Question) -> Result<Value> {
    let sessions = Sessions::of_environment(|name| match name {
        "CLAUDE_CONFIG_DIR" => Some(config.into()),
        _ => question.environment[name].as_str().map(OsString::from),
    })?;
    let options = &question.options;
    let number = |name: &str| {
        let number = options[name].as_u64().unwrap_or(0);
        usize::try_from(number).unwrap_or(usize::MAX)
    };
    let directory = options["dir"].as_str().map(Path::new);
    if question.ask == "list" {
        let mut list = sessions
            .list()
            .limit(number("limit"))
            .offset(number("offset"));
        if let Some(directory) = directory {
            list = list.project(directory);
        }
        if options["includeWorktrees"] == false {
            list = list.without_worktrees();
        }
        if options["includeProgrammatic"] == false {
            list = list.without_programmatic();
        }
        return Ok(serde_json::to_value(list.run()?.sessions)?);
    }
    let found = match directory {
        Some(directory) => sessions.find_in(directory, &question.id),
        None => sessions.find(&question.id),
    };
    let is_list = question.ask != "info";
    let session = match found {
        Ok(session) => session,
        Err(Error::NotFound { .. } | Error::InvalidId { .. }) => {
            return Ok(if is_list { json!([]) } else { Value::Null });
        }
        Err(error) => return Err(error.into()),
    };
    let read = |messages: Messages<'_>| -> Result<Value> {
        let mut messages = messages.limit(number("limit")).offset(number("offset"));
        if options["includeSystemMessages"] == true {
            messages = messages.include_system();
        }
        Ok(serde_json::to_value(messages.read()?.messages)?)
    };
    Ok(match question.ask {
        "info" => serde_json::to_value(session.info()?)?,
        "messages" => read(session.messages())?,
        "subagents" => {
            let mut ids: Vec<String> = Vec::new();
            ids.extend(
                session
                    .subagents()
                    .subagents
                    .iter()
                    .map(|agent| agent.id().to_owned()),
            );
            ids.sort();
            json!(ids)
        }
        _ => {
            let agents = session.subagents().subagents;
            match agents.iter().find(|agent| agent.id() == question.agent) {
                Some(agent) => read(agent.messages())?,
                None => json!([]),
            }
        }
    })
}
