//! The hosting contract, asked as a gateway or `curl -N` asks.

mod attacks;
mod contract;
mod trouble;

use claw_server::{Hosting, ServerBuilder};
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::client::{Running, soon};

pub(crate) async fn start_as(
    script: Script,
    hosting: Hosting,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Running {
    let folder = tempfile::tempdir().unwrap();
    Running::start_serving(script, folder, Some(hosting), change).await
}

pub(crate) async fn start(script: Script) -> Running {
    start_as(script, Hosting::new("shop"), |builder| builder).await
}

/// The request for a turn, as `curl` writes it.
pub(crate) fn request(running: &Running, id: &str, prompt: &str) -> String {
    let body = json!({ "prompt": prompt }).to_string();
    let (host, length) = (running.address, body.len());
    format!(
        "POST /sessions/{id}/messages HTTP/1.1\r\nHost: {host}\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// A server-sent event: its name and its data.
pub(crate) type Event = (String, String);

/// The response to a prompt, while it comes.
pub(crate) struct Turn {
    reader: BufReader<TcpStream>,
    pub(crate) head: String,
    text: String,
    is_over: bool,
}

impl Turn {
    /// Asks for a turn. When this is done, the prompt was taken.
    pub(crate) async fn ask(running: &Running, id: &str, prompt: &str) -> Self {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        let request = request(running, id, prompt);
        stream.write_all(request.as_bytes()).await.unwrap();
        Self::of(stream).await
    }

    pub(crate) async fn of(stream: TcpStream) -> Self {
        let mut turn = Self {
            reader: BufReader::new(stream),
            head: String::new(),
            text: String::new(),
            is_over: false,
        };
        while !turn.head.ends_with("\r\n\r\n") {
            let read = soon(turn.reader.read_line(&mut turn.head)).await.unwrap();
            assert_ne!(read, 0, "{}", turn.head);
        }
        assert!(turn.head.starts_with("HTTP/1.1 200"), "{}", turn.head);
        turn
    }

    /// One chunk more.
    async fn more(&mut self) {
        let mut length = String::new();
        if soon(self.reader.read_line(&mut length)).await.unwrap() == 0 {
            self.is_over = true;
            return;
        }
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        soon(self.reader.read_exact(&mut chunk)).await.unwrap();
        self.is_over = length == 0;
        self.text += std::str::from_utf8(&chunk[..length]).unwrap();
    }

    /// The next event. Comments are none. `None` at the end of the response.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(at) = self.text.find("\n\n") {
                let event: String = self.text.drain(..at + 2).collect();
                let event = event.trim_end_matches('\n');
                if event.starts_with(':') {
                    continue;
                }
                let (name, data) = event.split_once('\n').unwrap();
                let name = name.strip_prefix("event: ").unwrap().to_owned();
                let data = data.split('\n').map(|line| line.strip_prefix("data: "));
                let data = data.collect::<Option<Vec<_>>>().unwrap().join("\n");
                return Some((name, data));
            }
            if self.is_over {
                assert_eq!(self.text, "");
                return None;
            }
            self.more().await;
        }
    }

    /// The rest of the events.
    pub(crate) async fn rest(mut self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}

/// All events of a turn.
pub(crate) async fn turn(running: &Running, id: &str, prompt: &str) -> Vec<Event> {
    Turn::ask(running, id, prompt).await.rest().await
}

/// The messages among the events, those that are JSON.
pub(crate) fn messages(events: &[Event]) -> Vec<Value> {
    let messages = events.iter().filter(|(name, _)| name == "message");
    messages
        .filter_map(|(_, data)| serde_json::from_str(data).ok())
        .collect()
}

/// The texts of the model, and how the turn ended.
pub(crate) fn said(events: &[Event]) -> String {
    let mut said = Vec::new();
    for (name, data) in events {
        let data: Value = serde_json::from_str(data).unwrap_or_default();
        match &**name {
            "message" if data["type"] == "assistant" => {
                let blocks = data["message"]["content"].as_array().unwrap();
                let texts = blocks.iter().filter_map(|block| block["text"].as_str());
                said.extend(texts.map(str::to_owned));
            }
            "message" => {}
            "error" => said.push(format!("error: {}", data["message"].as_str().unwrap())),
            name => said.push(name.to_owned()),
        }
    }
    said.join(" | ")
}

/// What the agent was prompted with, in order.
pub(crate) fn prompts(agent: &Agent) -> Vec<String> {
    let received = agent.received();
    let prompts = received.iter().filter(|line| line["type"] == "user");
    let text = |line: &Value| line["message"]["content"].as_str().unwrap().to_owned();
    prompts.map(text).collect()
}

/// How many processes there were.
pub(crate) fn processes(agent: &Agent) -> usize {
    let received = agent.received();
    let begun = received
        .iter()
        .filter(|line| line["request"]["subtype"] == "initialize");
    begun.count()
}

pub(crate) fn says(text: &str) -> Step {
    Step::Turn(vec![Step::message([Block::text(text)])])
}

/// A turn that waits at a gate before it says this.
pub(crate) fn waits(gate: &str, text: &str) -> Step {
    Step::Turn(vec![Step::gate(gate), Step::message([Block::text(text)])])
}
