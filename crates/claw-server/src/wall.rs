//! Sandboxes in which the CLIs of a project run.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_client::transport::{CommandSpec, Launcher, Launching, Local, Prefix, TransportError};
use claw_types::options::InvalidOption;

/// The environment variable that sets the CLI's configuration folder.
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// The variables that programs behind a wall inherit from the server. An asterisk at the end of a name matches any
/// text. `CLAW_SESSION` is inherited so that claw finds all processes of a session when the session ends.
const INHERITED: [&str; 9] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "TZ",
    CONFIG_DIR,
    "CLAW_SESSION",
];

/// A wall: a command that the operator chooses, such as `bwrap` or `ssh`, and that runs the CLIs of a
/// [project](crate::Project::wall) in a sandbox. The server starts every process of the project's sessions with this
/// command. Clones are cheap.
///
/// In the words of the command, the server replaces `{folder}` by the project's folder, `{home}` by the wall's home and
/// `{config}` by the configuration folder of the process. With a store, the configuration folder of a resumed session
/// is a temporary folder.
///
/// The command and all programs behind it inherit only these variables of the server's environment: `PATH`, `HOME`,
/// `LANG`, `LANGUAGE`, `LC_*`, `TERM`, `TZ`, `CLAUDE_CONFIG_DIR`, and the variables that [`inherit`](Self::inherit)
/// names. The server adds the variables that its options set, and `CLAW_SESSION`, which marks the processes of a
/// session. Other variables of claw contain its secrets and are never inherited.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall(Arc<Settings>);

#[derive(Debug, Clone, PartialEq)]
struct Settings {
    name: String,
    words: Vec<String>,
    is_shell: bool,
    home: Option<PathBuf>,
    claude: Option<PathBuf>,
    inherited: Vec<String>,
    set: BTreeMap<String, String>,
}

impl Wall {
    /// Creates a wall. `name` is the name that the server's administrators see. `words` are the program and its arguments.
    /// The server appends further words. The appended words form a command, which the program must run unchanged.
    pub fn new(
        name: impl Into<String>,
        words: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self(Arc::new(Settings {
            name: name.into(),
            words: words.into_iter().map(Into::into).collect(),
            is_shell: false,
            home: None,
            claude: None,
            inherited: Vec::new(),
            set: BTreeMap::new(),
        }))
    }

