//! `claw sessions sync --install`: installs a service of the user that stores sessions while they are written.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Done, Failed, print};
use crate::args::Store;
use crate::args::config_dirs::ConfigDirs;
use crate::escape::escape;
use crate::outcome::Outcome;

/// The first line in claw's systemd units, and the comment in claw's launchd agents. It marks files that claw has
/// written.
const MARK: &str = "Written by claw sessions sync --install.";

/// A service of the user's service manager.
struct Service {
    file: PathBuf,
    text: String,
    /// The shell command that starts the service. It also works if the service is already running.
    start: String,
}

/// Writes the file of the service. Does not replace a file that claw has not written.
pub(super) fn install(store: &Store, dirs: &ConfigDirs, project: Option<&Path>) -> Done {
    let mut arguments: Vec<OsString> = ["sessions", "sync", "--watch"].map(Into::into).into();
    arguments.extend(store.arguments().map_err(Failed::Reported)?);
    if !dirs.config_dirs.is_empty() {
        let sessions = dirs.named(None)?;
        super::synced::one(&sessions, "the service watches")?;
        arguments.extend(["--config-dir".into(), sessions.config_dir().into()]);
    }
    if let Some(project) = project {
        arguments.push("--project".into());
        arguments.push(std::path::absolute(project)?.into());
    }
    let config = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    let config = config.map(std::path::absolute).transpose()?;
    let command: Vec<_> = std::iter::once(program()?.into())
        .chain(arguments)
        .collect();
    let service = service(&command, config.as_deref())?;
    let before = match fs::read_to_string(&service.file) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        before => Some(before?),
    };
    if before.is_some_and(|before| !before.contains(MARK)) {
        return Err(refused(&format!(
            "{}: claw has not written this file, so it stays",
            service.file.display()
        )));
    }
    if let Some(folder) = service.file.parent() {
        fs::create_dir_all(folder)?;
    }
    // The text is written to a second file, which then replaces the first. So if the process is killed, either the
    // earlier file or the complete new file remains.
    let new = service.file.with_extension("new");
    fs::write(&new, service.text)?;
    fs::rename(&new, &service.file)?;
    let file = service.file.display().to_string();
    print(&format!(
        "Written: {}\nStart it, now and at each login:\n  {}\n",
        escape(&file),
        escape(&service.start)
    ))?;
    Ok(())
}

/// Returns a path of this program that stays the same when a newer version is installed. It is the path in `PATH`, if
/// that leads to this program. The path of the current process may contain a version.
fn program() -> io::Result<PathBuf> {
    let this = std::env::current_exe()?;
    let real = fs::canonicalize(&this)?;
    let name = this.file_name().unwrap_or(OsStr::new("claw"));
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| fs::canonicalize(path).is_ok_and(|path| path == real));
    Ok(found.unwrap_or(this))
}

fn service(command: &[OsString], config: Option<&Path>) -> Result<Service, Failed> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let Some(home) = home else {
        return Err(refused("HOME is not set"));
    };
    let mut texts = Vec::new();
    for part in command {
        texts.push(plain(part)?);
    }
    let config = config.map(|folder| plain(folder.as_os_str())).transpose()?;
    if cfg!(target_os = "macos") {
        let file = home.join("Library/LaunchAgents/claw.sync.plist");
        let path = file.display().to_string().replace('\'', r"'\''");
        return Ok(Service {
            text: agent(&texts, config),
            start: format!(
                "launchctl bootout gui/$(id -u)/claw.sync 2>/dev/null; launchctl bootstrap gui/$(id -u) '{path}'"
            ),
            file,
        });
    }
    if cfg!(not(target_os = "linux")) {
        return Err(refused(
            "--install writes services of systemd and launchd. Start `claw sessions sync --watch` by what this system \
             starts at a login.",
        ));
    }
    let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_absolute());
    let folder = folder.unwrap_or_else(|| home.join(".config"));
    Ok(Service {
        file: folder.join("systemd/user/claw-sync.service"),
        text: unit(&texts, config),
        start: "systemctl --user daemon-reload && systemctl --user enable claw-sync && systemctl --user restart claw-sync"
            .to_owned(),
    })
}

