//! A client that writes its lines itself, and keeps every line of the agent.

use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_acp::Agent;
use claw_testkit::agent::{Agent as Scripted, Script};
use claw_types::QueryOptions;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::validity;

/// Waits, but not for ever.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_mins(1), future).await;
    waited.expect("it takes too long")
}

/// The answer of a person to a request of the agent. `None` leaves it open.
type Person = Box<dyn Fn(&str, &Value) -> Option<Value> + Send + Sync>;

/// The methods of the client's requests, by the JSON of their IDs.
type Asked = Arc<Mutex<HashMap<String, String>>>;

/// A client of one agent.
pub(crate) struct Editor {
    writer: Arc<tokio::sync::Mutex<Option<WriteHalf<DuplexStream>>>>,
    lines: watch::Receiver<Vec<Value>>,
    next: Mutex<u64>,
    asked: Asked,
    served: JoinHandle<Result<(), claw_acp::Error>>,
    pub(crate) folder: TempDir,
    pub(crate) scripted: Scripted,
}

/// What every client of these tests can do.
pub(crate) fn everything() -> Value {
    json!({
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
        "auth": {"terminal": true},
        "elicitation": {"form": {}, "url": {}},
        "_meta": {"terminal_output": true},
    })
}

/// An agent whose Claude Code plays a script, and the folder of its sessions.
pub(crate) fn agent(script: Script) -> (Agent, Scripted, TempDir) {
    let scripted = Scripted::new(script);
    let transport = scripted.clone();
    let folder = tempfile::tempdir().unwrap();
    let agent = Agent::new(QueryOptions::default())
        .sessions(claw_sessions::Sessions::new(folder.path()))
        .terminal_login(["--login"])
        .configure(move |builder| builder.transport(transport.clone()));
    (agent, scripted, folder)
}

impl Editor {
    /// A client of an agent whose Claude Code plays a script. Nobody answers its requests.
    pub(crate) async fn new(script: Script) -> Self {
        Self::with(script, everything(), |_, _| None).await
    }

    /// A client with these capabilities, at which a person answers the agent's requests.
    pub(crate) async fn with(
        script: Script,
        capabilities: Value,
        person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let (agent, scripted, folder) = agent(script);
        Self::of(agent, scripted, folder, capabilities, person).await
    }

    /// A client of any agent.
    pub(crate) async fn of(
        agent: Agent,
        scripted: Scripted,
        folder: TempDir,
        capabilities: Value,
        person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let editor = Self::unready(agent, scripted, folder, Box::new(person));
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        editor.ask("initialize", params).await.unwrap();
        editor
    }

    /// A client of any agent that speaks version 2 of the protocol.
    #[cfg(feature = "v2-draft")]
    pub(crate) async fn second(
        agent: Agent,
        scripted: Scripted,
        folder: TempDir,
        person: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let check = validity::v2::check;
        let editor = Self::checked(agent, scripted, folder, Box::new(person), check);
        let params = json!({"protocolVersion": 2, "info": {"name": "test", "version": "1"},
            "capabilities": {"auth": {"terminal": {}}, "elicitation": {"form": {}, "url": {}}}});
        let answer = editor.ask("initialize", params).await.unwrap();
        assert_eq!(answer["protocolVersion"], 2);
        editor
    }

    /// A client that has sent nothing yet.
    pub(crate) fn unready(
        agent: Agent,
        scripted: Scripted,
        folder: TempDir,
        person: Person,
    ) -> Self {
        Self::checked(agent, scripted, folder, person, validity::check)
    }

    /// A client that has sent nothing yet, of an agent whose version of the protocol is open.
    #[cfg(feature = "v2-draft")]
    pub(crate) fn unchecked(agent: Agent, scripted: Scripted, folder: TempDir) -> Self {
        Self::checked(agent, scripted, folder, Box::new(|_, _| None), |_, _| {})
    }

    /// A client that checks each line of the agent.
    fn checked(
        agent: Agent,
        scripted: Scripted,
        folder: TempDir,
        person: Person,
        check: fn(&Value, Option<&str>),
    ) -> Self {
        let (here, there) = tokio::io::duplex(64 << 10);
        let (reader, writer) = split(there);
        let served = tokio::spawn(agent.serve(reader, writer));
        let (reader, writer) = split(here);
        let writer = Arc::new(tokio::sync::Mutex::new(Some(writer)));
        let (sender, lines) = watch::channel(Vec::new());
        let asked = Asked::default();
        let replies = writer.clone();
        tokio::spawn(read(reader, sender, replies, person, asked.clone(), check));
        Self {
            writer,
            lines,
            next: Mutex::new(1),
            asked,
            served,
            folder,
            scripted,
        }
    }

