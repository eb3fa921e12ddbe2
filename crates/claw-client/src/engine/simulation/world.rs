//! Simulates the CLI and the host around an engine, with a ledger of the allowed actions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use claw_types::control::{Initialize, McpStatus, PermissionResult};

use super::answers::{HOOKS, reply, wrong};
use super::*;
use crate::outcome::error::Cause;

macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

mod ledger;
mod lines;

type Checked = Result<(), String>;

/// The limit of all callbacks except hooks.
const CALLBACK: Duration = Duration::from_secs(40);

const HOOK: Duration = Duration::from_secs(5);

/// A request of the CLI in the ledger.
#[derive(Debug, Clone)]
struct Request {
    what: Requested,
    deadline: Now,
}

/// The required response to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// The callback's answer.
    Answered(Decided),
    /// The safe answer.
    Safe,
    /// Either an error or the safe answer.
    Refusal,
}

/// A call of the host in the ledger.
#[derive(Debug)]
struct Call {
    id: String,
    deadline: Now,
    initializes: bool,
    place: u64,
}

pub(super) struct World {
    engine: Engine,
    now: Now,
    ended: bool,
    lines: u64,
    made: u64,
    calls: BTreeMap<CallId, Call>,
    /// The written calls, each with the ID of its request.
    written: Vec<(String, CallId)>,
    /// A call that was made and not written yet.
    making: Option<(CallId, Duration, bool)>,
    /// The call that the current line answers.
    answering: Option<CallId>,
    prompts: Vec<String>,
    /// The prompts without a result, each with its position among all prompts and calls that were written.
    turns: BTreeMap<TurnId, u64>,
    /// The number of prompts and calls that were written.
    places: u64,
    /// The prompts that the CLI has begun or finished, because its lines name them.
    taken_up: BTreeSet<TurnId>,
    /// The prompts that the CLI may have begun or finished. A CLI that names no prompts begins them in the order in
    /// which they were written.
    perhaps: BTreeSet<TurnId>,
    /// The position up to which the CLI counts as having read its input. It is the position of the last call to which
    /// the CLI has responded, or has failed to respond in time.
    read: u64,
    /// Whether the CLI has reported that it is idle, and has reported no new work since then.
    idle: bool,
    ids: Vec<String>,
    /// The requests whose callbacks are running.
    open: BTreeMap<String, Request>,
    /// The requests that were answered or withdrawn.
    done: BTreeSet<String>,
    /// The responses that must be written next. The keys are the IDs of the requests.
    due: BTreeMap<String, (Requested, Due)>,
    /// The requests that must be delivered next.
    requesting: BTreeMap<String, Requested>,
    /// Whether the current line is broken, so that the engine must guess its kind.
    broken: bool,
    sent: u64,
    delivered: u64,
}

impl World {
    pub(super) fn new() -> Self {
        let hooks = HOOKS.iter().enumerate().map(|(number, (event, blocks))| {
            let spec = HookSpec {
                event: event.clone(),
                limit: HOOK,
                blocks: *blocks,
                by_name: false,
            };
            (format!("hook_{number}"), spec)
        });
        let served = Served {
            permissions: true,
            elicitations: true,
            dialogs: ["pick".to_owned()].into(),
            hooks: hooks.collect::<HashMap<_, _>>(),
            mcp: true,
            others: ["refresh".to_owned()].into(),
            all_others: false,
        };
        let limits = Limits {
            callback: Some(CALLBACK),
            ..Limits::default()
        };
        let mut world = Self {
            engine: Engine::new(limits, served),
            now: Duration::ZERO,
            ended: false,
            lines: 0,
            made: 0,
            calls: BTreeMap::new(),
            written: Vec::new(),
            making: None,
            answering: None,
            prompts: Vec::new(),
            turns: BTreeMap::new(),
            places: 0,
            taken_up: BTreeSet::new(),
            perhaps: BTreeSet::new(),
            read: 0,
            idle: false,
            ids: Vec::new(),
            open: BTreeMap::new(),
            done: BTreeSet::new(),
            due: BTreeMap::new(),
            requesting: BTreeMap::new(),
            broken: false,
            sent: 0,
            delivered: 0,
        };
        world.making = Some((INITIALIZE, limits.initialize, true));
        world.engine.initialize(Duration::ZERO, Box::default());
        world
    }