fn refused(why: &str) -> Failed {
    anstream::eprintln!("claw: {}", escape(why));
    Failed::Reported(Outcome::Usage)
}

/// Returns a part of the command as text. Fails if it contains control characters, because the service files cannot
/// express them.
fn plain(part: &OsStr) -> Result<&str, Failed> {
    let text = part
        .to_str()
        .filter(|text| !text.contains(char::is_control));
    text.ok_or_else(|| {
        let part = part.display();
        refused(&format!("{part}: a service cannot have this path"))
    })
}

/// Returns the text of a systemd unit.
fn unit(command: &[&str], config: Option<&str>) -> String {
    let command: Vec<_> = command.iter().map(|part| quoted(part, "$$")).collect();
    let config = config.map_or_else(String::new, |config| {
        let variable = quoted(&format!("CLAUDE_CONFIG_DIR={config}"), "$");
        format!("Environment={variable}\n")
    });
    format!(
        "# {MARK}\n[Unit]\nDescription=Stores the sessions of Claude Code while they are written\n\n[Service]\n{config}\
         ExecStart={}\nRestart=on-failure\nRestartSec=30\nUMask=0077\n\n[Install]\nWantedBy=default.target\n",
        command.join(" ")
    )
}

/// Quotes a word of a systemd unit. `dollar` replaces each `$`, because only in commands a `$` begins a variable.
fn quoted(word: &str, dollar: &str) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", word.replace('%', "%%").replace('$', dollar))
}

/// Returns the text of a launchd agent.
fn agent(command: &[&str], config: Option<&str>) -> String {
    let text = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        format!("<string>{}</string>", text.replace('>', "&gt;"))
    };
    let command: Vec<_> = command
        .iter()
        .map(|part| format!("    {}", text(part)))
        .collect();
    let command = command.join("\n");
    let config = config.map_or_else(String::new, |config| {
        let config = text(config);
        format!(
            "  <key>EnvironmentVariables</key>\n  <dict>\n    <key>CLAUDE_CONFIG_DIR</key>\n    {config}\n  </dict>\n"
        )
    });
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>claw.sync</string>
  <key>ProgramArguments</key>
  <array>
{command}
  </array>
{config}  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
</dict>
</plist>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: [&str; 4] = [
        "/opt/a b/claw",
        "sync",
        "--store",
        "/srv/50% of \"$HOME\"\\&<x>",
    ];

    #[test]
    fn the_words_of_a_unit_are_what_they_were() {
        let unit = unit(&COMMAND, Some("/home/user/$x y"));
        let command =
            r#"ExecStart="/opt/a b/claw" "sync" "--store" "/srv/50%% of \"$$HOME\"\\&<x>""#;
        assert!(unit.lines().any(|line| line == command), "{unit}");
        let variable = r#"Environment="CLAUDE_CONFIG_DIR=/home/user/$x y""#;
        assert!(unit.lines().any(|line| line == variable), "{unit}");
        assert!(unit.starts_with("# Written by claw"), "{unit}");
    }

    #[test]
    fn the_words_of_an_agent_are_what_they_were() {
        let agent = agent(&COMMAND, Some("/home/user/a&b"));
        for line in [
            "    <string>/opt/a b/claw</string>",
            "    <string>/srv/50% of \"$HOME\"\\&amp;&lt;x&gt;</string>",
            "    <string>/home/user/a&amp;b</string>",
        ] {
            assert!(agent.lines().any(|it| it == line), "{agent}");
        }
    }

    #[test]
    fn a_path_with_a_line_break_is_refused() {
        assert!(plain(OsStr::new("/a\nExecStart=/bin/sh")).is_err());
        assert!(plain(OsStr::new("/a b")).is_ok());
    }
}
