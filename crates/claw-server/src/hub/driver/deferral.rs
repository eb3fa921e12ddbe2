//! Permission requests that wait without a process. The driver ends the process, and starts another one for the answer.

use std::time::{Duration, Instant};

use claw_client::pool::PooledProcess;
use claw_client::store::{DeferredAnswer, Lease, can_defer, defer};
use claw_client::{Error, Session};
use claw_types::MessageUuid;
use claw_types::control::CanUseTool;
use futures::FutureExt as _;

use super::{Driver, Step};
use crate::conversation::{Answered, Conversation};
use crate::hub::control::Resumption;
use crate::hub::deferred::name_of;
use crate::hub::store_away::while_away;

/// Maximum time until a resumed CLI repeats the permission request that has waited without a process.
const ASKS_AGAIN: Duration = Duration::from_mins(1);

/// The state of the driver's deferred request, which waits after its process has ended.
#[derive(Debug, Default)]
pub(super) enum Deferral {
    #[default]
    Nothing,
    /// The process of the request is being ended.
    Ending(Ending),
    /// A process that receives the answer is being started.
    Resuming,
    /// The started process continues the tool use. The `Instant` is the time of its start.
    Running(
        #[expect(dead_code, reason = "it keeps the process in use")] PooledProcess,
        Instant,
    ),
}

/// The state of a deferral while the process is being ended.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Whether the turn continued a tool use that had been deferred before.
    is_resumed: bool,
    /// The prompt whose turn ended with the process.
    pub(super) ended: Option<MessageUuid>,
    /// The answer, if it arrived while the process was being ended.
    answer: Option<Box<Resumption>>,
    /// `None` until the request is stored or lost. Then contains the ID of the request, and the error if the request is
    /// lost.
    outcome: Option<(String, Option<String>)>,
}

