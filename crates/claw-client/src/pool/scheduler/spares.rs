//! Spares: processes that the pool starts before a session needs them.
//!
//! A spare belongs to the pool, and counts as a process. It is started only if the pool has room for another process,
//! and no session's process is ended for it. If a session needs room for a process, spares are ended first. If a spare
//! crashes or cannot be started, it is replaced after a pause, which doubles with each consecutive failure.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use super::{Generation, Member, MemberId, Now, Output, Scheduler, State, TemplateId};

/// The pause after the first failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of times that the pause doubles.
const DOUBLINGS: u32 = 6;

/// The pause after a spare was ended to make room for a session.
const GIVEN_UP: Duration = Duration::from_secs(5);

/// The lowest member number of a spare. Sessions have lower numbers.
const FIRST: u64 = 1 << 63;

#[derive(Debug, Default)]
pub(super) struct Template {
    count: usize,
    starting: BTreeSet<MemberId>,
    /// The spares that wait for a session, the oldest first.
    ready: VecDeque<MemberId>,
    /// The number of failures since a session last took over a spare.
    failures: u32,
    /// The time before which no spare is started.
    not_before: Option<Now>,
    /// Whether the driver was already asked to wake the scheduler at `not_before`.
    is_awaited: bool,
}

impl Template {
    fn pauses(&mut self, until: Now) {
        self.not_before = Some(until.max(self.not_before.unwrap_or_default()));
        self.is_awaited = false;
    }

    fn failed(&mut self, now: Now) {
        let pause = PAUSE * 2_u32.pow(self.failures.min(DOUBLINGS));
        self.failures = self.failures.saturating_add(1);
        self.pauses(now + pause);
    }
}

impl Scheduler {
    /// Adds a template, from which `count` spares are kept running. [`tick`](Scheduler::tick) starts the first spares.
    pub(crate) fn add_template(&mut self, count: usize) -> TemplateId {
        self.templates.push(Template {
            count,
            ..Template::default()
        });
        TemplateId(self.templates.len() - 1)
    }

    /// Sets the template whose spares can become the member's first process.
    pub(crate) fn fits(&mut self, member: MemberId, template: Option<TemplateId>) {
        if let Some(member) = self.members.get_mut(&member) {
            member.fits = template;
        }
    }

    /// Handles the report that the member could not take over its spare. The spare has ended. The member is served
    /// next.
    pub(crate) fn claim_failed(&mut self, now: Now, member: MemberId, generation: Generation) {
        let Some(state) = self.members.get_mut(&member) else {
            return;
        };
        let State::Claiming(template) = state.state else {
            return;
        };
        if state.generation != generation {
            return;
        }
        state.state = State::Inactive;
        let is_removed = state.is_removed;
        let has_tickets = !state.tickets.is_empty();
        self.claiming -= 1;
        self.totals.fallbacks += 1;
        self.vacate(member);
        self.template(template, |template| template.failed(now));
        if is_removed {
            self.forget(member);
        } else if has_tickets {
            if let Some(state) = self.members.get_mut(&member) {
                state.state = State::Queued;
            }
            self.queue.push_first(member);
        }
        self.settle(now);
    }

    /// Records that a member has taken over its spare.
    pub(super) fn claimed(&mut self, template: TemplateId) {
        self.claiming -= 1;
        self.totals.claims += 1;
        self.template(template, |template| template.failures = 0);
    }

    /// Assigns a spare to the member that is served next. Returns `false` if no spare fits this member.
    pub(super) fn claim_next(&mut self) -> bool {
        let Some(member) = self.queue.first() else {
            return false;
        };
        let Some(template) = self.members.get(&member).and_then(|member| member.fits) else {
            return false;
        };
        let ready = self.templates.get_mut(template.0);
        let Some(spare) = ready.and_then(|template| template.ready.pop_front()) else {
            return false;
        };
        let bytes = self.members.remove(&spare).and_then(|spare| spare.bytes);
        self.occupied.remove(&spare);
        self.queue.pop();
        self.claiming += 1;
        self.occupied.insert(member);
        self.clear_deadlines(member);
        if let Some(state) = self.members.get_mut(&member) {
            state.state = State::Claiming(template);
            state.generation += 1;
            state.bytes = bytes;
            // A spare can only become a member's first process: a later process resumes a conversation or has a fixed
            // ID.
            state.fits = None;
            self.outputs
                .push_back(Output::Claim(member, state.generation, spare));
        }
        true
    }

