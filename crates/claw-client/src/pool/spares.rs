//! Spares: processes that the pool starts before a session needs them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_types::control::ControlRequestBody;

use super::scheduler::{Generation, MemberId, Now, TemplateId};
use super::{Inner, events, new_id};
use crate::driver::clock::timeout;
use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::session::builder::SessionBuilder;
use crate::session::builder::warm::{Launch, SpareProcess};

/// Maximum time for taking over a spare, including its response to the session's `initialize`. Normally this takes
/// milliseconds.
const CLAIM: Duration = Duration::from_secs(10);

/// The settings with which spares of one kind are started: see [`PoolBuilder::spares`](super::PoolBuilder::spares).
pub(super) struct Template {
    launch: Launch,
    /// Whether the CLI registers the hooks of a second `initialize`. True until a session that took over a spare shows
    /// that the CLI does not.
    can_add_hooks: AtomicBool,
}

impl Template {
    pub(super) fn new(launch: Launch) -> Self {
        Self {
            launch,
            can_add_hooks: true.into(),
        }
    }

    /// Records that this CLI does not register the hooks of a second `initialize`.
    fn has_no_hooks(&self) {
        if self.can_add_hooks.swap(false, Ordering::Relaxed) {
            tracing::warn!(
                "this CLI is too old for sessions with hooks on spares; they start cold"
            );
        }
    }

    /// Returns the control requests that turn a spare into the process that a session requires. Returns `None` if
    /// control requests cannot do that. The session then needs a new process.
    pub(super) fn changes(&self, target: &Launch) -> Option<Vec<ControlRequestBody>> {
        let can_add_hooks = self.can_add_hooks.load(Ordering::Relaxed);
        if target.has_hooks() && !can_add_hooks {
            return None;
        }
        self.launch.changes(target)
    }
}

/// Represents the start of a spare. If this guard is dropped before the scheduler knows that the spare has started, the
/// guard reports that the start has failed.
struct Starting {
    pool: Weak<Inner>,
    spare: MemberId,
    generation: Generation,
}

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.update(|state, now| state.scheduler.failed(now, self.spare, self.generation));
        }
    }
}

/// Starts a spare. The start does not keep the pool alive: if the pool is dropped, the spare ends too.
pub(super) fn start(pool: &Arc<Inner>, spare: MemberId, generation: Generation, of: TemplateId) {
    let starting = Starting {
        pool: Arc::downgrade(pool),
        spare,
        generation,
    };
    let Some(template) = pool.templates.get(of.0).cloned() else {
        return;
    };
    pool.runtime.spawn(async move {
        match template.launch.start_spare(new_id()).await {
            Ok(spare_process) => ready(starting, spare_process),
            Err(error) => {
                events::spare_failed(&error);
                drop(starting);
            }
        }
    });
}

fn ready(starting: Starting, spare_process: SpareProcess) {
    let (spare, generation) = (starting.spare, starting.generation);
    let Some(pool) = starting.pool.upgrade() else {
        return;
    };
    events::spare_ready(spare_process.process().pid());
    let exited = spare_process.process().exited();
    pool.update(|state, now| {
        state.spare_processes.insert(spare, spare_process);
        state.scheduler.started(now, spare, generation);
    });
    // The scheduler already knows that the spare has started. So the guard's report on drop has no effect.
    drop(starting);
    let watched = Arc::downgrade(&pool);
    pool.runtime.spawn(async move {
        let exit = exited.await;
        let Some(pool) = watched.upgrade() else {
            return;
        };
        let spare_process = pool.update(|state, now| {
            state.scheduler.ended(now, spare, generation);
            state.spare_processes.remove(&spare)
        });
        if spare_process.is_some() {
            events::spare_lost(exit);
        }
    });
}

/// Ends a spare.
pub(super) fn end(
    pool: &Arc<Inner>,
    spare: MemberId,
    generation: Generation,
    spare_process: SpareProcess,
) {
    let pool = pool.clone();
    let runtime = pool.runtime.clone();
    runtime.spawn(async move {
        if let Err(error) = spare_process.end().await {
            tracing::warn!(error = %error, "a spare of the pool did not end as it should");
        }
        pool.update(|state, now| state.scheduler.ended(now, spare, generation));
    });
}

/// Calls the scheduler's `tick` when this time has come.
pub(super) fn wake_at(pool: &Arc<Inner>, at: Now) {
    let woken = Arc::downgrade(pool);
    pool.runtime.spawn(async move {
        while let Some(pool) = woken.upgrade() {
            let wake = {
                let mut state = pool.lock();
                (state.now() < at).then(|| state.clock.wake_time(at))
            };
            let Some(wake) = wake else {
                return pool.update(|state, now| state.scheduler.tick(now));
            };
            drop(pool);
            tokio::time::sleep_until(wake).await;
        }
    });
}

/// A session whose first process can be a spare.
pub(super) struct SpareCandidate {
    pub(super) builder: SessionBuilder,
    has_hooks: bool,
    changes: Vec<ControlRequestBody>,
    template: Arc<Template>,
}

impl SpareCandidate {
    /// Returns the number of the first template that fits a session of this builder, and the settings for taking over
    /// its spare. Returns `None` if no template fits.
    pub(super) fn of(
        templates: &[Arc<Template>],
        builder: SessionBuilder,
    ) -> Option<(TemplateId, Self)> {
        // If the options are invalid, no spare is used. The start of a process then reports the error.
        let launch = builder.launch().ok().flatten()?;
        let mut all = templates.iter().enumerate();
        let (number, changes, template) = all.find_map(|(number, template)| {
            Some((number, template.changes(&launch)?, template.clone()))
        })?;
        let fitting = Self {
            builder,
            has_hooks: launch.has_hooks(),
            changes,
            template,
        };
        Some((TemplateId(number), fitting))
    }

    /// Makes the session take over the spare's process, then sends the control requests in `then` to it.
    pub(super) async fn claim_spare(
        self,
        spare_process: SpareProcess,
        then: Vec<ControlRequestBody>,
    ) -> Result<Session, Error> {
        let process = spare_process.process().clone();
        let builder = self.builder.session_id(spare_process.id.clone());
        let taken = async {
            let session = builder.claim_spare(spare_process, CLAIM).connect().await?;
            let hooks = session.info().and_then(|info| info.hooks_applied);
            if self.has_hooks && hooks != Some(true) {
                self.template.has_no_hooks();
                return Err(Cause::NotTaken { option: "hooks" }.into());
            }
            make(&session, self.changes).await?;
            make(&session, then).await?;
            Ok(session)
        };
        let taken = timeout(CLAIM, taken).await;
        let taken = taken.unwrap_or_else(|| {
            Err(Cause::Timeout {
                what: "the claim of a spare".to_owned(),
                after: CLAIM,
                hook: None,
            }
            .into())
        });
        if taken.is_err() {
            // The takeover failed, and the session needs a new process. The spare must end first, because it counts as
            // one of the pool's processes.
            process.kill();
            process.exited().await;
        }
        taken
    }
}

/// Sends control requests to a session that has just started, and waits for each response.
pub(super) async fn make(session: &Session, changes: Vec<ControlRequestBody>) -> Result<(), Error> {
    for change in changes {
        let (_, answer) = session.shared.call(Box::new(change), None)?;
        answer
            .await
            .unwrap_or_else(|_| Err(session.shared.ended()))?;
    }
    Ok(())
}
