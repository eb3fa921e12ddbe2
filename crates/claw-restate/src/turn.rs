//! One attempt of one turn: the step that Restate repeats until it has a result.
//!
//! Two attempts of one turn can run at once, as a worker may be cut off and not know it. So an attempt claims the session
//! before its CLI starts, in the name of an owner of its own. The claim gives it an epoch that no attempt before had, and
//! the store refuses what an older epoch still writes.
//!
//! An attempt is dropped when the connection to Restate is lost: nobody would get its result. That ends the CLI.

use std::io;
use std::time::{Duration, Instant};

use claw_client::store::{Lease, Leases, Owner, Retry, SessionRef, StoreError, StoreOptions};
use claw_client::{Error, Prompt, Session, TurnResult};
use claw_types::api::{Content, ContentBlock, TextBlock};
use futures::TryStreamExt as _;
use restate_sdk::errors::{HandlerError, TerminalError};
use tokio::time::{sleep, timeout};
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::attempts::Attempts;
use crate::running::RunningTurn;
use crate::worker::Inner;
use crate::{PromptRequest, TurnOutcome};

/// How often it is tried whether a claim is over.
const AGAIN: Duration = Duration::from_millis(200);
/// How long a turn may take to end when it is interrupted.
const INTERRUPT: Duration = Duration::from_secs(30);
/// How long giving a claim up may take, with what is to be stored before.
const RELEASE: Duration = Duration::from_secs(15);

/// The variable by which tools recognise a turn that runs again: its value is the same in all attempts.
const INVOCATION: &str = "CLAW_INVOCATION";

/// What a model reads behind a prompt that was begun before.
const REPEATED: &str = "This prompt was begun before, and was cut off when its host ended. What its tools did then may \
     be done already: look before you do it again.";

/// Why an attempt has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptError {
    /// Another attempt may succeed.
    #[error("{0}")]
    Again(String),
    /// No attempt can succeed, or none may follow.
    #[error("{0}")]
    Final(String),
}

impl AttemptError {
    /// What Restate gets. It repeats every error that is not terminal.
    pub(crate) fn into_handler(self) -> HandlerError {
        match self {
            Self::Again(text) => io::Error::other(text).into(),
            Self::Final(text) => TerminalError::new(text).into(),
        }
    }
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        match error.retry() {
            Retry::No if !error.is_superseded() => Self::Final(error.to_string()),
            _ => Self::Again(error.to_string()),
        }
    }
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        if let Some(store) = error.store() {
            let text = error.to_string();
            return match store.retry() {
                Retry::No if !store.is_superseded() => Self::Final(text),
                _ => Self::Again(text),
            };
        }
        if error.is_bad_request() {
            return Self::Final(error.to_string());
        }
        Self::Again(error.to_string())
    }
}

impl Inner {
    /// The session in the store.
    pub(crate) fn session(&self, id: &str) -> Result<SessionRef, AttemptError> {
        SessionRef::new(&*self.project, id).map_err(|error| AttemptError::Final(error.to_string()))
    }

    /// Runs a turn, within the limits.
    pub(crate) async fn attempt(
        &self,
        id: &str,
        invocation: &str,
        request: PromptRequest,
    ) -> Result<TurnOutcome, AttemptError> {
        let session = self.session(id)?;
        let place = timeout(self.limits.turn, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(AttemptError::Again("the worker has no place".to_owned()));
        };
        // An owner for this attempt alone: a second attempt in this process has to wait for the first, too.
        let owner = Owner::new(format!("worker {} of claw-restate", self.address))
            .at(self.address.to_string());
        let store = self.store.clone().owner(owner.clone());
        let leases = Leases::new(&store);
        let mut guard = AttemptOnDrop {
            leases: leases.clone(),
            token: Some(self.attempts.token()),
            is_done: false,
        };
        let mut running = self.running.add(&owner.id);
        let began = Instant::now();
        let done = self
            .attempt_as(&session, store, leases, invocation, request, &mut running)
            .await;
        guard.is_done = true;
        if let Ok(outcome) = &done {
            let (attempt, elapsed_ms) = (outcome.attempt, began.elapsed().as_millis());
            tracing::info!(session = id, attempt, elapsed_ms, "a turn has ended");
        }
        done
    }

    async fn attempt_as(
        &self,
        session: &SessionRef,
        store: StoreOptions,
        leases: Leases,
        invocation: &str,
        request: PromptRequest,
        running: &mut RunningTurn,
    ) -> Result<TurnOutcome, AttemptError> {
        let lease = claim(&leases, session).await?;
        let mut attempts = Attempts::read(store.store(), &lease, invocation).await?;
        if let Some(outcome) = attempts.outcome.take() {
            return Ok(outcome);
        }
        if attempts.begun >= self.limits.attempts {
            let text = format!(
                "the turn was begun {} times, and was cut each time",
                attempts.begun
            );
            return Err(AttemptError::Final(text));
        }
        let store = store.leases(leases);
        let session = self.connect(session, store, invocation).await?;
        // A CLI that does not start has begun nothing.
        let attempt = attempts.begin(&lease).await?;
        let prompt = prompt(request, attempt > 1);
        let result = self.run(&session, prompt, running).await?;
        stored(&session, &lease).await?;
        let outcome = self.outcome(&result, attempt, lease.epoch().0);
        // Before the claim is given up: what follows may be another attempt.
        attempts.end(&lease, &outcome).await?;
        session.close().await?;
        Ok(outcome)
    }

