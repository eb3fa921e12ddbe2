//! Simulates a correct CLI that is connected by two pipes.
//!
//! The other simulation plays a CLI that sends arbitrary lines. This one plays a CLI that reads its input in order,
//! reports that it works before it answers anything that was written later, and reports when it is idle. Lines and
//! prompts cross in the pipes in every order. The CLI answers a prompt, drops it without a message, begins with it but
//! sends no result, or sends a result of something else. These properties are checked:
//!
//! - a prompt that gets a result is never given up, even if the CLI reads it very late;
//! - any other prompt is given up, once the CLI is idle.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::idle_probe::{ANSWER, GRACE};
use super::*;

/// The CLI's reaction to a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptOutcome {
    Answered,
    /// The CLI never mentions the prompt.
    Dropped,
    /// The CLI never mentions the prompt, but reports again that it is idle.
    DroppedAloud,
    /// The turn begins, but has no result.
    Begun,
    /// The CLI sends a result that names another prompt.
    OtherResult,
}

#[derive(Debug, Clone, Copy)]
enum PipeEvent {
    Prompt(PromptOutcome),
    /// The CLI reads a line.
    CliReads,
    /// The CLI begins or ends a turn.
    CliWorks,
    /// A turn without a prompt begins.
    Background,
    HostReads,
    /// This number of milliseconds passes, and neither side reads.
    Time(u64),
}

fn pipe_events() -> impl Strategy<Value = PipeEvent> {
    let outcome = prop_oneof![
        4 => Just(PromptOutcome::Answered),
        1 => Just(PromptOutcome::Dropped),
        1 => Just(PromptOutcome::DroppedAloud),
        1 => Just(PromptOutcome::Begun),
        1 => Just(PromptOutcome::OtherResult),
    ];
    prop_oneof![
        4 => outcome.prop_map(PipeEvent::Prompt),
        6 => Just(PipeEvent::CliReads),
        6 => Just(PipeEvent::CliWorks),
        1 => Just(PipeEvent::Background),
        9 => Just(PipeEvent::HostReads),
        3 => (0..3000_u64).prop_map(PipeEvent::Time),
    ]
}

/// The current work of the CLI.
#[derive(Debug, Clone)]
enum Work {
    Prompts(Vec<(TurnId, PromptOutcome)>),
    Background,
}

struct World {
    engine: Engine,
    now: Now,
    /// The time for which neither side has read.
    still: Duration,
    lines: u64,
    outcomes: Vec<PromptOutcome>,
    /// The open turns.
    open: BTreeMap<TurnId, PromptOutcome>,
    to_cli: VecDeque<Value>,
    to_host: VecDeque<Value>,
    queue: VecDeque<(TurnId, PromptOutcome)>,
    work: Option<Work>,
    /// Whether the CLI names prompts as soon as it has read them, as newer versions do.
    names_early: bool,
    has_named: bool,
}

impl World {
    fn new(names_early: bool) -> Self {
        let mut world = Self {
            engine: Engine::new(Limits::default(), Served::default()),
            now: Duration::ZERO,
            still: Duration::ZERO,
            lines: 0,
            outcomes: Vec::new(),
            open: BTreeMap::new(),
            to_cli: VecDeque::new(),
            to_host: VecDeque::new(),
            queue: VecDeque::new(),
            work: None,
            names_early,
            has_named: false,
        };
        world.engine.initialize(Duration::ZERO, Box::default());
        world
    }

    fn apply(&mut self, event: PipeEvent) -> Result<(), String> {
        match event {
            PipeEvent::Prompt(outcome) => {
                let turn = TurnId(self.outcomes.len() as u64);
                let uuid = uuid(turn);
                let line = json!({"type": "user", "uuid": uuid}).to_string();
                self.outcomes.push(outcome);
                self.open.insert(turn, outcome);
                self.engine.prompt(turn, &uuid, line.into());
            }
            PipeEvent::CliReads => self.cli_reads(),
            PipeEvent::CliWorks => self.cli_works(),
            PipeEvent::Background if self.is_idle() && self.has_named => {
                self.report_running();
                self.work = Some(Work::Background);
                let init = json!({"type": "system", "subtype": "init"});
                self.to_host.push_back(init);
            }
            PipeEvent::Background => {}
            PipeEvent::HostReads => self.host_reads(),
            PipeEvent::Time(milliseconds) => {
                let time = Duration::from_millis(milliseconds);
                self.still += time;
                if self.still >= ANSWER {
                    // No CLI takes so long to read its input, so both sides read now.
                    self.flow()?;
                }
                self.now += time;
                self.engine.tick(self.now);
            }
        }
        self.outputs()
    }

    /// Makes both sides read all lines that were written.
    fn flow(&mut self) -> Result<(), String> {
        while !(self.to_cli.is_empty() && self.to_host.is_empty()) {
            self.cli_reads();
            self.host_reads();
            self.outputs()?;
        }
        self.still = Duration::ZERO;
        Ok(())
    }

