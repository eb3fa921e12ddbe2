//! Random orders of events, and what holds whatever the order.
//!
//! The world plays the CLI, the callbacks, the clock and whatever goes wrong. It keeps books of its
//! own, and holds the engine to them after every event and at the end:
//!
//! - every call is over exactly once, at the latest when its time is up, and with its own answer;
//! - every request is handed out once, and answered once or taken back; nothing is granted that no
//!   callback granted, and a callback that failed refuses;
//! - every turn is over at most once; every message is delivered once, at once;
//! - nothing waits for a session that is over;
//! - what the engine keeps is bounded by what is open.
//!
//! `PROPTEST_CASES` says how many orders; 12,000 by default. A failure prints the shortest order that
//! proptest finds, to be put into `orders_that_were_found` below.

mod answers;
mod event;
mod world;

#[cfg(test)]
use proptest::prelude::*;

use super::*;
#[cfg(test)]
use event::events;
use event::{Answer, Decided, Event, Line, Requested};
use world::World;

/// Plays the events that bytes stand for, and looks at everything.
pub(super) fn play_bytes(bytes: &[u8]) -> Result<(), String> {
    play(&event::of_bytes(bytes))
}

/// Plays the events, and looks at everything.
fn play(events: &[Event]) -> Result<(), String> {
    let mut world = World::new();
    for event in events {
        world.happens(event)?;
    }
    world.ends()
}

/// The events as they are written in this file.
#[cfg(test)]
fn script(events: &[Event]) -> String {
    let events: Vec<_> = events
        .iter()
        .map(|event| format!("    {event:?},"))
        .collect();
    format!("[\n{}\n]", events.join("\n"))
}

#[test]
fn everything_ends_once() {
    let default = ProptestConfig::default();
    // What the environment says, but not the 256 of proptest's own.
    let cases = if default.cases == 256 {
        12_000
    } else {
        default.cases
    };
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..default
    };
    proptest!(config, |(events in events(80))| {
        if let Err(error) = play(&events) {
            return Err(TestCaseError::fail(format!("{error}\nin {}", script(&events))));
        }
    });
}

/// Orders that were wrong once, or nearly.
#[test]
fn orders_that_were_found() {
    let scripts: &[&[Event]] = &[
        // An answer that comes with its deadline, and after it.
        &[
            Event::Call,
            Event::Time(60_000),
            Event::Line(Line::Answer(0, Answer::Success)),
            Event::Line(Line::Answer(0, Answer::Success)),
        ],
        // A request that comes again while it is worked on, when it was answered, and when it was
        // taken back.
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
        // A hook's time is up; its callback answers then, and the CLI takes it back.
        &[
            Event::Line(Line::Request(0, Requested::Hook(0))),
            Event::Time(5_000),
            Event::DecideLate(0),
            Event::Line(Line::Cancel(0)),
        ],
        // The answers of two calls are swapped, and one comes twice.
        &[
            Event::Call,
            Event::Call,
            Event::Line(Line::Answer(1, Answer::Success)),
            Event::Line(Line::Answer(0, Answer::Error)),
            Event::Line(Line::Answer(1, Answer::Success)),
            Event::End,
        ],
        // Nothing is heard for an hour, while a second prompt waits for its result.
        &[
            Event::Line(Line::State(1)),
            Event::Prompt,
            Event::Prompt,
            Event::Line(Line::Result(0, false)),
        ],
        // The pipe ends inside of a result.
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