    async fn connect(
        &self,
        session: &SessionRef,
        store: StoreOptions,
        invocation: &str,
    ) -> Result<Session, AttemptError> {
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
        match Session::builder(first).store(store.clone()).connect().await {
            // This host has lines of an attempt that was cut, and another host has gone on. The store counts.
            Err(error) if error.diverged().is_some() => {
                tracing::warn!(%session, %error, "what only this host has is left alone");
                let store = store.leave_local();
                Ok(Session::builder(resumed).store(store).connect().await?)
            }
            // An attempt was cut before anything was stored, and this host has what it wrote.
            Err(error) if error.is_exited() && !is_stored => {
                tracing::warn!(%session, %error, "the session is not new on this host");
                Ok(Session::builder(resumed).store(store).connect().await?)
            }
            connected => Ok(connected?),
        }
    }

    async fn run(
        &self,
        session: &Session,
        prompt: Prompt,
        running: &mut RunningTurn,
    ) -> Result<TurnResult, AttemptError> {
        let mut turn = session.send(prompt).await?;
        tokio::select! {
            result = turn.last() => return Ok(result?),
            () = running.interrupted() => {}
            () = sleep(self.limits.turn) => {}
        }
        // A refusal means that the turn has just ended.
        let _ = session.interrupt().await;
        match timeout(INTERRUPT, turn.last()).await {
            Ok(result) => Ok(result?),
            Err(_) => Err(AttemptError::Final(
                "the turn did not end when it was interrupted".to_owned(),
            )),
        }
    }

    fn outcome(&self, result: &TurnResult, attempt: u32, epoch: u64) -> TurnOutcome {
        let most = self.limits.result;
        let mut text = result.text().into_owned();
        let mut is_cut = cut(&mut text, most);
        let mut structured_output = result.structured_output().cloned();
        if structured_output
            .as_ref()
            .is_some_and(|json| json.as_raw().len() > most)
        {
            structured_output = None;
            is_cut = true;
        }
        TurnOutcome {
            session_id: result.session_id().clone(),
            text,
            is_cut,
            is_error: result.is_error(),
            is_interrupted: result.interrupted(),
            structured_output,
            attempt,
            is_repeated: attempt > 1,
            epoch,
            num_turns: result.num_turns(),
            total_cost_usd: result.total_cost_usd(),
            usage: result.usage().clone(),
        }
    }
}

/// Claims a session. Another attempt that still has it ends, or its claim does; if another program has it, Restate tries
/// again later.
async fn claim(leases: &Leases, session: &SessionRef) -> Result<Lease, AttemptError> {
    let began = Instant::now();
    loop {
        match leases.claim(session).await {
            Err(error) if error.is_held() && began.elapsed() < 2 * leases.ttl() => {
                sleep(AGAIN).await;
            }
            claimed => return Ok(claimed?),
        }
    }
}

/// Waits until what the turn has written is stored, as long as the session is claimed: the next turn may run elsewhere.
async fn stored(session: &Session, lease: &Lease) -> Result<(), AttemptError> {
    let Some(mirror) = session.mirror() else {
        return Ok(());
    };
    tokio::select! {
        flushed = mirror.flush(Duration::from_hours(1)) => Ok(flushed?),
        why = lease.lost() => {
            let why = why.map_or_else(String::new, |why| why.to_string());
            Err(AttemptError::Again(format!("the claim was lost before the turn was stored: {why}")))
        }
    }
}

/// The prompt, with a note to the model if it was begun before. It has a new UUID in each attempt, because claude ignores
/// one that its transcript has.
fn prompt(request: PromptRequest, is_repeated: bool) -> Prompt {
    if !is_repeated {
        return request.prompt.into();
    }
    let mut blocks = match request.prompt {
        Content::Text(text) => vec![ContentBlock::Text(TextBlock::new(text))],
        Content::Blocks(blocks) => blocks,
    };
    blocks.push(ContentBlock::Text(TextBlock::new(REPEATED)));
    blocks.into()
}

/// Cuts a text that is longer than this, and says so.
fn cut(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    text.truncate(text.floor_char_boundary(most));
    true
}

/// The end of an attempt, also of one that is dropped. Its claim is given up in the background; a worker that ends waits
/// for that.
struct AttemptOnDrop {
    leases: Leases,
    token: Option<TaskTrackerToken>,
    is_done: bool,
}

impl Drop for AttemptOnDrop {
    fn drop(&mut self) {
        if !self.is_done {
            tracing::warn!("a turn is cut: the connection to Restate is lost, or the worker ends");
        }
        let (leases, token) = (self.leases.clone(), self.token.take());
        tokio::spawn(async move {
            leases.released(RELEASE).await;
            drop(token);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        let mut text = "aé".to_owned();
        assert!(!cut(&mut text, 3));
        assert!(cut(&mut text, 2));
        assert_eq!(text, "a");
    }

    #[test]
    fn a_repeated_prompt_has_a_note() {
        let request = PromptRequest::new("Do it.".to_owned());
        let first = format!("{:?}", prompt(request.clone(), false));
        assert!(first.contains("Do it.") && !first.contains("begun before"));
        let second = format!("{:?}", prompt(request, true));
        assert!(second.contains("Do it.") && second.contains("begun before"));
    }
}
