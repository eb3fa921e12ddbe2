//! A server with the scripted agent, and a client that writes its requests itself.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use claw_client::Session;
use claw_server::{Hosting, Project, Server, ServerBuilder};
use claw_sessions::Sessions;
use claw_testkit::agent::{Agent, Script};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::document;

/// Waits, but not for ever.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_mins(1), future).await;
    waited.expect("it takes too long")
}

/// The UUID of a prompt, by a digit.
pub(crate) fn uuid(number: usize) -> String {
    format!("{number}0000000-0000-4000-8000-000000000000")
}

/// The header with the key of a browser's pages.
pub(crate) const KEY: &str =
    "X-Claw-Key: a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\r\n";

/// A server that runs. The project is named `shop`.
pub(crate) struct Running {
    pub(crate) server: Server,
    pub(crate) address: SocketAddr,
    pub(crate) folder: TempDir,
    pub(crate) agent: Agent,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub(crate) async fn start(script: Script) -> Self {
        Self::start_as(script, |builder| builder).await
    }

    pub(crate) async fn start_as(
        script: Script,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        Self::start_in(script, tempfile::tempdir().unwrap(), change).await
    }

    /// With a folder that has something in it already.
    pub(crate) async fn start_in(
        script: Script,
        folder: TempDir,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        Self::start_serving(script, folder, None, change).await
    }

    /// With the hosting contract in place of the server's own routes, if it is given.
    pub(crate) async fn start_serving(
        script: Script,
        folder: TempDir,
        hosting: Option<Hosting>,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::start_on(listener, script, folder, hosting, change)
    }

    /// On an address that is known before the server is.
    pub(crate) fn start_on(
        listener: TcpListener,
        script: Script,
        folder: TempDir,
        hosting: Option<Hosting>,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let project = folder.path().join("shop");
        std::fs::create_dir(&project).unwrap();
        let agent = Agent::new(script);
        let of_session = agent.clone();
        let builder = Server::builder()
            // Most tests end while a turn still runs, and the default is 20 seconds.
            .connections(|connections| connections.finish = Duration::from_secs(5))
            .project(Project::new(&project).unwrap().store_project("shop"))
            .sessions(Sessions::new(folder.path().join("config")))
            .session(move |options| Session::builder(options).transport(of_session.clone()));
        let server = change(builder).build().unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn({
            let server = server.clone();
            async move {
                let stopped = async { drop(stopped.await) };
                match hosting {
                    Some(hosting) => server.serve_hosting(&hosting, listener, stopped).await,
                    None => server.serve(listener, stopped).await,
                }
            }
        });
        Self {
            server,
            address,
            folder,
            agent,
            stop: Some(stop),
            serving,
        }
    }

    /// Ends the server in an orderly way.
    pub(crate) async fn end(self) {
        self.end_and_keep().await;
    }

    /// Tells the server to end, and does not wait for it.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has ended.
    pub(crate) async fn ended(&mut self) {
        (&mut self.serving).await.unwrap().unwrap();
    }

    /// Ends the server in an orderly way, and keeps what it has on disk.
    pub(crate) async fn end_and_keep(mut self) -> TempDir {
        self.stop();
        soon(self.ended()).await;
        self.folder
    }

