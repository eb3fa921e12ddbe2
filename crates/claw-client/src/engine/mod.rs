//! The protocol of a session, without I/O.
//!
//! Callers pass lines, commands and the time to the engine's methods. [`Engine::output`] returns the resulting actions,
//! in order. The engine awaits nothing, reads no clock and creates no random numbers: the same input gives the same
//! output.

mod call;
mod fragment;
mod idle_probe;
mod request;
mod route;
mod run;
mod stall;
mod turns;

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use claw_codec::{Line, LineItem};
use claw_types::control::{ControlRequestBody, GetBinaryVersion, Initialize};
use claw_types::{Json, Message, RequestId, from_line};

use call::Calls;
pub use call::RunningHook;
#[cfg(feature = "store")]
pub(crate) use fragment::text_at_start;
use idle_probe::IdleProbe;
use request::OpenRequests;
pub(crate) use request::{Decision, HookSpec, Reply, RequestBody, Served};
#[cfg(feature = "store")]
pub(crate) use route::is_result;
use route::{First, Route, first, is_plain, route};
use run::Run;
use stall::Stall;
pub(crate) use turns::OwnTurn;
use turns::{Place, Turns};

use crate::outcome::error::Error;
use crate::outcome::version;

/// The time since the session began.
pub(crate) type Now = Duration;

/// The ID of a call, chosen by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(pub(crate) u64);

/// The ID of the handshake's call.
pub(crate) const INITIALIZE: CallId = CallId(0);

/// The ID of the engine's own call, the probe. Its response shows what the CLI has read. The response has no other
/// reader.
const PROBE: CallId = CallId(u64::MAX - 2);

/// The number of a prompt of the host and of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TurnId(pub(crate) u64);

/// The time limits of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum time from the `initialize` request to its response.
    pub(crate) initialize: Duration,
    /// Whether `initialize` also limits the time in which hooks of settings files run at the start. If not, the hooks
    /// have ten minutes.
    pub(crate) initialize_with_hooks: bool,
    /// The maximum time from any other call to its response.
    pub(crate) call: Duration,
    /// The time after which the CLI counts as idle if no line has arrived since a result, even though the CLI has not
    /// reported that it is idle.
    pub(crate) quiet: Duration,
    /// The maximum time from a request of the CLI to the answer of its callback. Hooks have their own limits.
    pub(crate) callback: Option<Duration>,
    /// The maximum silence of the CLI in the middle of a turn, while the CLI waits for no answer of the host.
    pub(crate) stall: Option<Duration>,
    /// The time after which a hook that runs at the start is reported. `None` means that it is never reported.
    pub(crate) hook_report: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            initialize: Duration::from_mins(1),
            initialize_with_hooks: false,
            call: Duration::from_mins(1),
            quiet: Duration::from_mins(10),
            callback: None,
            stall: None,
            hook_report: None,
        }
    }
}

/// An action to carry out.
#[derive(Debug)]
pub(crate) enum Output {
    /// Write this line: a call or an answer.
    Write(Bytes),
    /// Write this prompt.
    Prompt(Bytes),
    /// Pass this request to its callback, and pass the answer to [`Engine::decide`].
    Request {
        id: RequestId,
        body: RequestBody,
        /// The number of bytes that count toward the limit of held requests.
        weight: usize,
    },
    /// Drop the callback, because its answer is no longer awaited.
    Withdraw(RequestId),
    /// A call is complete.
    Answered {
        call: CallId,
        answer: Result<Option<Json>, Error>,
    },
    /// A message for the user, in this turn or outside of all turns.
    Line {
        turn: Option<TurnId>,
        item: LineItem,
    },
    /// An unfinished line, after which the output ended. It completes no call and no turn, because the end of the
    /// session follows and completes all of them.
    Half(Line),
    /// The result that ends these turns.
    Result {
        turns: Vec<TurnId>,
        /// The turn among them that the CLI ran. The others were merged into it.
        own: Option<OwnTurn>,
        item: LineItem,
    },
    /// This turn has ended without a result.
    Lost(TurnId),
    /// The CLI has finished its work, and sends nothing more by itself.
    RunEnded,
    /// The CLI is older than the oldest supported version.
    TooOld { found: String },
    /// The CLI was silent for too long in the middle of a turn, or while a hook was running at the start.
    Stalled {
        silent: Duration,
        /// The kind of the last line that the CLI has sent.
        last: Option<String>,
        /// The name of the hook that was running, if any.
        hook: Option<String>,
    },
    /// A hook of a settings file delays the start.
    Delayed(RunningHook),
    /// The CLI has reported when the usage limit is reset. `None` means that the API accepts requests.
    LimitReset(Option<SystemTime>),
}

