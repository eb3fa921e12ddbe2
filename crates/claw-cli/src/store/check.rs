//! `claw store check`: reads every line of a store's sessions, and compares the lines with another store.

use std::sync::Arc;

use claw_client::store::{
    DeleteSession, FindLeftovers, Leftover, LeftoverState, ReadSessions, SessionRef, SessionStore,
    StoreError, StoreKey,
};
use futures::{StreamExt as _, TryStreamExt as _};

use super::opened::{open, open_from, url};
use crate::args::store::Check;
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};

impl Check {
    pub(super) async fn run(&self) -> Result<Outcome, Outcome> {
        let store = url("STORE", &self.store)?;
        let other = self.against.as_deref();
        let other = other.map(|it| url("--against", it)).transpose()?;
        let refused = |error: StoreError| report(&error, Outcome::NotStarted);
        // A store in the layout of an official SDK has no deletions.
        let (store, own) = if self.layout.sdk.is_some() {
            let foreign = open_from(&store, &self.layout).await.map_err(refused)?;
            (foreign, None)
        } else {
            let own = open(&store).await.map_err(refused)?;
            (own.clone() as Arc<dyn ReadSessions>, Some(own))
        };
        let deletions = own.as_deref().and_then(Deletions::of);
        let deletions = deletions.map(|it| it.finish(self.finish_deletions));
        let other = match &other {
            Some(url) => Some(open(url).await.map_err(refused)?),
            None => None,
        };
        let other = other.as_ref().map(|it| &**it as &dyn ReadSessions);
        // Data that no session uses belongs to no project.
        let own = own.as_deref().filter(|_| self.project.is_none());
        let leftovers = own.and_then(SessionStore::leftovers);
        let leftovers = leftovers.map(|it| (it, self.finish_deletions));
        let project = self.project.as_deref();
        let checked = check(&*store, other, deletions, project, leftovers).await;
        checked.map_err(|error| report(&error, Outcome::BrokeOff))
    }
}

/// Finds interrupted deletions in a store. A session gets its tombstone before its lines are removed, so a process that
/// was killed in between has left lines of a deleted session.
#[derive(Clone, Copy)]
pub(super) struct Deletions<'a> {
    store: &'a dyn SessionStore,
    deletes: &'a dyn DeleteSession,
    /// Whether an interrupted deletion is completed when it is found.
    finishes: bool,
}

impl<'a> Deletions<'a> {
    /// Returns the deletions of a store. Returns `None` if the store cannot delete.
    pub(super) fn of(store: &'a dyn SessionStore) -> Option<Self> {
        Some(Self {
            store,
            deletes: store.deletes()?,
            finishes: false,
        })
    }

    fn finish(self, finishes: bool) -> Self {
        Self { finishes, ..self }
    }

    /// Removes the lines of a deleted session, unless a host has claimed it.
    ///
    /// # Errors
    /// Fails with the reason why the lines are still there.
    async fn complete(self, session: &SessionRef) -> Result<(), String> {
        if !self.finishes {
            let why =
                "it is deleted, and its lines are still there: --finish-deletions removes them";
            return Err(why.to_owned());
        }
        if let Some(claims) = self.store.claims() {
            let holder = claims.holder(session).await;
            if let Some((owner, _)) = holder.map_err(|error| error.to_string())? {
                return Err(format!(
                    "it is deleted, and its lines are still there, because {owner} has claimed it"
                ));
            }
        }
        let finished = self.deletes.delete_session(session).await;
        finished.map_err(|error| format!("its deletion cannot be finished: {error}"))
    }
}

/// The numbers that are printed at the end.
#[derive(Default)]
struct Totals {
    sessions: u64,
    transcripts: u64,
    lines: u64,
    bytes: u64,
    /// The number of interrupted deletions that this run has finished.
    finished: u64,
    /// The number of leftovers that this run has removed.
    removed: u64,
    /// The number of transcripts that cannot be read or that differ from the other store, and of deleted sessions whose
    /// lines are still in the store, and of leftovers that are still there.
    wrong: u64,
}

/// Reads the sessions of one project, or of all projects. If there is another store, every line must have the same text
/// there. With `deletions`, deleted sessions are not read. With `leftovers`, also looks for data that no session uses. The flag
/// is whether it is removed. Prints each transcript that is wrong, each deleted session, each leftover, and the totals.
///
/// # Errors
/// Fails if the sessions cannot be listed.
pub(super) async fn check(
    store: &dyn ReadSessions,
    other: Option<&dyn ReadSessions>,
    deletions: Option<Deletions<'_>>,
    project: Option<&str>,
    leftovers: Option<(&dyn FindLeftovers, bool)>,
) -> Result<Outcome, StoreError> {
    let lists = store.lists();
    let lists = lists.ok_or_else(|| StoreError::refused("it cannot list its sessions"))?;
    let mut totals = Totals::default();
    let mut listed = lists.sessions(project);
    while let Some(listed) = listed.try_next().await? {
        if let Some(deletions) = deletions
            && deletions.deletes.is_deleted(&listed.session).await?
        {
            match deletions.complete(&listed.session).await {
                Ok(()) => totals.finished += 1,
                Err(why) => totals.report(&listed.session, &why),
            }
            continue;
        }
        totals.sessions += 1;
        let transcripts = match transcripts(store, &listed.session).await {
            Ok(transcripts) => transcripts,
            Err(error) => {
                totals.report(&listed.session, &error.to_string());
                continue;
            }
        };
        for key in transcripts {
            totals.transcripts += 1;
            if let Err(problem) = totals.read(store, other, &key).await {
                totals.report(&key, &problem);
            }
        }
    }
    if let Some((leftovers, removes)) = leftovers {
        match leftovers.leftovers(removes).await {
            Ok(found) => found.iter().for_each(|found| totals.leftover(found)),
            Err(error) => {
                let problem = format!("data that no session uses cannot be looked for: {error}");
                totals.report(&"the store", &problem);
            }
        }
    }
    Ok(totals.print(other.is_some()))
}

