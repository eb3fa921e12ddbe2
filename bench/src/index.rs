//! The index of the sessions in a store: reports about their usage, and searches.
//!
//! Every call runs in a separate program, which prints its duration from the opening of the store.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use claw_sessions::{LineSearch, Prices, Sessions, UsageCache, Zone};
use claw_store::{
    Batch, FsStore, LeftOut, Line, SessionRef, SessionStore, StoredSessions, WriterId,
    copy_sessions,
};
use serde::{Deserialize, Serialize};

use crate::rounds::median;
use crate::sessions::folders;
use crate::stores::{Place, open, servers};
use crate::{Result, block_on, pipe};

const SESSIONS: usize = 5_000;
const ROUNDS: usize = 5;
/// The number of sessions that change before a call.
const CHANGED: usize = 10;
/// A text that no session has at first, and one that nearly every answer has.
const RARE: &str = "a-needle";
const FREQUENT: &str = "numbers";

/// The figures of a call.
#[derive(Serialize, Deserialize)]
struct Took {
    /// The number of sessions with usage, or of lines that were found.
    items: u64,
    seconds: f64,
    peak_kb: u64,
}

pub(crate) fn main() -> Result {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("source");
    let bytes = folders::many(&source, SESSIONS)?;
    println!("{SESSIONS} sessions of {} MB", bytes >> 20);
    println!(
        "{:<22}{:<10}{:>10}{:>12}{:>12}{:>20}{:>12}{:>10}",
        "", "call", "first, s", "second, ms", "most", "ten changed, ms", "items", "MB"
    );
    let (served, missing) = servers::all();
    let stores = served
        .iter()
        .filter(|served| served.name != "claw-store-bucket")
        .map(|served| (served.name, served.url.clone()));
    let on_disk = format!("unsynced:{}", folder.path().join("store").display());
    for (name, url) in std::iter::once(("FsStore", on_disk)).chain(stores) {
        block_on(fill(&url, &source))??;
        for (at, what) in ["usage", RARE, FREQUENT].into_iter().enumerate() {
            let index = folder.path().join(format!("index-{name}-{at}"));
            row(name, &url, &index, what)?;
        }
    }
    for (name, error) in missing {
        println!("{name:<22} not measured: {error}");
    }
    Ok(())
}

/// Measures one kind of call with an index of its own.
fn row(name: &str, url: &str, index: &Path, what: &str) -> Result {
    let call = || -> Result<Took> {
        let mut program = Command::new(std::env::current_exe()?);
        pipe::measured(program.args(["host", "index", url, what]).arg(index))
    };
    let first = call()?;
    let mut again = Vec::new();
    for _ in 0..ROUNDS {
        again.push(call()?.seconds * 1e3);
    }
    let (mut changed, mut last) = (Vec::new(), None);
    for _ in 0..ROUNDS {
        block_on(change(url))??;
        let took = call()?;
        changed.push(took.seconds * 1e3);
        last = Some(took);
    }
    let last = last.ok_or("no round")?;
    let most = again.iter().copied().fold(0.0, f64::max);
    println!(
        "{name:<22}{what:<10}{:>10.1}{:>12.0}{most:>12.0}{:>20.0}{:>12}{:>10}",
        first.seconds,
        median(&mut again),
        median(&mut changed),
        last.items,
        last.peak_kb >> 10,
    );
    Ok(())
}

/// Copies the sessions into a store, the oldest first.
async fn fill(url: &str, source: &Path) -> Result {
    let store = store(url).await?;
    let mut failed = None;
    let (from, writer) = (FsStore::new(source), WriterId::new("source"));
    copy_sessions(&from, &*store, None, &writer, |_, new| {
        failed = failed.take().or(new.err());
    })
    .await?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// Appends a prompt to some sessions.
async fn change(url: &str) -> Result {
    let store = store(url).await?;
    let listed = StoredSessions::new(store.clone()).list(None).await?;
    let sessions = listed.sessions.iter().step_by(SESSIONS / CHANGED);
    for listed in sessions.take(CHANGED) {
        let session: &SessionRef = &listed.session;
        let text = format!(
            r#"{{"type":"user","sessionId":"{}","message":{{"role":"user","content":"This is {RARE}."}}}}"#,
            session.session()
        );
        let batch = Batch {
            writer: &WriterId::random(),
            number: 0,
            lines: &[Line::new(text)?],
            epoch: None,
        };
        store.append(&session.main(), batch).await?;
    }
    Ok(())
}

async fn store(url: &str) -> Result<std::sync::Arc<dyn SessionStore>> {
    match open(url).await? {
        Place::Store(store) => Ok(store),
        Place::Plain(..) => Err("a plain file is no store".into()),
    }
}

/// The program that makes one call, and prints the figures as a line of JSON.
pub(crate) fn host(rest: &[String]) -> Result {
    let [url, what, folder] = rest else {
        return Err("arguments: a store, what, a folder".into());
    };
    let took = block_on(async {
        let begun = Instant::now();
        let index = StoredSessions::new(store(url).await?).index(Some(folder.into()));
        let (items, left_out) = if what == "usage" {
            let mut cache = UsageCache::new(Prices::shipped().clone(), Zone::default());
            let usage = index.usage(None, &cache).await?;
            let answers = usage.sessions.into_iter().map(|(_, answers)| answers);
            let nowhere = Sessions::new("");
            let report = nowhere.usage().of(answers).run_cached(&mut cache)?;
            (report.sessions, usage.left_out)
        } else {
            let mut found = 0;
            let left_out = index.search(None, LineSearch::new(what, true), |_, hits| {
                found += hits.len() as u64;
                true
            });
            let left_out = left_out.await?;
            (found, left_out)
        };
        let seconds = begun.elapsed().as_secs_f64();
        whole(&left_out)?;
        let peak_kb = crate::process::memory("VmHWM")?;
        Ok::<_, Box<dyn std::error::Error>>(Took {
            items,
            seconds,
            peak_kb,
        })
    })??;
    println!("{}", serde_json::to_string(&took)?);
    Ok(())
}

fn whole(left_out: &LeftOut) -> Result {
    match left_out.sentences().pop() {
        Some(sentence) => Err(sentence.into()),
        None => Ok(()),
    }
}
