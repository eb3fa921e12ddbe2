//! `claw sessions sync` and `claw sessions pull`: synchronise sessions between several machines.

use std::collections::BTreeMap;
use std::path::PathBuf;

use claw_client::store::{PullOutcome, Pulled, SessionRef, SyncOutcome, Synced};
use claw_sessions::Sessions;
use serde_json::{Value, json};

use super::{Done, Failed, json_line, print};
use crate::escape::escape;
use crate::outcome::Outcome;
use crate::store::Opened;

/// The options of a pull: whether it includes all projects, whether it is only planned, and the form of its results.
#[derive(Clone, Copy)]
pub(super) struct PullHow {
    pub(super) all: bool,
    pub(super) dry_run: bool,
    pub(super) json: bool,
}

/// The options of a sync: whether it continues, and the form of its results.
#[derive(Clone, Copy)]
pub(super) struct SyncHow {
    pub(super) watch: bool,
    pub(super) json: bool,
}

/// Copies the sessions on this disk to the store.
pub(super) async fn sync(
    store: &Opened,
    sessions: Sessions,
    project: Option<PathBuf>,
    how: SyncHow,
) -> Done {
    if how.watch {
        one(&sessions, "sync --watch watches")?;
    }
    let syncs = sessions.each().map(|home| {
        let sync = store.sync(home);
        match &project {
            Some(directory) => sync.directory(directory),
            None => sync,
        }
    });
    let mut report = Report::new(how.json);
    if how.watch {
        let Some(sync) = syncs.last() else {
            return Ok(());
        };
        let ended = crate::signals::ended()?;
        sync.watch(ended, |synced| report.synced(&synced)).await?;
        // Failures were already printed. Failed sessions were stored later if that was possible.
        return Ok(std::mem::replace(&mut report.written, Ok(()))?);
    }
    // Each configuration folder has a state of its own. An error in one folder does not stop the others.
    let mut run = Ok(());
    for sync in syncs {
        run = run.and(sync.run(|synced| report.synced(&synced)).await);
    }
    report.end(&["stored", "unchanged"])?;
    run?;
    report.outcome()
}

/// Fails if there are several configuration folders.
pub(super) fn one(sessions: &Sessions, what: &str) -> Done {
    if !sessions.has_several() {
        return Ok(());
    }
    anstream::eprintln!("claw: {what} one configuration folder: name it with one --config-dir");
    Err(Failed::Reported(Outcome::Usage))
}

/// Copies sessions from the store to this disk: the sessions of one directory's project, or of all projects whose
/// directory is found.
pub(super) async fn pull(
    store: &Opened,
    sessions: Sessions,
    project: Option<PathBuf>,
    how: PullHow,
) -> Done {
    one(&sessions, "pull brings sessions to")?;
    let sync = store.sync(sessions);
    let directory = project.unwrap_or_else(|| ".".into());
    let pull = if how.all {
        sync.pull_all([directory])
    } else {
        sync.pull(directory)
    };
    let mut report = Report::new(how.json);
    let pulled = |pulled: Pulled| report.pulled(&pulled);
    if how.dry_run {
        pull.plan(pulled).await?;
    } else {
        pull.run(pulled).await?;
    }
    report.left_out();
    report.end(&["brought", "unchanged"])?;
    if how.dry_run && !how.json {
        print("Nothing was changed. Without --dry-run, this is brought.\n")?;
    }
    report.outcome()
}

/// Prints and counts the results of the sessions.
struct Report {
    json: bool,
    changed: u64,
    unchanged: u64,
    failed: u64,
    /// The projects for which no directory was found. The values are the number of sessions, and the directories that
    /// may belong to the project.
    left_out: BTreeMap<String, (u64, Vec<PathBuf>)>,
    /// The first error of a write to stdout.
    written: std::io::Result<()>,
}

impl Report {
    fn new(json: bool) -> Self {
        Self {
            json,
            changed: 0,
            unchanged: 0,
            failed: 0,
            left_out: BTreeMap::new(),
            written: Ok(()),
        }
    }

