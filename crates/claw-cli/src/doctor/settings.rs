//! Checks whether the settings files can be read. claude ignores an unreadable settings file without a message.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::check::Check;
use super::folders::claude_folder;

/// Returns the JSON files that claude reads.
fn files() -> Vec<PathBuf> {
    let managed = if cfg!(windows) {
        r"C:\Program Files\ClaudeCode\managed-settings.json"
    } else if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode/managed-settings.json"
    } else {
        "/etc/claude-code/managed-settings.json"
    };
    let mut files = vec![PathBuf::from(managed)];
    files.extend(claude_folder().map(|folder| folder.join("settings.json")));
    for name in [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".mcp.json",
    ] {
        files.extend(std::path::absolute(name));
    }
    files
}

pub(super) fn check() -> Vec<Check> {
    let checks: Vec<_> = files().iter().filter_map(|file| checked(file)).collect();
    if checks.is_empty() {
        return vec![Check::good("settings", "there are no settings files")];
    }
    checks
}

/// Checks a settings file. Returns `None` if the file does not exist.
fn checked(file: &Path) -> Option<Check> {
    let name = file.display();
    Some(match fs::read(file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => Check::bad(
            "settings",
            format!("{name}: {error}"),
            "Let this user read the file.",
        ),
        Ok(bytes) => match serde_json::from_slice::<serde_json::Value>(&bytes) {
            Ok(value) if value.is_object() => Check::good("settings", name.to_string()),
            Ok(_) => Check::bad(
                "settings",
                format!("{name}:1: a settings file is a JSON object"),
                "Put the settings between { and }.",
            ),
            Err(error) => Check::bad(
                "settings",
                format!(
                    "{name}:{}:{}: {}",
                    error.line(),
                    error.column(),
                    reason(&error)
                ),
                "Mend the JSON at this line and column. claude ignores the whole file until then.",
            ),
        },
    })
}

/// Returns the text of an error without its position. The caller prints the position before it.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}

/// Checks claw's own configuration file. Returns `None` if the file does not exist.
#[cfg(feature = "terminal")]
pub(super) fn own() -> Option<Check> {
    use crate::defaults::file::{File, Unusable};
    let path = crate::defaults::path::path()?;
    let name = path.display();
    Some(match File::load(&path) {
        Ok(_) if !path.exists() => return None,
        Ok(_) => Check::good("config", name.to_string()),
        Err(Unusable::Unreadable(error)) if error.kind() == ErrorKind::NotFound => Check::bad(
            "config",
            format!("{name}: {error}"),
            "Make the file with `claw config edit`, or take CLAW_CONFIG away.",
        ),
        Err(Unusable::Unreadable(error)) => Check::bad(
            "config",
            format!("{name}: {error}"),
            "Let this user read the file.",
        ),
        Err(Unusable::Faults(faults)) => {
            let faults = faults.iter().map(|fault| format!("{name}:{fault}"));
            let faults: Vec<_> = faults.collect();
            Check::bad(
                "config",
                faults.join("; "),
                "Mend the file with `claw config edit`.",
            )
        }
    })
}
