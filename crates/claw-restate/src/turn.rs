//! Runs one attempt of a step of a turn. Restate repeats the step until it has a result.
//!
//! Two attempts of one turn can run at the same time, because a worker may lose its network without noticing that.
//! Therefore, each attempt has its own owner, and claims the session before its CLI starts. The claim has a higher
//! epoch than all earlier claims, and the store refuses writes with older epochs.
//!
//! If the connection to Restate is lost, the attempt is dropped, because no one would receive its result. Dropping the
//! attempt ends its CLI.

use std::time::{Duration, Instant};

use claw_client::store::{
    DeferredAnswer, Lease, Leases, Owner, SessionRef, StoreOptions, StoredError,
};
use claw_client::{Prompt, Session, TurnResult};
use claw_types::ToolUseId;
use claw_types::api::{Content, ContentBlock, TextBlock};
use claw_types::control::PermissionResult;
use tokio::time::{sleep, timeout};
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::TurnOutcome;
use crate::agent::Ended;
use crate::attempts::Attempts;
use crate::error::AttemptError;
use crate::running::RunningTurn;
use crate::step::{Asked, Begin, Step, StepOutcome};
use crate::worker::Inner;

/// The interval between two tries to claim a session.
const AGAIN: Duration = Duration::from_millis(200);
/// The maximum time for the release of a claim, including the writes before it.
const RELEASE: Duration = Duration::from_secs(15);

/// A note to the model. It is added to a prompt that an earlier attempt had already begun.
const REPEATED: &str = "This prompt was begun before, and was cut off when its host ended. What its tools did then may \
     be done already: look before you do it again.";

impl Inner {
    /// Returns the key of the session in the store.
    pub(crate) fn session(&self, id: &str) -> Result<SessionRef, AttemptError> {
        SessionRef::new(&*self.project, id).map_err(|error| AttemptError::Final(error.to_string()))
    }

    /// Runs an attempt of a step, within the limits of the worker.
    pub(crate) async fn attempt(&self, id: &str, step: Step) -> Result<StepOutcome, AttemptError> {
        let session = self.session(id)?;
        let place = timeout(self.limits.turn, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(AttemptError::Again("the worker has no place".to_owned()));
        };
        // Each attempt has its own owner, so that a second attempt in the same process must also wait for the first.
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
            .attempt_as(&session, store, leases, step, &mut running)
            .await;
        guard.is_done = true;
        let elapsed_ms = began.elapsed().as_millis();
        match &done {
            Ok(StepOutcome::Ended(outcome)) => {
                tracing::info!(
                    session = id,
                    outcome.attempt,
                    elapsed_ms,
                    "a turn has ended"
                );
            }
            Ok(StepOutcome::Asks(asked)) => {
                tracing::info!(
                    session = id,
                    request = asked.id,
                    elapsed_ms,
                    "a turn waits for an answer"
                );
            }
            // The error is ignored here, because Restate logs it.
            Err(_) => {}
        }
        done
    }

    async fn attempt_as(
        &self,
        session: &SessionRef,
        store: StoreOptions,
        leases: Leases,
        step: Step,
        running: &mut RunningTurn,
    ) -> Result<StepOutcome, AttemptError> {
        let lease = claim(&leases, session).await?;
        let mut attempts = Attempts::read(store.store(), &lease, &step.name()).await?;
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
        let next = self.next(session, &lease, step.begin).await?;
        let store = store.leases(leases);
        // A CLI that gets an answer continues immediately, so its attempt begins here. A CLI that waits for a prompt
        // has not begun the turn, even if its start fails.
        let answer = next.answer();
        let is_begun = answer.is_some();
        if is_begun {
            attempts.begin(&lease).await?;
        }
        let mut agent = self
            .connect(session, store, &step.invocation, answer)
            .await?;
        if !is_begun {
            attempts.begin(&lease).await?;
        }
        let attempt = attempts.begun;
        let outcome = match self
            .run(&mut agent, &lease, next.prompt(attempt), running)
            .await?
        {
            Ended::Asks(id, tool) => StepOutcome::Asks(Asked { id, tool, attempt }),
            Ended::Result(result) => {
                stored(&agent.session, &lease).await?;
                let outcome = self.outcome(&result, attempt, lease.epoch().0);
                StepOutcome::Ended(Box::new(outcome))
            }
        };
        // The result is stored before the claim is released, because another attempt may start immediately after the
        // release.
        attempts.end(&lease, &outcome).await?;
        if let StepOutcome::Ended(_) = outcome {
            agent.session.close().await?;
        }
        Ok(outcome)
    }

