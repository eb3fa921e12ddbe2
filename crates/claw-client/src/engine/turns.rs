//! The assignment of lines to prompts.
//!
//! Prompts and results do not correspond one to one: the CLI merges queued prompts, adds a prompt to the running turn,
//! and starts turns without a prompt. A newer CLI names the prompts that a turn answers, by the UUIDs that claw gave
//! them. An older CLI does not name them: then turns are matched by order.

use std::collections::{HashSet, VecDeque};

use super::TurnId;

/// The position of a prompt or a call among all that were written, from 1.
pub(super) type Place = u64;

/// The prompts without a result, in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct Turns {
    open: VecDeque<Turn>,
    running: Running,
    /// The number of turns without a prompt that began while a prompt had no result, and that have no result yet.
    inner: usize,
    /// Whether the CLI has named a prompt. If so, it names all prompts.
    names: bool,
}

#[derive(Debug)]
struct Turn {
    id: TurnId,
    uuid: String,
    place: Place,
    started: bool,
    /// Whether a `system/init` has named the turn.
    begun: bool,
    /// Whether the CLI has begun with the prompt or has finished it, so that no result of the prompt comes after the
    /// next `idle`.
    taken_up: bool,
}

/// The turn that the CLI ran. The same result may also end the turns of merged prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnTurn {
    pub(crate) turn: TurnId,
    pub(crate) prompt: String,
}

/// The turn to which the current lines belong.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Running {
    #[default]
    Nothing,
    Turn(TurnId),
    /// A turn without a prompt, started by background work.
    Background,
    /// A turn that runs a tool that a previous process deferred. It has no prompt. Its result comes before the result
    /// of any other turn.
    Deferred,
}

