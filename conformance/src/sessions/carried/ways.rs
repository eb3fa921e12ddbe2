//! Carries sessions: through a store, and through a repair.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use claw_sessions::Session;
use claw_store::{
    MemoryStore, PullOutcome, SessionStore, SessionSync, StoredSessions, SyncOutcome,
};

use super::cases::Case;
use super::damage::damage;
use super::machine::Machine;
use super::stored::Stored;
use crate::sessions::SEED;
use crate::sessions::random::Random;
use xtask::run::Result;

/// The mended copies of a session.
pub(super) struct Mended {
    /// The copy of the session that was broken. `None` if nothing could be broken.
    pub(super) copy: Option<String>,
    /// The mended copy of the original session. `None` if it was not broken.
    pub(super) original: Option<String>,
}

/// Stores the sessions, and brings them to another machine.
pub(super) async fn synchronised(
    root: &Path,
    original: &Machine,
    cases: &[Case],
    problems: &mut Vec<String>,
) -> Result<Machine> {
    let machine = Machine::new(root, "synchronised")?;
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let sync = |machine: &Machine| {
        let stored = StoredSessions::new(Arc::clone(&store));
        SessionSync::new(stored, machine.sessions(), machine.home.join("state"))
    };
    let names: HashMap<&str, &str> = cases.iter().map(|case| (&*case.id, &*case.name)).collect();
    let mut stored = Vec::new();
    sync(original).run(|synced| stored.push(synced)).await?;
    for synced in stored {
        let name = names
            .get(synced.session.id().as_str())
            .copied()
            .unwrap_or_default();
        if !matches!(synced.outcome, SyncOutcome::Stored { .. }) {
            problems.push(format!("{name}: {:?}", synced.outcome));
        }
        let text = fs::read(synced.session.transcript())?;
        let expected = Stored::of(&text);
        let mut expected: Vec<_> = expected
            .broken
            .into_iter()
            .chain(expected.changed)
            .collect();
        expected.sort_unstable();
        let found = synced.problems.iter();
        let found = found.filter(|problem| problem.path == synced.session.transcript());
        let found: Vec<_> = found.filter_map(|problem| problem.line).collect();
        if found != expected {
            problems.push(format!(
                "{name}: sync names the lines {found:?}, not {expected:?}"
            ));
        }
    }
    let other = sync(&machine);
    let pull = other.pull(&machine.work);
    let brought = pull.run(|pulled| {
        if !matches!(pulled.outcome, PullOutcome::New) || !pulled.left.is_empty() {
            problems.push(format!("{pulled:?}"));
        }
    });
    brought.await?;
    Ok(machine)
}

/// Breaks the sessions of a machine and mends them in copies. Mends those of the other machine that were broken before.
pub(super) fn repair(
    machine: &Machine,
    mended: &Machine,
    cases: &[Case],
    problems: &mut Vec<String>,
) -> Result<BTreeMap<String, Mended>> {
    let mut random = Random::new(SEED + 2);
    let id = |session: Session| session.id().as_str().to_owned();
    let mut copies = BTreeMap::new();
    let mut found: BTreeMap<_, usize> = BTreeMap::new();
    for case in cases {
        let own = mended.sessions().find(&case.id)?.repair().run()?;
        let path = machine.transcript(&case.id);
        let damaged = damage(&mut random, &fs::read(&path)?);
        let mut copy = None;
        if let Some(damaged) = damaged {
            fs::write(&path, &damaged.text)?;
            let repaired = machine.sessions().find(&case.id)?.repair().run()?;
            let names = || repaired.changes.iter().map(|change| change.problem.name());
            for problem in damaged.problems {
                *found.entry(problem).or_default() += 1;
                if !names().any(|name| name == problem) {
                    problems.push(format!("{}: {problem} was not found", case.name));
                }
            }
            if fs::read(&path)? != damaged.text {
                problems.push(format!("{}: the broken session was changed", case.name));
            }
            if let Some(made) = &repaired.copy {
                let again = made.repair().plan()?;
                if !again.changes.is_empty() {
                    problems.push(format!("{}: mended, still {:?}", case.name, again.changes));
                }
            }
            copy = repaired.copy.map(id);
        }
        let original = own.copy.filter(|_| own.is_needed).map(id);
        if original.is_some() && case.is_unbroken {
            problems.push(format!("{}: unbroken, but {:?}", case.name, own.changes));
        }
        copies.insert(case.id.clone(), Mended { copy, original });
    }
    println!("sessions were broken: {found:?}");
    Ok(copies)
}
