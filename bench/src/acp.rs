//! Agents of the Agent Client Protocol on the real CLI: `claw acp`, and the npm agent on Node and compiled with Bun.

use std::fs;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use claw_testkit::api::{Api, scenarios};
use serde_json::{Value, json};

use crate::Result;
use crate::process::memory_of;
use crate::rounds::{interval, median};
use crate::start::{configure, surround};

/// The starts of each agent. `CLAW_BENCH_ROUNDS` sets another number, to try the table out.
const ROUNDS: usize = 30;
/// The rounds in which an agent has ten sessions. Each takes ten starts of the CLI.
const ROUNDS_OF_TEN: usize = 3;
const SESSIONS: usize = 10;
/// The messages of the session that is loaded.
const MESSAGES: usize = 2_000;
const ID: &str = "11111111-2222-4333-8444-555555555555";

/// The figures of one start of an agent: times in milliseconds, and the memory at the end in MB.
#[derive(Clone, Copy)]
struct Took {
    initialize: f64,
    session: f64,
    chunk: f64,
    load: f64,
    memory: f64,
    /// The part of the memory that is not backed by files, such as the executable.
    anonymous: f64,
}

/// A column of the table: its name, and the figure that it shows.
type Column = (&'static str, fn(&Took) -> f64);

const COLUMNS: [Column; 6] = [
    ("initialize, ms", |took| took.initialize),
    ("session/new, ms", |took| took.session),
    ("first chunk, ms", |took| took.chunk),
    ("session/load, ms", |took| took.load),
    ("own memory, MB", |took| took.memory),
    ("of it without files, MB", |took| took.anonymous),
];

pub(crate) fn main() -> Result {
    let executable = claw_testkit::claude()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let api = runtime.block_on(Api::start(scenarios::text()))?;
    let home = tempfile::tempdir()?;
    let place = Place {
        api: &api,
        executable: &executable,
        home: home.path(),
    };
    place.store()?;
    let agents = agents()?;
    let rounds = match std::env::var("CLAW_BENCH_ROUNDS") {
        Ok(number) => number
            .parse()
            .map_err(|error| format!("CLAW_BENCH_ROUNDS: {error}"))?,
        Err(_) => ROUNDS,
    };
    let mut bare = Vec::new();
    let mut took: Vec<Vec<Took>> = vec![Vec::new(); agents.len()];
    for round in 0..=rounds {
        let alone = place.bare()?;
        let row = agents.iter().map(|agent| place.start(agent));
        let row = row.collect::<Result<Vec<_>>>()?;
        // The first start fills the machine's caches.
        if round > 0 {
            bare.push(alone);
            for (took, one) in took.iter_mut().zip(row) {
                took.push(one);
            }
        }
    }
    println!("{rounds} interleaved starts: medians, and 95 % intervals of them");
    let (low, high) = interval(&mut bare.clone());
    let alone = median(&mut bare);
    println!("the CLI alone, to its answer to initialize: {alone:.0} ms ({low:.0} to {high:.0})");
    for (name, of) in COLUMNS {
        println!("\n{name}");
        for (agent, took) in agents.iter().zip(&took) {
            let mut all: Vec<f64> = took.iter().map(of).collect();
            let (low, high) = interval(&mut all);
            let middle = median(&mut all);
            println!(
                "  {:<28}{middle:>9.1}   ({low:.1} to {high:.1})",
                agent.name
            );
        }
    }
    let of_ten = rounds.min(ROUNDS_OF_TEN);
    println!("\nown memory with {SESSIONS} sessions, MB: medians of {of_ten}");
    let mut many = vec![Vec::new(); agents.len()];
    for _ in 0..of_ten {
        for (many, agent) in many.iter_mut().zip(&agents) {
            many.push(place.sessions(agent)?);
        }
    }
    for (agent, many) in agents.iter().zip(&mut many) {
        println!("  {:<28}{:>9.1}", agent.name, median(many));
    }
    println!("\non disk, MB");
    for agent in &agents {
        println!(
            "  {:<28}{:>9.1}",
            agent.name,
            megabytes(size(&agent.files)?)
        );
    }
    Ok(())
}

/// An agent: its command, and its files on the disk.
struct Agent {
    name: &'static str,
    command: Vec<PathBuf>,
    files: PathBuf,
}

fn agents() -> Result<Vec<Agent>> {
    let of = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .ok_or(format!("no {name}"))
    };
    let (claw, peers) = (of("CLAW_BENCH_CLAW")?, of("CLAW_BENCH_ACP")?);
    let modules = peers.join("node_modules");
    let script = modules.join("@agentclientprotocol/claude-agent-acp/dist/index.js");
    let compiled = peers.join("compiled/claude-agent-acp");
    Ok(vec![
        Agent {
            name: "claw acp",
            command: vec![claw.clone(), "acp".into()],
            files: claw,
        },
        Agent {
            name: "npm agent on Node",
            command: vec!["node".into(), script],
            files: modules,
        },
        Agent {
            name: "npm agent, compiled by Bun",
            command: vec![compiled.clone()],
            files: compiled,
        },
    ])
}

