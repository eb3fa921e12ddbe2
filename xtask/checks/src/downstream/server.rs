//! Tests a client of `claw serve` in TypeScript, with types from its OpenAPI document. Two validators check the
//! document, and the client uses a server with the scripted agent.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use serde_json::{Value, json};

use super::{commands, quoted, shell};
use crate::built;
use xtask::run::{Result, read, run};

/// The name on the command line, which is also the folder in schemas/downstream.
pub(super) const NAME: &str = "server";
/// The heading in schemas/README.md.
pub(super) const HEADING: &str = "## A client of claw serve";
/// A session on disk.
const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Validates the document, generates and compiles the client, and runs it with a server.
///
/// # Errors
/// Fails if a tool is missing or fails, if the document is not valid, or if the server does not respond as the client
/// expects.
pub(super) fn check(copy: &Path, readme: &str) -> Result {
    let (claw, agent) = (
        built::program("claw-cli", "claw", &["--features", "serve"])?,
        agent::program()?,
    );
    let began = Instant::now();
    let folder = copy.join("schemas/downstream").join(NAME);
    quoted(HEADING, readme, &folder)?;
    run(shell(copy).arg(commands(HEADING, readme)?))?;
    let place = tempfile::tempdir()?;
    let server = Served::start(place.path(), &claw, &agent)?;
    let mut client = Command::new("node");
    client.arg("dist/use.js").current_dir(&folder);
    client.args([&server.origin, &server.token, SESSION]);
    let output = read(&mut client).map_err(|error| format!("the client of the server: {error}"))?;
    let seconds = began.elapsed().as_secs_f64();
    println!("{}, {seconds:.0} s after the builds", output.trim());
    Ok(())
}

/// A server that is killed when this value is dropped.
struct Served {
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
    /// Starts `claw serve` with all its data in this folder.
    fn start(place: &Path, claw: &Path, agent: &Path) -> Result<Self> {
        let at = |name: &str| place.join(name);
        fs::create_dir(at("shop"))?;
        fs::write(at("script.json"), serde_json::to_vec(&script())?)?;
        let options = json!({ "pathToClaudeCodeExecutable": agent });
        fs::write(at("options.json"), options.to_string())?;
        write_session(place)?;
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
}

/// Returns a turn that asks for permission.
fn script() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({ "command": "ls" }))]),
        Step::permission(
            [
                Step::tool_result("7"),
                Step::message([Block::text("Seven.")]),
            ],
            [Step::message([Block::text("Then not.")])],
        ),
    ])])
}

/// Writes a session, because the scripted agent writes no transcript.
fn write_session(place: &Path) -> Result {
    let shop = place.join("shop").canonicalize()?;
    // The CLI creates the name of a project's folder in this way.
    let name = shop.to_string_lossy();
    let name = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let project = place.join("config/projects").join(name);
    fs::create_dir_all(&project)?;
    let line = |number: u32, kind: &str, message: Value| {
        let uuid = |number| format!("a0000000-0000-4000-8000-{number:012}");
        let parent = (number > 1).then(|| uuid(number - 1));
        json!({
            "type": kind, "uuid": uuid(number), "parentUuid": parent, "sessionId": SESSION,
            "cwd": shop, "timestamp": format!("2026-01-01T00:00:{number:02}.000Z"),
            "isSidechain": false, "userType": "external", "version": claw_client::types::CLI_VERSION,
            "message": message
        })
    };
    let question = json!({ "role": "user", "content": "Where are the apples?" });
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test",
        "content": [{ "type": "text", "text": "In the shop." }], "stop_reason": "end_turn",
        "stop_sequence": null, "usage": { "input_tokens": 3, "output_tokens": 5 }
    });
    let (question, answer) = (line(1, "user", question), line(2, "assistant", answer));
    let text = format!("{question}\n{answer}\n");
    fs::write(project.join(format!("{SESSION}.jsonl")), text)?;
    Ok(())
}
