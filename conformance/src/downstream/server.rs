//! Tests a client of `claw serve` in TypeScript, with types from its OpenAPI document. Two validators check the
//! document, and the client uses a server with the scripted agent.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::{commands, quoted, shell};
use xtask::run::{Result, read, run};
use xtask::served::Served;

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
    let place = tempfile::tempdir()?;
    fs::create_dir(place.path().join("shop"))?;
    write_session(place.path())?;
    let server = Served::start(place.path())?;
    let began = Instant::now();
    let folder = copy.join("schemas/downstream").join(NAME);
    quoted(HEADING, readme, &folder)?;
    run(shell(copy).arg(commands(HEADING, readme)?))?;
    let mut client = Command::new("node");
    client
        .arg("dist/downstream/server/src/use.js")
        .current_dir(&folder);
    client.arg(SESSION).envs(server.variables());
    let [_, (_, token)] = server.variables();
    let output = read(&mut client).map_err(|error| {
        let error = error.to_string().replace(token, "…");
        format!("the client of the server: {error}")
    })?;
    let seconds = began.elapsed().as_secs_f64();
    println!("{}, {seconds:.0} s after the builds", output.trim());
    Ok(())
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
