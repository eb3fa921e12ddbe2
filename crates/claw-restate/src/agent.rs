//! Runs the CLI in a step of a turn, until the turn has a result or a permission request must wait.

use std::future::pending;
use std::time::Duration;

use claw_client::store::{Lease, SessionRef, StoreOptions, can_defer, defer};
use claw_client::{FinalAnswer, Messages, Prompt, Session, SessionBuilder, Turn, TurnResult};
use claw_types::control::{CanUseTool, PermissionResult};
use claw_types::{QueryOptions, ToolUseId};
use futures::TryStreamExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use crate::error::AttemptError;
use crate::running::RunningTurn;
use crate::worker::Inner;

/// The maximum time in which an interrupted turn must end.
const INTERRUPT: Duration = Duration::from_secs(30);
/// The maximum number of permission requests of one CLI that are queued. Further requests wait in their callbacks.
const ASKED: usize = 16;

/// The environment variable that lets tools recognise a repeated turn. Its value is the same in all attempts of a turn.
const INVOCATION: &str = "CLAW_INVOCATION";

/// A permission request, and the sender for the reason if the request is denied.
type Ask = (CanUseTool, oneshot::Sender<&'static str>);

/// A running CLI.
pub(crate) struct Agent {
    pub(crate) session: Session,
    asked: mpsc::Receiver<Ask>,
}

/// The way in which a step has ended.
pub(crate) enum Ended {
    Result(TurnResult),
    /// A permission request waits in the store for its answer, and the CLI has ended. The fields are the ID of the
    /// request and its tool use.
    Asks(String, ToolUseId),
}

/// The source from which the result of a turn is read.
enum Results {
    /// The turn of a prompt that was sent.
    Turn(Turn),
    /// All messages of the session, and the answer that they contain. Used for a continued turn, because it has no
    /// prompt.
    All(Messages, FinalAnswer),
}

impl Results {
    /// Waits for the result. This method is cancel safe.
    async fn last(&mut self) -> Result<TurnResult, AttemptError> {
        let (messages, answer) = match self {
            Self::Turn(turn) => return Ok(turn.last().await?),
            Self::All(messages, answer) => (messages, answer),
        };
        while let Some(received) = messages.try_next().await? {
            let message = received.into_message();
            if let Some(Ok(result)) = message.map(|message| answer.result(message)) {
                return Ok(result);
            }
        }
        Err(AttemptError::Again("the turn has no result".to_owned()))
    }
}

impl Inner {
    /// Starts the CLI for a session. A new session is created, and a stored session is read from the store.
    pub(crate) async fn connect(
        &self,
        session: &SessionRef,
        store: StoreOptions,
        invocation: &str,
        answer: Option<(ToolUseId, PermissionResult)>,
    ) -> Result<Agent, AttemptError> {
        let mut options = self.options.clone();
        let env = options.env.get_or_insert_default();
        env.insert(INVOCATION, Some(invocation.to_owned()));
        let main = session.main();
        let is_stored = store.store().load(&main).try_next().await?.is_some();
        let store = store.project(session.project());
        let id = || Some(session.session().into());
        let (mut resumed, mut new) = (options.clone(), options);
        resumed.resume = id();
        new.session_id = id();
        let first = if is_stored { resumed.clone() } else { new };
        let (asks, asked) = mpsc::channel(ASKED);
        let connect = |options, store| {
            self.builder(options, store, answer.clone(), asks.clone())
                .connect()
        };
        let session = match connect(first, store.clone()).await {
            // An earlier attempt on this host ended before anything was stored. Only the transcript on this host
            // exists.
            Err(error) if error.is_exited() && !is_stored => {
                tracing::warn!(%session, %error, "the session is not new on this host");
                connect(resumed, store).await?
            }
            connected => connected?,
        };
        Ok(Agent { session, asked })
    }

    /// Returns a session builder. If permission requests may wait, the builder handles them. Otherwise, the CLI itself
    /// denies tool uses that need permission.
    fn builder(
        &self,
        options: QueryOptions,
        store: StoreOptions,
        answer: Option<(ToolUseId, PermissionResult)>,
        asks: mpsc::Sender<Ask>,
    ) -> SessionBuilder {
        let builder = Session::builder(options).store(store);
        if self.limits.answer.is_none() {
            return builder;
        }
        builder.can_use_tool(move |request| {
            let given = answer
                .clone()
                .filter(|(tool, _)| *tool == request.body.tool_use_id);
            let asks = asks.clone();
            async move {
                if let Some((_, decision)) = given {
                    return decision;
                }
                let (deny, denied) = oneshot::channel();
                let _ = asks.send((request.body, deny)).await;
                match denied.await {
                    Ok(why) => PermissionResult::deny(why),
                    // The process is about to end. If the callback returned an answer now, the CLI would store the
                    // answer as a denial in the transcript.
                    Err(_) => pending().await,
                }
            }
        })
    }

    /// Runs the CLI until the step has ended. Without a prompt, the CLI continues the turn that waited for the answer
    /// to a permission request.
    pub(crate) async fn run(
        &self,
        agent: &mut Agent,
        lease: &Lease,
        prompt: Option<Prompt>,
        running: &mut RunningTurn,
    ) -> Result<Ended, AttemptError> {
        let session = &agent.session;
        let mut results = match prompt {
            Some(prompt) => Results::Turn(session.send(prompt).await?),
            None => Results::All(session.messages()?, FinalAnswer::default()),
        };
        let mut limit = std::pin::pin!(sleep(self.limits.turn));
        loop {
            let (request, deny) = tokio::select! {
                result = results.last() => return Ok(Ended::Result(result?)),
                Some(ask) = agent.asked.recv() => ask,
                () = running.interrupted() => break,
                () = &mut limit => break,
            };
            if can_defer(session, lease, &request).await? {
                let id = uuid::Uuid::new_v4().to_string();
                defer(session, lease, &id, &request).await?;
                return Ok(Ended::Asks(id, request.tool_use_id));
            }
            let _ = deny.send("Nobody can be asked for a permission of a sub-agent here.");
        }
        // If the CLI refuses the interrupt, the turn has already ended.
        let _ = session.interrupt().await;
        match timeout(INTERRUPT, results.last()).await {
            Ok(result) => Ok(Ended::Result(result?)),
            Err(_) => Err(AttemptError::Final(
                "the turn did not end when it was interrupted".to_owned(),
            )),
        }
    }
}
