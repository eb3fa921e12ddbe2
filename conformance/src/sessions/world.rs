//! A configuration folder with sessions, and the questions about it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Value, json};

use super::random::Random;
use super::transcript::transcript;
use xtask::run::Result;

/// A question, which both sides answer.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Question {
    /// The rule that the question tests.
    pub(super) case: String,
    /// `list`, `info`, `messages`, `subagents` or `subagent`.
    pub(super) ask: &'static str,
    pub(super) id: String,
    pub(super) agent: String,
    pub(super) options: Value,
    pub(super) environment: Value,
}

/// Converts a transcript of the session `s` to a transcript of another session, because claw does not accept lines of
/// another session from a store.
pub(super) fn own(id: &str, text: &[u8]) -> Vec<u8> {
    let own = |text: &str| text.replace(r#""sessionId":"s""#, &format!(r#""sessionId":"{id}""#));
    std::str::from_utf8(text).map_or_else(|_| text.to_owned(), |text| own(text).into_bytes())
}

/// A configuration folder with sessions, and the questions about it.
pub(super) struct World {
    pub(super) config: PathBuf,
    /// The folder with the directories of the projects.
    pub(super) work: PathBuf,
    pub(super) questions: Vec<Question>,
    pub(super) random: Random,
    /// The number of generated transcripts.
    pub(super) transcripts: usize,
    clock: u64,
}

impl World {
    pub(super) fn new(root: &Path, seed: u64) -> Result<Self> {
        let root = root.canonicalize()?;
        let world = Self {
            config: root.join("config"),
            work: root.join("work"),
            questions: Vec::new(),
            random: Random::new(seed),
            transcripts: 0,
            clock: 1_780_000_000,
        };
        fs::create_dir_all(world.config.join("projects"))?;
        fs::create_dir_all(&world.work)?;
        Ok(world)
    }

    /// Returns the directory of a project, and the folder of its sessions.
    pub(super) fn project(&self, name: &str) -> Result<(PathBuf, PathBuf)> {
        let directory = self.work.join(name);
        fs::create_dir_all(&directory)?;
        let folder = self.folder(&directory)?;
        Ok((directory, folder))
    }

    pub(super) fn folder(&self, directory: &Path) -> Result<PathBuf> {
        let slug = claw_sessions::slug(directory);
        let folder = self.config.join("projects").join(slug);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Writes the transcript of a new session. Each transcript is slightly newer than the one before.
    pub(super) fn session(&mut self, folder: &Path, text: &[u8]) -> Result<String> {
        let id = self.random.uuid();
        self.write(folder, &id, text)?;
        Ok(id)
    }

    pub(super) fn write(&mut self, folder: &Path, id: &str, text: &[u8]) -> Result {
        let path = folder.join(format!("{id}.jsonl"));
        fs::write(&path, own(id, text))?;
        // Some transcripts have the same time.
        self.clock += self.random.next() % 3;
        // The SDKs report the time of the file, and claw the time of the last message. The file gets the time of the
        // message, so that the order of lists can be compared too.
        let session = claw_sessions::Sessions::new(&self.config).find(id);
        let info = session
            .ok()
            .and_then(|session| session.info().ok().flatten());
        let reported = info.and_then(|info| info.last_modified.as_u64());
        let written = reported.unwrap_or(self.clock * 1000 + 123);
        File::options()
            .write(true)
            .open(&path)?
            .set_modified(UNIX_EPOCH + Duration::from_millis(written))?;
        Ok(())
    }

    pub(super) fn ask(&mut self, case: &str, ask: &'static str, id: &str, options: Value) {
        self.questions.push(Question {
            case: case.to_owned(),
            ask,
            id: id.to_owned(),
            agent: String::new(),
            options,
            environment: json!({}),
        });
    }

    /// Adds a question about the messages of a sub-agent.
    pub(super) fn ask_agent(&mut self, case: &str, id: &str, agent: &str, options: Value) {
        self.ask(case, "subagent", id, options);
        if let Some(question) = self.questions.last_mut() {
            agent.clone_into(&mut question.agent);
        }
    }

    /// Adds every question about a session.
    pub(super) fn ask_all(&mut self, case: &str, id: &str, directory: &Path) {
        let dir = directory.to_string_lossy().into_owned();
        self.ask(case, "info", id, json!({"dir": dir}));
        self.ask(case, "messages", id, json!({"dir": dir}));
        self.ask(case, "messages", id, json!({"includeSystemMessages": true}));
        self.ask(case, "list", "", json!({"dir": dir}));
    }

    /// Generates the transcript of a sub-agent, beside that of its session.
    fn generate_subagent(&mut self, case: &str, folder: &Path, id: &str, dir: &str) -> Result {
        let subagents = folder.join(id).join("subagents");
        fs::create_dir_all(&subagents)?;
        let text = transcript(&mut self.random, id, dir);
        fs::write(subagents.join("agent-a1.jsonl"), text)?;
        for options in [json!({}), json!({"limit": 3, "offset": 1})] {
            self.ask_agent(case, id, "a1", options);
        }
        Ok(())
    }

    /// Generates this number of transcripts, a hundred for each project.
    pub(super) fn generate(&mut self, count: usize) -> Result {
        const CASE: &str = "generated";
        let mut made = 0;
        for at in 0.. {
            if made >= count {
                break;
            }
            let name = match at % 4 {
                0 => format!("plain-{at}"),
                1 => format!("döner \u{1f600} {at}"),
                2 => format!("cafe\u{301}.{at}"),
                _ => format!("{}/{at}", "a-long-name/".repeat(20)),
            };
            let (directory, folder) = self.project(&name)?;
            let dir = directory.to_string_lossy().into_owned();
            for _ in 0..100.min(count - made) {
                let id = self.random.uuid();
                let text = transcript(&mut self.random, &id, &dir);
                self.write(&folder, &id, &text)?;
                self.ask(CASE, "messages", &id, json!({"dir": dir}));
                self.ask(CASE, "info", &id, json!({"dir": dir}));
                if made % 4 == 0 {
                    let (limit, offset) = (self.random.below(5), self.random.below(5));
                    let page = json!({"limit": limit, "offset": offset});
                    self.ask(CASE, "messages", &id, page);
                    self.ask(
                        CASE,
                        "messages",
                        &id,
                        json!({"includeSystemMessages": true}),
                    );
                }
                if made % 4 == 1 {
                    self.generate_subagent(CASE, &folder, &id, &dir)?;
                }
                made += 1;
            }
            self.ask(CASE, "list", "", json!({"dir": dir}));
            for limit in [0, 1, 7, 200] {
                let offset = self.random.below(20);
                let mut page = json!({"dir": dir, "limit": limit, "offset": offset});
                self.ask(CASE, "list", "", page.clone());
                page["includeProgrammatic"] = json!(false);
                self.ask(CASE, "list", "", page);
            }
        }
        self.ask(CASE, "list", "", json!({}));
        self.ask(CASE, "list", "", json!({"limit": 20}));
        self.transcripts = made;
        Ok(())
    }
}
