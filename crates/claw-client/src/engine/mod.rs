//! The protocol, without I/O: what to do about what comes in.
//!
//! Lines, commands and time go in by methods; what is to be done comes out of
//! [`Engine::output`], in order. The engine awaits nothing, reads no clock and makes no random
//! number: the same input gives the same output.

mod call;
mod fragment;
mod request;
mod route;
mod run;
mod stall;
mod turns;

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use claw_codec::{Line, LineItem};
use claw_types::control::{ControlRequestBody, Initialize};
use claw_types::{Json, RequestId};

use call::Calls;
use request::OpenRequests;
pub(crate) use request::{Decision, HookSpec, OtherRequest, Reply, RequestBody, Served};
use route::{First, Route, first, is_plain, route};
use run::Run;
use stall::Stall;
pub(crate) use turns::Own;
use turns::Turns;

use crate::{Error, version};

/// Time since the session began.
pub(crate) type Now = Duration;

/// A call, as its maker knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(pub(crate) u64);

/// The handshake.
pub(crate) const INITIALIZE: CallId = CallId(0);

/// A prompt of ours and what comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TurnId(pub(crate) u64);

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// From `initialize` to its answer, not counting the time in which settings hooks run.
    pub(crate) initialize: Duration,
    /// From any other call to its answer.
    pub(crate) call: Duration,
    /// How long nothing may come after a result until a run counts as over, though the CLI never
    /// said that it is idle.
    pub(crate) quiet: Duration,
    /// From a request of the CLI's to its callback's answer. Hooks have limits of their own.
    pub(crate) callback: Option<Duration>,
    /// How long nothing may come in the middle of a turn, while nothing is asked of the host.
    pub(crate) stall: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            initialize: Duration::from_mins(1),
            call: Duration::from_mins(1),
            quiet: Duration::from_mins(10),
            callback: None,
            stall: None,
        }
    }
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Output {
    /// Write this line, a call or an answer.
    Write(Bytes),
    /// Write this prompt.
    Prompt(Bytes),
    /// Hand this request to whoever answers such a one, and give the answer to [`Engine::decide`].
    Request {
        id: RequestId,
        body: RequestBody,
        /// How many bytes it counts for.
        weight: usize,
    },
    /// Drop the callback: nobody waits for its answer.
    Withdraw(RequestId),
    /// A call is over.
    Answered {
        call: CallId,
        answer: Result<Option<Json>, Error>,
    },
    /// A line for the user, in this turn or outside of all.
    Line {
        turn: Option<TurnId>,
        item: LineItem,
    },
    /// A line that lacks its end. It answers nothing and ends nothing: the end of the session, which is
    /// next, does.
    Half(Line),
    /// The line that ends these turns.
    Result {
        turns: Vec<TurnId>,
        /// The one among them that the CLI had; the others were merged into it.
        own: Option<Own>,
        item: LineItem,
    },
    /// This turn is over, and no result has come.
    Lost(TurnId),
    /// Nothing more comes by itself.
    RunEnded,
    /// The CLI is older than is supported.
    TooOld { found: String },
    /// The CLI says nothing in the middle of a turn, for too long.
    Stalled {
        silent: Duration,
        /// The kind of its last line.
        last: Option<String>,
    },
}

/// One session.
#[derive(Debug)]
pub(crate) struct Engine {
    limits: Limits,
    calls: Calls,
    requests: OpenRequests,
    turns: Turns,
    run: Run,
    stall: Stall,
    output: VecDeque<Output>,
    /// A turn has begun, of whomever.
    begun: bool,
    /// Why nothing more is read or written.
    ended: Option<Error>,
}

impl Engine {
    /// A session that has written nothing yet. What is not `served` gets the answer that it gets
    /// where nobody answers.
    pub(crate) fn new(limits: Limits, served: Served) -> Self {
        Self {
            limits,
            calls: Calls::default(),
            requests: OpenRequests::new(served, limits.callback),
            turns: Turns::default(),
            run: Run::default(),
            stall: Stall::new(limits.stall),
            output: VecDeque::new(),
            begun: false,
            ended: None,
        }
    }

    /// Writes the first line. Prompts may follow at once.
    pub(crate) fn initialize(&mut self, now: Now, initialize: Box<Initialize>) {
        let limit = self.limits.initialize;
        self.open(
            now,
            INITIALIZE,
            ControlRequestBody::Initialize(initialize),
            limit,
        );
    }