    fn change(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Declares that the program passes the added words to a POSIX shell, as `ssh` does. The server then quotes the
    /// added words. It does not quote the words of the wall.
    #[must_use]
    pub fn shell(self) -> Self {
        self.change(|wall| wall.is_shell = true)
    }

    /// Sets the home folder of the wall. The folder has the same path inside and outside of the sandbox. Inside, it is
    /// the value of `HOME`. Its subfolder `.claude` is the configuration folder of the project's sessions, and no other
    /// project may have sessions there.
    #[must_use]
    pub fn home(self, home: impl Into<PathBuf>) -> Self {
        self.change(|wall| wall.home = Some(home.into()))
    }

    /// Sets the path or the name of the CLI behind the wall. Default: the CLI in the server's options, or `claude`.
    #[must_use]
    pub fn claude(self, claude: impl Into<PathBuf>) -> Self {
        self.change(|wall| wall.claude = Some(claude.into()))
    }

    /// Adds a variable that programs behind the wall inherit from the server's environment. An asterisk at the end of
    /// `name` matches any text.
    #[must_use]
    pub fn inherit(self, name: impl Into<String>) -> Self {
        self.change(|wall| wall.inherited.push(name.into()))
    }

    /// Sets a variable for all programs behind the wall.
    #[must_use]
    pub fn set(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.change(|wall| {
            wall.set.insert(name.into(), value.into());
        })
    }

    /// Returns the name of the wall.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the configuration folder of the sessions behind the wall. Returns `None` if no [home](Self::home) was
    /// set.
    pub fn config_dir(&self) -> Option<PathBuf> {
        Some(self.0.home.as_ref()?.join(".claude"))
    }

    /// Returns the command that starts a CLI behind the wall.
    pub(crate) fn wrap(&self, command: CommandSpec) -> Result<CommandSpec, TransportError> {
        let host = env::vars_os();
        self.wrap_with(command, host)
    }

    fn wrap_with(
        &self,
        mut command: CommandSpec,
        host: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<CommandSpec, TransportError> {
        let wall = &*self.0;
        let mut host_config = None;
        for (name, value) in host {
            if name == CONFIG_DIR {
                host_config = Some(value);
            }
            if !self.inherits(&name) {
                command.env.entry(name).or_insert(None);
            }
        }
        for (name, value) in &wall.set {
            command.env.insert(name.into(), Some(value.into()));
        }
        let set = command.env.get(OsStr::new(CONFIG_DIR)).cloned();
        let config = match (set, self.config_dir()) {
            (Some(Some(set)), _) => Some(set),
            (_, Some(own)) => Some(own.into()),
            (Some(None), None) => None,
            (None, None) => host_config,
        };
        let words = wall
            .words
            .iter()
            .map(|word| self.filled(word, command.cwd.as_deref(), config.as_deref()));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        // The command `env` sets the variables that contain paths inside of the sandbox. Programs such as ssh and podman use
        // another `HOME` there, and do not pass on variables.
        let mut far = Vec::new();
        if let Some(home) = &wall.home {
            far.push(pair("HOME", home.as_os_str()));
        }
        let is_set = command.env.get(OsStr::new(CONFIG_DIR));
        if let Some(config) = config
            && (wall.home.is_some() || matches!(is_set, Some(Some(_))))
        {
            far.push(pair(CONFIG_DIR, &config));
        }
        let claude = wall.claude.as_ref().unwrap_or(&command.program);
        let bytes = claude.as_os_str().as_encoded_bytes();
        if bytes.starts_with(b"-") || bytes.contains(&b'=') {
            return Err(invalid(
                "the CLI behind a wall has a name that `env` takes for something else".to_owned(),
            ));
        }
        far.push(claude.into());
        command.args.splice(..0, far);
        command.program = "env".into();
        let prefix = if wall.is_shell {
            Prefix::shell(words)
        } else {
            Prefix::exec(words)
        };
        prefix.wrap(command)
    }

    fn inherits(&self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else {
            return false;
        };
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        INHERITED.into_iter().any(fits) || self.0.inherited.iter().any(|pattern| fits(pattern))
    }

    /// Replaces the placeholders in a word of the command.
    fn filled(
        &self,
        word: &str,
        folder: Option<&Path>,
        config: Option<&OsStr>,
    ) -> Result<String, TransportError> {
        let values = [
            ("{folder}", folder.map(Path::as_os_str)),
            ("{home}", self.0.home.as_deref().map(Path::as_os_str)),
            ("{config}", config),
        ];
        let mut left = word;
        let mut filled = String::with_capacity(word.len());
        while let Some(at) = left.find('{') {
            filled.push_str(&left[..at]);
            left = &left[at..];
            let found = values.iter().find(|(name, _)| left.starts_with(name));
            let Some((name, value)) = found else {
                filled.push('{');
                left = &left[1..];
                continue;
            };
            let value = value.ok_or_else(|| invalid(format!("{name} has no value here")))?;
            let value = value
                .to_str()
                .ok_or_else(|| invalid(format!("the value of {name} is not text")))?;
            let is_plain =
                |letter: char| letter.is_ascii_alphanumeric() || "/._-+@:,".contains(letter);
            if self.0.is_shell && !value.chars().all(is_plain) {
                let text = format!("the value of {name} has characters with a meaning in a shell");
                return Err(invalid(text));
            }
            filled.push_str(value);
            left = &left[name.len()..];
        }
        filled.push_str(left);
        Ok(filled)
    }
}

impl Launcher for Wall {
    fn launch(&self, command: CommandSpec) -> Launching {
        match self.wrap(command) {
            Ok(command) => Local::new().launch(command),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

fn pair(name: &str, value: &OsStr) -> OsString {
    let mut pair = OsString::from(format!("{name}="));
    pair.push(value);
    pair
}

fn invalid(reason: String) -> TransportError {
    TransportError::InvalidOption(InvalidOption::new("launcher", reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &CommandSpec) -> Vec<&str> {
        let args = command.args.iter().map(|arg| arg.to_str().unwrap());
        std::iter::once(command.program.to_str().unwrap())
            .chain(args)
            .collect()
    }

    fn wrapped(wall: &Wall, command: CommandSpec, host: &[(&str, &str)]) -> CommandSpec {
        let host = host.iter().map(|(name, value)| (name.into(), value.into()));
        wall.wrap_with(command, host).unwrap()
    }

    #[test]
    fn only_listed_variables_pass_a_wall() {
        let wall = Wall::new("w", ["box"])
            .inherit("GIT_*")
            .inherit("CLAW_TOKEN")
            .set("MINE", "1");
        let mut command = CommandSpec::new("claude").env("ANTHROPIC_API_KEY", "of the options");
        command.env.insert("CLAW_TOKEN".into(), None);
        let host = [
            "PATH",
            "LC_ALL",
            "GIT_DIR",
            "CLAW_TOKEN",
            "DATABASE_URL",
            "ANTHROPIC_API_KEY",
        ];
        let command = wrapped(&wall, command, &host.map(|name| (name, "of the server")));
        let is = |name: &str| command.env.get(OsStr::new(name)).cloned();
        for name in ["PATH", "LC_ALL", "GIT_DIR"] {
            assert_eq!(is(name), None, "{name} is inherited");
        }
        for name in ["CLAW_TOKEN", "DATABASE_URL"] {
            assert_eq!(is(name), Some(None), "{name} is removed");
        }
        assert_eq!(is("ANTHROPIC_API_KEY"), Some(Some("of the options".into())));
        assert_eq!(is("MINE"), Some(Some("1".into())));
        assert!(!words(&command).join(" ").contains("of the options"));
    }

    #[test]
    fn paths_are_put_into_the_words_and_set_on_the_far_side() {
        let wall = Wall::new("w", ["box", "--at={folder}:{home}", "{config}", "{", "{x}"])
            .home("/walls/shop")
            .claude("/opt/claude");
        let command = CommandSpec::new("claude").cwd("/srv/shop").arg("--verbose");
        let command = wrapped(&wall, command, &[(CONFIG_DIR, "/server/config")]);
        let words = words(&command);
        let own = [
            "box",
            "--at=/srv/shop:/walls/shop",
            "/walls/shop/.claude",
            "{",
            "{x}",
        ];
        assert_eq!(words[..5], own);
        let far = [
            "env",
            "HOME=/walls/shop",
            "CLAUDE_CONFIG_DIR=/walls/shop/.claude",
            "/opt/claude",
            "--verbose",
        ];
        assert_eq!(words[words.len() - 5..], far);
    }

    #[test]
    fn a_checked_out_session_keeps_its_folder() {
        let wall = Wall::new("w", ["box", "{config}"]).home("/walls/shop");
        let command = CommandSpec::new("claude").env(CONFIG_DIR, "/tmp/claw-1");
        let command = wrapped(&wall, command, &[]);
        assert_eq!(words(&command)[1], "/tmp/claw-1");
        assert!(words(&command).contains(&"CLAUDE_CONFIG_DIR=/tmp/claw-1"));
    }

    #[test]
    fn a_shell_gets_no_path_that_it_would_interpret() {
        let wall = |word: &str| Wall::new("w", ["ssh", "host", word]).shell();
        let command = |cwd: &str| CommandSpec::new("claude").cwd(cwd);
        let inside = wall("cd {folder} &&").wrap_with(command("/srv/shop"), []);
        assert_eq!(words(&inside.unwrap())[2], "cd /srv/shop &&");
        for cwd in ["/srv/a b", "/srv/$(x)", "/srv/a'"] {
            assert!(wall("{folder}").wrap_with(command(cwd), []).is_err());
            assert!(wall("-t").wrap_with(command(cwd), []).is_ok());
        }
    }

    #[test]
    fn what_has_no_value_and_what_env_misreads_is_refused() {
        let wall = Wall::new("w", ["box", "{home}"]);
        assert!(wall.wrap_with(CommandSpec::new("claude"), []).is_err());
        for name in ["-claude", "/a=b/claude"] {
            let wall = Wall::new("w", ["box"]);
            assert!(wall.wrap_with(CommandSpec::new(name), []).is_err());
        }
    }
}