impl Turns {
    pub(super) fn open(&mut self, id: TurnId, uuid: &str, place: Place) {
        let uuid = uuid.to_owned();
        self.open.push_back(Turn {
            id,
            uuid,
            place,
            started: false,
            begun: false,
            taken_up: false,
        });
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a turn, with or without a prompt, has begun and has no result yet.
    pub(super) fn is_running(&self) -> bool {
        self.running != Running::Nothing
    }

    /// Returns the turn to which a line belongs if the line does not name its turn.
    pub(super) fn owner(&self) -> Option<TurnId> {
        match self.running {
            Running::Turn(id) => Some(id),
            Running::Background | Running::Deferred => None,
            // No turn is running. The line belongs to the turn of the next prompt.
            Running::Nothing => self.open.front().map(|turn| turn.id),
        }
    }

    /// Handles a tool result before the first turn. It is the result of a deferred tool; the session continues with
    /// this tool's turn.
    pub(super) fn deferred(&mut self) {
        self.running = Running::Deferred;
    }

    /// Handles the start of a turn.
    pub(super) fn begin(&mut self, prompts: &[String]) {
        self.names |= !prompts.is_empty();
        let prompts: HashSet<&String> = prompts.iter().collect();
        let named = self.open.iter_mut();
        let mut named = named.filter(|turn| prompts.contains(&turn.uuid));
        if let Some(turn) = named.next() {
            turn.begun = true;
            turn.taken_up = true;
            self.running = Running::Turn(turn.id);
            named.for_each(|merged| merged.taken_up = true);
            return;
        }
        match self.running {
            Running::Deferred => {}
            Running::Turn(id) => {
                if self.open.iter().any(|turn| turn.id == id && turn.begun) {
                    self.inner += 1;
                    self.running = Running::Background;
                }
            }
            Running::Background if self.inner > 0 => self.inner += 1,
            Running::Background | Running::Nothing => {
                let front = self.open.front_mut().filter(|_| !self.names);
                self.running = front.map_or(Running::Background, |turn| {
                    turn.taken_up = true;
                    Running::Turn(turn.id)
                });
            }
        }
    }

    /// Handles the progress of a prompt. Returns the turn that it belongs to.
    pub(super) fn lifecycle(&mut self, prompt: &str, state: &str) -> Option<TurnId> {
        self.names = true;
        let turn = self.open.iter_mut().find(|turn| turn.uuid == prompt)?;
        turn.taken_up |= state != "queued";
        if state == "started" {
            turn.started = true;
            if self.running == Running::Nothing {
                self.running = Running::Turn(turn.id);
            }
        }
        Some(turn.id)
    }

    /// Handles a result: removes the turns that it ends, and returns the one that the CLI ran.
    pub(super) fn result(&mut self, prompts: &[String]) -> (Vec<TurnId>, Option<OwnTurn>) {
        self.names |= !prompts.is_empty();
        let mut ended = self.named(prompts);
        if prompts.is_empty() {
            if self.inner > 0 {
                self.inner -= 1;
                self.back_to_the_outer();
                return (Vec::new(), None);
            }
            ended.extend(self.by_unnamed_result());
        }
        // The number of named prompts is not limited. A set keeps the work linear.
        let gone: HashSet<TurnId> = ended.iter().copied().collect();
        let mut all = self.open.iter().filter(|turn| gone.contains(&turn.id));
        let running = |turn: &&Turn| self.running == Running::Turn(turn.id);
        let own = all.clone().find(running).or_else(|| all.next());
        let own = own.map(|turn| OwnTurn {
            turn: turn.id,
            prompt: turn.uuid.clone(),
        });
        self.open.retain(|turn| !gone.contains(&turn.id));
        match self.running {
            Running::Turn(id) if !gone.contains(&id) && !gone.is_empty() => {}
            Running::Background if self.inner > 0 => {}
            // The result of the deferred turn names no prompt. This result names one, so the
            // deferred turn continues.
            Running::Deferred if !prompts.is_empty() => {}
            _ => self.running = Running::Nothing,
        }
        (ended, own)
    }

    /// Handles the CLI's report that it is idle. Removes and returns the turns whose prompts the CLI has begun or
    /// finished: an idle CLI sends no result for them. The other turns remain, because the CLI may not have read their
    /// prompts yet.
    pub(super) fn idle(&mut self) -> Vec<TurnId> {
        self.running = Running::Nothing;
        self.inner = 0;
        self.remove(|turn| turn.taken_up)
    }

    /// Removes and returns the turns of the prompts up to this place. The CLI has read these prompts and is idle, so
    /// they get no result.
    pub(super) fn settle(&mut self, place: Place) -> Vec<TurnId> {
        self.remove(|turn| turn.place <= place)
    }

    fn remove(&mut self, is_finished: impl Fn(&Turn) -> bool) -> Vec<TurnId> {
        let finished = self.open.iter().filter(|turn| is_finished(turn));
        let finished = finished.map(|turn| turn.id).collect();
        self.open.retain(|turn| !is_finished(turn));
        finished
    }

    /// Makes the interrupted turn the running one again, after a turn without a prompt has ended inside it.
    fn back_to_the_outer(&mut self) {
        if self.inner == 0 && self.running == Running::Background {
            let outer = self.open.iter().rfind(|turn| turn.begun);
            self.running = outer.map_or(Running::Nothing, |turn| Running::Turn(turn.id));
        }
    }

    fn named(&self, prompts: &[String]) -> Vec<TurnId> {
        let prompts: HashSet<&String> = prompts.iter().collect();
        let named = self.open.iter().filter(|turn| prompts.contains(&turn.uuid));
        named.map(|turn| turn.id).collect()
    }

    /// Returns the turn that is ended by a result that names no prompts.
    fn by_unnamed_result(&self) -> Option<TurnId> {
        match self.running {
            Running::Turn(id) => Some(id),
            Running::Deferred => None,
            _ if !self.names => self.open.front().map(|turn| turn.id),
            _ => self
                .open
                .iter()
                .find(|turn| turn.started)
                .map(|turn| turn.id),
        }
    }
}
