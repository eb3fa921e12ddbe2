//! The world around an engine, with books of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use claw_types::control::{Initialize, McpStatus, PermissionResult};

use super::answers::{HOOKS, reply, wrong};
use super::*;
use crate::error::Cause;

macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

mod books;
mod lines;

type Checked = Result<(), String>;

/// How long anything but a hook may take.
const CALLBACK: Duration = Duration::from_secs(40);

const HOOK: Duration = Duration::from_secs(5);

/// A request of the CLI's, by the books.
#[derive(Debug, Clone)]
struct Request {
    what: Requested,
    deadline: Now,
}

/// What has to come of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// This, by its callback.
    Said(Decided),
    /// What is safe.
    Safe,
    /// An error, or what is safe.
    Refusal,
}

/// A call of ours, by the books.
#[derive(Debug)]
struct Call {
    id: String,
    deadline: Now,
    initializes: bool,
}

pub(super) struct World {
    engine: Engine,
    now: Now,
    ended: bool,
    lines: u64,
    made: u64,
    calls: BTreeMap<CallId, Call>,
    /// Whose request this id names.
    written: Vec<(String, CallId)>,
    /// A call that was made and not written yet.
    making: Option<(CallId, Duration, bool)>,
    /// The call that the line answers which is being read.
    answering: Option<CallId>,
    prompts: Vec<String>,
    turns: BTreeSet<TurnId>,
    ids: Vec<String>,
    /// Requests whose callbacks run.
    open: BTreeMap<String, Request>,
    /// Requests that were answered or taken back.
    done: BTreeSet<String>,
    /// What has to be written next, by request.
    due: BTreeMap<String, (Requested, Due)>,
    /// Requests that have to be handed out next.
    requesting: BTreeMap<String, Requested>,
    /// The line that is being read is broken: what becomes of it is the engine's to guess.
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
            turns: BTreeSet::new(),
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

    /// Something happens, and everything is looked at.
    pub(super) fn happens(&mut self, event: &Event) -> Checked {
        // What was set going before the first event.
        self.outputs()?;
        match event {
            Event::Call => self.call(McpStatus::new().into(), false),
            Event::Initialize => self.call(Initialize::new().into(), true),
            Event::Forget(pick) => {
                let mut calls = self.calls.keys().filter(|call| **call != INITIALIZE);
                if let Some(call) = calls.nth(pick % self.calls.len().max(1)).copied() {
                    self.calls.remove(&call);
                    self.engine.forget(call);
                }
            }
            Event::Prompt => self.prompt(),
            Event::Line(line) => {
                let raw = self.said(line);
                self.read(raw, false);
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
                    self.engine.decide(&id.as_str().into(), Ok(granted));
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
        self.books()
    }

    /// The rest of time, and the end.
    pub(super) fn ends(mut self) -> Checked {
        self.outputs()?;
        if !self.ended {
            self.now += Duration::from_hours(1);
            self.engine.tick(self.now);
            self.outputs()?;
            self.books()?;
            ensure!(self.calls.is_empty(), "for ever: {:?}", self.calls);
            let mut open = self.open.values();
            let only_mcp = open.all(|request| request.what == Requested::Mcp);
            ensure!(only_mcp, "for ever: {:?}", self.open);
        }
        self.ended = true;
        self.engine.end(Cause::Closed.into());
        self.outputs()?;
        self.books()
    }

    fn call(&mut self, body: ControlRequestBody, initializes: bool) {
        self.made += 1;
        let call = CallId(self.made);
        let limit = self.engine.limits.call;
        self.making = Some((call, limit, initializes));
        if self.ended {
            // It is never written.
            let id = String::new();
            let deadline = self.now;
            self.calls.insert(
                call,
                Call {
                    id,
                    deadline,
                    initializes,
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
        // After the end, it is refused by whoever holds the engine.
        if !self.ended {
            self.turns.insert(turn);
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
            Decided::Yes | Decided::No => Due::Said(how),
            Decided::Elsewhere => return self.engine.decide(&id.into(), reply),
        };
        self.due.insert(id.to_owned(), (what, due));
        self.engine.decide(&id.into(), reply);
    }
}
