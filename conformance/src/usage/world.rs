//! Creates transcripts for both sides: generated ones, and those of the real CLI in fixtures/.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xtask::run::Result;
use xtask::workspace::Workspace;

use crate::sessions::random::Random;

/// The number of generated sessions, and the maximum number of answers in each.
const SESSIONS: usize = 120;
const ANSWERS: usize = 40;

/// Models whose prices ccusage also has, and a model that both sides do not know.
const MODELS: [&str; 4] = [
    "claude-opus-4-5-20251101",
    "claude-sonnet-4-5-20250929",
    "claude-haiku-4-5-20251001",
    "claude-of-tomorrow-9",
];

/// A configuration folder with transcripts.
pub(super) struct World {
    projects: PathBuf,
    random: Random,
    /// The lines of answers so far, which forks and sub-agents copy.
    lines: Vec<Value>,
    answers: u64,
    /// The number of lines that are copies of others.
    pub(super) copies: usize,
    pub(super) transcripts: usize,
}

impl World {
    /// Creates a folder of generated transcripts. With `written`, some of the answers contain their cost.
    pub(super) fn generated(config: &Path, seed: u64, written: bool) -> Result<Self> {
        let mut world = Self::new(config, seed);
        for _ in 0..SESSIONS {
            world.session(written)?;
        }
        Ok(world)
    }

    /// Creates a folder of the real CLI's transcripts.
    pub(super) fn of_fixtures(config: &Path, workspace: &Workspace) -> Result<Self> {
        let mut world = Self::new(config, 3);
        for fixture in fs::read_dir(workspace.root.join("fixtures"))? {
            let transcript = fixture?.path().join("transcript.ndjson");
            if !transcript.is_file() {
                continue;
            }
            let id = world.random.uuid();
            // The scripted API uses the same request IDs in each recording. They are made unique here.
            let text = fs::read_to_string(transcript)?;
            let request = format!("\"requestId\":\"{}-", world.transcripts);
            let text = text.replace("\"requestId\":\"", &request);
            world.write("-work-real", &format!("{id}.jsonl"), &text)?;
        }
        Ok(world)
    }

    fn new(config: &Path, seed: u64) -> Self {
        Self {
            projects: config.join("projects"),
            random: Random::new(seed),
            lines: Vec::new(),
            answers: 0,
            copies: 0,
            transcripts: 0,
        }
    }

    fn session(&mut self, written: bool) -> Result {
        let project = format!("-work-project-{}", self.random.below(5));
        let id = self.random.uuid();
        let main = self.lines_of(&project, &id, false, written)?;
        self.write(&project, &format!("{id}.jsonl"), &main)?;
        if self.random.once_in(3) {
            let agent = self.lines_of(&project, &id, true, written)?;
            let name = format!("{id}/subagents/agent-{}.jsonl", self.random.below(1000));
            self.write(&project, &name, &agent)?;
        }
        Ok(())
    }

    fn lines_of(
        &mut self,
        project: &str,
        id: &str,
        is_side: bool,
        written: bool,
    ) -> Result<String> {
        let mut text = String::new();
        // A resumed or forked session begins with unchanged answers of another session.
        if self.random.once_in(3) {
            for _ in 0..self.random.below(10) {
                let Some(line) = self.random.one_of(&self.lines) else {
                    break;
                };
                let mut line = line.clone();
                line["sessionId"] = json!(id);
                writeln!(text, "{line}")?;
                self.copies += 1;
            }
        }
        for _ in 0..=self.random.below(ANSWERS) {
            let line = self.answer(project, id, is_side, written);
            // Each block has a line.
            for _ in 0..=self.random.below(3) {
                writeln!(text, "{line}")?;
                self.copies += 1;
            }
            self.copies -= 1;
            self.lines.push(line);
        }
        Ok(text)
    }

    fn answer(&mut self, project: &str, id: &str, is_side: bool, written: bool) -> Value {
        self.answers += 1;
        let number = self.answers;
        let (month, day) = (9 + self.random.below(3), 1 + self.random.below(28));
        let (hour, minute) = (self.random.below(24), self.random.below(60));
        let mut below = |end| self.random.below(end);
        let usage = json!({
            "input_tokens": below(5_000),
            "output_tokens": below(20_000),
            "cache_read_input_tokens": below(90_000),
            "cache_creation_input_tokens": below(30_000),
        });
        let model = MODELS[below(MODELS.len())];
        let mut line = json!({
            "type": "assistant", "uuid": self.random.uuid(), "sessionId": id, "version": "2.1.330",
            "isSidechain": is_side, "cwd": project.replace('-', "/"), "requestId": format!("req_{number}"),
            "timestamp": format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00.000Z"),
            "message": {
                "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model,
                "content": [{"type": "text", "text": "Done."}], "usage": usage,
            },
        });
        if written && self.random.once_in(2) {
            line["costUSD"] = json!(
                f64::from(u32::try_from(self.random.below(100_000)).unwrap_or(0)) / 100_000.0
            );
        }
        line
    }

    fn write(&mut self, project: &str, name: &str, text: &str) -> Result {
        let path = self.projects.join(project).join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.projects))?;
        fs::write(path, text)?;
        self.transcripts += 1;
        Ok(())
    }
}
