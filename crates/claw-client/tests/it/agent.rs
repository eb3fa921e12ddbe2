//! Sessions with the scripted agent.

use std::future::Future;
use std::time::Duration;

use claw_client::transport::Io;
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Query, Received, Session, SessionBuilder};
use claw_testkit::Gates;
use claw_testkit::agent::{self, AgentError, Outcome, Script};
use futures::{Stream, TryStreamExt};
use serde_json::Value;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// A scripted agent that runs.
pub(crate) struct Agent {
    pub(crate) gates: Gates,
    running: JoinHandle<Result<Outcome, AgentError>>,
}

pub(crate) type Pipe = Io<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

impl Agent {
    pub(crate) fn start(script: Script) -> (Pipe, Self) {
        let gates = Gates::new();
        let (pipe, running) = agent::spawn(script, gates.clone());
        let (reader, writer) = tokio::io::split(pipe);
        (Io::new(reader, writer), Self { gates, running })
    }

    /// Waits for its end, and gives the lines that it took.
    pub(crate) async fn received(self) -> Vec<Value> {
        soon(self.running).await.unwrap().unwrap().received
    }

    /// Waits for its end.
    pub(crate) async fn gone(self) {
        // It ends by its input's end or by a broken pipe.
        let _ = soon(self.running).await.unwrap();
    }
}

pub(crate) fn builder() -> SessionBuilder {
    Session::builder(QueryOptions::default())
}

pub(crate) async fn connect(script: Script) -> (Session, Agent) {
    connect_as(builder(), script).await
}

pub(crate) async fn connect_as(builder: SessionBuilder, script: Script) -> (Session, Agent) {
    let (pipe, agent) = Agent::start(script);
    (
        soon(builder.transport(pipe).connect()).await.unwrap(),
        agent,
    )
}

pub(crate) async fn query(script: Script) -> (Query, Agent) {
    let (pipe, agent) = Agent::start(script);
    (
        soon(builder().transport(pipe).query("Hello?"))
            .await
            .unwrap(),
        agent,
    )
}

/// Waits, but not for ever.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_mins(1), future).await;
    waited.expect("it takes too long")
}

/// All messages of a stream. Every line has to be one.
pub(crate) async fn all(
    stream: impl Stream<Item = Result<Received, Error>>,
) -> Result<Vec<Message>, Error> {
    let readable = |received: Received| received.into_result().expect("a line can be read");
    soon(stream.map_ok(readable).try_collect()).await
}

/// The message that a stream gives next.
pub(crate) async fn next(
    stream: &mut (impl Stream<Item = Result<Received, Error>> + Unpin),
) -> Result<Option<Message>, Error> {
    let received = soon(stream.try_next()).await?;
    Ok(received.map(|received| received.into_result().expect("a line can be read")))
}

/// The answers among the lines that an agent took, by the id of their question.
pub(crate) fn answers<'a>(received: &'a [Value], id: &str) -> Vec<&'a Value> {
    let responses = received.iter().map(|line| &line["response"]);
    responses
        .filter(|response| response["request_id"] == id)
        .collect()
}
