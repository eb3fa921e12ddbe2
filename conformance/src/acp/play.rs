//! Plays a scenario with one of the agents.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use claw_testkit::api::{Api, Scenario as Answers, scenarios};
use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::run::Result;

use super::agents::{Agents, Kind};
use super::client::{Client, Line, Log};
use super::scenario::{Scenario, Step};

/// The home and the working directory of an agent, and the API that its Claude Code uses.
struct World<'a> {
    agents: &'a Agents,
    kind: Kind,
    scenario: &'a Scenario,
    folder: TempDir,
    /// The path of the folder without links.
    root: PathBuf,
    api: Api,
    env: BTreeMap<String, OsString>,
    session: String,
}

/// Plays a scenario. Returns its lines, without data that only this run has.
///
/// # Errors
/// Fails if the agent does not start or end, or does not send a line for which the scenario waits.
pub(super) async fn play(agents: &Agents, kind: Kind, scenario: &Scenario) -> Result<Log> {
    let mut world = World::new(agents, kind, scenario).await?;
    let mut client = world.client(Log::default())?;
    let played = world.run(&mut client).await;
    if let Err(error) = played {
        let stderr = fs::read_to_string(world.root.join("stderr")).unwrap_or_default();
        return Err(format!(
            "{}, {}: {error}\n{}\n{stderr}",
            scenario.name,
            kind.name(),
            client.log.text(kind.name())
        )
        .into());
    }
    let log = client.leave().await?;
    Ok(world.without_places(log))
}

