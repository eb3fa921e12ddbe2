//! Checks whether the CLI's backups of files exist. Files are restored from these backups. They are on the disk of the
//! host on which the CLI made them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path};

use claw_sessions::{Error, Session};
use claw_types::MessageUuid;
use claw_types::transcript::{FileBackup, FileHistoryDeltaEntry, FileHistorySnapshotEntry};

/// The backups that a session's transcript names.
#[derive(Debug, Default)]
struct Backups {
    /// For each prompt, the backups of the files as they were before the prompt. The name of a backup is `None` if the
    /// file did not exist.
    by_prompt: HashMap<MessageUuid, BTreeMap<String, Option<String>>>,
    /// For each file, the backup that was made before the first change of the file.
    first: BTreeMap<String, Option<String>>,
}

/// Returns the files that cannot be restored to their state before a prompt, because their backups are missing.
/// `history` is the folder of the CLI's backups, which contains a folder for each session. Blocks.
///
/// # Errors
///
/// Fails if the transcript cannot be read.
pub(crate) fn missing(
    session: &Session,
    prompt: &MessageUuid,
    history: &Path,
) -> Result<Vec<String>, Error> {
    let mut backups = Backups::default();
    for line in session.entries()? {
        let line = line?;
        backups.add(line.raw().unwrap_or_default());
    }
    let folder = history.join(session.id().as_str());
    let needed = backups.needed(prompt).into_iter();
    let missing = needed.filter(|(_, name)| !is_there(&folder, name));
    Ok(missing.map(|(path, _)| path).collect())
}

/// Returns whether a backup exists. The name comes from a transcript. A name that leads out of the folder is rejected.
fn is_there(folder: &Path, name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let is_name = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    );
    is_name && folder.join(name).is_file()
}

impl Backups {
    fn add(&mut self, line: &[u8]) {
        let text = std::str::from_utf8(line).unwrap_or_default();
        // Only lines that contain this text can contain backups. All other lines are skipped without parsing them.
        if !text.contains("\"file-history-") {
            return;
        }
        if let Ok(entry) = serde_json::from_str::<FileHistorySnapshotEntry>(text) {
            let mut files = BTreeMap::new();
            for (path, backup) in &entry.snapshot.tracked_file_backups {
                self.add_first(path, backup);
                files.insert(path.to_owned(), backup.backup_file_name.clone());
            }
            self.by_prompt.insert(entry.message_id, files);
        } else if let Ok(entry) = serde_json::from_str::<FileHistoryDeltaEntry>(text) {
            self.add_first(&entry.tracking_path, &entry.backup);
            let files = self.by_prompt.entry(entry.snapshot_message_id);
            let files = files.or_default();
            files.insert(entry.tracking_path, entry.backup.backup_file_name);
        }
    }

    fn add_first(&mut self, path: &str, backup: &FileBackup) {
        if backup.version.get() == 1 {
            let first = self.first.entry(path.to_owned());
            first.or_insert_with(|| backup.backup_file_name.clone());
        }
    }

    /// Returns the files to restore, with the names of their backups. If the prompt has no snapshot, returns an empty
    /// list, because the CLI itself reports this error.
    fn needed(&self, prompt: &MessageUuid) -> Vec<(String, String)> {
        let Some(then) = self.by_prompt.get(prompt) else {
            return Vec::new();
        };
        // If a file was changed for the first time after the prompt, it is restored to its state before that change.
        let later = self
            .first
            .iter()
            .filter(|(path, _)| !then.contains_key(*path));
        let all = then.iter().chain(later);
        all.filter_map(|(path, name)| Some((path.clone(), name.clone()?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn backup(name: Option<&str>, version: u64) -> Value {
        json!({"backupFileName": name, "version": version, "backupTime": "2026-11-26T10:00:00.000Z"})
    }

    fn snapshot(prompt: &str, files: &Value) -> Value {
        let snapshot = json!({"messageId": prompt, "trackedFileBackups": files,
            "timestamp": "2026-11-26T10:00:00.000Z"});
        json!({"type": "file-history-snapshot", "messageId": prompt, "snapshot": snapshot, "isSnapshotUpdate": false})
    }

    #[test]
    fn what_is_needed_is_what_files_were_before_the_prompt() {
        let delta = json!({"type": "file-history-delta", "messageId": "m", "snapshotMessageId": "p1",
            "trackingPath": "a", "backup": backup(Some("a@v1"), 1)});
        let second = json!({"a": backup(Some("a@v2"), 2), "new": backup(None, 1)});
        let third = json!({"a": backup(Some("a@v3"), 3), "b": backup(Some("b@v1"), 1)});
        let lines = [
            snapshot("p1", &json!({})),
            delta,
            json!({"type": "user", "message": {"content": "\"file-history-"}}),
            snapshot("p2", &second),
            snapshot("p3", &third),
        ];
        let mut backups = Backups::default();
        for line in lines {
            backups.add(line.to_string().as_bytes());
        }
        let needed = |prompt: &str| {
            let needed = backups.needed(&MessageUuid::from(prompt));
            needed.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(needed("p1"), ["a@v1", "b@v1"]);
        assert_eq!(needed("p2"), ["a@v2", "b@v1"]);
        assert_eq!(needed("p3"), ["a@v3", "b@v1"]);
        assert_eq!(needed("unknown"), [""; 0]);
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("s")).unwrap();
        for name in ["outside", "s/a@v1"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let session = folder.path().join("s");
        assert!(is_there(&session, "a@v1"));
        for name in ["", ".", "..", "../outside", "none"] {
            assert!(!is_there(&session, name), "{name}");
        }
    }
}
