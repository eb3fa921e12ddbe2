//! The changes that claw makes to sessions in a store. Each session is imported from the folders before its first
//! change.

use std::fs;
use std::path::Path;

use claw_sessions::Changes;
use claw_store::{Owner, SessionRef, StoreKey, Subpath};
use futures::TryStreamExt as _;

use super::{Change, Outcome};
use crate::sessions::stored::Store;
use xtask::run::Result;

/// A sub-agent's transcript, by its place in a session.
const AGENT: &str = "subagents/agent-a";

/// Makes the changes with claw, and returns their outcomes. After each change, the lines of the store are written to
/// the folders.
pub(super) fn outcomes(config: &Path, changes: &[Change]) -> Result<Vec<Outcome>> {
    let store = Store::new(config)?;
    let outcomes = changes.iter().map(|change| {
        let made = make(&store, change);
        Outcome::of(made.map_err(|error| error.to_string()))
    });
    Ok(outcomes.collect())
}

fn make(store: &Store, change: &Change) -> Result<Option<String>> {
    let found = store.sessions.find(&change.id)?;
    let folder = found.transcript().parent().unwrap_or_else(|| Path::new(""));
    let project = folder.file_name().unwrap_or_default().to_string_lossy();
    let session = SessionRef::new(project, &*change.id)?;
    let (stored, runtime) = (&store.stored, &store.runtime);
    if !runtime.block_on(stored.has(&session))? {
        store.import(&found)?;
    }
    let text = change.text.as_deref();
    let changes = Changes::new();
    let changes = match change.what {
        "rename" => changes.title(text.unwrap_or_default()),
        // An empty tag removes the tag.
        "tag" => changes.tag(text.unwrap_or_default()),
        "archive" | "unarchive" => changes.archived(change.what == "archive"),
        _ => changes,
    };
    let mut made = None;
    match change.what {
        "delete" => runtime.block_on(stored.delete(&session, &Owner::new("the gate")))?,
        "fork" => {
            let mut fork = stored.fork(&session);
            if let Some(title) = text {
                fork = fork.title(title);
            }
            if let Some(up_to) = &change.up_to {
                fork = fork.up_to(up_to.as_str());
            }
            made = Some(runtime.block_on(fork.run())?);
        }
        _ => runtime.block_on(stored.change(&session, &changes))?,
    }
    for session in [Some(&session), made.as_ref()].into_iter().flatten() {
        let path = folder.join(session.session());
        keep(store, &session.main(), &path.with_extension("jsonl"))?;
        let agent = session.at(Subpath::new(AGENT)?);
        keep(store, &agent, &path.join(format!("{AGENT}.jsonl")))?;
    }
    Ok(made.map(|fork| fork.session().to_owned()))
}

/// Writes the lines of a transcript in the store to its file.
fn keep(store: &Store, key: &StoreKey, path: &Path) -> Result {
    let lines = store.stored.store().load(key).try_collect::<Vec<_>>();
    let lines = store.runtime.block_on(lines)?;
    if lines.is_empty() {
        if path.exists() {
            fs::remove_file(path)?;
        }
        return Ok(());
    }
    let text: String = lines
        .iter()
        .flat_map(|stored| [stored.line.as_str(), "\n"])
        .collect();
    Ok(fs::write(path, text)?)
}
