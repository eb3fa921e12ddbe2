//! Compares sessions that were moved, repaired, or stored and brought to another machine with the original ones.
//!
//! All sessions of fixtures/ and generated ones are carried in each of these ways. Their lines are compared. Then the real
//! CLI resumes all or some of them, and its requests to the scripted API are compared with those of the original sessions.
//! Each session is either the same, or differs for one of the [reasons](Reason).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use futures::StreamExt as _;
use serde_json::Value;

use self::cases::Case;
use self::machine::{Folders, Machine, Resumed};
use self::stored::Stored;
use self::ways::{Mended, repair, synchronised};
use xtask::run::Result;
use xtask::workspace::{Workspace, has_extension};

mod cases;
mod damage;
mod machine;
mod stored;
mod unbroken;
mod ways;

/// The number of generated sessions.
const GENERATED: usize = 50;

/// The number of sessions that the CLI resumes in `cargo xtask ci`.
const FEW: usize = 10;

/// The number of processes of the CLI that run at the same time.
const AT_ONCE: usize = 3;

/// The ways in which sessions are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Moved,
    Synchronised,
    Repaired,
}

/// Why a session that was carried is not the same as the original one.
/// Only sessions that were generated with anything that a transcript may contain have reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// The transcript has no line that a store accepts, so that no other machine has the session.
    NothingStored,
    /// A store has each UUID once. Of the lines that have the same one, it has the first, and the CLI reads the last.
    /// The request is that of a transcript without the others. `claw sessions sync` names these lines.
    OneLineOfEachUuid,
    /// The original session was broken, too. The request is that of its own mended copy.
    BrokenBefore,
    /// The transcript has no line of a conversation that could be broken.
    NothingToBreak,
    /// The CLI does not end with the original session, as 2.1.200 does not with some attachments.
    NotEnded,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Synchronised => "synchronised",
            Self::Repaired => "repaired",
        }
    }
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::NothingStored => "nothing to store",
            Self::OneLineOfEachUuid => "one line of each UUID is stored",
            Self::BrokenBefore => "broken before, same as its own mended copy",
            Self::NothingToBreak => "nothing to break",
            Self::NotEnded => "claude does not end with the original",
        }
    }
}

/// Returns the name of a reason, or of the same request.
fn name(reason: Option<Reason>) -> &'static str {
    reason.map_or("same", Reason::name)
}

/// What came out for a session.
enum Outcome {
    Same,
    Reason(Reason),
    /// What differs.
    Problem(String),
}

/// The machines, each with the sessions in another state.
struct World {
    claude: PathBuf,
    folders: Folders,
    /// The original sessions.
    original: Machine,
    moved: Machine,
    synchronised: Machine,
    /// The originals without the lines that no store has.
    reduced: Machine,
    /// Broken sessions, and their mended copies.
    repaired: Machine,
    /// The original sessions, and the mended copies of those that were broken before.
    mended: Machine,
    /// The IDs of mended copies, by the IDs of the original sessions.
    copies: BTreeMap<String, Mended>,
}

/// Compares the sessions whose names have `only` in them, and returns what differs without a reason. `is_all` says
/// whether the CLI resumes all sessions, or only a few with many kinds of lines.
pub(super) fn compare(workspace: &Workspace, is_all: bool, only: &str) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let original = Machine::new(&root, "original")?;
    let mut cases = cases::recorded(&workspace.root.join("fixtures"), &original)?;
    let recordings = cases.len();
    cases.extend(cases::generated(GENERATED, &original)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut problems = Vec::new();
    let world = World::new(workspace, &root, original, &cases, &runtime, &mut problems)?;
    for case in &cases {
        problems.extend(world.compare_lines(case)?);
    }
    cases.retain(|case| case.name.contains(only));
    let sample = if is_all {
        cases.iter().collect()
    } else {
        cases::spread(&cases, FEW)
    };
    let resumed = futures::stream::iter(&sample)
        .map(|case| world.resume(case))
        .buffered(AT_ONCE);
    let resumed: Vec<_> = runtime.block_on(resumed.collect());
    let mut counts: BTreeMap<(Way, Option<Reason>), usize> = BTreeMap::new();
    let (mut sent, mut silent) = (0, 0);
    for (case, resumed) in sample.iter().zip(resumed) {
        let Compared { requests, outcomes } = resumed?;
        sent += requests;
        silent += usize::from(requests == 0);
        let mut line = case.name.clone();
        for (way, outcome) in outcomes {
            let reason = match outcome {
                Outcome::Same => None,
                Outcome::Reason(reason) if !case.is_unbroken => Some(reason),
                Outcome::Reason(reason) => {
                    let (way, reason) = (way.name(), reason.name());
                    problems.push(format!("{}, {way}, unbroken: {reason}", case.name));
                    continue;
                }
                Outcome::Problem(problem) => {
                    problems.push(format!("{}, {}: {problem}", case.name, way.name()));
                    continue;
                }
            };
            line.extend(["; ", way.name(), ": ", name(reason)]);
            *counts.entry((way, reason)).or_default() += 1;
        }
        if is_all {
            println!("{line}");
        }
    }
    println!(
        "{recordings} recorded and {GENERATED} generated sessions were moved, repaired and synchronised. claude resumed {}, \
         and sent {sent} requests; it sends none for {silent}, nor for the original ones",
        sample.len()
    );
    for ((way, reason), count) in counts {
        println!("{}: {count} {}", way.name(), name(reason));
    }
    Ok(problems)
}

