//! The recordings in `fixtures/`, and the elements that they result in.

use std::fs;
use std::path::PathBuf;

use claw_view::{Change, Elements, Input, Timeline};

/// A recording: its name, and the lines of its files.
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) stdin: Vec<String>,
    /// The lines of stdout. Empty for a CLI in a terminal.
    pub(crate) stdout: Vec<String>,
    /// The transcript of the main conversation. Empty if the recording has none.
    pub(crate) transcript: Vec<String>,
    /// The transcripts of sub-agents, and of the conversations after a `/clear`.
    pub(crate) more: Vec<Vec<String>>,
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

pub(crate) fn sessions() -> Vec<Session> {
    let mut folders: Vec<_> = fs::read_dir(folder())
        .expect("fixtures/ is there")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.join("manifest.json").exists())
        .collect();
    folders.sort();
    assert!(folders.len() > 100, "the recordings are there");
    folders
        .into_iter()
        .map(|path| {
            let lines = |name: &str| {
                let text = fs::read_to_string(path.join(name)).unwrap_or_default();
                text.lines().map(str::to_owned).collect::<Vec<_>>()
            };
            let more = (2..).map(|n| lines(&format!("transcript.{n}.ndjson")));
            Session {
                name: path
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned(),
                stdin: lines("stdin.ndjson"),
                stdout: lines("stdout.ndjson"),
                transcript: lines("transcript.ndjson"),
                more: more.take_while(|lines| !lines.is_empty()).collect(),
            }
        })
        .collect()
}

/// Returns the recordings of programs that run the CLI, without those of a CLI in a terminal.
pub(crate) fn driven() -> Vec<Session> {
    let mut sessions = sessions();
    sessions.retain(|session| !session.stdout.is_empty());
    sessions
}

impl Session {
    /// Returns the lines of each file that a program may read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &[String]> {
        let first = [&self.stdout, &self.transcript].into_iter();
        first
            .chain(&self.more)
            .filter(|lines| !lines.is_empty())
            .map(Vec::as_slice)
    }
}

/// Returns the elements that the lines result in, all changes, and the timeline.
pub(crate) fn fed<'a>(
    lines: impl IntoIterator<Item = &'a str>,
) -> (Elements, Vec<Change>, Timeline) {
    let mut timeline = Timeline::default();
    let mut elements = Elements::default();
    let mut all = Vec::new();
    for line in lines {
        let changes = timeline.push(Input::Line(line));
        all.extend(changes.iter().cloned());
        elements.extend(changes);
    }
    (elements, all, timeline)
}