    /// Applies an event and checks all properties.
    pub(super) fn apply(&mut self, event: &Event) -> Checked {
        // Carries out the actions that the engine requested before the first event.
        self.outputs()?;
        match event {
            Event::Call => self.call(McpStatus::new().into(), false),
            Event::Initialize => self.call(Initialize::new().into(), true),
            Event::Forget(pick) => {
                let of_the_engine = [INITIALIZE, PROBE];
                let mut calls = self.calls.keys();
                let mut calls = calls.by_ref().filter(|call| !of_the_engine.contains(call));
                if let Some(call) = calls.nth(pick % self.calls.len().max(1)).copied() {
                    self.calls.remove(&call);
                    self.engine.forget(call);
                }
            }
            Event::Prompt => self.prompt(),
            Event::Line(line) => {
                let raw = self.create(line);
                self.read(raw, false);
                if matches!(line, Line::State(0)) {
                    self.outputs()?;
                    self.settled()?;
                }
            }
            Event::Cut(line, length) => self.cut(line, usize::from(*length)),
            Event::Mixed(one, other) => self.mixed(one, other),
            Event::Raw(raw) => {
                self.sent += u64::from(!self.ended);
                self.read(raw.clone(), false);
            }
            Event::Decide(pick, how) => {
                let id = self.open.keys().nth(pick % self.open.len().max(1));
                if let Some(id) = id.cloned() {
                    self.decide(&id, *how);
                }
            }
            Event::DecideLate(pick) => {
                let id = self.ids.get(*pick).cloned().unwrap_or_default();
                if !self.open.contains_key(&id) {
                    let granted = Reply::Permission(PermissionResult::allow());
                    self.engine
                        .decide(&id.as_str().into(), Ok(granted), Duration::ZERO);
                }
            }
            Event::Backlogged => self.engine.backlogged(),
            Event::Time(milliseconds) => {
                self.now += Duration::from_millis(u64::from(*milliseconds));
                self.engine.tick(self.now);
            }
            Event::End => {
                self.ended = true;
                self.engine.end(Cause::Closed.into());
            }
        }
        self.outputs()?;
        self.check_ledger()
    }

    /// Advances the time, ends the session, and checks all properties.
    pub(super) fn finish(mut self) -> Checked {
        self.outputs()?;
        if !self.ended {
            self.apply(&Event::Line(Line::State(0)))?;
            // Three rounds are needed: the end of a pending probe, the next probe, and the end of that probe.
            for _ in 0..3 {
                self.now += Duration::from_hours(1);
                self.engine.tick(self.now);
                self.outputs()?;
                self.check_ledger()?;
            }
            ensure!(self.turns.is_empty(), "for ever: {:?}", self.turns);
            ensure!(self.calls.is_empty(), "for ever: {:?}", self.calls);
            let mut open = self.open.values();
            let only_mcp = open.all(|request| request.what == Requested::Mcp);
            ensure!(only_mcp, "for ever: {:?}", self.open);
        }
        self.ended = true;
        self.engine.end(Cause::Closed.into());
        self.outputs()?;
        self.check_ledger()
    }

    fn call(&mut self, body: ControlRequestBody, initializes: bool) {
        self.made += 1;
        let call = CallId(self.made);
        let limit = self.engine.limits.call;
        self.making = Some((call, limit, initializes));
        if self.ended {
            // The request of this call is never written, so it has no ID.
            let id = String::new();
            let deadline = self.now;
            self.calls.insert(
                call,
                Call {
                    id,
                    deadline,
                    initializes,
                    place: 0,
                },
            );
            self.making = None;
        }
        self.engine.call(self.now, call, body, None);
    }

    fn prompt(&mut self) {
        let turn = TurnId(self.prompts.len() as u64);
        let uuid = format!("p{}", turn.0);
        self.engine
            .prompt(turn, &uuid, Bytes::from_static(b"{\"type\":\"user\"}"));
        // After the end of the session, the driver refuses prompts.
        if !self.ended {
            self.places += 1;
            self.turns.insert(turn, self.places);
        }
        self.prompts.push(uuid);
    }

    fn decide(&mut self, id: &str, how: Decided) {
        let what = self.open[id].what;
        let reply = match how {
            Decided::Failed => Err("broken".to_owned()),
            Decided::Elsewhere => Ok(Reply::Elsewhere),
            Decided::Wrong => Ok(wrong(what)),
            Decided::Yes => Ok(reply(what, id, true)),
            Decided::No => Ok(reply(what, id, false)),
        };
        self.open.remove(id);
        self.done.insert(id.to_owned());
        let due = match how {
            Decided::Failed | Decided::Wrong => Due::Safe,
            Decided::Yes | Decided::No => Due::Answered(how),
            Decided::Elsewhere => return self.engine.decide(&id.into(), reply, Duration::ZERO),
        };
        self.due.insert(id.to_owned(), (what, due));
        self.engine.decide(&id.into(), reply, Duration::ZERO);
    }
}