/// Returns the keys of a session's transcripts.
async fn transcripts(
    store: &dyn ReadSessions,
    session: &SessionRef,
) -> Result<Vec<StoreKey>, StoreError> {
    let mut keys = vec![session.main()];
    if let Some(subkeys) = store.subkeys() {
        let subpaths = subkeys.subkeys(session).await?;
        keys.extend(subpaths.into_iter().map(|subpath| session.at(subpath)));
    }
    Ok(keys)
}

impl Totals {
    /// Reads a transcript. After the first difference from the other store, the comparison ends, but the reading
    /// continues.
    ///
    /// # Errors
    /// Fails with the text of the first problem.
    async fn read(
        &mut self,
        store: &dyn ReadSessions,
        other: Option<&dyn ReadSessions>,
        key: &StoreKey,
    ) -> Result<(), String> {
        let mut lines = store.load(key);
        let mut others = other.map(|other| other.load(key));
        let mut difference = None;
        let mut number = 0_u64;
        while let Some(line) = lines.next().await {
            let line = line.map_err(|error| format!("after line {number}: {error}"))?;
            number += 1;
            self.lines += 1;
            self.bytes += line.line.as_str().len() as u64;
            let Some(compared) = &mut others else {
                continue;
            };
            let found = match compared.next().await {
                Some(Ok(found)) if found.line.as_str() == line.line.as_str() => continue,
                Some(Ok(_)) => format!("line {number} has another text in the other store"),
                Some(Err(error)) => format!("in the other store, at line {number}: {error}"),
                None => format!("line {number} and those after it are not in the other store"),
            };
            difference = Some(found);
            others = None;
        }
        if number == 0 {
            return Err("it has no line".to_owned());
        }
        if let Some(compared) = &mut others {
            match compared.next().await {
                Some(Ok(_)) => {
                    difference = Some(format!("the other store has lines after line {number}"));
                }
                Some(Err(error)) => {
                    difference = Some(format!("in the other store, after line {number}: {error}"));
                }
                None => {}
            }
        }
        difference.map_or(Ok(()), Err)
    }

    /// Prints a leftover that is still there.
    fn leftover(&mut self, found: &Leftover) {
        let what = &found.what;
        let size = counted(found.count, found.unit);
        let size = match found.bytes {
            Some(bytes) => format!("{size} of {}", counted(bytes, "byte")),
            None => size,
        };
        let problem = match &found.state {
            LeftoverState::Removed => {
                self.removed += 1;
                let text = format!("{}: {what}: {size} removed", found.place);
                return write_stderr(&format!("claw: {}\n", escape(&text)));
            }
            LeftoverState::Removable => {
                format!("{what}: {size}, which --finish-deletions removes")
            }
            LeftoverState::Claimed(owner) => {
                format!("{what}: {size}, which stay, because {owner} has claimed the session")
            }
            _ => format!("{what}: {size}"),
        };
        self.report(&found.place, &problem);
    }

    fn report(&mut self, place: &dyn std::fmt::Display, problem: &str) {
        self.wrong += 1;
        let text = format!("{place}: {problem}");
        write_stderr(&format!("claw: {}\n", escape(&text)));
    }

    /// Prints the totals, and returns the outcome.
    fn print(&self, is_compared: bool) -> Outcome {
        let of = counted;
        write_stderr(&format!(
            "{}, {}, {} and {} were read{}. ",
            of(self.sessions, "session"),
            of(self.transcripts, "transcript"),
            of(self.lines, "line"),
            of(self.bytes, "byte"),
            if is_compared { " and compared" } else { "" },
        ));
        if self.finished > 0 {
            let finished = of(self.finished, "interrupted deletion");
            write_stderr(&format!("{finished} finished. "));
        }
        if self.removed > 0 {
            write_stderr(&format!("{} removed. ", of(self.removed, "leftover")));
        }
        if self.wrong == 0 {
            write_stderr("No problem was found.\n");
            return Outcome::Success;
        }
        write_stderr(&format!(
            "{} found.\n",
            match self.wrong {
                1 => "1 problem was".to_owned(),
                wrong => format!("{wrong} problems were"),
            }
        ));
        Outcome::ErrorResult
    }
}

/// Returns a count with its unit.
fn counted(count: u64, name: &str) -> String {
    match count {
        1 => format!("1 {name}"),
        _ => format!("{count} {name}s"),
    }
}
