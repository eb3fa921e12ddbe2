//! Simulates the driver, the sessions and the processes around a scheduler. Each event changes the simulated state.
//! After each event, [`World`] checks the properties that [`simulation`](super) lists.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::super::*;

#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    Join(u8),
    /// Allows a member to take over a spare. The member must not have had a process before.
    Fits(u8),
    Claimed(u8),
    ClaimFailed(u8),
    Leave(u8),
    /// Makes the process of a member end as soon as no caller waits for a turn or call in it.
    Finish(u8),
    Request(u8),
    /// A turn or call that was allowed to use a process ends.
    Done(u8),
    /// The caller of a turn or call stops waiting for its end. The turn or call continues.
    Detached(u8),
    Abandon(u8),
    Started(u8),
    StartFailed(u8),
    Ended(u8),
    Crashed(u8),
    Time(u16),
    Measured(u8, u32),
}

/// A fault of the scheduler's driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    /// The driver loses the scheduler's request to start a process.
    LosesStarts,
    /// The driver reports the end of a turn or call to the scheduler twice.
    DoneTwice,
    /// The limit of processes is larger in the scheduler than in the pool.
    OneMoreProcess,
    /// The end of a spare is not reported to the scheduler.
    KeepsDeadSpares,
    /// Time passes, but the driver does not call the scheduler at the time that the scheduler requested.
    NeverWakes,
    /// The driver does not report to the scheduler that a caller no longer waits for the end of its turn or call.
    KeepsDetached,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TicketState {
    Open,
    Granted,
    Ended,
}

/// A turn or call that the scheduler has allowed to use a process.
#[derive(Debug, Clone, Copy)]
struct Granted {
    member: MemberId,
    generation: Generation,
    has_reader: bool,
}

pub(super) struct World {
    scheduler: Scheduler,
    limits: Limits,
    flaw: Flaw,
    now: Now,
    tickets: u64,
    ticket_states: BTreeMap<Ticket, TicketState>,
    uses: Vec<Granted>,
    /// The processes that end as soon as no caller waits for a turn or call in them.
    finishing: BTreeSet<(MemberId, Generation)>,
    starting: BTreeSet<(MemberId, Generation)>,
    claiming: BTreeSet<(MemberId, Generation)>,
    /// The processes that belong to no session.
    spares: BTreeSet<MemberId>,
    /// The time at which a spare last failed.
    failed: Option<Now>,
    wake: Option<Now>,
    running: BTreeSet<(MemberId, Generation)>,
    ending: BTreeSet<(MemberId, Generation)>,
    joined: BTreeSet<MemberId>,
    open: BTreeMap<Ticket, MemberId>,
    lost: u64,
}

/// The number of spares of the world's only template.
const SPARES: usize = 2;

fn at<T: Clone>(all: impl IntoIterator<Item = T>, n: u8) -> Option<T> {
    let all: Vec<T> = all.into_iter().collect();
    (!all.is_empty()).then(|| all[usize::from(n) % all.len()].clone())
}

impl World {
    pub(super) fn new(limits: Limits, flaw: Flaw) -> Self {
        let mut scheduler_limits = limits.clone();
        if flaw == Flaw::OneMoreProcess {
            scheduler_limits.processes += 1;
        }
        let mut scheduler = Scheduler::new(scheduler_limits);
        scheduler.add_template(SPARES);
        Self {
            scheduler,
            limits,
            flaw,
            now: Duration::ZERO,
            tickets: 0,
            ticket_states: BTreeMap::new(),
            uses: Vec::new(),
            finishing: BTreeSet::new(),
            starting: BTreeSet::new(),
            claiming: BTreeSet::new(),
            spares: BTreeSet::new(),
            failed: None,
            wake: None,
            running: BTreeSet::new(),
            ending: BTreeSet::new(),
            joined: BTreeSet::new(),
            open: BTreeMap::new(),
            lost: 0,
        }
    }