    /// Calls the CLI, with a deadline of its own or the usual one.
    pub(crate) fn call(
        &mut self,
        now: Now,
        call: CallId,
        body: ControlRequestBody,
        limit: Option<Duration>,
    ) {
        self.open(now, call, body, limit.unwrap_or(self.limits.call));
    }

    /// Nobody waits for the answer to this call any more.
    pub(crate) fn forget(&mut self, call: CallId) {
        self.output.extend(self.calls.forget(call));
    }

    fn open(&mut self, now: Now, call: CallId, body: ControlRequestBody, limit: Duration) {
        if let Some(why) = &self.ended {
            self.output.push_back(Output::Answered {
                call,
                answer: Err(why.clone()),
            });
            return;
        }
        let output = self.calls.open(now, call, body, limit);
        self.output.push_back(output);
    }

    /// Writes a prompt: `line` is a `user` line that has this `uuid`.
    pub(crate) fn prompt(&mut self, turn: TurnId, uuid: &str, line: Bytes) {
        if self.is_ended() {
            return;
        }
        self.turns.open(turn, uuid);
        self.run.prompted();
        self.output.push_back(Output::Prompt(line));
    }

    /// A callback has decided, or failed.
    pub(crate) fn decide(&mut self, id: &RequestId, decision: Decision) {
        if !self.is_ended() {
            self.output.extend(self.requests.decide(id, decision));
        }
    }

    /// A line came: whether it is but a message for [`Engine::owner`], as nearly every line is.
    /// Any other is for [`Engine::line`].
    pub(crate) fn passes(&mut self, now: Now, item: &LineItem) -> bool {
        let passes = matches!(item, LineItem::Line(line) if !line.cut && is_plain(line))
            && !self.is_ended()
            && self.begun
            && !self.calls.initializing();
        if passes {
            self.run.heard(now);
            self.stall.heard(now, item);
        }
        passes
    }

    /// Whose a line is that does not say so.
    pub(crate) fn owner(&self) -> Option<TurnId> {
        self.turns.owner()
    }

    /// A line came.
    pub(crate) fn line(&mut self, now: Now, item: LineItem) {
        if self.is_ended() {
            return;
        }
        self.run.heard(now);
        self.stall.heard(now, &item);
        let item = match half(item) {
            Ok(half) => return self.output.push_back(Output::Half(half)),
            Err(whole) => whole,
        };
        match route(&item, self.calls.initializing()) {
            Route::Plain => {
                if !self.begun {
                    let first = first(&item);
                    self.begun = first != First::Nothing;
                    if first == First::DeferredTool {
                        self.turns.deferred();
                    }
                }
                self.deliver(item);
            }
            Route::Hidden | Route::KeepAlive => {}
            Route::Request { id } => self.output.extend(self.requests.read(now, id, item)),
            Route::Response { id } => self.answer(now, id.as_ref(), item),
            Route::Cancel(id) => self
                .output
                .extend(id.and_then(|id| self.requests.cancel(&id))),
            Route::Init(prompts) => {
                let version = version::of_line(&item);
                if let Some(found) = version.filter(|found| version::is_too_old(found)) {
                    self.output.push_back(Output::TooOld { found });
                }
                self.begun = true;
                self.turns.begin(&prompts);
                self.run.began();
                self.deliver(item);
            }
            Route::Result(prompts) => {
                self.begun = true;
                let (turns, own) = self.turns.result(&prompts);
                self.output.push_back(Output::Result { turns, own, item });
                self.run.resulted();
                self.check_run();
            }
            Route::State { state, hidden } => {
                if !hidden {
                    self.deliver(item);
                }
                self.state(&state);
            }
            Route::Lifecycle { prompt, state } => {
                let turn = self.turns.lifecycle(&prompt, &state);
                let turn = turn.or_else(|| self.owner());
                self.output.push_back(Output::Line { turn, item });
            }
            Route::Hook { begun } => {
                self.calls.hook(now, begun, self.limits.initialize);
                self.deliver(item);
            }
        }
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, now: Now) {
        self.output.extend(self.calls.expire(now));
        self.output.extend(self.requests.expire(now));
        if self.quiet().is_some_and(|quiet| quiet <= now) {
            self.run.quiet();
            self.output.push_back(Output::RunEnded);
        }
        if self.stalled().is_some_and(|due| due <= now) {
            let (silent, last) = self.stall.tell(now);
            self.output.push_back(Output::Stalled { silent, last });
        }
    }

