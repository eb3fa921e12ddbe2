//! Which prompt a line belongs to.
//!
//! Prompts and results are not one to one: the CLI merges prompts that wait, folds one into the
//! turn that runs, and starts turns that nobody prompted. A newer CLI names the prompts that a turn
//! answers, by the uuids that claw gave them. An older one names none: there a turn is matched by
//! order.

use std::collections::{HashSet, VecDeque};

use super::TurnId;

/// The prompts that have no result yet, in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct Turns {
    open: VecDeque<Turn>,
    running: Running,
    /// The turns that nobody prompted, which began while a prompt's own had no result, and have none yet.
    inner: usize,
    /// The CLI has named a prompt, so it names all.
    names: bool,
}

#[derive(Debug)]
struct Turn {
    id: TurnId,
    uuid: String,
    started: bool,
    /// A `system/init` has named it.
    begun: bool,
    /// Its prompt is through, by what the CLI says: no result comes after the next `idle`.
    through: bool,
}

/// The turn that the CLI had, of those that a result ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) turn: TurnId,
    pub(crate) prompt: String,
}

/// Whose lines come now.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Running {
    #[default]
    Nothing,
    Turn(TurnId),
    /// A turn without a prompt of the host, which background work started.
    Background,
    /// The one of a tool that an earlier process deferred. Nobody prompted it either, and no result of
    /// another comes before its own.
    Deferred,
}

impl Turns {
    pub(super) fn open(&mut self, id: TurnId, uuid: &str) {
        let uuid = uuid.to_owned();
        self.open.push_back(Turn {
            id,
            uuid,
            started: false,
            begun: false,
            through: false,
        });
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a turn has begun and had no result, be it one that nobody prompted.
    pub(super) fn is_running(&self) -> bool {
        self.running != Running::Nothing
    }

    /// The turn that a line belongs to which names none.
    pub(super) fn owner(&self) -> Option<TurnId> {
        match self.running {
            Running::Turn(id) => Some(id),
            Running::Background | Running::Deferred => None,
            // What comes between two runs leads to the next.
            Running::Nothing => self.open.front().map(|turn| turn.id),
        }
    }

    /// A tool result came before any turn has begun: that of a deferred tool, with whose turn the
    /// session goes on.
    pub(super) fn deferred(&mut self) {
        self.running = Running::Deferred;
    }

    /// A turn begins.
    pub(super) fn begin(&mut self, prompts: &[String]) {
        self.names |= !prompts.is_empty();
        let prompts: HashSet<&String> = prompts.iter().collect();
        let mut named = self.open.iter_mut();
        if let Some(turn) = named.find(|turn| prompts.contains(&turn.uuid)) {
            turn.begun = true;
            self.running = Running::Turn(turn.id);
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
                let by_order = if self.names { None } else { self.open.front() };
                self.running = by_order.map_or(Running::Background, |turn| Running::Turn(turn.id));
            }
        }
    }

    /// What became of a prompt. Gives the turn that it belongs to.
    pub(super) fn lifecycle(&mut self, prompt: &str, state: &str) -> Option<TurnId> {
        self.names = true;
        let turn = self.open.iter_mut().find(|turn| turn.uuid == prompt)?;
        match state {
            "queued" => {}
            "started" => {
                turn.started = true;
                if self.running == Running::Nothing {
                    self.running = Running::Turn(turn.id);
                }
            }
            _ => turn.through = true,
        }
        Some(turn.id)
    }

    /// A result came: takes out the turns that it ends, and says which one the CLI had.
    pub(super) fn result(&mut self, prompts: &[String]) -> (Vec<TurnId>, Option<Own>) {
        self.names |= !prompts.is_empty();
        let mut ended = self.named(prompts);
        if prompts.is_empty() {
            if self.inner > 0 {
                self.inner -= 1;
                self.back_to_the_outer();
                return (Vec::new(), None);
            }
            ended.extend(self.by_order());
        }
        // The CLI names as many as it likes.
        let gone: HashSet<TurnId> = ended.iter().copied().collect();
        let mut all = self.open.iter().filter(|turn| gone.contains(&turn.id));
        let running = |turn: &&Turn| self.running == Running::Turn(turn.id);
        let own = all.clone().find(running).or_else(|| all.next());
        let own = own.map(|turn| Own {
            turn: turn.id,
            prompt: turn.uuid.clone(),
        });
        self.open.retain(|turn| !gone.contains(&turn.id));
        match self.running {
            Running::Turn(id) if !gone.contains(&id) && !gone.is_empty() => {}
            Running::Background if self.inner > 0 => {}
            // Its own result names no prompt.
            Running::Deferred if !prompts.is_empty() => {}
            _ => self.running = Running::Nothing,
        }
        (ended, own)
    }

    /// The CLI rests: takes out the turns that will get no result any more.
    pub(super) fn idle(&mut self) -> Vec<TurnId> {
        let running = std::mem::take(&mut self.running);
        self.inner = 0;
        let lost = |turn: &Turn| turn.through || running == Running::Turn(turn.id);
        let ids = self
            .open
            .iter()
            .filter(|turn| lost(turn))
            .map(|turn| turn.id)
            .collect();
        self.open.retain(|turn| !lost(turn));
        ids
    }

    /// A turn within another one is over.
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

    /// The turn that a result ends which names none.
    fn by_order(&self) -> Option<TurnId> {
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