    pub(super) fn apply(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Join(n) => {
                let member = MemberId(u64::from(n % 12));
                // A member that has left joins again only after its process and all its turns and calls have ended.
                let is_used = self.uses.iter().any(|granted| granted.member == member);
                if !is_used && !self.is_known(member) && self.joined.insert(member) {
                    self.finishing.retain(|(of, _)| *of != member);
                    self.scheduler
                        .join(member, TenantId(u64::from(n % 3)), u32::from(n % 3) + 1);
                }
            }
            Event::Fits(n) => {
                let fresh = self.joined.iter().copied();
                let fresh = fresh.filter(|member| {
                    let member = self.scheduler.members.get(member);
                    member.is_some_and(|member| member.generation == 0)
                });
                if let Some(member) = at(fresh.collect::<Vec<_>>(), n) {
                    self.scheduler.fits(member, Some(TemplateId(0)));
                }
            }
            Event::Claimed(n) => {
                if let Some(process) = at(self.claiming.iter().copied(), n) {
                    self.claiming.remove(&process);
                    self.running.insert(process);
                    self.failed = None;
                    self.scheduler.started(self.now, process.0, process.1);
                }
            }
            Event::ClaimFailed(n) => {
                if let Some(process) = at(self.claiming.iter().copied(), n) {
                    self.claiming.remove(&process);
                    self.failed = Some(self.now);
                    self.scheduler.claim_failed(self.now, process.0, process.1);
                }
            }
            Event::Finish(n) => {
                if let Some(member) = at(self.joined.iter().copied(), n) {
                    let running = self.running.iter().filter(|(of, _)| *of == member);
                    self.finishing.extend(running);
                    self.scheduler.finish(self.now, member);
                }
            }
            Event::Leave(n) => {
                // A member cannot leave while a ticket waits for its process.
                let held: BTreeSet<_> = self.open.values().collect();
                let free = self.joined.iter().copied();
                let free = free.filter(|member| !held.contains(member));
                if let Some(member) = at(free.collect::<Vec<_>>(), n) {
                    self.joined.remove(&member);
                    self.scheduler.leave(self.now, member);
                }
            }
            Event::Request(n) => {
                if let Some(member) = at(self.joined.iter().copied(), n) {
                    let ticket = Ticket(self.tickets);
                    self.tickets += 1;
                    self.ticket_states.insert(ticket, TicketState::Open);
                    self.open.insert(ticket, member);
                    let what = if n.is_multiple_of(4) {
                        Use::Call
                    } else {
                        Use::Turn
                    };
                    self.scheduler.request(self.now, ticket, member, what);
                }
            }
            Event::Done(n) => {
                if !self.uses.is_empty() {
                    let granted = self.uses.remove(usize::from(n) % self.uses.len());
                    self.end_use(granted);
                    if self.flaw == Flaw::DoneTwice
                        && self.uses.iter().any(|other| other.member == granted.member)
                    {
                        self.end_use(granted);
                    }
                }
            }
            Event::Detached(n) => {
                let mut attached = self.uses.iter_mut().filter(|granted| granted.has_reader);
                if let Some(granted) = attached.nth(usize::from(n % 4)) {
                    granted.has_reader = false;
                    let (member, generation) = (granted.member, granted.generation);
                    if self.flaw != Flaw::KeepsDetached {
                        self.scheduler.detach_use(self.now, member, generation);
                    }
                }
            }
            Event::Abandon(n) => {
                if let Some(ticket) = at(self.open.keys().copied(), n) {
                    self.end_ticket(ticket)?;
                    self.scheduler.abandon(self.now, ticket);
                }
            }
            Event::Started(n) => {
                if let Some(process) = at(self.starting.iter().copied(), n) {
                    self.starting.remove(&process);
                    self.running.insert(process);
                    self.scheduler.started(self.now, process.0, process.1);
                }
            }
            Event::StartFailed(n) => {
                if let Some(process) = at(self.starting.iter().copied(), n) {
                    self.starting.remove(&process);
                    if self.spares.remove(&process.0) {
                        self.failed = Some(self.now);
                    }
                    for ticket in self.scheduler.failed(self.now, process.0, process.1) {
                        self.end_ticket(ticket)?;
                    }
                }
            }
            Event::Ended(n) => {
                if let Some(process) = at(self.ending.iter().copied(), n) {
                    self.ending.remove(&process);
                    self.spares.remove(&process.0);
                    self.scheduler.ended(self.now, process.0, process.1);
                }
            }
            Event::Crashed(n) => {
                if let Some(process) = at(self.running.iter().copied(), n) {
                    self.running.remove(&process);
                    if self.spares.remove(&process.0) {
                        self.failed = Some(self.now);
                        if self.flaw == Flaw::KeepsDeadSpares {
                            return Ok(());
                        }
                    }
                    self.scheduler.ended(self.now, process.0, process.1);
                }
            }
            Event::Time(milliseconds) => {
                self.now += Duration::from_millis(milliseconds.into());
                self.wake.take_if(|wake| *wake <= self.now);
                self.scheduler.tick(self.now);
            }
            Event::Measured(n, bytes) => {
                let process = at(self.running.iter().copied(), n);
                let bytes = process.map(|(member, generation)| (member, generation, bytes.into()));
                self.scheduler.measured(self.now, bytes);
            }
        }
        self.outputs()?;
        self.holds()
    }

    fn end_use(&mut self, granted: Granted) {
        let (member, generation) = (granted.member, granted.generation);
        if granted.has_reader || self.flaw == Flaw::KeepsDetached {
            self.scheduler.end_use(self.now, member, generation);
        } else {
            self.scheduler.end_detached(self.now, member, generation);
        }
    }

    /// Whether a caller waits for the end of a turn or call in this process.
    fn has_reader(&self, process: (MemberId, Generation)) -> bool {
        let mut of = self.uses.iter();
        of.any(|granted| granted.has_reader && (granted.member, granted.generation) == process)
    }

    fn is_known(&self, member: MemberId) -> bool {
        self.scheduler.members.contains_key(&member)
    }

    fn end_ticket(&mut self, ticket: Ticket) -> Result<(), String> {
        self.open.remove(&ticket);
        match self.ticket_states.insert(ticket, TicketState::Ended) {
            Some(TicketState::Open) => Ok(()),
            state => Err(format!("{ticket:?} is over, and was {state:?}")),
        }
    }

    fn outputs(&mut self) -> Result<(), String> {
        while let Some(output) = self.scheduler.next_output() {
            match output {
                Output::Start(member, generation) => {
                    self.lost += 1;
                    if self.flaw == Flaw::LosesStarts && self.lost.is_multiple_of(3) {
                        continue;
                    }
                    self.starting.insert((member, generation));
                }
                Output::StartSpare(spare, generation, _) => {
                    let pause = self.failed.map(|failed| failed + Duration::from_secs(1));
                    if pause.is_some_and(|pause| self.now < pause) {
                        return Err(format!("{spare:?} is started without a pause"));
                    }
                    self.spares.insert(spare);
                    self.starting.insert((spare, generation));
                }
                Output::Claim(member, generation, spare) => {
                    if generation != 1 {
                        return Err(format!("{member:?} has had a process, and gets {spare:?}"));
                    }
                    self.spares.remove(&spare);
                    if !self.running.remove(&(spare, 1)) {
                        return Err(format!("{spare:?} does not run, and is taken over"));
                    }
                    self.claiming.insert((member, generation));
                }
                Output::Wake(at) => self.wake = Some(at),
                Output::End(member, generation) => {
                    let process = (member, generation);
                    if self.has_reader(process) {
                        return Err(format!("{process:?} is in use, and is ended"));
                    }
                    if !self.running.remove(&process) {
                        return Err(format!("{process:?} does not run, and is ended"));
                    }
                    self.ending.insert(process);
                }
                Output::Grant(ticket, member, generation) => {
                    if !self.running.contains(&(member, generation)) {
                        return Err(format!("{ticket:?} is granted what does not run"));
                    }
                    if self.open.remove(&ticket) != Some(member) {
                        return Err(format!("{ticket:?} is granted another member, or twice"));
                    }
                    self.ticket_states.insert(ticket, TicketState::Granted);
                    self.uses.push(Granted {
                        member,
                        generation,
                        has_reader: true,
                    });
                }
                Output::Refuse(ticket, _) => self.end_ticket(ticket)?,
            }
        }
        Ok(())
    }

    fn holds(&self) -> Result<(), String> {
        for (member, generation) in &self.running {
            let process = (*member, *generation);
            let has_left = !self.joined.contains(member) && !self.spares.contains(member);
            let is_to_end = has_left || self.finishing.contains(&process);
            if is_to_end && !self.has_reader(process) {
                return Err(format!("{process:?} is to end, and still runs"));
            }
        }
        let processes =
            self.starting.len() + self.claiming.len() + self.running.len() + self.ending.len();
        if processes > self.limits.processes {
            return Err(format!("{processes} processes"));
        }
        if self.starting.len() > self.limits.starts {
            return Err(format!("{} starts", self.starting.len()));
        }
        if self.scheduler.waiting() > self.limits.queue {
            return Err(format!("{} wait", self.scheduler.waiting()));
        }
        if self.scheduler.waiting() != self.open.len() {
            return Err(format!(
                "{:?} wait, says the scheduler, and {:?} do",
                self.scheduler.waiting(),
                self.open
            ));
        }
        let spares = self.spares.iter().map(|spare| (*spare, 1));
        let ready = spares.filter(|spare| self.running.contains(spare)).count();
        if self.scheduler.spares() != ready && self.flaw != Flaw::LosesStarts {
            return Err(format!(
                "{} spares, says the scheduler, and {ready} are",
                self.scheduler.spares()
            ));
        }
        let running = (
            self.scheduler.running() + ready,
            self.scheduler.starting(),
            self.scheduler.ending(),
        );
        let booked = (
            self.running.len(),
            self.starting.len() + self.claiming.len(),
            self.ending.len(),
        );
        if self.flaw != Flaw::LosesStarts && running != booked {
            return Err(format!(
                "{running:?}, says the scheduler, and it is {booked:?}"
            ));
        }
        Ok(())
    }

    /// Completes all starts, claims, ends and uses, without advancing the clock.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let enough = 64 * (self.tickets + 16);
        for _ in 0..enough {
            let event = match () {
                () if !self.starting.is_empty() => Event::Started(0),
                () if !self.claiming.is_empty() => Event::ClaimFailed(0),
                () if !self.ending.is_empty() => Event::Ended(0),
                () if !self.uses.is_empty() => Event::Done(0),
                () => break,
            };
            self.apply(event)?;
        }
        if let Some((ticket, member)) = self.open.first_key_value() {
            return Err(format!("{ticket:?} of {member:?} waits for ever"));
        }
        for member in std::mem::take(&mut self.joined) {
            self.scheduler.leave(self.now, member);
            self.outputs()?;
        }
        while !self.ending.is_empty() {
            self.apply(Event::Ended(0))?;
        }
        self.spares_return()?;
        if self.scheduler.members() > 0 || self.scheduler.occupied.len() != self.scheduler.spares()
        {
            return Err(format!("left in the state: {:?}", self.scheduler));
        }
        Ok(())
    }

    /// Advances the clock to the wake times that the scheduler requests. Then checks that the wanted number of spares
    /// runs, even if spares have failed before.
    fn spares_return(&mut self) -> Result<(), String> {
        for _ in 0..64 {
            while !self.starting.is_empty() {
                self.apply(Event::Started(0))?;
            }
            while !self.ending.is_empty() {
                self.apply(Event::Ended(0))?;
            }
            let Some(wake) = self.wake.take_if(|_| self.flaw != Flaw::NeverWakes) else {
                break;
            };
            self.now = self.now.max(wake);
            self.scheduler.tick(self.now);
            self.outputs()?;
        }
        let expected = SPARES.min(self.limits.processes);
        let has_memory = self.limits.memory.is_none();
        if has_memory && self.scheduler.spares() != expected {
            return Err(format!(
                "{} spares and not {expected}: {:?}",
                self.scheduler.spares(),
                self.scheduler
            ));
        }
        Ok(())
    }
}