impl World {
    fn new(
        workspace: &Workspace,
        root: &Path,
        original: Machine,
        cases: &[Case],
        runtime: &tokio::runtime::Runtime,
        problems: &mut Vec<String>,
    ) -> Result<Self> {
        let claude = match std::env::var_os(xtask::claude::VARIABLE) {
            Some(named) => named.into(),
            None => xtask::claude::install(workspace)?,
        };
        let same_place = |name: &str| Machine::copied(root, name, &original, original.work.clone());
        let (reduced, repaired, mended) = (
            same_place("reduced")?,
            same_place("repaired")?,
            same_place("mended")?,
        );
        let moved = Machine::copied(root, "moved", &original, root.join("moved/sums"))?;
        let relocated = moved
            .sessions()
            .relocation(&original.work, &moved.work)
            .run()?;
        if relocated.directories.iter().any(|it| !it.left.is_empty()) {
            return Err(format!("{relocated:?}").into());
        }
        let synchronised = runtime.block_on(synchronised(root, &original, cases, problems))?;
        for case in cases {
            let path = reduced.transcript(&case.id);
            let text = Stored::of(&fs::read(&path)?).text();
            fs::write(path, text)?;
        }
        let copies = repair(&repaired, &mended, cases, problems)?;
        let machines = [
            &original,
            &moved,
            &synchronised,
            &reduced,
            &repaired,
            &mended,
        ];
        Ok(Self {
            claude,
            folders: Folders::new(machines),
            original,
            moved,
            synchronised,
            reduced,
            repaired,
            mended,
            copies,
        })
    }

