//! Folders with sessions that look like those of the CLI, the same in every run.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::Result;

/// Creates sessions in a hundred projects, and returns their size in bytes. Two of three sessions are short, and the
/// third has some hundred KB.
pub(crate) fn many(config: &Path, count: usize) -> Result<u64> {
    let mut chance = Chance(1);
    let mut bytes = 0;
    for at in 0..count {
        let project = format!("/work/project/part-{}", at % 100);
        let folder = config.join("projects").join(project.replace('/', "-"));
        fs::create_dir_all(&folder)?;
        let length = match at % 3 {
            0 => 150_000 + chance.below(300_000),
            _ => 2_000 + chance.below(60_000),
        };
        let id = chance.uuid();
        let path = folder.join(format!("{id}.jsonl"));
        let mut made = Made::new(&path, &mut chance, &id, &project)?;
        made.turns(length)?;
        if at % 5 == 0 {
            made.line(&format!(
                r#"{{"type":"ai-title","aiTitle":"Session {at}","sessionId":"{id}"}}"#
            ))?;
        }
        bytes += made.bytes;
        made.file.flush()?;
        let seconds = 1_780_000_000 + u64::try_from(at)? * 60;
        let file = File::options().write(true).open(path)?;
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))?;
    }
    Ok(bytes)
}

/// Creates one session of this length, and returns its ID and its number of lines.
pub(crate) fn long(config: &Path, length: u64) -> Result<(String, usize)> {
    let mut chance = Chance(2);
    let folder = config.join("projects/-work-project");
    fs::create_dir_all(&folder)?;
    let id = chance.uuid();
    let path = folder.join(format!("{id}.jsonl"));
    let mut made = Made::new(&path, &mut chance, &id, "/work/project")?;
    made.turns(length)?;
    made.file.flush()?;
    let lines = made.lines;
    drop(made);
    Ok((id, lines))
}

/// A transcript that is being written.
struct Made<'a> {
    file: BufWriter<File>,
    chance: &'a mut Chance,
    session: &'a str,
    cwd: &'a str,
    /// The UUID of the previous line, as JSON.
    parent: String,
    bytes: u64,
    lines: usize,
}

impl<'a> Made<'a> {
    fn new(path: &Path, chance: &'a mut Chance, session: &'a str, cwd: &'a str) -> Result<Self> {
        Ok(Self {
            file: BufWriter::new(File::create(path)?),
            chance,
            session,
            cwd,
            parent: "null".to_owned(),
            bytes: 0,
            lines: 0,
        })
    }

    /// Writes turns until the file has this length. A turn has a prompt, two parallel tool calls with their results,
    /// and an answer.
    fn turns(&mut self, length: u64) -> Result {
        while self.bytes < length {
            let prompt = json!({"role": "user", "content": self.text(200)});
            self.link("user", &prompt.to_string(), "")?;
            let message = format!("msg_{}", self.chance.uuid());
            let mut calls = Vec::new();
            for _ in 0..2 {
                let call = format!("toolu_{}", self.chance.uuid());
                let input = json!({"command": self.text(300), "description": self.text(40)});
                let block = json!({"type": "tool_use", "id": call, "name": "Bash", "input": input});
                calls.push((call, self.answer(&message, &block)?));
            }
            for (call, uuid) in calls {
                let most = [200, 2_000, 20_000][usize::try_from(self.chance.below(3))?];
                let output = Value::from(self.text(most));
                let result = format!(
                    r#"{{"role":"user","content":[{{"tool_use_id":"{call}","type":"tool_result","content":{output},"is_error":false}}]}}"#
                );
                let beside = format!(
                    r#""toolUseResult":{{"stdout":{output},"stderr":"","interrupted":false,"isImage":false}},"#
                );
                self.parent = format!("\"{uuid}\"");
                self.link("user", &result, &beside)?;
            }
            let text = json!({"type": "text", "text": self.text(2_000)});
            let message = format!("msg_{}", self.chance.uuid());
            self.answer(&message, &text)?;
        }
        Ok(())
    }

    fn answer(&mut self, message: &str, block: &Value) -> Result<String> {
        let answer = format!(
            r#"{{"model":"claude-opus-4-1","id":"{message}","type":"message","role":"assistant","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":4,"cache_creation_input_tokens":1200,"cache_read_input_tokens":40000,"output_tokens":300,"service_tier":"standard"}}}}"#
        );
        let request = format!(r#""requestId":"req_{}","#, self.session);
        self.link("assistant", &answer, &request)
    }

    /// Writes a line whose parent is the previous line, with its members in the CLI's order. Returns its UUID.
    fn link(&mut self, kind: &str, message: &str, more: &str) -> Result<String> {
        let (uuid, parent) = (self.chance.uuid(), &self.parent);
        let (session, cwd, second) = (self.session, self.cwd, self.lines % 60);
        let line = format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}","message":{message},"uuid":"{uuid}","timestamp":"2026-06-01T10:00:{second:02}.000Z",{more}"userType":"external","entrypoint":"cli","cwd":"{cwd}","sessionId":"{session}","version":"2.1.329","gitBranch":"main"}}"#
        );
        self.parent = format!("\"{uuid}\"");
        self.line(&line)?;
        Ok(uuid)
    }

    fn line(&mut self, line: &str) -> Result {
        writeln!(self.file, "{line}")?;
        self.bytes += line.len() as u64 + 1;
        self.lines += 1;
        Ok(())
    }

    /// A text of words and lines, of at most this many bytes.
    fn text(&mut self, most: u64) -> String {
        const WORDS: [&str; 12] = [
            "the",
            "numbers",
            "are",
            "\"added\"",
            "in",
            "src/main.rs:",
            "error",
            "wörter",
            "\n",
            "let x = 1;",
            "\t",
            "and a longer run of words without any escape",
        ];
        let length = most / 2 + self.chance.below(most / 2 + 1);
        let mut text = String::new();
        while (text.len() as u64) < length {
            text += WORDS[usize::try_from(self.chance.below(12)).unwrap_or(0)];
            text.push(' ');
        }
        text
    }
}

/// Pseudo-random numbers, which are the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            b >> 52,
            b & 0xffff_ffff_ffff
        )
    }
}
