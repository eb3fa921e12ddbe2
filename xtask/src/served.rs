//! Runs `claw serve` with a scripted agent, for tests of clients in other languages.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::built;
use crate::run::Result;

/// A server that is killed when the `Served` is dropped. In each of its sessions, the turn of a prompt asks for
/// permission to run `ls`. After that, the agent answers `Seven.`
pub struct Served {
    child: Child,
    origin: String,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    /// Builds the programs, and starts the server. All data of the server are in the folder `place`. Its only project
    /// is the subfolder `shop`.
    ///
    /// # Errors
    /// Fails if a program cannot be built, or if the server does not start.
    pub fn start(place: &Path) -> Result<Self> {
        let claw = built::program("claw-cli", "claw", &["--features", "serve"])?;
        let agent = built::program("claw-testkit", "scripted-agent", &["--all-features"])?;
        let at = |name: &str| place.join(name);
        fs::create_dir_all(at("shop"))?;
        fs::write(at("script.json"), script().to_string())?;
        let options = json!({ "pathToClaudeCodeExecutable": agent });
        fs::write(at("options.json"), options.to_string())?;
        let mut child = Command::new(claw)
            .args(["serve", "--listen", "127.0.0.1:0", "--print-secrets"])
            .arg("--project")
            .arg(at("shop"))
            .arg("--options")
            .arg(at("options.json"))
            .env("CLAW_AGENT_SCRIPT", at("script.json"))
            .env("CLAUDE_CONFIG_DIR", at("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take();
        let mut server = Self {
            child,
            origin: String::new(),
            token: String::new(),
        };
        let mut lines = BufReader::new(stdout.ok_or("no stdout")?).lines();
        let mut after = |what: &str| -> Result<String> {
            let line = lines.next().ok_or("`claw serve` ended")??;
            let rest = line
                .split_once(what)
                .ok_or("`claw serve` says another thing")?;
            Ok(rest.1.to_owned())
        };
        let link = after("http://")?;
        let host = link.split('/').next().unwrap_or_default();
        server.origin = format!("http://{host}");
        server.token = after("Token for programs: ")?;
        Ok(server)
    }

    /// Returns the environment variables from which a client reads the server's origin and token.
    pub fn variables(&self) -> [(&'static str, &str); 2] {
        [("CLAW_ORIGIN", &self.origin), ("CLAW_TOKEN", &self.token)]
    }
}

/// Returns the script of the agent, in the form that claw-testkit reads.
fn script() -> Value {
    let message = |text: &str| json!({ "message": [{ "type": "text", "text": text }] });
    json!({ "steps": [{ "turns": [
        { "message": [{ "type": "tool_use", "name": "Bash", "input": { "command": "ls" } }] },
        { "permission": {
            "allow": [{ "tool_result": { "content": "7" } }, message("Seven.")],
            "deny": [message("Then not.")],
        } },
    ] }] })
}