/// The environment in which the agents run.
struct Place<'a> {
    api: &'a Api,
    executable: &'a Path,
    home: &'a Path,
}

impl Place<'_> {
    /// Writes the session that is loaded.
    fn store(&self) -> Result {
        let folder = self
            .home
            .join(".claude/projects")
            .join(claw_sessions::slug(self.home));
        fs::create_dir_all(&folder)?;
        let mut file = BufWriter::new(fs::File::create(folder.join(format!("{ID}.jsonl")))?);
        let mut parent = Value::Null;
        for at in 0..MESSAGES {
            let uuid = format!("00000000-0000-4000-8000-{at:012}");
            let kind = if at % 2 == 0 { "user" } else { "assistant" };
            let text = format!("Message {at}. {}", "It says something. ".repeat(20));
            let message = if kind == "user" {
                json!({"role": "user", "content": text})
            } else {
                json!({"id": format!("msg_{at}"), "type": "message", "role": "assistant",
                    "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": text}],
                    "stop_reason": "end_turn", "stop_sequence": null,
                    "usage": {"input_tokens": 1, "output_tokens": 1}})
            };
            let line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "message": message,
                "sessionId": ID, "timestamp": "2026-11-24T12:00:00.000Z", "cwd": self.home,
                "isSidechain": false, "userType": "external", "version": "2.1.330"});
            writeln!(file, "{line}")?;
            parent = json!(uuid);
        }
        Ok(file.flush()?)
    }

    /// Milliseconds from the spawn of the CLI to its answer to `initialize`.
    fn bare(&self) -> Result<f64> {
        let mut program = Command::new(self.executable);
        surround(&mut program, self.api, self.home);
        configure(&mut program, self.executable)?;
        let begun = Instant::now();
        let mut program = Running::spawn(program)?;
        program.write(&json!({"type": "control_request", "request_id": "1",
            "request": {"subtype": "initialize"}}))?;
        program.read(|line| line["type"] == "control_response")?;
        Ok(milliseconds(begun))
    }

    fn run(&self, agent: &Agent) -> Result<Running> {
        let [program, rest @ ..] = &agent.command[..] else {
            return Err("an agent without a command".into());
        };
        let mut command = Command::new(program);
        command.args(rest);
        surround(&mut command, self.api, self.home);
        for name in ["CLAW_CLAUDE_PATH", "CLAUDE_CODE_EXECUTABLE"] {
            command.env(name, self.executable);
        }
        // Without it, the npm agent does not start sessions for root.
        command.env("IS_SANDBOX", "1");
        Running::spawn(command)
    }

    fn start(&self, agent: &Agent) -> Result<Took> {
        let begun = Instant::now();
        let mut running = self.run(agent)?;
        running.ask(
            1,
            "initialize",
            &json!({"protocolVersion": 1, "clientCapabilities": {}}),
        )?;
        let initialize = milliseconds(begun);
        let begun = Instant::now();
        let answer = running.ask(2, "session/new", &self.new_session())?;
        let session = milliseconds(begun);
        let prompt =
            json!({"sessionId": answer["sessionId"], "prompt": [{"type": "text", "text": "Go"}]});
        let begun = Instant::now();
        running.send(3, "session/prompt", &prompt)?;
        running.read(|line| line["params"]["update"]["sessionUpdate"] == "agent_message_chunk")?;
        let chunk = milliseconds(begun);
        running.answer(3)?;
        let process = running.child.id();
        let resident = |kind| -> Result<f64> { Ok(megabytes(memory_of(process, kind)? << 10)) };
        let (memory, anonymous) = (resident("VmRSS")?, resident("RssAnon")?);
        let begun = Instant::now();
        let params = json!({"sessionId": ID, "cwd": self.home, "mcpServers": []});
        running.send(4, "session/load", &params)?;
        let mut messages = 0;
        let answer = running.read(|line| {
            let kind = line["params"]["update"]["sessionUpdate"]
                .as_str()
                .unwrap_or_default();
            messages += usize::from(kind.ends_with("_message_chunk"));
            line["id"] == 4
        })?;
        let load = milliseconds(begun);
        if answer.get("error").is_some() || messages < MESSAGES {
            return Err(
                format!("{}: {messages} messages were loaded: {answer}", agent.name).into(),
            );
        }
        Ok(Took {
            initialize,
            session,
            chunk,
            load,
            memory,
            anonymous,
        })
    }

    /// The memory of an agent with several sessions, after one turn in each.
    fn sessions(&self, agent: &Agent) -> Result<f64> {
        let mut running = self.run(agent)?;
        running.ask(
            1,
            "initialize",
            &json!({"protocolVersion": 1, "clientCapabilities": {}}),
        )?;
        for at in 1..=SESSIONS as u64 {
            let answer = running.ask(2 * at, "session/new", &self.new_session())?;
            let prompt = json!({"sessionId": answer["sessionId"], "prompt": [{"type": "text", "text": "Go"}]});
            running.ask(2 * at + 1, "session/prompt", &prompt)?;
        }
        Ok(megabytes(memory_of(running.child.id(), "VmRSS")? << 10))
    }

    fn new_session(&self) -> Value {
        json!({"cwd": self.home, "mcpServers": []})
    }
}