    /// Writes a line.
    pub(crate) async fn write(&self, line: &str) {
        if let Ok(request) = serde_json::from_str::<Value>(line)
            && let (Some(id), Some(method)) = (request.get("id"), request["method"].as_str())
        {
            let mut asked = self.asked.lock().unwrap();
            asked.insert(id.to_string(), method.to_owned());
        }
        let mut writer = self.writer.lock().await;
        let writer = writer.as_mut().expect("the client has left");
        writer.write_all(line.as_bytes()).await.unwrap();
        writer.write_all(b"\n").await.unwrap();
    }

    /// Sends a request, and returns its ID.
    pub(crate) async fn send(&self, method: &str, params: Value) -> u64 {
        let id = {
            let mut next = self.next.lock().unwrap();
            *next += 1;
            *next
        };
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&line.to_string()).await;
        id
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        let line = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.write(&line.to_string()).await;
    }

    /// Waits for the answer to a request.
    pub(crate) async fn answer(&self, id: u64) -> Result<Value, Value> {
        let is_answer = |line: &Value| line["id"] == id && line.get("method").is_none();
        let line = self.wait(is_answer).await;
        match line.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(line["result"].clone()),
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Waits for a line of the agent.
    pub(crate) async fn wait(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let mut lines = self.lines.clone();
        let found = lines.wait_for(|lines| lines.iter().any(&is_it));
        let found = soon(found).await.expect("the agent has left");
        found.iter().find(|line| is_it(line)).unwrap().clone()
    }

    /// Waits until the lines of the agent are these.
    #[cfg(feature = "v2-draft")]
    pub(crate) async fn wait_for(&self, are_they: impl Fn(&[Value]) -> bool) {
        let mut lines = self.lines.clone();
        let found = lines.wait_for(|lines| are_they(lines));
        soon(found).await.expect("the agent has left");
    }

    /// All lines of the agent so far.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.lines.borrow().clone()
    }

    /// The updates of a session so far, without those about its settings and its tokens.
    pub(crate) fn updates(&self) -> Vec<Value> {
        let of_settings = [
            "available_commands_update",
            "current_mode_update",
            "config_option_update",
            "usage_update",
            "session_info_update",
        ];
        let lines = self.lines().into_iter();
        let updates = lines.filter(|line| line["method"] == "session/update");
        let updates = updates.map(|line| line["params"]["update"].clone());
        updates
            .filter(|update| {
                !of_settings
                    .iter()
                    .any(|kind| update["sessionUpdate"] == *kind)
            })
            .collect()
    }

    /// All text of the agent so far.
    pub(crate) fn text(&self) -> String {
        let updates = self.updates().into_iter();
        let chunks = updates.filter(|it| it["sessionUpdate"] == "agent_message_chunk");
        chunks
            .map(|it| {
                it["content"]["text"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect()
    }

    /// Begins a session, and returns its ID.
    pub(crate) async fn begin(&self) -> String {
        self.begin_in(self.folder.path()).await
    }

    pub(crate) async fn begin_in(&self, directory: &Path) -> String {
        let params = json!({"cwd": directory, "mcpServers": []});
        let session = self.ask("session/new", params).await.unwrap();
        session["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt, and waits until the turn ends.
    pub(crate) async fn prompt(&self, session: &str, text: &str) -> Result<Value, Value> {
        self.ask("session/prompt", prompt(session, text)).await
    }

    /// Drops the agent in the middle of its work.
    #[cfg(target_os = "linux")]
    pub(crate) async fn drop_agent(&self) {
        self.served.abort();
        while !self.served.is_finished() {
            tokio::task::yield_now().await;
        }
    }

    /// Leaves, and waits until the agent has ended.
    pub(crate) async fn leave(self) -> Result<(), claw_acp::Error> {
        self.leave_and_keep().await.map(drop)
    }

    /// Leaves, waits until the agent has ended, and keeps the folder.
    pub(crate) async fn leave_and_keep(self) -> Result<TempDir, claw_acp::Error> {
        if let Some(mut writer) = self.writer.lock().await.take() {
            writer.shutdown().await.unwrap();
        }
        soon(self.served).await.unwrap()?;
        Ok(self.folder)
    }
}

/// The parameters of a prompt.
pub(crate) fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

async fn read(
    reader: ReadHalf<DuplexStream>,
    sender: watch::Sender<Vec<Value>>,
    writer: Arc<tokio::sync::Mutex<Option<WriteHalf<DuplexStream>>>>,
    person: Person,
    asked: Asked,
    check: fn(&Value, Option<&str>),
) {
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let line: Value = serde_json::from_str(&line).expect("a line of the agent is JSON");
        let method = asked.lock().unwrap().get(&line["id"].to_string()).cloned();
        check(&line, method.as_deref());
        sender.send_modify(|lines| lines.push(line.clone()));
        let (Some(method), Some(id)) = (line["method"].as_str(), line.get("id")) else {
            continue;
        };
        if let Some(result) = person(method, &line["params"]) {
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            if let Some(writer) = writer.lock().await.as_mut() {
                // An agent that has left needs no answer.
                let _ = writer.write_all(format!("{answer}\n").as_bytes()).await;
            }
        }
    }
}
