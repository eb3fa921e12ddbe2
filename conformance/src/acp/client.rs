//! A client that writes its lines itself, and records every line of both sides.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use xtask::run::Result;

use super::scenario::Reply;

/// The timeout of every step of the agent.
const PATIENCE: Duration = Duration::from_mins(1);

/// A line of the connection.
#[derive(Debug)]
pub(super) enum Line {
    Sent(Value),
    Received(Value),
    /// A line of the agent that is not JSON.
    Unreadable(String),
}

/// All lines of a scenario.
#[derive(Debug, Default)]
pub(super) struct Log(pub(super) Vec<Line>);

impl Log {
    /// Returns the number of lines of the agent.
    pub(super) fn received(&self) -> usize {
        let is_sent = |line: &&Line| matches!(line, Line::Sent(_));
        self.0.len() - self.0.iter().filter(is_sent).count()
    }

    /// Returns the lines as text for a person.
    pub(super) fn text(&self, agent: &str) -> String {
        let mut text = String::new();
        for line in &self.0 {
            let (arrow, line) = match line {
                Line::Sent(line) => (">", line.to_string()),
                Line::Received(line) => ("<", line.to_string()),
                Line::Unreadable(line) => ("?", line.clone()),
            };
            text.extend([agent, " ", arrow, " ", &line, "\n"]);
        }
        text
    }
}

/// A client of one agent.
pub(super) struct Client {
    child: Child,
    writer: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    pub(super) log: Log,
    person: BTreeMap<String, VecDeque<Reply>>,
    next: u64,
    open: Vec<u64>,
}

impl Client {
    /// Starts an agent.
    pub(super) fn start(
        command: &[OsString],
        env: &BTreeMap<String, OsString>,
        folder: &Path,
        log: Log,
        person: &BTreeMap<String, Vec<Reply>>,
    ) -> Result<Self> {
        let [program, args @ ..] = command else {
            return Err("the agent has no command".into());
        };
        let mut child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(env)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(folder.join("stderr"))?)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{} did not start: {error}", program.display()))?;
        let (writer, reader) = (child.stdin.take(), child.stdout.take());
        let reader = reader.ok_or("the agent has no stdout")?;
        let person = person.iter().map(|(method, replies)| {
            let replies = replies.iter().cloned().collect();
            (method.clone(), replies)
        });
        Ok(Self {
            child,
            writer,
            lines: BufReader::new(reader).lines(),
            // Each ID is used only once in a log.
            next: log.0.len() as u64,
            log,
            person: person.collect(),
            open: Vec::new(),
        })
    }

    async fn write(&mut self, line: Value) -> Result {
        let writer = self.writer.as_mut().ok_or("the client has left")?;
        writer.write_all(format!("{line}\n").as_bytes()).await?;
        self.log.0.push(Line::Sent(line));
        Ok(())
    }

    /// Sends a request, and returns its ID.
    pub(super) async fn send(&mut self, method: &str, params: Value) -> Result<u64> {
        self.next += 1;
        let id = self.next;
        self.open.push(id);
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(line).await?;
        Ok(id)
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) -> Result {
        self.write(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await
    }

    /// Cancels the last request.
    pub(super) async fn cancel_request(&mut self) -> Result {
        self.notify("$/cancel_request", json!({"requestId": self.next}))
            .await
    }

    /// Sends a request and waits for its response. Returns the whole line.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.send(method, params).await?;
        let is_answer = |line: &Value| line["id"] == id && line.get("method").is_none();
        self.wait(&format!("the answer to {method}"), is_answer)
            .await
    }

    /// Waits for the responses to all requests.
    pub(super) async fn answers(&mut self) -> Result {
        while let Some(id) = self.open.pop() {
            let is_answer = |line: &Value| line["id"] == id && line.get("method").is_none();
            self.wait(&format!("the answer to request {id}"), is_answer)
                .await?;
        }
        Ok(())
    }

    /// Waits for an update of this kind. Updates that have already arrived count too.
    pub(super) async fn update(&mut self, kind: &str) -> Result {
        let is_it = |line: &Value| line["params"]["update"]["sessionUpdate"] == kind;
        self.wait(&format!("the update {kind}"), is_it).await?;
        Ok(())
    }

    /// Waits for a request of the agent.
    pub(super) async fn asked(&mut self, method: &str) -> Result {
        self.wait(method, |line| line["method"] == method).await?;
        Ok(())
    }

    /// Waits for a line of the agent. Lines that have already arrived count too.
    async fn wait(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut seen = 0;
        loop {
            for line in &self.log.0[seen..] {
                if let Line::Received(line) = line
                    && is_it(line)
                {
                    return Ok(line.clone());
                }
            }
            seen = self.log.0.len();
            let read = timeout(PATIENCE, self.read()).await;
            match read {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => return Err(format!("the agent ended before {what}").into()),
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(format!("{what} did not come in a minute").into()),
            }
        }
    }

    /// Reads a line of the agent, and answers it if it is a request. Returns whether there was a line.
    async fn read(&mut self) -> Result<bool> {
        let Some(line) = self.lines.next_line().await? else {
            return Ok(false);
        };
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            self.log.0.push(Line::Unreadable(line));
            return Ok(true);
        };
        self.log.0.push(Line::Received(line.clone()));
        let (Some(method), Some(id)) = (line["method"].as_str(), line.get("id")) else {
            return Ok(true);
        };
        let reply = self.reply(method);
        let answer = match reply {
            Reply::Open => return Ok(true),
            Reply::Error(code) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "The client cannot."}})
            }
            Reply::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Reply::Choose(choice) => {
                let option = chosen(&line["params"], &choice)?;
                let result = json!({"outcome": {"outcome": "selected", "optionId": option}});
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
        };
        self.write(answer).await?;
        Ok(true)
    }

    /// Returns the next answer to a method. The last answer is repeated.
    fn reply(&mut self, method: &str) -> Reply {
        let Some(replies) = self.person.get_mut(method) else {
            return Reply::Error(-32601);
        };
        let reply = if replies.len() > 1 {
            replies.pop_front()
        } else {
            replies.front().cloned()
        };
        reply.unwrap_or(Reply::Open)
    }

    /// Disconnects, and reads the remaining lines of the agent.
    pub(super) async fn leave(mut self) -> Result<Log> {
        drop(self.writer.take());
        // Dropping the client kills an agent that does not end.
        let rest = async { while let Ok(true) = self.read().await {} };
        let _ = timeout(PATIENCE, rest).await;
        let ended = timeout(PATIENCE, self.child.wait()).await;
        ended.map_err(|_| "the agent does not end with its stdin")??;
        Ok(self.log)
    }
}

/// Returns the ID of the option that a person chooses, by its kind or by a part of its name.
fn chosen(params: &Value, choice: &str) -> Result<Value> {
    let options = params["options"].as_array();
    let mut options = options.into_iter().flatten();
    let is_it = |option: &&Value| {
        option["kind"] == choice
            || option["name"]
                .as_str()
                .is_some_and(|name| name.contains(choice))
    };
    let found = options.find(is_it).map(|option| option["optionId"].clone());
    found.ok_or_else(|| format!("no option `{choice}` in {params}").into())
}
