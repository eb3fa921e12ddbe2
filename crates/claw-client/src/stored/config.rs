//! Transfers the user's configuration to a session that runs in a separate configuration folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde_json::Value;

/// The entries of the configuration folder that the user writes. They are linked, so the session reads the originals.
const LINKED: [&str; 11] = [
    "CLAUDE.md",
    "agent-memory",
    "agents",
    "commands",
    "keybindings.json",
    "output-styles",
    "plugins",
    "rules",
    "skills",
    "themes",
    "workflows",
];

/// The folder for the CLI's backups: copies of files from before the CLI changed them. It has a subfolder for each
/// session.
const BACKUPS: &str = "file-history";

/// Maximum size of a configuration file.
const MOST: u64 = 64 << 20;

/// Transfers a user's configuration to another configuration folder. Entries that are missing or cannot be read are
/// skipped, because the session can continue without them; unreadable entries are logged.
///
/// - Entries that the user has written (instructions, skills, agents, commands, plugins) are linked.
/// - The CLI's backups of files that it changes are kept in the user's own folder, where the next process finds them.
/// - Settings are copied, without `env.CLAUDE_CONFIG_DIR`, which would make the CLI use another folder.
/// - Credentials are copied without refresh tokens. A refresh token works only once, so using it here would log the
///   user out. An access token expires after some time; the session gets a new one from `on_oauth_token_refresh`.
///
/// `state` is the path of the file `.claude.json`. The file is beside the default configuration folder, and inside any
/// other configuration folder. `project` contains the name of the project's folder in the old and in the new
/// configuration folder.
///
/// Blocks on the disk.
pub(super) fn transfer(from: &Path, state: &Path, to: &Path, project: (&str, &str)) {
    for name in LINKED {
        link(&from.join(name), &to.join(name));
    }
    let backups = from.join(BACKUPS);
    match fs::create_dir(&backups) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            tracing::warn!(folder = %backups.display(), %error, "files cannot be restored after this process");
        }
        _ => link(&backups, &to.join(BACKUPS)),
    }
    let (theirs, ours) = project;
    let memory = from.join("projects").join(theirs).join("memory");
    link(&memory, &to.join("projects").join(ours).join("memory"));
    copy(
        &from.join(".credentials.json"),
        &to.join(".credentials.json"),
        without_refresh_tokens,
    );
    copy(state, &to.join(".claude.json"), |_| {});
    copy(&from.join(".config.json"), &to.join(".config.json"), |_| {});
    for name in ["settings.json", "cowork_settings.json"] {
        copy(&from.join(name), &to.join(name), without_folder);
    }
}

fn without_refresh_tokens(credentials: &mut Value) {
    for account in ["claudeAiOauth", "hybridOauth"] {
        if let Some(account) = credentials.get_mut(account).and_then(Value::as_object_mut) {
            account.remove("refreshToken");
        }
    }
}

fn without_folder(settings: &mut Value) {
    if let Some(env) = settings.get_mut("env").and_then(Value::as_object_mut) {
        env.remove("CLAUDE_CONFIG_DIR");
    }
}

fn link(from: &Path, to: &Path) {
    let Ok(found) = from.metadata() else {
        return;
    };
    let linked = symlink(from, to, found.is_dir());
    if let Err(error) = linked {
        tracing::warn!(from = %from.display(), %error, "a part of the user's configuration does not apply");
    }
}

#[cfg(unix)]
fn symlink(from: &Path, to: &Path, _is_folder: bool) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(windows)]
fn symlink(from: &Path, to: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder {
        std::os::windows::fs::symlink_dir(from, to)
    } else {
        std::os::windows::fs::symlink_file(from, to)
    }
}

#[cfg(not(any(unix, windows)))]
fn symlink(_from: &Path, _to: &Path, _is_folder: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Copies a JSON file with a change. Only the user can read the copy.
fn copy(from: &Path, to: &Path, change: impl FnOnce(&mut Value)) {
    let copied = read(from).and_then(|text| {
        let Some(text) = text else { return Ok(()) };
        let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut value: Value = serde_json::from_str(plain)?;
        change(&mut value);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(to)?.write_all(value.to_string().as_bytes())
    });
    if let Err(error) = copied {
        tracing::warn!(from = %from.display(), %error, "a part of the user's configuration does not apply");
    }
}

/// Returns the text of a regular file. `None` if the file does not exist.
fn read(path: &Path) -> io::Result<Option<String>> {
    // `metadata` does not open the file. Opening a pipe at this path would block.
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() <= MOST => {}
        Ok(_) => return Err(io::Error::other("not a regular file, or too large")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MOST).read_to_string(&mut text)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_configuration_applies_and_the_refresh_token_stays() {
        let (home, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let from = home.path().join(".claude");
        for folder in ["skills/s", "projects/-theirs/memory"] {
            fs::create_dir_all(from.join(folder)).unwrap();
        }
        fs::create_dir_all(to.path().join("projects/-ours")).unwrap();
        fs::write(from.join("CLAUDE.md"), "Be brief.").unwrap();
        fs::write(from.join("skills/s/SKILL.md"), "skill").unwrap();
        fs::write(from.join("projects/-theirs/memory/MEMORY.md"), "memory").unwrap();
        fs::write(
            from.join(".credentials.json"),
            r#"{"claudeAiOauth":{"accessToken":"a","refreshToken":"SECRET"},"other":1}"#,
        )
        .unwrap();
        fs::write(
            from.join("settings.json"),
            "\u{feff}{\"env\":{\"CLAUDE_CONFIG_DIR\":\"/x\",\"A\":\"b\"}}",
        )
        .unwrap();
        fs::write(home.path().join(".claude.json"), r#"{"userID":"u"}"#).unwrap();
        let state = home.path().join(".claude.json");
        transfer(&from, &state, to.path(), ("-theirs", "-ours"));
        let text = |name: &str| fs::read_to_string(to.path().join(name)).unwrap();
        // On Windows, only some users may create links, so the linked entries are not checked there.
        if cfg!(unix) {
            assert_eq!(text("CLAUDE.md"), "Be brief.");
            assert_eq!(text("skills/s/SKILL.md"), "skill");
            assert_eq!(text("projects/-ours/memory/MEMORY.md"), "memory");
            // The folder of backups is linked. So a backup that this session writes is in the user's folder, and the
            // next process finds it.
            let backup = |folder: &Path| folder.join("file-history/session/abc@v1");
            fs::create_dir_all(backup(to.path()).parent().unwrap()).unwrap();
            fs::write(backup(to.path()), "before").unwrap();
            assert_eq!(fs::read_to_string(backup(&from)).unwrap(), "before");
        }
        let credentials = text(".credentials.json");
        assert!(credentials.contains("accessToken") && !credentials.contains("SECRET"));
        assert_eq!(text("settings.json"), r#"{"env":{"A":"b"}}"#);
        assert_eq!(text(".claude.json"), r#"{"userID":"u"}"#);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let copied = fs::metadata(to.path().join(".credentials.json")).unwrap();
            assert_eq!(copied.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(from.path().join("settings.json"), "not json").unwrap();
        fs::create_dir(from.path().join(".credentials.json")).unwrap();
        let state = from.path().join("none");
        transfer(from.path(), &state, to.path(), ("a", "b"));
        let names = fs::read_dir(to.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().all(|name| name == BACKUPS), "{names:?}");
    }
}
