//! The files of a session on disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use claw_sessions::Session;
use claw_types::{Json, Map};

use super::ImportProblem;
use crate::adapter::names;
use crate::{Line, Subpath};

/// The maximum size of a sub-agent's metadata file, in bytes.
const METADATA: u64 = 1 << 20;

/// A transcript on disk.
#[derive(Default)]
pub(in crate::stored) struct Source {
    /// The subpath of the transcript. `None` for the main transcript.
    pub(in crate::stored) subpath: Option<Subpath>,
    pub(in crate::stored) transcript: Option<PathBuf>,
    /// The contents of the `.meta.json` file, as a line of the transcript.
    pub(in crate::stored) metadata: Option<Line>,
}

/// Returns the main transcript and the other transcripts, ordered by name. Blocks on the disk.
pub(in crate::stored) fn sources(session: &Session) -> (Vec<Source>, Vec<ImportProblem>) {
    let mut looking = Looking::default();
    let root = session.folder();
    // Uses a loop instead of recursion, because the folders may be deeply nested.
    looking.folders.push((root, String::new()));
    while let Some((folder, subpath)) = looking.folders.pop() {
        match looking.read_folder(&folder, &subpath) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                looking.problem(&folder, error.to_string());
            }
            _ => {}
        }
    }
    let main = Source {
        transcript: Some(session.transcript().to_owned()),
        ..Source::default()
    };
    let sources = std::iter::once(main).chain(looking.found.into_values());
    (sources.collect(), looking.problems)
}

#[derive(Default)]
struct Looking {
    folders: Vec<(PathBuf, String)>,
    found: BTreeMap<String, Source>,
    problems: Vec<ImportProblem>,
}

impl Looking {
    fn read_folder(&mut self, folder: &Path, above: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if kind.is_dir() {
                let part = names::unescaped(&name).unwrap_or_else(|| name.as_str().into());
                self.folders.push((path, format!("{above}{part}/")));
            } else if !kind.is_file() {
                // Links are skipped because they can lead out of the folder. Pipes are skipped because they have no
                // end.
            } else if let Some(stem) = name.strip_suffix(".jsonl") {
                if let Some(source) = self.source(above, stem, &path) {
                    source.transcript = Some(path);
                }
            } else if let Some(stem) = name.strip_suffix(".meta.json") {
                match agent_metadata(&path) {
                    Ok(line) => {
                        if let Some(source) = self.source(above, stem, &path) {
                            source.metadata = Some(line);
                        }
                    }
                    Err(reason) => self.problem(&path, reason),
                }
            }
        }
        Ok(())
    }

    fn source(&mut self, above: &str, stem: &str, path: &Path) -> Option<&mut Source> {
        let part = names::unescaped(stem).unwrap_or_else(|| stem.into());
        let text = format!("{above}{part}");
        match Subpath::new(&text) {
            Ok(subpath) => {
                let source = self.found.entry(text).or_default();
                source.subpath = Some(subpath);
                Some(source)
            }
            Err(error) => {
                self.problem(path, error.to_string());
                None
            }
        }
    }

    fn problem(&mut self, path: &Path, reason: String) {
        self.problems.push(ImportProblem {
            path: path.to_owned(),
            line: None,
            reason,
        });
    }
}

/// Reads a sub-agent's `.meta.json` file. Returns the line with which the sub-agent's transcript in a store contains
/// this data. The line begins with the member `type`, which is `agent_metadata`. A `type` in the file is left out.
pub fn agent_metadata(path: &Path) -> Result<Line, String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(METADATA + 1).read_to_string(&mut text));
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > METADATA {
        return Err(format!("the file is over the limit of {METADATA} bytes"));
    }
    let not_an_object = |_| "the file is not a JSON object".to_owned();
    let members: Map<Json> = serde_json::from_str(&text).map_err(not_an_object)?;
    let kind = Json::from(serde_json::Value::from("agent_metadata"));
    let members = members.into_iter().filter(|(name, _)| name != "type");
    let members: Map<Json> = std::iter::once(("type".to_owned(), kind))
        .chain(members)
        .collect();
    let text = serde_json::to_string(&members).map_err(|error| error.to_string())?;
    Line::new(text).map_err(|error| error.to_string())
}