    /// Compares the lines of the moved and the synchronised session with those of the original one.
    fn compare_lines(&self, case: &Case) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let before = files(&self.original, &case.id)?;
        let mut differ = |way: Way, name: &str, expected: Vec<&[u8]>, found: Option<&Vec<u8>>| {
            let text = |line: &[u8]| self.folders.masked(&String::from_utf8_lossy(line));
            let expected: Vec<_> = expected.into_iter().map(text).collect();
            let found = found.map(|found| own_lines(found)).unwrap_or_default();
            let found: Vec<_> = found.into_iter().map(text).collect();
            if expected != found {
                let why = first_difference(&expected, &found);
                problems.push(format!("{}, {}, {name}: {why}", case.name, way.name()));
            }
        };
        let moved = files(&self.moved, &case.id)?;
        for (name, text) in &before {
            differ(Way::Moved, name, own_lines(text), moved.get(name));
        }
        let synchronised = files(&self.synchronised, &case.id)?;
        for (name, text) in &before {
            if has_extension(Path::new(name), "jsonl") {
                differ(
                    Way::Synchronised,
                    name,
                    Stored::of(text).lines,
                    synchronised.get(name),
                );
            }
        }
        Ok(problems)
    }

    /// Lets the CLI resume the original and the carried sessions of a case, and compares the requests.
    async fn resume(&self, case: &Case) -> Result<Compared> {
        let id = &*case.id;
        let mut requests = 0;
        let mut resumed = async |machine: &Machine, id: &str| {
            let done = machine.resumed(&self.claude, &self.folders, id, &case.id);
            let done = done.await?;
            requests += usize::from(matches!(done, Resumed::Sent(_)));
            Ok::<_, Box<dyn std::error::Error>>(done)
        };
        let before = resumed(&self.original, id).await?;
        if matches!(before, Resumed::NotEnded) {
            let ways = [Way::Moved, Way::Synchronised, Way::Repaired];
            let outcomes = ways.map(|way| (way, Outcome::Reason(Reason::NotEnded)));
            return Ok(Compared {
                requests,
                outcomes: outcomes.into(),
            });
        }
        let mut outcomes = Vec::new();

        let after = resumed(&self.moved, id).await?;
        outcomes.push((Way::Moved, Outcome::of(&before, &after)));

        // The original transcript. The CLI has added lines to that of the original machine.
        let original = fs::read(self.mended.transcript(id))?;
        let stored = Stored::of(&original);
        let outcome = if stored.lines.is_empty() {
            match before {
                Resumed::Silent => Outcome::Reason(Reason::NothingStored),
                _ => Outcome::Problem("claude resumes a session without lines".to_owned()),
            }
        } else {
            let after = resumed(&self.synchronised, id).await?;
            let mut outcome = Outcome::of(&before, &after);
            if stored.has_copies && matches!(outcome, Outcome::Problem(_)) {
                let reduced = resumed(&self.reduced, id).await?;
                outcome = Outcome::of(&reduced, &after);
                if matches!(outcome, Outcome::Same) {
                    outcome = Outcome::Reason(Reason::OneLineOfEachUuid);
                }
            }
            outcome
        };
        outcomes.push((Way::Synchronised, outcome));

        let mended = &self.copies[id];
        let outcome = if let Some(copy) = &mended.copy {
            let after = resumed(&self.repaired, copy).await?;
            let mut outcome = Outcome::of(&before, &after);
            if let (Outcome::Problem(_), Some(own)) = (&outcome, &mended.original) {
                let own = resumed(&self.mended, own).await?;
                outcome = Outcome::of(&own, &after);
                if matches!(outcome, Outcome::Same) {
                    outcome = Outcome::Reason(Reason::BrokenBefore);
                }
            }
            outcome
        } else {
            Outcome::Reason(Reason::NothingToBreak)
        };
        outcomes.push((Way::Repaired, outcome));
        Ok(Compared { requests, outcomes })
    }
}

/// The result of resuming the sessions of a case.
struct Compared {
    requests: usize,
    outcomes: Vec<(Way, Outcome)>,
}

impl Outcome {
    fn of(before: &Resumed, after: &Resumed) -> Self {
        let (before, after) = match (before, after) {
            (Resumed::Silent, Resumed::Silent) => return Self::Same,
            (Resumed::Sent(before), Resumed::Sent(after)) => (before, after),
            (Resumed::Sent(_), _) => {
                return Self::Problem(format!("claude sends nothing: {after:?}"));
            }
            _ => {
                return Self::Problem(format!(
                    "claude sends nothing for the original one: {before:?}"
                ));
            }
        };
        if before.messages != after.messages {
            return Self::Problem(first_difference(&before.messages, &after.messages));
        }
        if before.names_work && !after.names_work {
            return Self::Problem("the request does not name the working directory".to_owned());
        }
        Self::Same
    }
}

/// Returns the files of a session by their names.
fn files(machine: &Machine, id: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut paths = vec![machine.transcript(id), machine.folder().join(id)];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                paths.push(entry?.path());
            }
        } else if path.is_file() {
            let name = path.strip_prefix(machine.folder())?.to_string_lossy();
            files.insert(name.into_owned(), fs::read(&path)?);
        }
    }
    Ok(files)
}

/// Returns the lines of a file, except notes of the directory.
fn own_lines(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|byte| *byte == b'\n');
    let is_own = |line: &&[u8]| {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        !line.is_empty() && value["type"] != "relocated"
    };
    lines.filter(is_own).collect()
}

/// Describes the first difference of two lists of texts.
fn first_difference(before: &[String], after: &[String]) -> String {
    let same = before
        .iter()
        .zip(after)
        .take_while(|(one, other)| one == other);
    let at = same.count();
    let shown = |texts: &[String]| match texts.get(at) {
        Some(text) => text.clone(),
        None => "nothing".to_owned(),
    };
    let (one, other) = (shown(before), shown(after));
    // The texts from shortly before their difference on.
    let start = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let part = |text: &str| -> String {
        text.chars()
            .skip(start.saturating_sub(60))
            .take(200)
            .collect()
    };
    format!(
        "{} and {} texts; text {at} has at {start}: {} | {}",
        before.len(),
        after.len(),
        part(&one),
        part(&other)
    )
}
