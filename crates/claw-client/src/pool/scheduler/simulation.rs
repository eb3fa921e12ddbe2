//! Applies random sequences of prompts, ends, crashes, failed starts, time and measurements. These properties hold for
//! each sequence:
//!
//! - every ticket ends exactly once: it is granted, refused, failed or abandoned;
//! - a granted process runs at the moment of the grant, and a process is ended only if no caller waits for the end of
//!   one of its uses;
//! - a process that is to end, or whose member has left, runs only while a caller waits for the end of one of its uses;
//! - processes, starts and waiting tickets never exceed their limits, spares included;
//! - a session takes over only a spare that runs, and a spare that has failed is replaced after a pause;
//! - once all starts, claims, uses and ends are complete, no ticket waits, and the state contains no process.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

mod world;

use world::{Event, Flaw, World};

fn events() -> impl Strategy<Value = Vec<Event>> {
    let n = any::<u8>();
    let event = prop_oneof![
        2 => n.prop_map(Event::Join),
        2 => n.prop_map(Event::Fits),
        3 => n.prop_map(Event::Claimed),
        1 => n.prop_map(Event::ClaimFailed),
        1 => n.prop_map(Event::Leave),
        1 => n.prop_map(Event::Finish),
        6 => n.prop_map(Event::Request),
        5 => n.prop_map(Event::Done),
        2 => n.prop_map(Event::Detached),
        1 => n.prop_map(Event::Abandon),
        4 => n.prop_map(Event::Started),
        1 => n.prop_map(Event::StartFailed),
        4 => n.prop_map(Event::Ended),
        1 => n.prop_map(Event::Crashed),
        1 => (0..2_000_u16).prop_map(Event::Time),
        1 => (n, 0..300_u32).prop_map(|(n, bytes)| Event::Measured(n, bytes)),
    ];
    prop::collection::vec(event, 1..200)
}

fn limits() -> impl Strategy<Value = Limits> {
    let memory = prop::option::of(100..1_000_u64);
    let wait = prop::option::of((0..3_000_u64).prop_map(Duration::from_millis));
    (1..5_usize, 1..4_usize, memory, 1..30_usize, wait).prop_map(
        |(processes, starts, memory, queue, wait)| Limits {
            processes,
            starts,
            memory,
            estimate: 100,
            queue,
            wait,
            tenure: Duration::from_millis(500),
        },
    )
}

fn play(limits: &Limits, flaw: Flaw, events: &[Event]) -> Result<(), String> {
    let mut world = World::new(limits.clone(), flaw);
    // Starts the first spares, as a new pool does at its creation.
    world.apply(Event::Time(0))?;
    for event in events {
        world.apply(*event)?;
    }
    world.finish()
}

fn runner(cases: u32) -> proptest::test_runner::TestRunner {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest::test_runner::TestRunner::new(config)
}

#[test]
fn no_ticket_is_lost_or_granted_twice_and_limits_hold() {
    let cases = match ProptestConfig::default().cases {
        256 => 2_000,
        cases => cases,
    };
    let result = runner(cases).run(&(limits(), events()), |(limits, events)| {
        play(&limits, Flaw::None, &events).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn a_flaw_of_the_driver_is_found() {
    for flaw in [
        Flaw::LosesStarts,
        Flaw::DoneTwice,
        Flaw::OneMoreProcess,
        Flaw::KeepsDeadSpares,
        Flaw::NeverWakes,
        Flaw::KeepsDetached,
    ] {
        let result = runner(2_000).run(&(limits(), events()), |(limits, events)| {
            play(&limits, flaw, &events).map_err(TestCaseError::fail)
        });
        assert!(result.is_err(), "{flaw:?} was not found");
    }
}

/// Each ticket has its own deadline. If all tickets had a common deadline, each deadline would wake every ticket.
#[test]
fn a_ticket_is_due_at_its_own_time() {
    let wait = Duration::from_secs(10);
    let mut scheduler = Scheduler::new(Limits {
        processes: 1,
        starts: 1,
        memory: None,
        estimate: 1,
        queue: 10,
        wait: Some(wait),
        tenure: Duration::from_mins(1),
    });
    for n in 0..3 {
        scheduler.join(MemberId(n), TenantId(0), 1);
        scheduler.request(Duration::from_secs(n), Ticket(n), MemberId(n), Use::Turn);
    }
    // The process for the first ticket is starting. The ticket has no deadline now, because the start has a separate
    // one.
    assert_eq!(scheduler.deadline(Ticket(0)), None);
    for n in 1..3 {
        assert_eq!(
            scheduler.deadline(Ticket(n)),
            Some(Duration::from_secs(n) + wait)
        );
    }
}

/// A tenant with many waiting members does not delay the first member of another tenant.
#[test]
fn tenants_are_served_by_turns_and_by_weight() {
    let limits = Limits {
        processes: 1,
        starts: 1,
        memory: None,
        estimate: 1,
        queue: 1_000,
        wait: None,
        tenure: Duration::from_mins(1),
    };
    let mut scheduler = Scheduler::new(limits);
    let now = Duration::ZERO;
    let (many, heavy) = (TenantId(0), TenantId(1));
    for n in 0..90 {
        scheduler.join(MemberId(n), many, 1);
        scheduler.request(now, Ticket(n), MemberId(n), Use::Turn);
    }
    for n in 100..120 {
        scheduler.join(MemberId(n), heavy, 2);
        scheduler.request(now, Ticket(n), MemberId(n), Use::Turn);
    }
    let mut served = Vec::new();
    while let Some(output) = scheduler.next_output() {
        match output {
            Output::Start(member, generation) => {
                served.push(member.0);
                scheduler.started(now, member, generation);
            }
            Output::Grant(_, member, generation) => scheduler.end_use(now, member, generation),
            Output::End(member, generation) => scheduler.ended(now, member, generation),
            Output::Refuse(..) => unreachable!("the queue has room"),
            Output::StartSpare(..) | Output::Claim(..) | Output::Wake(_) => {
                unreachable!("no spares are wanted")
            }
        }
    }
    assert_eq!(served.len(), 110);
    let first_thirty = served[..31].iter().filter(|member| **member >= 100).count();
    assert_eq!(
        first_thirty, 20,
        "two of the heavy one for each of the other: {served:?}"
    );
}
