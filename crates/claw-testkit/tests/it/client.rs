//! The other side of an agent: sends lines, reads lines.

use std::time::Duration;

use claw_testkit::{
    Gates,
    agent::{self, AgentError, Outcome, Script},
};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream,
        ReadHalf, WriteHalf,
    },
    task::JoinHandle,
};

/// Longer than anything here takes; a test that waits for it has failed.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) struct Client<R, W> {
    pub(crate) reader: BufReader<R>,
    pub(crate) writer: W,
}

pub(crate) type Piped = Client<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;
pub(crate) type Running = JoinHandle<Result<Outcome, AgentError>>;

/// Starts an agent on a task of its own.
pub(crate) fn start(script: Script) -> (Piped, Gates, Running) {
    let gates = Gates::new();
    let (pipe, running) = agent::spawn(script, gates.clone());
    (Client::over(pipe), gates, running)
}

/// The same with a pipe of so many bytes.
pub(crate) fn start_with_buffer(script: Script, buffer: usize) -> (Piped, Gates, Running) {
    let gates = Gates::new();
    let (ours, theirs) = tokio::io::duplex(buffer);
    let running = tokio::spawn({
        let gates = gates.clone();
        async move {
            let (reader, writer) = tokio::io::split(theirs);
            agent::run(&script, reader, writer, &gates).await
        }
    });
    (Client::over(ours), gates, running)
}

impl Piped {
    fn over(pipe: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(pipe);
        Self {
            reader: BufReader::new(reader),
            writer,
        }
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Client<R, W> {
    pub(crate) async fn send(&mut self, line: &Value) {
        self.writer
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
        self.writer.flush().await.unwrap();
    }

    pub(crate) async fn prompt(&mut self, uuid: &str) {
        let message = json!({"role": "user", "content": "Hello"});
        self.send(&json!({"type": "user", "uuid": uuid, "message": message}))
            .await;
    }

    pub(crate) async fn request(&mut self, id: &str, request: Value) {
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        self.send(&line).await;
    }

    pub(crate) async fn decide(&mut self, request: &Value, decision: Value) {
        let id = &request["request_id"];
        let response = json!({"subtype": "success", "request_id": id, "response": decision});
        self.send(&json!({"type": "control_response", "response": response}))
            .await;
    }

    /// The next line as it is; none at the end.
    pub(crate) async fn next_text(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line);
        tokio::time::timeout(LONG, read)
            .await
            .expect("no line came")
            .unwrap();
        (!line.is_empty()).then_some(line)
    }

    pub(crate) async fn next(&mut self) -> Option<Value> {
        self.next_text()
            .await
            .map(|line| line.parse().expect("a line that is no JSON"))
    }

    /// All lines up to the first of this kind (see [`kind`]).
    pub(crate) async fn until(&mut self, last: &str) -> Vec<Value> {
        let mut lines = Vec::new();
        loop {
            let line = self
                .next()
                .await
                .unwrap_or_else(|| panic!("{last} never came"));
            let found = kind(&line) == last;
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        while let Some(line) = self.next().await {
            lines.push(line);
        }
        lines
    }
}

/// A line in a word or two: its type, or what says more.
pub(crate) fn kind(line: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    match line["type"].as_str() {
        Some("system") if line["subtype"] == "session_state_changed" => text(&line["state"]),
        Some("system") => text(&line["subtype"]),
        Some("command_lifecycle") => {
            format!("{} {}", text(&line["command_uuid"]), text(&line["state"]))
        }
        Some("stream_event") => text(&line["event"]["type"]),
        Some("result") => format!("result {}", text(&line["subtype"])),
        Some("control_request") => text(&line["request"]["subtype"]),
        Some("control_response") => format!("answer {}", text(&line["response"]["request_id"])),
        Some(other) => other.to_owned(),
        None => "?".to_owned(),
    }
}

pub(crate) fn kinds(lines: &[Value]) -> Vec<String> {
    lines.iter().map(kind).collect()
}