    fn synced(&mut self, synced: &Synced) {
        let id = synced.session.id().as_str();
        let (kind, to, new) = match &synced.outcome {
            SyncOutcome::Unchanged => {
                self.unchanged += 1;
                return;
            }
            SyncOutcome::Stored { to, new } => ("stored", Some(to), *new),
            SyncOutcome::Forked { to, new } => ("forked", Some(to), *new),
            SyncOutcome::Behind { to } => ("behind", Some(to), 0),
            SyncOutcome::Failed(error) => {
                self.failed(id, &error.to_string());
                return;
            }
            _ => return,
        };
        match kind {
            "behind" => self.unchanged += 1,
            _ => self.changed += 1,
        }
        let text = match (kind, to) {
            ("forked", Some(to)) => format!(
                "{id}: the store has another continuation. This one is stored as {}: {new} new lines",
                to.session()
            ),
            ("behind", _) => {
                format!("{id}: the store has a continuation. claw sessions pull brings it")
            }
            _ => format!("{id}: {new} new lines"),
        };
        let problems: Vec<_> = synced.problems.iter().map(ToString::to_string).collect();
        for problem in &problems {
            anstream::eprintln!("claw: {}", escape(problem));
        }
        self.add(
            &text,
            &json!({
                "sessionId": id, "outcome": kind, "newLines": new,
                "storedId": to.map(SessionRef::session), "storeProject": to.map(SessionRef::project),
                "problems": problems,
            }),
        );
    }

    fn pulled(&mut self, pulled: &Pulled) {
        let id = pulled.from.session();
        for left in &pulled.left {
            let path = left.display().to_string();
            anstream::eprintln!(
                "claw: {} stays: it has other contents in the store",
                escape(&path)
            );
        }
        let (kind, fork, text) = match &pulled.outcome {
            PullOutcome::Unchanged
            | PullOutcome::Forked {
                is_changed: false, ..
            } => {
                self.unchanged += 1;
                return;
            }
            PullOutcome::New => ("new", None, format!("{id}: new")),
            PullOutcome::Extended => ("extended", None, format!("{id}: extended")),
            PullOutcome::Forked { id: fork, .. } => (
                "forked",
                Some(fork.as_str()),
                format!(
                    "{id}: has another continuation here, which stays. That of the store: {}",
                    fork.as_str()
                ),
            ),
            PullOutcome::NoDirectory { candidates } => {
                let project = pulled.from.project().to_owned();
                let project = self.left_out.entry(project);
                project.or_insert_with(|| (0, candidates.clone())).0 += 1;
                return;
            }
            PullOutcome::Running { pid } => {
                let why = format!("claude runs with it, as process {pid}");
                self.failed(id, &why);
                return;
            }
            PullOutcome::Failed(error) => {
                self.failed(id, &error.to_string());
                return;
            }
            _ => return,
        };
        self.changed += 1;
        let line = json!({
            "sessionId": id, "outcome": kind, "forkId": fork,
            "storeProject": pulled.from.project(),
            "directory": pulled.directory.as_ref().map(|it| it.display().to_string()),
        });
        self.add(&text, &line);
    }

    /// Prints the projects whose sessions were not copied, because their directory is not known.
    fn left_out(&mut self) {
        for (project, (sessions, candidates)) in std::mem::take(&mut self.left_out) {
            let paths: Vec<_> = candidates
                .iter()
                .map(|it| it.display().to_string())
                .collect();
            if self.json {
                self.add(
                    "",
                    &json!({
                        "outcome": "noDirectory", "storeProject": project, "sessions": sessions,
                        "candidates": paths,
                    }),
                );
                continue;
            }
            let sessions = count(sessions);
            let why = if paths.is_empty() {
                "no directory with this git remote or name was found".to_owned()
            } else {
                format!(
                    "several directories have this git remote or name: {}",
                    paths.join(", ")
                )
            };
            let text = format!("{project}: {sessions} not brought: {why}");
            self.add(&text, &Value::Null);
        }
    }

    fn failed(&mut self, id: &str, why: &str) {
        self.failed += 1;
        let text = format!("{id}: {why}");
        anstream::eprintln!("claw: {}", escape(&text));
        if self.json {
            self.add(
                "",
                &json!({"sessionId": id, "outcome": "failed", "error": why}),
            );
        }
    }

    fn add(&mut self, text: &str, line: &Value) {
        if self.written.is_err() {
            return;
        }
        self.written = if self.json {
            json_line(line)
        } else {
            print(&format!("{}\n", escape(text)))
        };
    }

    /// Prints the numbers of sessions.
    fn end(&mut self, [changed, unchanged]: &[&str; 2]) -> Done {
        std::mem::replace(&mut self.written, Ok(()))?;
        if !self.json {
            print(&format!(
                "{} {changed}, {} {unchanged}.\n",
                count(self.changed),
                self.unchanged
            ))?;
        }
        Ok(())
    }

    fn outcome(&self) -> Done {
        if self.failed == 0 {
            return Ok(());
        }
        Err(Failed::Reported(Outcome::ErrorResult))
    }
}

fn count(sessions: u64) -> String {
    match sessions {
        1 => "1 session".to_owned(),
        many => format!("{many} sessions"),
    }
}