    /// The head of a request with the token.
    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        let (host, token) = (self.address, self.server.token().expose());
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n")
    }

    /// A request with the token.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &Value) -> Response {
        self.ask_with(method, path, body, "").await
    }

    /// A request with the token, and more headers.
    pub(crate) async fn ask_with(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &str,
    ) -> Response {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let head = self.head(method, path);
        let length = body.len();
        let request = format!(
            "{head}{headers}Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let response = self.raw(&request).await;
        document::check(method, path, &response);
        response
    }

    /// A request as it is written.
    pub(crate) async fn raw(&self, request: &str) -> Response {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        soon(Response::read(stream)).await
    }

    /// The response to a request of the page of a login link.
    pub(crate) async fn follow(&self, link: &str) -> Response {
        let host = self.address;
        let request = format!(
            "POST {link} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{KEY}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        self.raw(&request).await
    }

    /// Logs a browser in whose pages have [`KEY`], and returns the cookie.
    pub(crate) async fn log_in(&self, link: &str) -> String {
        let response = self.follow(link).await;
        assert_eq!(response.status, 204, "{}", response.body);
        response.cookie()
    }

    /// A new session in the project.
    pub(crate) async fn session(&self) -> String {
        let new = serde_json::json!({"project": "shop"});
        let response = self.ask("POST", "/api/sessions", &new).await;
        assert_eq!(response.status, 201, "{}", response.body);
        response.json()["id"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt of text.
    pub(crate) async fn prompt(&self, session: &str, text: &str) -> Response {
        let path = format!("/api/sessions/{session}/prompts");
        self.ask("POST", &path, &serde_json::json!({"text": text}))
            .await
    }

    /// Sends a prompt of text under a UUID.
    pub(crate) async fn prompt_as(&self, session: &str, uuid: &str, text: &str) -> Response {
        let path = format!("/api/sessions/{session}/prompts");
        let body = serde_json::json!({"text": text, "uuid": uuid});
        self.ask("POST", &path, &body).await
    }

    /// Denies the request that waits.
    pub(crate) async fn deny(&self, session: &str) {
        let path = format!("/api/sessions/{session}");
        let view = self.ask("GET", &path, &Value::Null).await.json();
        let request = view["requests"][0]["id"].as_str().unwrap();
        let path = format!("{path}/requests/{request}");
        let deny = serde_json::json!({"decision": "deny"});
        assert_eq!(self.ask("POST", &path, &deny).await.status, 200);
    }

    /// The events of a session, after the one of this ID.
    pub(crate) async fn events(&self, session: &str, after: Option<&str>) -> Events {
        let mut head = self.head("GET", &format!("/api/sessions/{session}/events"));
        if let Some(id) = after {
            head.push_str("Last-Event-ID: ");
            head.push_str(id);
            head.push_str("\r\n");
        }
        self.stream(&head).await
    }

    /// The events of the response to a request with this head.
    pub(crate) async fn stream(&self, head: &str) -> Events {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream
            .write_all(format!("{head}\r\n").as_bytes())
            .await
            .unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        soon(reader.read_line(&mut line)).await.unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        while line != "\r\n" {
            line.clear();
            soon(reader.read_line(&mut line)).await.unwrap();
        }
        Events {
            reader,
            text: String::new(),
        }
    }
}

/// A response that has ended.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    /// The cookie that it sets.
    pub(crate) fn cookie(&self) -> String {
        let cookie = self.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(crate) async fn read(mut stream: impl AsyncRead + Unpin) -> Self {
        let mut text = Vec::new();
        // A server that closes a connection whose request it has not read to its end resets it.
        let _ = stream.read_to_end(&mut text).await;
        let text = String::from_utf8_lossy(&text);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&*text, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or_default(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = self
            .head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "));
        let mut found = headers.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }
}

/// A server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

/// A stream of server-sent events.
pub(crate) struct Events {
    reader: BufReader<TcpStream>,
    text: String,
}

impl Events {
    /// The next event. `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(at) = self.text.find("\n\n") {
                let event: String = self.text.drain(..at + 2).collect();
                let field = |name: &str| {
                    let of = |line: &str| line.strip_prefix(name).map(str::to_owned);
                    event.lines().find_map(of)
                };
                if let (Some(id), Some(kind), Some(data)) =
                    (field("id: "), field("event: "), field("data: "))
                {
                    let data = serde_json::from_str(&data).unwrap();
                    document::check_event(&kind, &data);
                    return Some(Event { id, kind, data });
                }
                continue;
            }
            // A chunk: its length, its bytes, a line end.
            let mut length = String::new();
            if soon(self.reader.read_line(&mut length)).await.ok()? == 0 {
                return None;
            }
            let length = usize::from_str_radix(length.trim(), 16).unwrap();
            let mut chunk = vec![0; length + 2];
            soon(self.reader.read_exact(&mut chunk)).await.ok()?;
            if length == 0 {
                return None;
            }
            self.text += std::str::from_utf8(&chunk[..length]).unwrap();
        }
    }

    /// All events up to one of this kind for which this holds.
    pub(crate) async fn until(&mut self, kind: &str, is: impl Fn(&Value) -> bool) -> Vec<Event> {
        let mut seen = Vec::new();
        loop {
            let event = self.next().await;
            let event = event.unwrap_or_else(|| panic!("no {kind} came: {seen:#?}"));
            let is_it = event.kind == kind && is(&event.data);
            seen.push(event);
            if is_it {
                return seen;
            }
        }
    }
}
