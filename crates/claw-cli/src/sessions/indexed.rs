//! `claw sessions search` and `claw sessions usage` with a store, which use an index on this disk.

use std::io;
use std::path::Path;

use claw_client::store::{LeftOut, SessionIndex, StoredHit, StoredSession};
use claw_sessions::{LineSearch, Sessions, UsageCache};
use serde::Serialize;

use super::search::{self, Head, How, Place};
use super::usage::{self, days, prices, zone};
use super::{Done, Failed, json_line, print};
use crate::args::sessions::{By, Report, Scope};
use crate::escape::escape;
use crate::outcome::Outcome;
use crate::store::Opened;
use crate::view::terminal_width;

/// A hit as JSON. The members are the same as for a hit on disk. Only the configuration folder is replaced by the
/// project, because a session of a store has no configuration folder.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonHit<'a> {
    session_id: &'a str,
    subagent: Option<&'a str>,
    project: &'a str,
    transcript: String,
    line: u64,
    kind: &'a str,
    uuid: Option<&'a str>,
    timestamp: Option<&'a str>,
    excerpt: &'a str,
    found: &'a std::ops::Range<usize>,
}

impl<'a> From<&'a StoredHit> for JsonHit<'a> {
    fn from(found: &'a StoredHit) -> Self {
        let session = found.transcript.session();
        let hit = &found.hit;
        Self {
            session_id: session.session(),
            subagent: found.subagent.as_deref(),
            project: session.project(),
            transcript: found.transcript.to_string(),
            line: found.line,
            kind: &hit.kind,
            uuid: hit.uuid.as_deref(),
            timestamp: hit.timestamp.as_deref(),
            excerpt: &hit.excerpt,
            found: &hit.found,
        }
    }
}

pub(super) async fn search(
    store: &Opened,
    sessions: Option<&Sessions>,
    scope: &Scope,
    text: &str,
    how: How,
) -> Done {
    search::check(text)?;
    let mut search = LineSearch::new(text, how.ignore_case);
    if how.everything {
        search = search.everything();
    }
    let width = terminal_width();
    let (mut has_found, mut failed) = (false, None);
    let index = store.index(sessions);
    let left_out = index.search(project(store, scope), search, |listed, hits| {
        let shown = show(listed, &hits, how, has_found, width);
        has_found = true;
        failed = shown.err();
        failed.is_none()
    });
    let left_out = left_out.await?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    if !has_found && !how.json {
        print(search::NOTHING)?;
    }
    report(&left_out);
    Ok(())
}

/// Shows the hits in a session.
fn show(
    listed: &StoredSession,
    hits: &[StoredHit],
    how: How,
    mut is_next: bool,
    width: Option<usize>,
) -> io::Result<()> {
    let mut shown = None;
    for found in hits {
        if how.json {
            json_line(&JsonHit::from(found))?;
            continue;
        }
        if shown != Some(&found.transcript) {
            let info = listed.info.as_ref();
            let head = Head {
                session: listed.session.session(),
                subagent: found.subagent.as_deref(),
                folder: None,
                title: info.map(|info| info.summary.clone()).unwrap_or_default(),
            };
            print(&head.text(is_next, width))?;
            shown = Some(&found.transcript);
            is_next = true;
        }
        let place = Place {
            line: found.line,
            kind: &found.hit.kind,
            excerpt: &found.hit.excerpt,
            found: &found.hit.found,
        };
        print(&place.text(width))?;
    }
    Ok(())
}

pub(super) async fn usage(
    store: &Opened,
    sessions: Option<&Sessions>,
    scope: &Scope,
    how: &Report,
) -> Done {
    if matches!(how.by, By::ConfigDir) {
        anstream::eprintln!("claw: a session of a store has no configuration folder");
        return Err(Failed::Reported(Outcome::Usage));
    }
    let prices = prices(how)?;
    let mut cache = UsageCache::new(prices.clone().into_owned(), zone(how));
    let index = store.index(sessions);
    let counted = index.usage(project(store, scope), &cache).await?;
    // Sessions on disk are not counted, so the report gets an empty folder.
    let nowhere = Sessions::new(Path::new(""));
    let answers = counted.sessions.into_iter().map(|(_, answers)| answers);
    let report_of_all = days(nowhere.usage().of(answers), how).run_cached(&mut cache)?;
    usage::show(&report_of_all, &report_of_all.problems, &prices, how)?;
    report(&counted.left_out);
    Ok(())
}

impl Opened {
    /// Returns the index of this store. Its files are beside the sessions on this disk.
    pub(super) fn index(&self, sessions: Option<&Sessions>) -> SessionIndex {
        let folder = sessions.map(|sessions| self.index_folder(sessions));
        self.sessions().index(folder)
    }
}

fn project<'a>(store: &'a Opened, scope: &Scope) -> Option<&'a str> {
    (!scope.all).then_some(&*store.project)
}

/// Prints on stderr what a result does not contain.
fn report(left_out: &LeftOut) {
    for sentence in left_out.sentences() {
        anstream::eprintln!("claw: {}", escape(&sentence));
    }
}