    /// The host has said something, or reads nothing just now: the CLI's silence counts anew.
    pub(crate) fn stirred(&mut self, now: Now) {
        self.stall.stirred(now);
    }

    /// When the CLI has been silent for too long: in a turn, with nothing to wait for but the model, its tools and
    /// itself.
    fn stalled(&self) -> Option<Now> {
        let is_to_speak = self.is_in_mid_turn()
            && !self.requests.any()
            && !self.calls.initializing()
            && !self.is_ended();
        self.stall.deadline(is_to_speak)
    }

    /// When [`Engine::tick`] has something to do next.
    pub(crate) fn deadline(&self) -> Option<Now> {
        let all = [
            self.calls.deadline(),
            self.requests.deadline(),
            self.quiet(),
            self.stalled(),
        ];
        all.into_iter().flatten().min()
    }

    /// When a run counts as over that never said so. One that has a turn open is at work, however
    /// long nothing is heard of it.
    fn quiet(&self) -> Option<Now> {
        let deadline = self.run.deadline(self.limits.quiet);
        deadline.filter(|_| self.turns.is_empty())
    }

    /// What is to be done next.
    pub(crate) fn output(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// Whether somebody waits for something that only reading on can bring.
    pub(crate) fn is_waiting(&self) -> bool {
        self.calls.any() || self.requests.any()
    }

    /// Whether a prompt has not had its result.
    pub(crate) fn has_open_prompts(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Whether nothing happens, and nothing will before the next prompt.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.turns.is_empty() && self.run.is_at_rest()
    }

    /// Whether a turn has not had its result: an end of the CLI now cuts it short.
    pub(crate) fn is_in_mid_turn(&self) -> bool {
        !self.turns.is_empty() || self.turns.is_running()
    }

    /// There is no room for more lines, so that no answer can be read: all who wait for one fail.
    pub(crate) fn backlogged(&mut self) {
        self.output.extend(self.calls.backlogged());
    }

    /// Nothing more will be read, and this is why: what waits fails with it. Turns that are open get
    /// no result. The first reason counts.
    pub(crate) fn end(&mut self, why: Error) {
        if self.ended.is_none() {
            self.output.extend(self.calls.end(&why));
            self.output.extend(self.requests.drop_all());
            self.ended = Some(why);
        }
    }

    /// Whether nothing more is read or written.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// How much is kept: calls, requests, ids of answered requests, turns.
    #[cfg(any(test, fuzzing))]
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let (requests, answered) = self.requests.sizes();
        (self.calls.len(), requests, answered, self.turns.len())
    }

    fn deliver(&mut self, item: LineItem) {
        let turn = self.owner();
        self.output.push_back(Output::Line { turn, item });
    }

    fn answer(&mut self, now: Now, id: Option<&RequestId>, item: LineItem) {
        let Some((answered, waiting)) = self.calls.answer(id, item) else {
            return;
        };
        self.output.push_back(answered);
        // As if they had just come: nobody else has them.
        for request in waiting {
            self.output.extend(self.requests.take_again(now, request));
        }
    }

    fn state(&mut self, state: &str) {
        if state == "idle" {
            self.output
                .extend(self.turns.idle().into_iter().map(Output::Lost));
        }
        self.run.state(state);
        self.check_run();
    }

    fn check_run(&mut self) {
        if self.run.is_over() && self.turns.is_empty() {
            self.run.quiet();
            self.output.push_back(Output::RunEnded);
        }
    }
}

/// The line, if it lacks its end because the CLI ended in the middle of it.
fn half(item: LineItem) -> Result<Line, LineItem> {
    match item {
        LineItem::Line(line)
            if line.cut && serde_json::from_slice::<serde::de::IgnoredAny>(&line.raw).is_err() =>
        {
            Ok(line)
        }
        item => Err(item),
    }
}

#[cfg(any(test, fuzzing))]
pub(crate) mod hostile;
#[cfg(any(test, fuzzing))]
mod simulation;
#[cfg(test)]
mod tests;
