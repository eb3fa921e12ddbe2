//! Properties of the engine that hold for any input bytes. The fuzz target and the ordinary tests
//! share them.
//!
//! Input that begins with `{` is output of the CLI: any lines. Other input is a sequence of events
//! for the simulation: eight bytes per event.

use std::collections::HashSet;

use claw_codec::{LineCodec, Lines};
use claw_types::control::{McpStatus, PermissionResult};
use serde_json::Value;

use super::*;
use crate::outcome::error::Cause;

/// The maximum length of a line in bytes. The middle of a longer line is cut out. The limit is low,
/// so that such lines are tested too.
const LIMIT: usize = 4096;
/// The highest number of lines that are read. The engine remembers the IDs of more answered
/// requests than this number.
const MOST_LINES: usize = 1000;
/// The time between two lines.
const STEP: Duration = Duration::from_secs(1);

/// Checks that the properties hold for this input. Panics if one of them does not hold.
pub(crate) fn holds(input: &[u8]) {
    if input.starts_with(b"{") {
        World::new().reads(input);
    } else if let Err(error) = simulation::play_bytes(input) {
        panic!("{error}");
    }
}

/// An engine that receives requests of every kind and grants none of them.
struct World {
    engine: Engine,
    now: Now,
    answered: HashSet<String>,
    open: Vec<RequestId>,
    ended: bool,
}

impl World {
    fn new() -> Self {
        let hooks = ["hook_0", "hook_1"].map(|id| {
            let spec = HookSpec {
                event: claw_types::hook::HookEvent::PreToolUse,
                limit: 5 * STEP,
                blocks: id == "hook_1",
                by_name: id == "hook_1",
            };
            (id.to_owned(), spec)
        });
        let served = Served {
            permissions: true,
            elicitations: true,
            dialogs: ["pick".to_owned()].into(),
            hooks: hooks.into(),
            mcp: true,
            others: HashSet::new(),
            all_others: true,
        };
        let limits = Limits {
            callback: Some(40 * STEP),
            ..Limits::default()
        };
        let mut engine = Engine::new(limits, served);
        engine.initialize(Duration::ZERO, Box::default());
        engine.call(Duration::ZERO, CallId(1), McpStatus::new().into(), None);
        engine.prompt(TurnId(0), "p0", Bytes::from_static(b"{}"));
        engine.prompt(TurnId(1), "p1", Bytes::from_static(b"{}"));
        Self {
            engine,
            now: Duration::ZERO,
            answered: HashSet::new(),
            open: Vec::new(),
            ended: false,
        }
    }

    fn reads(mut self, input: &[u8]) {
        self.outputs();
        let lines = Lines::with_codec(input, LineCodec::new().with_limit(LIMIT));
        for item in lines.take(MOST_LINES) {
            let item = item.unwrap_or_else(|error| panic!("{error}"));
            let number = item.number();
            let (passes, owner) = (
                self.engine.handle_plain(self.now, &item),
                self.engine.owner(),
            );
            self.engine.line(self.now, item);
            if passes {
                let delivered = matches!(&self.engine.output.back(),
                    Some(Output::Line { turn, .. }) if *turn == owner);
                assert!(delivered, "line {number} passes, and is not delivered");
            }
            self.outputs();
            // Every second request is refused at once. All others time out.
            if number.is_multiple_of(2) {
                for id in std::mem::take(&mut self.open) {
                    let refused = Reply::Permission(PermissionResult::deny("no"));
                    self.engine.decide(&id, Ok(refused), Duration::ZERO);
                }
                self.outputs();
            }
            self.now += STEP;
            self.engine.tick(self.now);
            self.outputs();
        }
        self.now += Duration::from_hours(1);
        self.engine.tick(self.now);
        self.outputs();
        let (calls, ..) = self.engine.sizes();
        assert_eq!(calls, 0, "calls wait for ever");
        self.ended = true;
        self.engine.end(Cause::Closed.into());
        self.outputs();
        assert!(!self.engine.is_waiting(), "it waits for the dead");
    }

    fn outputs(&mut self) {
        while let Some(output) = self.engine.output() {
            match output {
                Output::Write(line) => self.wrote(&line),
                Output::Request { id, .. } => self.open.push(id),
                _ => {}
            }
        }
    }

    fn wrote(&mut self, line: &[u8]) {
        assert!(!self.ended, "written after the end");
        assert!(!line.contains(&b'\n'), "more than a line");
        let line: Value = serde_json::from_slice(line).unwrap_or_else(|error| panic!("{error}"));
        let response = &line["response"];
        if line["type"] != "control_response" {
            return;
        }
        let id = response["request_id"].to_string();
        assert!(self.answered.insert(id), "answered twice: {response}");
        let payload = &response["response"];
        let own = &payload["hookSpecificOutput"];
        for granted in [
            &payload["behavior"],
            &payload["action"],
            &own["permissionDecision"],
            &own["decision"]["behavior"],
        ] {
            let granted = *granted == "allow" || *granted == "accept";
            assert!(!granted, "nobody granted that: {response}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_seed_of_the_fuzz_target_holds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/engine");
        let mut seeds = 0;
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let input = fs::read(&path).unwrap();
            let held = std::panic::catch_unwind(|| super::holds(&input));
            assert!(held.is_ok(), "{}", path.display());
            seeds += 1;
        }
        assert!(seeds > 0, "no seeds in {}", folder.display());
    }
}