/// A program that communicates by lines of JSON. It is killed when this value is dropped.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    fn spawn(mut program: Command) -> Result<Self> {
        let program = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = program.spawn()?;
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().ok_or("no stdout")?),
            child,
        })
    }

    fn write(&mut self, line: &Value) -> Result {
        Ok(writeln!(self.stdin.as_mut().ok_or("no stdin")?, "{line}")?)
    }

    fn send(&mut self, id: u64, method: &str, params: &Value) -> Result {
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Result<Value> {
        self.send(id, method, params)?;
        self.answer(id)
    }

    fn answer(&mut self, id: u64) -> Result<Value> {
        let line = self.read(|line| line["id"] == id && line.get("method").is_none())?;
        match line.get("error") {
            Some(error) => Err(error.to_string().into()),
            None => Ok(line["result"].clone()),
        }
    }

    /// Reads lines until one of them fits.
    fn read(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Result<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.stdout.read_line(&mut line)? == 0 {
                return Err("it ended".into());
            }
            let line: Value = serde_json::from_str(&line)?;
            if fits(&line) {
                return Ok(line);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An agent ends its CLIs when its stdin ends, and so does the CLI itself.
        self.stdin = None;
        let mut rest = Vec::new();
        let _ = std::io::Read::read_to_end(&mut self.stdout, &mut rest);
        let _ = self.child.wait();
    }
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "a size")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The bytes of a file, or of all files in a folder.
fn size(path: &Path) -> Result<u64> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}
