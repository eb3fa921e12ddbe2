//! Checks that no session overtakes another one in the queue. In these tests, there are more sessions than processes,
//! and each session sends another prompt after each answer.
//!
//! A member is served when a process is started for it, or when it may use its existing process. At that moment, no
//! member may be waiting whose request was made earlier. This also holds for a member whose old process is just ending:
//! its new process starts as soon as the old process has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;

const START: Duration = Duration::from_millis(600);
const END: Duration = Duration::from_millis(50);

/// A planned prompt: the pause after the previous answer, and the duration of the prompt's turn, in milliseconds.
type Planned = (u64, u64);

#[derive(Debug, Clone, Copy)]
enum Due {
    Asks(MemberId),
    Started(MemberId, Generation),
    Done(MemberId, Generation),
    Ended(MemberId, Generation),
}

/// A simulated pool. Its clock advances to the next event in the list `due`.
struct Crowd<'a> {
    scheduler: Scheduler,
    plan: &'a [Vec<Planned>],
    what: Use,
    now: Now,
    due: BTreeMap<(Now, u64), Due>,
    number: u64,
    /// The ticket of each member that waits to be served.
    unserved: BTreeMap<Ticket, MemberId>,
    ending: BTreeSet<MemberId>,
    /// The times at which the turns of each member ended.
    ended: Vec<Vec<Now>>,
}

impl<'a> Crowd<'a> {
    fn new(processes: usize, starts: usize, plan: &'a [Vec<Planned>], what: Use) -> Self {
        let limits = Limits {
            processes,
            starts,
            memory: None,
            estimate: 1,
            queue: 10_000,
            wait: None,
            tenure: Duration::from_mins(1),
        };
        let mut crowd = Self {
            scheduler: Scheduler::new(limits),
            plan,
            what,
            now: Duration::ZERO,
            due: BTreeMap::new(),
            number: 0,
            unserved: BTreeMap::new(),
            ending: BTreeSet::new(),
            ended: vec![Vec::new(); plan.len()],
        };
        for member in 0..plan.len() {
            let member = MemberId(member as u64);
            crowd.scheduler.join(member, TenantId(0), 1);
            crowd.asks_next(member);
        }
        crowd
    }

    fn number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn later(&mut self, after: Duration, due: Due) {
        let number = self.number();
        self.due.insert((self.now + after, number), due);
    }

    /// Returns the member's first planned prompt whose turn has not ended.
    fn next(&self, member: MemberId) -> Option<Planned> {
        let member = usize::try_from(member.0).unwrap();
        self.plan[member].get(self.ended[member].len()).copied()
    }

    fn asks_next(&mut self, member: MemberId) {
        if let Some((pause, _)) = self.next(member) {
            self.later(Duration::from_millis(pause), Due::Asks(member));
        }
    }

    fn served(&mut self, member: MemberId) -> Result<(), String> {
        let ticket = self.unserved.iter().find(|(_, of)| **of == member);
        let Some(ticket) = ticket.map(|(ticket, _)| *ticket) else {
            // The ticket was already counted as served when the process was started for it.
            return Ok(());
        };
        self.unserved.remove(&ticket);
        let mut before = self.unserved.range(..ticket);
        match before.find(|(_, member)| !self.ending.contains(member)) {
            Some(earlier) => Err(format!("{member:?} with {ticket:?} overtakes {earlier:?}")),
            None => Ok(()),
        }
    }

    fn play(mut self) -> Result<Vec<Vec<Now>>, String> {
        while let Some(((now, _), due)) = self.due.pop_first() {
            self.now = now;
            match due {
                Due::Asks(member) => {
                    let ticket = Ticket(self.number());
                    self.unserved.insert(ticket, member);
                    self.scheduler.request(now, ticket, member, self.what);
                }
                Due::Started(member, generation) => self.scheduler.started(now, member, generation),
                Due::Done(member, generation) => {
                    self.ended[usize::try_from(member.0).unwrap()].push(now);
                    self.asks_next(member);
                    self.scheduler.end_use(now, member, generation);
                }
                Due::Ended(member, generation) => {
                    self.ending.remove(&member);
                    self.scheduler.ended(now, member, generation);
                }
            }
            self.outputs()?;
        }
        for (planned, ended) in self.plan.iter().zip(&self.ended) {
            if planned.len() != ended.len() {
                return Err(format!("a turn waits for ever: {:?}", self.scheduler));
            }
        }
        Ok(self.ended)
    }

    fn outputs(&mut self) -> Result<(), String> {
        while let Some(output) = self.scheduler.next_output() {
            match output {
                Output::Start(member, generation) => {
                    self.served(member)?;
                    self.later(START, Due::Started(member, generation));
                }
                Output::Grant(_, member, generation) => {
                    self.served(member)?;
                    let (_, length) = self.next(member).ok_or("no turn is wanted")?;
                    let length = Duration::from_millis(length);
                    self.later(length, Due::Done(member, generation));
                }
                Output::End(member, generation) => {
                    self.ending.insert(member);
                    self.later(END, Due::Ended(member, generation));
                }
                other => return Err(format!("{other:?}")),
            }
        }
        Ok(())
    }
}

#[test]
fn who_asks_first_is_served_first() {
    let planned = (0..400_u64, 1..3_000_u64);
    let plan = prop::collection::vec(prop::collection::vec(planned, 1..6), 1..20);
    proptest!(|(processes in 1..6_usize, starts in 1..4_usize, plan in plan)| {
        let crowd = Crowd::new(processes, starts, &plan, Use::Turn);
        crowd.play().map_err(TestCaseError::fail)?;
    });
}

/// Returns the difference in completed turns between the first member that finishes and the slowest member at that
/// moment.
fn lead(ended: &[Vec<Now>]) -> usize {
    let done = ended.iter().filter_map(|times| times.last()).min().unwrap();
    let so_far = |times: &Vec<Now>| times.iter().filter(|time| *time <= done).count();
    let turns = ended.iter().map(Vec::len);
    let behind = ended.iter().map(so_far);
    turns.max().unwrap() - behind.min().unwrap()
}

/// All turns are shorter than the start of a process. Nevertheless, the sessions that keep their process must not get
/// ahead of the sessions that wait.
#[test]
fn sessions_without_a_pause_get_on_alike() {
    let plan = vec![vec![(10, 200); 5]; 24];
    let ended = Crowd::new(4, 2, &plan, Use::Turn).play().unwrap();
    assert!(lead(&ended) <= 2, "{ended:?}");
}

#[test]
fn a_turn_that_is_no_turn_overtakes() {
    let plan = vec![vec![(10, 200); 5]; 24];
    let overtakes = Crowd::new(4, 2, &plan, Use::Call).play();
    assert!(overtakes.unwrap_err().contains("overtakes"));
}