impl<'a> World<'a> {
    async fn new(agents: &'a Agents, kind: Kind, scenario: &'a Scenario) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let (home, work) = (root.join("home"), root.join("work"));
        fs::create_dir_all(&home)?;
        fs::create_dir_all(&work)?;
        // Without a setting, the npm agent begins in another mode than Claude Code.
        fs::create_dir_all(home.join(".claude"))?;
        let settings = json!({"permissions": {"defaultMode": "default"}});
        fs::write(home.join(".claude/settings.json"), settings.to_string())?;
        for (name, text) in &scenario.files {
            let path = work.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&work))?;
            fs::write(path, text)?;
        }
        let answers = if let Some(name) = &scenario.api {
            scenarios::by_name(name).ok_or_else(|| format!("no API `{name}`"))?
        } else {
            let place = work.display().to_string();
            let rules = texts(&scenario.rules, &|text| text.replace("$work", &place));
            let rules: Option<Vec<_>> = serde_json::from_value(rules)?;
            Answers::new(&scenario.name, rules.unwrap_or_default())
        };
        let api = Api::start(answers).await?;
        let mut env: BTreeMap<String, OsString> = BTreeMap::new();
        if let Some(path) = env::var_os("PATH") {
            env.insert("PATH".to_owned(), path);
        }
        env.insert("HOME".to_owned(), home.into());
        env.insert("SHELL".to_owned(), "/bin/sh".into());
        // Otherwise, the npm agent cannot start a session as root.
        env.insert("IS_SANDBOX".to_owned(), "1".into());
        // Otherwise, the npm agent asks the model for the next prompt, which has a cost.
        env.insert(
            "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION".to_owned(),
            "false".into(),
        );
        for (name, value) in api.env() {
            env.insert(name.to_owned(), value.into());
        }
        let claude = match &scenario.script {
            Some(script) => {
                let file = root.join("script.json");
                fs::write(&file, script.to_string())?;
                env.insert("CLAW_AGENT_SCRIPT".to_owned(), file.into());
                agents.scripted.clone()
            }
            None => agents.claude.clone(),
        };
        let variable = match kind {
            Kind::Claw => "CLAW_CLAUDE_PATH",
            Kind::Npm => "CLAUDE_CODE_EXECUTABLE",
        };
        env.insert(variable.to_owned(), claude.into());
        for (name, value) in &scenario.env {
            match value {
                Some(value) => env.insert(name.clone(), value.into()),
                None => env.remove(name),
            };
        }
        Ok(Self {
            agents,
            kind,
            scenario,
            folder,
            root,
            api,
            env,
            session: String::new(),
        })
    }

    /// Starts the agent.
    fn client(&self, log: Log) -> Result<Client> {
        let options = match &self.scenario.options {
            Some(options) => {
                let file = self.folder.path().join("options.json");
                fs::write(&file, options.to_string())?;
                Some(file)
            }
            None => None,
        };
        let command = self.agents.command(self.kind, options.as_deref());
        Client::start(&command, &self.env, &self.root, log, &self.scenario.person)
    }

    async fn run(&mut self, client: &mut Client) -> Result {
        self.initialize(client).await?;
        for step in &self.scenario.steps {
            self.step(client, step).await?;
        }
        Ok(())
    }

    async fn initialize(&self, client: &mut Client) -> Result {
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": self.scenario.capabilities,
            "clientInfo": {"name": "comparison", "version": "1"},
        });
        client.ask("initialize", params).await?;
        Ok(())
    }

    async fn step(&mut self, client: &mut Client, step: &Step) -> Result {
        match step {
            Step::New(more) => {
                let mut params = json!({"cwd": self.root.join("work"), "mcpServers": []});
                merge(&mut params, &self.filled(more));
                if let (Kind::Npm, Some(options)) = (self.kind, &self.scenario.options) {
                    params["_meta"] = json!({"claudeCode": {"options": options}});
                }
                let answer = client.ask("session/new", params).await?;
                if let Some(id) = answer["result"]["sessionId"].as_str() {
                    id.clone_into(&mut self.session);
                    client.update("available_commands_update").await?;
                }
            }
            Step::Ask(method, params) => {
                client.ask(method, self.filled(params)).await?;
            }
            Step::Prompt(prompt) => {
                client.ask("session/prompt", self.prompt(prompt)).await?;
            }
            Step::SendPrompt(prompt) => {
                client.send("session/prompt", self.prompt(prompt)).await?;
            }
            Step::Send(method, params) => {
                client.send(method, self.filled(params)).await?;
            }
            Step::Answers => client.answers().await?,
            Step::Notify(method, params) => client.notify(method, self.filled(params)).await?,
            Step::CancelRequest => client.cancel_request().await?,
            Step::Update(kind) => client.update(kind).await?,
            Step::Asked(method) => client.asked(method).await?,
            Step::Open(gate) => self.api.gates().open(gate),
            Step::Reached(gate) => self.api.gates().reached(gate).await,
            Step::Restart => {
                let log = std::mem::take(&mut client.log);
                let next = self.client(log)?;
                let before = std::mem::replace(client, next);
                let rest = before.leave().await?;
                client.log.0.extend(rest.0);
                self.initialize(client).await?;
            }
        }
        Ok(())
    }

    fn prompt(&self, prompt: &Value) -> Value {
        let blocks = match prompt {
            Value::String(text) => json!([{"type": "text", "text": text}]),
            blocks => blocks.clone(),
        };
        self.filled(&json!({"sessionId": "$session", "prompt": blocks}))
    }

    /// Returns the value, in which the names of the session, the folder and the API are replaced by
    /// their values.
    fn filled(&self, value: &Value) -> Value {
        let (work, api) = (self.root.join("work"), self.api.base_url());
        let mcp = &self.agents.mcp;
        texts(value, &|text| {
            text.replace("$session", &self.session)
                .replace("$work", &work.display().to_string())
                .replace("$api", &api)
                .replace("$mcp", &mcp.display().to_string())
        })
    }

    /// Returns the lines, in which data that only this run has is replaced by names.
    fn without_places(&self, log: Log) -> Log {
        let root = self.root.display().to_string();
        let slug = claw_sessions::slug(&self.root);
        let (api, session) = (self.api.base_url(), &self.session);
        let replace = |text: &str| {
            let mut text = text.replace(&root, "$root").replace(&slug, "$slug");
            text = text.replace(&api, "$api");
            if !session.is_empty() {
                text = text.replace(session, "$session");
            }
            text
        };
        let lines = log.0.into_iter().map(|line| match line {
            Line::Sent(line) => Line::Sent(texts(&line, &replace)),
            Line::Received(line) => Line::Received(texts(&line, &replace)),
            Line::Unreadable(line) => Line::Unreadable(replace(&line)),
        });
        Log(lines.collect())
    }
}

/// Returns the value with changed texts.
fn texts(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.iter().map(|item| texts(item, change)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, value)| (change(name), texts(value, change)))
                .collect()
        }
        other => other.clone(),
    }
}

fn merge(params: &mut Value, more: &Value) {
    let more = more.as_object().into_iter().flatten();
    for (name, value) in more {
        params[name] = value.clone();
    }
}