impl Deferral {
    /// Whether a request is being deferred, or a deferred tool use is being continued.
    pub(super) fn is_busy(&self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

/// The result of an asynchronous step of a deferral.
pub(super) enum DeferralStep {
    /// The result of the check whether the request can be deferred.
    CanDefer(String, Box<CanUseTool>, Session, Lease, Result<bool, Error>),
    Deferred(String, Result<(), Error>),
    Resumed(Box<Resumption>, Result<PooledProcess, ResumeError>),
    /// The time [`ASKS_AGAIN`] has passed since a resumed CLI was started. The field is the time of the start.
    AskedAgain(Instant),
}

/// The reason why no process was started for an answer.
pub(super) enum ResumeError {
    /// The answer could not be stored, so the request still waits.
    Unkept(String),
    /// The answer is stored, but the process that is to receive it could not be started.
    Failed(String),
}

impl Driver {
    /// Defers a request: ends its process, and lets the request wait in the store. Does not defer the request if the
    /// process has other prompts, background tasks or sub-agents, because they would be lost. The process then
    /// continues to run.
    pub(super) fn defer(&mut self, id: String) {
        let lease = self.shared.prompts.log().and_then(|log| log.lease());
        let body = self.shared.peek(|conversation| {
            let state = conversation.state();
            let is_alone = state.queued == 1 && state.background_tasks == 0 && state.agents == 0;
            let body = conversation.asked_tool(&id).filter(|_| is_alone);
            body.cloned()
        });
        if let (Some(lease), Some(body), Some(process), true) =
            (lease, body, self.process.clone(), self.has_one_turn(&id))
        {
            let can = async move {
                let can = can_defer(&process, &lease, &body).await;
                Step::Deferral(DeferralStep::CanDefer(
                    id,
                    Box::new(body),
                    process,
                    lease,
                    can,
                ))
            };
            self.steps.push(can.boxed());
        }
    }

    /// Starts a process that receives the answer to a deferred request.
    pub(super) fn resume(&mut self, resumption: Box<Resumption>) {
        if let Deferral::Ending(ending) = &mut self.deferral {
            ending.answer = Some(resumption);
            return;
        }
        self.deferral = Deferral::Resuming;
        let (shared, pooled) = (self.shared.clone(), self.pooled.clone());
        let log = shared.prompts.log();
        let resumed = async move {
            let resumed = async {
                let unkept = |error: &dyn std::fmt::Display| ResumeError::Unkept(error.to_string());
                let lease = log.as_ref().and_then(|log| log.lease());
                let lease = lease.ok_or_else(|| unkept(&"another host may have the session"))?;
                let log = log.ok_or_else(|| unkept(&"the session has no store"))?;
                let Answered { id, decision, by } = &resumption.answered;
                let answer = DeferredAnswer::new(by, name_of(*decision), lease.epoch());
                let waits = |is| shared.wait_for_store(is);
                let stored = log.stored();
                let keep = || async {
                    let answer = answer.clone();
                    let kept = stored.answer_deferred(lease.session(), id, answer).await;
                    Ok(kept?)
                };
                let kept = while_away(shared.patience, keep, waits).await;
                kept.map_err(|error| unkept(&error))?;
                let start = || async { Ok(pooled.process().await?) };
                let process = while_away(shared.patience, start, waits).await;
                process.map_err(|error| ResumeError::Failed(error.to_string()))
            };
            let resumed = resumed.await;
            Step::Deferral(DeferralStep::Resumed(resumption, resumed))
        };
        self.steps.push(resumed.boxed());
    }

    pub(super) fn deferral_step(&mut self, step: DeferralStep) {
        match step {
            DeferralStep::CanDefer(id, body, process, lease, Ok(true)) => {
                self.end_for_deferral(id, body, process, lease);
            }
            DeferralStep::CanDefer(_, _, _, _, Ok(false)) => {}
            DeferralStep::CanDefer(_, _, _, _, Err(error)) => {
                tracing::warn!(%error, "a request goes on waiting with its process");
            }
            DeferralStep::Deferred(id, deferred) => {
                if let Deferral::Ending(ending) = &mut self.deferral {
                    ending.outcome = Some((id, deferred.err().map(|error| error.to_string())));
                }
                self.complete_deferral();
            }
            DeferralStep::Resumed(resumption, Ok(process)) => {
                self.on_resumed(&resumption, process);
            }
            DeferralStep::Resumed(resumption, Err(ResumeError::Unkept(error))) => {
                let Resumption { answered, body } = *resumption;
                self.shared.forget_reply();
                self.shared.wait_again(&answered.id, body);
                self.end_resumption(Some(error));
            }
            DeferralStep::Resumed(_, Err(ResumeError::Failed(error))) => {
                self.shared.forget_reply();
                self.end_resumption(Some(error));
            }
            DeferralStep::AskedAgain(of) => {
                let is_of = matches!(self.deferral, Deferral::Running(_, since) if since == of);
                if is_of && self.shared.forget_reply() {
                    let text = "claude did not ask again for the tool: it was not run";
                    self.end_resumption(Some(text.to_owned()));
                }
            }
        }
    }

    /// Whether the process runs only the turn that waits for this request. `turns` does not count a turn that continues a
    /// deferred tool use.
    fn has_one_turn(&self, id: &str) -> bool {
        let is_again = self
            .shared
            .peek(|conversation| conversation.is_asked_again(id));
        match self.deferral {
            Deferral::Nothing => self.turns == 1 && !is_again,
            Deferral::Running(..) => self.turns == 0,
            Deferral::Ending(_) | Deferral::Resuming => false,
        }
    }

    fn end_for_deferral(
        &mut self,
        id: String,
        body: Box<CanUseTool>,
        process: Session,
        lease: Lease,
    ) {
        // Since the check, a person may have answered, or another prompt may have been sent. Then the request is not
        // deferred.
        let sender = self
            .has_one_turn(&id)
            .then(|| self.shared.begin_deferral(&id));
        let Some(sender) = sender.flatten() else {
            return;
        };
        self.deferral = Deferral::Ending(Ending {
            is_resumed: self.turns == 0,
            ..Ending::default()
        });
        self.pooled.expect_end();
        let deferred = async move {
            let deferred = defer(&process, &lease, &id, &body).await.map(drop);
            // The sender is dropped only now, after the process has ended. Otherwise the process would receive a
            // denial.
            drop(sender);
            Step::Deferral(DeferralStep::Deferred(id, deferred))
        };
        self.steps.push(deferred.boxed());
    }

    /// Ends the turn of a deferred request. Does nothing before the process has ended and the request is stored or
    /// lost.
    pub(super) fn complete_deferral(&mut self) {
        let is_complete = matches!(&self.deferral, Deferral::Ending(it) if it.outcome.is_some());
        if !is_complete || self.turns > 0 {
            return;
        }
        let Deferral::Ending(ending) = std::mem::take(&mut self.deferral) else {
            return;
        };
        let (id, error) = ending.outcome.unwrap_or_default();
        let is_kept = error.is_none();
        if let Some(error) = &error {
            tracing::warn!(
                error,
                "a request that was to wait without a process is lost"
            );
            self.shared.forget_reply();
            self.shared.end_deferral(&id);
        }
        self.process = None;
        if ending.is_resumed {
            self.shared
                .with(|conversation| conversation.ended(error.clone()));
        }
        if let Some(uuid) = ending.ended {
            self.finish(uuid, error.clone(), is_kept);
        }
        match ending.answer {
            Some(answer) if is_kept => self.resume(answer),
            Some(_) => self.end_resumption(error),
            None => {}
        }
    }

    fn on_resumed(&mut self, resumption: &Resumption, held: PooledProcess) {
        let process = held.session().clone();
        tracing::debug!(
            tool = resumption.body.tool_use_id.as_str(),
            "a deferred tool use goes on"
        );
        self.begin_messages(&process);
        self.shared.with(Conversation::started);
        self.process = Some(process);
        let since = Instant::now();
        self.deferral = Deferral::Running(held, since);
        let asked = tokio::time::sleep(ASKS_AGAIN);
        let asked = asked.map(move |()| Step::Deferral(DeferralStep::AskedAgain(since)));
        self.steps.push(asked.boxed());
    }

    /// Ends the turn that continued a deferred tool use, if there was one.
    pub(super) fn end_resumption(&mut self, error: Option<String>) {
        self.deferral = Deferral::Nothing;
        if self.turns == 0 {
            self.process = None;
        }
        self.shared.with(|conversation| conversation.ended(error));
    }
}