/// The protocol state of one session.
#[derive(Debug)]
pub(crate) struct Engine {
    limits: Limits,
    calls: Calls,
    requests: OpenRequests,
    turns: Turns,
    /// The position of the last prompt or call that was written, among all that were written.
    written: Place,
    idle_probe: IdleProbe,
    run: Run,
    stall: Stall,
    output: VecDeque<Output>,
    /// Whether any turn has begun, with or without a prompt.
    begun: bool,
    /// The reason for the end of the session, after which nothing more is read or written.
    ended: Option<Error>,
}

impl Engine {
    /// Creates an engine that has not written anything. Requests that are not `served` are answered
    /// as the CLI expects of a host without a handler.
    pub(crate) fn new(limits: Limits, served: Served) -> Self {
        Self {
            limits,
            calls: Calls::default(),
            requests: OpenRequests::new(served, limits.callback),
            turns: Turns::default(),
            written: 0,
            idle_probe: IdleProbe::default(),
            run: Run::default(),
            stall: Stall::new(limits.stall),
            output: VecDeque::new(),
            begun: false,
            ended: None,
        }
    }

    /// Writes the handshake, which is the first line. Prompts can follow at once.
    pub(crate) fn initialize(&mut self, now: Now, initialize: Box<Initialize>) {
        let limit = self.limits.initialize;
        self.open(
            now,
            INITIALIZE,
            ControlRequestBody::Initialize(initialize),
            limit,
        );
    }

    /// Calls the CLI, with its own deadline or the default.
    pub(crate) fn call(
        &mut self,
        now: Now,
        call: CallId,
        body: ControlRequestBody,
        limit: Option<Duration>,
    ) {
        self.open(now, call, body, limit.unwrap_or(self.limits.call));
    }