    /// Starts the spares that are missing, while the pool has room. The caller ensures that the queue is empty.
    pub(super) fn start_spares(&mut self, now: Now) {
        for number in 0..self.templates.len() {
            while self.needs_spare(number, now) {
                self.start_spare(TemplateId(number));
            }
        }
    }

    fn needs_spare(&mut self, number: usize, now: Now) -> bool {
        // One of the allowed concurrent starts is never used for a spare. It remains free for a session that needs a
        // process in the meantime.
        let may_start = self.starting == 0 || self.starting + 1 < self.limits.starts;
        let may_start = may_start && self.has_room();
        let Some(template) = self.templates.get_mut(number) else {
            return false;
        };
        if template.starting.len() + template.ready.len() >= template.count {
            return false;
        }
        match template.not_before {
            Some(time) if time > now => {
                if !std::mem::replace(&mut template.is_awaited, true) {
                    self.outputs.push_back(Output::Wake(time));
                }
                return false;
            }
            _ => template.not_before = None,
        }
        may_start
    }

    fn start_spare(&mut self, template: TemplateId) {
        let spare = MemberId(FIRST | self.next_spare);
        self.next_spare += 1;
        self.members.insert(spare, Member::spare(template));
        self.occupied.insert(spare);
        self.starting += 1;
        self.totals.spare_starts += 1;
        self.template(template, |template| {
            template.starting.insert(spare);
        });
        self.outputs
            .push_back(Output::StartSpare(spare, 1, template));
    }

    /// Handles the report that a spare's process is ready.
    pub(super) fn spare_started(&mut self, now: Now, spare: MemberId, template: TemplateId) {
        self.starting -= 1;
        if let Some(member) = self.members.get_mut(&spare) {
            member.state = State::Spare;
        }
        self.template(template, |template| {
            template.starting.remove(&spare);
            template.ready.push_back(spare);
        });
        self.settle(now);
    }

    /// Handles the report that a spare's process has ended, or could not be started.
    pub(super) fn spare_ended(&mut self, now: Now, spare: MemberId, template: TemplateId) {
        let Some(member) = self.members.remove(&spare) else {
            return;
        };
        self.occupied.remove(&spare);
        match member.state {
            State::Starting => self.starting -= 1,
            State::Ending => self.ending -= 1,
            _ => {}
        }
        let is_failure = member.state != State::Ending;
        if is_failure {
            self.totals.spare_failures += 1;
        }
        self.template(template, |template| {
            template.starting.remove(&spare);
            template.ready.retain(|ready| *ready != spare);
            if is_failure {
                template.failed(now);
            }
        });
        self.settle(now);
    }

    /// Ends the youngest spare of a template. Returns `false` if no spare is left.
    pub(super) fn evict_spare(&mut self, now: Now) -> bool {
        let mut templates = self.templates.iter_mut();
        let spare = templates.find_map(|template| {
            let spare = template.ready.pop_back()?;
            template.pauses(now + GIVEN_UP);
            Some(spare)
        });
        if let Some(spare) = spare {
            self.totals.spares_given_up += 1;
            self.end(spare);
        }
        spare.is_some()
    }

    fn template(&mut self, template: TemplateId, change: impl FnOnce(&mut Template)) {
        if let Some(template) = self.templates.get_mut(template.0) {
            change(template);
        }
    }

    /// The number of spares that wait for a session.
    pub(crate) fn spares(&self) -> usize {
        self.templates.iter().map(|of| of.ready.len()).sum()
    }
}