    /// Returns the input for the CLI, and records an answer to a permission request in the store. If the conversation
    /// has continued after the request, an earlier attempt received the answer and was aborted. The CLI then continues
    /// without the answer.
    async fn next(
        &self,
        session: &SessionRef,
        lease: &Lease,
        begin: Begin,
    ) -> Result<Next, AttemptError> {
        let (asked, decision, by) = match begin {
            Begin::Prompt(prompt) => return Ok(Next::Prompt(prompt)),
            Begin::Answer(asked, decision, by) => (asked, decision, by),
        };
        let again = |error: StoredError| AttemptError::Again(error.to_string());
        let stored = self.store.sessions();
        let deferred = stored.deferred(session).await.map_err(again)?;
        let waits = deferred.iter().find(|it| it.id == asked.id);
        if waits.is_none_or(|it| it.has_continued) {
            return Ok(Next::GoOn);
        }
        let is_allowed = matches!(decision, PermissionResult::Allow(_));
        let word = if is_allowed { "allow" } else { "deny" };
        let answer = DeferredAnswer::new(by, word, lease.epoch());
        let noted = stored.answer_deferred(session, &asked.id, answer).await;
        noted.map_err(again)?;
        Ok(Next::Answer(asked.tool, decision))
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

/// Claims a session. If another attempt still has the claim, waits until that attempt or its claim has ended. If
/// another program has the claim, the call fails, and Restate repeats it later.
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

/// Waits until all lines of the turn are stored. The session must still be claimed during this time, because the next
/// turn may run on another host.
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

/// The input for the CLI in a step.
#[derive(Clone)]
enum Next {
    Prompt(Content),
    Answer(ToolUseId, PermissionResult),
    /// There is no new input, because an earlier attempt of the turn already received it and was aborted.
    GoOn,
}

impl Next {
    /// Returns the tool use and the decision for it. The CLI requests this permission again.
    fn answer(&self) -> Option<(ToolUseId, PermissionResult)> {
        match self {
            Self::Answer(tool, decision) => Some((tool.clone(), decision.clone())),
            _ => None,
        }
    }

    /// Returns the prompt. If an earlier attempt had begun the prompt, a note to the model is added. The prompt has a
    /// new UUID in each attempt, because claude ignores a prompt whose UUID is already in the transcript. Returns
    /// `None` if the CLI continues without a prompt.
    fn prompt(self, attempt: u32) -> Option<Prompt> {
        let note = |text: &str| ContentBlock::Text(TextBlock::new(text));
        let mut blocks = match self {
            Self::Answer(..) => return None,
            Self::Prompt(prompt) if attempt == 1 => return Some(prompt.into()),
            Self::GoOn => return Some(vec![note(REPEATED)].into()),
            Self::Prompt(Content::Text(text)) => vec![note(&text)],
            Self::Prompt(Content::Blocks(blocks)) => blocks,
        };
        blocks.push(note(REPEATED));
        Some(blocks.into())
    }
}

/// Cuts a text that is longer than `most`. Returns whether it was cut.
fn cut(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    text.truncate(text.floor_char_boundary(most));
    true
}

/// Handles the end of an attempt, even if the attempt is dropped. The claim is released in the background. When a
/// worker ends, it waits for this release.
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
        let text = |next: Next, attempt| format!("{:?}", next.prompt(attempt));
        let prompt = || Next::Prompt("Do it.".to_owned().into());
        assert!(
            text(prompt(), 1).contains("Do it.") && !text(prompt(), 1).contains("begun before")
        );
        assert!(text(prompt(), 2).contains("Do it.") && text(prompt(), 2).contains("begun before"));
        assert!(text(Next::GoOn, 1).contains("begun before"));
    }
}
