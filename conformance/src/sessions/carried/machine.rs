//! A machine with sessions, on which the real CLI resumes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use claw_sessions::{Sessions, slug};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario};

use crate::sessions::writing::copy;
use xtask::run::Result;

/// The maximum time for which the CLI may resume a session.
const PATIENCE: Duration = Duration::from_mins(1);

/// The prompt with which a session is resumed.
const PROMPT: &str = "And now?";

/// The home and the working directory of a machine.
pub(super) struct Machine {
    pub(super) home: PathBuf,
    pub(super) work: PathBuf,
}

/// What the CLI does with a session.
#[derive(Debug)]
pub(super) enum Resumed {
    Sent(Request),
    /// It ends without a request.
    Silent,
    /// It does not end.
    NotEnded,
}

/// A request to the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The messages. The folders of all machines and the session's ID are replaced by names.
    pub(super) messages: Vec<String>,
    /// Whether the request names the working directory of the machine.
    pub(super) names_work: bool,
}

/// The folders whose names differ between the machines, and the names that are compared in their place.
#[derive(Debug, Default)]
pub(super) struct Folders(Vec<(String, &'static str)>);

impl Machine {
    /// Creates a machine without sessions.
    pub(super) fn new(root: &Path, name: &str) -> Result<Self> {
        let machine = Self {
            home: root.join(name).join("home"),
            work: root.join(name).join("sums"),
        };
        fs::create_dir_all(machine.folder())?;
        fs::create_dir_all(&machine.work)?;
        Ok(machine)
    }

    /// Creates a machine with the sessions of another one.
    pub(super) fn copied(root: &Path, name: &str, other: &Self, work: PathBuf) -> Result<Self> {
        let home = root.join(name).join("home");
        fs::create_dir_all(&work)?;
        copy(&other.home, &home)?;
        Ok(Self { home, work })
    }

    pub(super) fn sessions(&self) -> Sessions {
        Sessions::new(self.home.join(".claude"))
    }

    /// The folder of the project's transcripts.
    pub(super) fn folder(&self) -> PathBuf {
        self.sessions().projects().join(slug(&self.work))
    }

    pub(super) fn transcript(&self, id: &str) -> PathBuf {
        self.folder().join(format!("{id}.jsonl"))
    }

    /// Lets the CLI resume a session. `original` is the ID of the original session, which the texts of a copy may contain.
    pub(super) async fn resumed(
        &self,
        claude: &Path,
        folders: &Folders,
        id: &str,
        original: &str,
    ) -> Result<Resumed> {
        let answer = Answer::message([Block::text("Yes.")]);
        let api = Api::start(Scenario::new("carried", [Rule::new(answer)])).await?;
        let mut process = tokio::process::Command::new(claude);
        process
            .args(["-p", PROMPT, "--resume", id])
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs(api.env())
            .env("HOME", &self.home)
            .current_dir(&self.work)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let Ok(ended) = tokio::time::timeout(PATIENCE, process.output()).await else {
            return Ok(Resumed::NotEnded);
        };
        ended?;
        let mut requests = api.take_requests().into_iter().rev();
        let asked = requests.find(|request| request.body["messages"].to_string().contains(PROMPT));
        let Some(request) = asked else {
            return Ok(Resumed::Silent);
        };
        let messages = request.messages().into_iter();
        let texts: Vec<_> = messages.map(|message| message.to_string()).collect();
        // Some versions of the CLI name the directory in a message, and others in the system prompt.
        let work = self.work.to_string_lossy();
        let names_work = request.body.to_string().contains(&*work);
        let messages = texts
            .iter()
            .map(|text| text.replace(id, "<session>").replace(original, "<session>"))
            .map(|text| folders.masked(&text))
            .collect();
        Ok(Resumed::Sent(Request {
            messages,
            names_work,
        }))
    }
}

impl Folders {
    /// The folders of these machines.
    pub(super) fn new<'a>(machines: impl IntoIterator<Item = &'a Machine>) -> Self {
        let mut folders = Vec::new();
        for machine in machines {
            folders.push((machine.home.to_string_lossy().into_owned(), "<home>"));
            folders.push((machine.work.to_string_lossy().into_owned(), "<work>"));
            folders.push((slug(&machine.work), "<project>"));
        }
        // A folder may begin with the path of another one.
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Self(folders)
    }

    /// Replaces the folders in a text.
    pub(super) fn masked(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, name) in &self.0 {
            if text.contains(folder) {
                text = text.replace(folder, name);
            }
        }
        text
    }
}