    fn finish(mut self) -> Result<(), String> {
        // A probe shows nothing about prompts that were written after it. So several probes may be needed.
        for _ in 0..3 {
            self.flow()?;
            while self.work.is_some() || !self.queue.is_empty() {
                self.cli_works();
                self.flow()?;
            }
            self.now += GRACE;
            self.engine.tick(self.now);
            self.outputs()?;
        }
        // A CLI that was idle and drops the last prompt without a message sends nothing more.
        let silent = |outcome: &PromptOutcome| *outcome == PromptOutcome::Dropped;
        if self.open.values().all(silent) {
            self.state("idle");
            for _ in 0..2 {
                self.flow()?;
                self.now += GRACE;
                self.engine.tick(self.now);
                self.outputs()?;
            }
        }
        match self.open.first_key_value() {
            Some(open) => Err(format!("for ever: {open:?}")),
            None => Ok(()),
        }
    }

    fn outputs(&mut self) -> Result<(), String> {
        while let Some(output) = self.engine.output() {
            match output {
                Output::Write(line) | Output::Prompt(line) => {
                    let line = serde_json::from_slice(&line).map_err(|error| error.to_string())?;
                    self.to_cli.push_back(line);
                }
                Output::Result { turns, .. } => {
                    for turn in turns {
                        let outcome = self.open.remove(&turn);
                        if outcome != Some(PromptOutcome::Answered) {
                            return Err(format!("{turn:?} has a result: {outcome:?}"));
                        }
                    }
                }
                Output::Lost(turn) => {
                    let outcome = self.open.remove(&turn);
                    if outcome.is_none_or(|outcome| outcome == PromptOutcome::Answered) {
                        return Err(format!("{turn:?} is given up: {outcome:?}"));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn host_reads(&mut self) {
        if let Some(line) = self.to_host.pop_front() {
            self.lines += 1;
            let line = claw_codec::Line::new(self.lines, line.to_string().into());
            self.engine.line(self.now, LineItem::Line(line));
        }
    }

    fn cli_reads(&mut self) {
        let Some(line) = self.to_cli.pop_front() else {
            return;
        };
        if line["type"] == "control_request" {
            let response = json!({"subtype": "success", "request_id": line["request_id"],
                "response": {}});
            let response = json!({"type": "control_response", "response": response});
            return self.to_host.push_back(response);
        }
        let turn = self.open.keys().find(|turn| line["uuid"] == uuid(**turn));
        let Some(turn) = turn.copied() else {
            return;
        };
        let outcome = self.open[&turn];
        match outcome {
            PromptOutcome::Dropped => {}
            PromptOutcome::DroppedAloud => {
                if self.is_idle() {
                    self.state("idle");
                }
            }
            _ => {
                self.report_running();
                self.queue.push_back((turn, outcome));
                if self.names_early {
                    self.lifecycle(turn, "queued");
                }
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.work.is_none() && self.queue.is_empty()
    }

    fn report_running(&mut self) {
        if self.is_idle() {
            self.state("running");
        }
    }

    /// Begins with the next prompts, or ends the current work.
    fn cli_works(&mut self) {
        let result = |prompts: &[String]| json!({"type": "result", "user_message_uuids": prompts});
        match self.work.take() {
            None => {
                let Some((turn, outcome)) = self.queue.pop_front() else {
                    return;
                };
                let mut prompts = vec![(turn, outcome)];
                // Successive prompts with the same reaction are merged.
                while let Some(next) = self.queue.pop_front_if(|(_, other)| *other == outcome) {
                    prompts.push(next);
                }
                if self.names_early {
                    for (turn, _) in &prompts {
                        self.lifecycle(*turn, "started");
                    }
                }
                let uuids: Vec<_> = prompts.iter().map(|(turn, _)| uuid(*turn)).collect();
                let init = json!({"type": "system", "subtype": "init",
                    "user_message_uuids": uuids});
                self.to_host.push_back(init);
                self.has_named = true;
                self.work = Some(Work::Prompts(prompts));
                return;
            }
            Some(Work::Background) => self.to_host.push_back(result(&[])),
            Some(Work::Prompts(prompts)) => match prompts[0].1 {
                PromptOutcome::Answered => {
                    let uuids: Vec<_> = prompts.iter().map(|(turn, _)| uuid(*turn)).collect();
                    self.to_host.push_back(result(&uuids));
                }
                PromptOutcome::OtherResult => self.to_host.push_back(result(&["other".to_owned()])),
                _ => {}
            },
        }
        if self.queue.is_empty() {
            self.state("idle");
        }
    }

    fn state(&mut self, state: &str) {
        self.to_host.push_back(json!({"type": "system",
            "subtype": "session_state_changed", "state": state, "sdk_host_only": true}));
    }

    fn lifecycle(&mut self, turn: TurnId, state: &str) {
        self.has_named = true;
        self.to_host.push_back(json!({"type": "command_lifecycle",
            "command_uuid": uuid(turn), "state": state}));
    }
}

fn uuid(turn: TurnId) -> String {
    format!("p{}", turn.0)
}

fn play(names_early: bool, events: &[PipeEvent]) -> Result<(), String> {
    let mut world = World::new(names_early);
    for event in events {
        world.apply(*event)?;
    }
    world.finish()
}

#[test]
fn idle_settles_what_was_read_and_nothing_else() {
    let config = ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let events = proptest::collection::vec(pipe_events(), 0..40);
    proptest!(config, |(names_early in any::<bool>(), events in events)| {
        if let Err(error) = play(names_early, &events) {
            return Err(TestCaseError::fail(format!("{error}\nin {events:?}")));
        }
    });
}
