//! claw's answers for sessions in a store. Each session is imported from the folders first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_sessions::{Error, Sessions};
use claw_store::{Import, MemoryStore, SessionRef, StoredSessions};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::ours;
use super::world::{Question, World};
use xtask::run::Result;

/// Returns the questions that a store can answer. The session of a question must be in the folder
/// of the directory that this question or another one names. A store has no worktrees, and its
/// lists have no pages.
pub(super) fn questions(world: &World) -> Vec<Question> {
    let directory = |question: &Question| {
        let directory = question.options["dir"].as_str()?;
        let folder = folder(world, directory);
        let file = folder.join(format!("{}.jsonl", question.id));
        file.is_file().then(|| directory.to_owned())
    };
    let known = world.questions.iter();
    let known = known.filter_map(|question| Some((&*question.id, directory(question)?)));
    let known: BTreeMap<_, _> = known.collect();
    let stored = world.questions.iter().filter_map(|question| {
        let mut question = question.clone();
        let options = question.options.as_object_mut()?;
        let allowed: &[&str] = match question.ask {
            "list" => &["dir"],
            _ => &["dir", "limit", "offset"],
        };
        let fits = options.keys().all(|key| allowed.contains(&&**key));
        if question.ask != "list" {
            options.insert("dir".to_owned(), json!(known.get(&*question.id)?));
        }
        let is_there = folder(world, options.get("dir")?.as_str()?).is_dir();
        (fits && is_there).then_some(question)
    });
    stored.collect()
}

fn folder(world: &World, directory: &str) -> PathBuf {
    let slug = claw_sessions::slug(Path::new(directory));
    world.config.join("projects").join(slug)
}

/// Returns the sessions of the questions, each once.
pub(super) fn sessions(questions: &[Question]) -> Vec<Value> {
    let named = questions.iter().filter(|question| !question.id.is_empty());
    let named: BTreeMap<_, _> = named
        .map(|question| (&question.id, &question.options["dir"]))
        .collect();
    let sessions = named
        .into_iter()
        .map(|(id, dir)| json!({"id": id, "dir": dir}));
    sessions.collect()
}

/// A store in memory, and the runtime for its calls.
pub(super) struct Store {
    pub(super) sessions: Sessions,
    pub(super) stored: StoredSessions,
    pub(super) runtime: Runtime,
}

impl Store {
    pub(super) fn new(config: &Path) -> Result<Self> {
        Ok(Self {
            sessions: Sessions::new(config),
            stored: StoredSessions::new(Arc::new(MemoryStore::new())),
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    pub(super) fn import(&self, session: &claw_sessions::Session) -> Result {
        let import = Import::new(session).run(&**self.stored.store());
        self.runtime.block_on(import)?;
        Ok(())
    }
}

/// Returns claw's answers.
pub(super) fn answers(config: &Path, questions: &[Question]) -> Result<Vec<Value>> {
    let store = Store::new(config)?;
    for session in sessions(questions) {
        let [id, dir] = ["id", "dir"].map(|name| session[name].as_str().unwrap_or_default());
        match store.sessions.find_in(Path::new(dir), id) {
            Ok(session) => store.import(&session)?,
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let answers = questions.iter().map(|question| answer(&store, question));
    answers.collect()
}

fn answer(store: &Store, question: &Question) -> Result<Value> {
    let directory = Path::new(question.options["dir"].as_str().unwrap_or_default());
    let project = claw_sessions::slug(directory);
    let listed = || -> Result<BTreeMap<String, Value>> {
        let listing = store.runtime.block_on(store.stored.list(Some(&project)))?;
        let infos = listing
            .sessions
            .into_iter()
            .filter_map(|stored| stored.info);
        let infos = infos.map(|info| {
            let mut info = serde_json::to_value(&info)?;
            // This is the time at which the session was stored.
            info["lastModified"] = Value::Null;
            Ok((
                info["sessionId"].as_str().unwrap_or_default().to_owned(),
                info,
            ))
        });
        infos.collect()
    };
    match question.ask {
        "list" => Ok(listed()?.into_values().collect()),
        "info" => Ok(listed()?.remove(&question.id).unwrap_or_default()),
        _ => {
            let within = tempfile::tempdir()?;
            let session = SessionRef::new(project, &*question.id)?;
            let checkout = store.stored.checkout(&session, within.path());
            let checkout = match store.runtime.block_on(checkout) {
                Ok(checkout) => checkout,
                Err(error) if error.is_not_found() => return Ok(json!([])),
                Err(error) => return Ok(json!({"error": error.to_string()})),
            };
            let mut question = question.clone();
            // The checkout contains only this session.
            question.options["dir"] = Value::Null;
            ours::answer(checkout.config(), &question)
        }
    }
}