    /// Removes a call whose response is no longer awaited.
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
        self.written += 1;
        let call = (call, self.written);
        let output = self.calls.open(now, call, body, limit);
        self.output.push_back(output);
    }

    /// Writes a prompt: `line` is a `user` message with this `uuid`.
    pub(crate) fn prompt(&mut self, turn: TurnId, uuid: &str, line: Bytes) {
        if self.is_ended() {
            return;
        }
        self.written += 1;
        self.turns.open(turn, uuid, self.written);
        self.run.on_prompt();
        self.output.push_back(Output::Prompt(line));
    }

    /// Handles the decision or failure of a callback. `waited` is the time for which the request has waited for it.
    pub(crate) fn decide(&mut self, id: &RequestId, decision: Decision, waited: Duration) {
        if !self.is_ended() {
            self.output
                .extend(self.requests.decide(id, decision, waited));
        }
    }

    /// Handles a line if it is a plain message for [`Engine::owner`], as most lines are. Returns whether it is. Pass
    /// any other line to [`Engine::line`].
    pub(crate) fn handle_plain(&mut self, now: Now, item: &LineItem) -> bool {
        let passes = matches!(item, LineItem::Line(line) if !line.cut && is_plain(line))
            && !self.is_ended()
            && self.begun
            && !self.calls.initializing();
        if passes {
            self.run.on_line(now);
            self.stall.on_line(now, item);
            self.release_buffer();
        }
        passes
    }

    /// Returns the turn to which a line belongs if the line does not name its turn.
    pub(crate) fn owner(&self) -> Option<TurnId> {
        self.turns.owner()
    }

    /// Handles a line.
    pub(crate) fn line(&mut self, now: Now, item: LineItem) {
        if self.is_ended() {
            return;
        }
        self.run.on_line(now);
        self.stall.on_line(now, &item);
        let item = match unfinished(item) {
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
            Route::RateLimit => {
                if let LineItem::Line(line) = &item
                    && let Ok(Message::RateLimitEvent(report)) = from_line::<Message>(&line.raw)
                {
                    let reset = report.rate_limit_info.rejected_until();
                    self.output.push_back(Output::LimitReset(reset));
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
                self.idle_probe = IdleProbe::None;
                self.turns.begin(&prompts);
                self.run.on_turn();
                self.deliver(item);
            }
            Route::Result(prompts) => {
                self.begun = true;
                let (turns, own) = self.turns.result(&prompts);
                if self.turns.is_empty() {
                    self.idle_probe = IdleProbe::None;
                }
                self.output.push_back(Output::Result { turns, own, item });
                self.run.on_result();
                self.check_run();
            }
            Route::State { state, hidden } => {
                if !hidden {
                    self.deliver(item);
                }
                self.state(now, &state);
            }
            Route::Lifecycle { prompt, state } => {
                let turn = self.turns.lifecycle(&prompt, &state);
                if turn.is_some() && matches!(&*state, "queued" | "started") {
                    self.idle_probe = IdleProbe::None;
                }
                let turn = turn.or_else(|| self.owner());
                self.output.push_back(Output::Line { turn, item });
            }
            Route::Hook { id, begun } => {
                let counts = self.limits.initialize_with_hooks;
                let limit = (!counts).then_some(self.limits.initialize);
                let report_after = self.limits.hook_report.unwrap_or(Duration::MAX);
                self.calls.hook(now, id, begun, limit, report_after);
                self.deliver(item);
            }
        }
        self.release_buffer();
    }

    /// Releases the buffer of the last line while the CLI is not expected to write. A session may be idle for hours.
    fn release_buffer(&mut self) {
        if !self.is_to_speak() {
            self.stall.release_buffer();
        }
    }

    /// Handles the passage of time.
    pub(crate) fn tick(&mut self, now: Now) {
        self.output.extend(self.calls.expire(now));
        self.output.extend(self.requests.expire(now));
        if self.probe_deadline().is_some_and(|due| due <= now) {
            self.send_probe(now);
        }
        if self.run_deadline().is_some_and(|due| due <= now) {
            self.run.end();
            self.output.push_back(Output::RunEnded);
        }
        if self.calls.hook_deadline().is_some_and(|due| due <= now) {
            let hooks = self.calls.report_hooks(now);
            self.output.extend(hooks.into_iter().map(Output::Delayed));
        }
        if self.stalled().is_some_and(|due| due <= now) {
            let (silent, last) = self.stall.report(now);
            let hook = self.calls.running_hook();
            self.output
                .push_back(Output::Stalled { silent, last, hook });
        }
    }

    /// Restarts the measurement of the CLI's silence, because the host has sent something or does not read at the
    /// moment.
    pub(crate) fn note_activity(&mut self, now: Now) {
        self.stall.note_activity(now);
        self.idle_probe.note_activity(now);
    }

    /// Returns the time at which the CLI has been silent for too long.
    fn stalled(&self) -> Option<Now> {
        self.stall.deadline(self.is_to_speak())
    }

    /// Returns whether silence is measured. It is measured in a turn, while the CLI waits only for the model, its tools
    /// and itself. At the start, it is measured while a hook runs. The rest of the start has a separate deadline.
    fn is_to_speak(&self) -> bool {
        let is_working = if self.calls.initializing() {
            self.calls.running_hook().is_some()
        } else {
            self.is_in_mid_turn()
        };
        is_working && !self.requests.any() && !self.is_ended()
    }

    /// Returns the next time at which [`Engine::tick`] has work to do.
    pub(crate) fn deadline(&self) -> Option<Now> {
        let all = [
            self.calls.deadline(),
            self.calls.hook_deadline(),
            self.requests.deadline(),
            self.run_deadline(),
            self.stalled(),
            self.probe_deadline(),
        ];
        all.into_iter().flatten().min()
    }

    /// Returns the time at which the CLI counts as idle although it has not reported that. While a turn is open, there
    /// is no such time, regardless of how long no line arrives.
    fn run_deadline(&self) -> Option<Now> {
        let deadline = self.run.deadline(self.limits.quiet);
        deadline.filter(|_| self.turns.is_empty())
    }

    /// Returns the next deadline of the check of prompts that an idle CLI may not have read.
    fn probe_deadline(&self) -> Option<Now> {
        let deadline = self.idle_probe.deadline()?;
        let is_idle = !self.turns.is_empty() && !self.calls.initializing() && !self.is_ended();
        is_idle.then_some(deadline)
    }

    /// Returns the next action.
    pub(crate) fn output(&mut self) -> Option<Output> {
        self.output.pop_front()
    }

    /// Whether a caller waits for something that must still be read from the CLI.
    pub(crate) fn is_waiting(&self) -> bool {
        self.calls.any() || self.requests.any()
    }

    /// Whether a prompt has no result yet.
    pub(crate) fn has_open_prompts(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Whether nothing is in progress and nothing will start before the next prompt.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.turns.is_empty() && self.run.is_at_rest()
    }

    /// Whether a turn has no result yet. If the CLI ended now, the turn would be cut off.
    pub(crate) fn is_in_mid_turn(&self) -> bool {
        !self.turns.is_empty() || self.turns.is_running()
    }

    /// Handles a full inbox: no response can be read, so all waiting calls fail.
    pub(crate) fn backlogged(&mut self) {
        self.output.extend(self.calls.backlogged());
    }

    /// Handles the end of the session: nothing more will be read, for this reason. All waiting calls fail with this
    /// reason, and open turns get no result. Only the first reason is recorded.
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

    /// Returns the numbers of stored calls, requests, IDs of answered requests, and turns.
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
        let Some((place, answered, waiting)) = self.calls.answer(id, item) else {
            return;
        };
        self.output.push_back(answered);
        self.on_read(now, place);
        // The response also contains requests that wait for an answer. They are handled as new,
        // because no other host has received them.
        for request in waiting {
            self.output.extend(self.requests.take_again(now, request));
        }
    }

    fn state(&mut self, now: Now, state: &str) {
        self.run.state(state);
        if state == "idle" {
            // If a probe was already sent, it remains valid, so the check does not begin again.
            if !self.idle_probe.is_active() {
                self.idle_probe = IdleProbe::Grace(now);
            }
            let lost = self.turns.idle();
            self.drop_turns(lost);
        } else {
            self.idle_probe = IdleProbe::None;
        }
        self.check_run();
    }

    /// Handles the report that the CLI has read its input up to this position. If the CLI is still idle, it will not
    /// process the prompts in that input.
    fn on_read(&mut self, now: Now, place: Place) {
        if self.idle_probe.is_active() {
            if self.idle_probe.is_answered(place) {
                // The response says nothing about prompts that were written after this probe. So another probe follows.
                self.idle_probe = IdleProbe::Grace(now);
            }
            let lost = self.turns.settle(place);
            self.drop_turns(lost);
            self.check_run();
        }
    }

    /// Reports that these turns get no result.
    fn drop_turns(&mut self, turns: Vec<TurnId>) {
        if !turns.is_empty() {
            self.run.on_turn();
        }
        self.output.extend(turns.into_iter().map(Output::Lost));
        if self.turns.is_empty() {
            self.idle_probe = IdleProbe::None;
        }
    }

    /// Sends the probe to an idle CLI, to learn how much of its input the CLI has read. If the probe was already sent,
    /// its response is late, and the CLI is treated as having read its whole input up to the probe.
    fn send_probe(&mut self, now: Now) {
        if let IdleProbe::Sent(_, place) = self.idle_probe {
            return self.on_read(now, place);
        }
        // Forgets an earlier probe, after which the CLI was busy.
        self.forget(PROBE);
        self.open(
            now,
            PROBE,
            GetBinaryVersion::new().into(),
            idle_probe::ANSWER,
        );
        self.idle_probe = IdleProbe::Sent(now, self.written);
    }

    fn check_run(&mut self) {
        if self.run.has_ended() && self.turns.is_empty() {
            self.run.end();
            self.output.push_back(Output::RunEnded);
        }
    }
}

/// Returns the line if it is unfinished, because the CLI ended in the middle of it.
fn unfinished(item: LineItem) -> Result<Line, LineItem> {
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
