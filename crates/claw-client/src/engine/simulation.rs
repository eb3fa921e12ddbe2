//! Random sequences of events, and the properties that hold for each.
//!
//! The world simulates the CLI, the callbacks, the clock and all failures. It records the allowed actions in a ledger,
//! and compares the engine with the ledger after every event and at the end:
//!
//! - every call ends exactly once, at the latest at its deadline, and never with the response to another call;
//! - every request is delivered once, and answered once or withdrawn; a permission is granted only if a callback
//!   granted it, and a callback that failed counts as a refusal;
//! - every turn ends at most once; every message is delivered once, without delay;
//! - no turn stays open for ever if the CLI is idle, and the engine abandons no turn while the CLI works or has
//!   possibly not read the turn's prompt;
//! - no call and no turn waits for a session that has ended;
//! - the size of the engine's data is bounded by the number of open calls, requests and turns.
//!
//! `PROPTEST_CASES` sets the number of sequences; 12,000 by default. A failure prints the shortest
//! sequence that proptest finds; add it to `orders_that_were_found` below.

mod answers;
mod event;
#[cfg(test)]
mod pipes;
mod world;

#[cfg(test)]
use proptest::prelude::*;

use super::*;
#[cfg(test)]
use event::events;
use event::{Answer, Decided, Event, Line, Requested};
use world::World;

/// Applies the events that the bytes encode, and checks all properties.
pub(super) fn play_bytes(bytes: &[u8]) -> Result<(), String> {
    play(&event::of_bytes(bytes))
}

/// Applies the events, and checks all properties.
fn play(events: &[Event]) -> Result<(), String> {
    let mut world = World::new();
    for event in events {
        world.apply(event)?;
    }
    world.finish()
}

/// Returns the events as source code of this file.
#[cfg(test)]
fn script(events: &[Event]) -> String {
    let events: Vec<_> = events
        .iter()
        .map(|event| format!("    {event:?},"))
        .collect();
    format!("[\n{}\n]", events.join("\n"))
}

/// Returns the number of sequences from the environment. Replaces proptest's own default of 256.
#[cfg(test)]
fn cases() -> u32 {
    match ProptestConfig::default().cases {
        256 => 12_000,
        cases => cases,
    }
}

#[test]
fn everything_ends_once() {
    let config = ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(events in events(80))| {
        if let Err(error) = play(&events) {
            return Err(TestCaseError::fail(format!("{error}\nin {}", script(&events))));
        }
    });
}

/// Sequences that once failed, or nearly did.
#[test]
fn orders_that_were_found() {
    let scripts: &[&[Event]] = &[
        // A response that arrives at its deadline, and after it.
        &[
            Event::Call,
            Event::Time(60_000),
            Event::Line(Line::Answer(0, Answer::Success)),
            Event::Line(Line::Answer(0, Answer::Success)),
        ],
        // A request that is repeated while it is processed, after it was answered, and after it was
        // withdrawn.
        &[
            Event::Line(Line::Request(1, Requested::Permission)),
            Event::Line(Line::Request(1, Requested::Permission)),
            Event::Decide(0, Decided::Yes),
            Event::Line(Line::Request(1, Requested::Permission)),
            Event::Line(Line::Request(2, Requested::Permission)),
            Event::Line(Line::Cancel(2)),
            Event::Line(Line::Request(2, Requested::Permission)),
            Event::DecideLate(2),
        ],
        // A hook times out. Then its callback answers, and the CLI withdraws the request.
        &[
            Event::Line(Line::Request(0, Requested::Hook(0))),
            Event::Time(5_000),
            Event::DecideLate(0),
            Event::Line(Line::Cancel(0)),
        ],
        // The responses of two calls are swapped, and one is repeated.
        &[
            Event::Call,
            Event::Call,
            Event::Line(Line::Answer(1, Answer::Success)),
            Event::Line(Line::Answer(0, Answer::Error)),
            Event::Line(Line::Answer(1, Answer::Success)),
            Event::End,
        ],
        // No line arrives for an hour, while a second prompt waits for its result.
        &[
            Event::Line(Line::State(1)),
            Event::Prompt,
            Event::Prompt,
            Event::Line(Line::Result(0, false)),
        ],
        // The CLI sends a result that names no prompt. After that, it reports that it is idle.
        &[
            Event::Prompt,
            Event::Line(Line::Result(9, false)),
            Event::Prompt,
            Event::Line(Line::State(0)),
        ],
        // A prompt begins and gets no result, while a later prompt gets one.
        &[
            Event::Prompt,
            Event::Prompt,
            Event::Line(Line::Init(0, true)),
            Event::Line(Line::Init(1, true)),
            Event::Line(Line::Result(1, true)),
            Event::Line(Line::State(0)),
        ],
        // The CLI is idle without a turn. The response to the probe shows that no turn follows.
        &[
            Event::Prompt,
            Event::Line(Line::State(0)),
            Event::Time(61_000),
            Event::Line(Line::Answer(1, Answer::Error)),
        ],
        // The CLI begins to work while the probe is pending, so the probe is not answered.
        &[
            Event::Prompt,
            Event::Line(Line::State(0)),
            Event::Time(61_000),
            Event::Line(Line::State(1)),
            Event::Time(11_000),
            Event::Line(Line::State(0)),
            Event::Time(2_000),
            Event::Line(Line::Answer(1, Answer::Success)),
            Event::Line(Line::Result(0, true)),
        ],
        // The pipe ends inside a result.
        &[
            Event::Prompt,
            Event::Line(Line::Init(0, true)),
            Event::Cut(Box::new(Line::Result(0, true)), 20),
            Event::End,
            Event::Prompt,
        ],
    ];
    for events in scripts {
        play(events).unwrap_or_else(|error| panic!("{error}\nin {}", script(events)));
    }
}
