//! The command line of `claw`. This module depends on clap alone, so that shell completions and man pages can be made
//! from it elsewhere.

#[path = "args/acp.rs"]
pub(crate) mod acp;
#[path = "args/audit.rs"]
pub(crate) mod audit;
#[path = "args/config.rs"]
pub(crate) mod config;
#[path = "args/config_dirs.rs"]
pub(crate) mod config_dirs;
#[path = "args/conform.rs"]
pub(crate) mod conform;
#[path = "args/examples.rs"]
mod examples;
#[path = "args/later.rs"]
mod later;
#[path = "args/notify.rs"]
pub(crate) mod notify;
#[path = "args/run.rs"]
pub(crate) mod run;
#[path = "args/sessions.rs"]
pub(crate) mod sessions;
#[path = "args/store.rs"]
pub(crate) mod store;
#[path = "args/users.rs"]
pub(crate) mod users;
#[path = "args/values.rs"]
pub(crate) mod values;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use self::config_dirs::ConfigDirs;
pub(crate) use self::later::Later;

/// The names of schemas.
pub(crate) const SCHEMAS: [&str; 10] = [
    "codegen",
    "dialect",
    "hooks",
    "meta",
    "options",
    "stdin",
    "stdout",
    "tools",
    "transcript",
    "view",
];

/// The shells for which completions are made.
pub(crate) const SHELLS: [&str; 4] = ["bash", "fish", "powershell", "zsh"];

/// The text below the list of commands.
const MORE: &str = "\
An option comes from the command line; or else from a variable, such as CLAW_MODEL for --model; or
else from the configuration file (`claw config`).

Exit codes (`claw run --help` lists more):
  0    success
  1    the turn ended with an error, or lines are invalid
  2    wrong usage
  3    claude could not be started, or a file could not be read
  4    the connection to claude broke off
  130  interrupted (`claw chat`: by a second Ctrl-C)

Examples:
  Ask one question about this directory:
    claw run 'What does this project do?'
  Find out why that does not work:
    claw doctor";

/// Run Claude Code from a shell.
#[derive(Parser)]
#[command(name = "claw", version, after_long_help = MORE)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Send one prompt, and print the answer.
    ///
    /// Only the answer goes to stdout; progress, tools and a summary go to stderr. If both are a terminal, the whole
    /// conversation is shown while it streams.
    ///
    /// Text that is piped in follows the prompt: `git diff | claw run 'Review this.'`. It may have up to 10 MiB. If no
    /// text has arrived after 3 seconds, the prompt is sent without it, unless --stdin is given.
    Run(Later<run::Run>),
    /// Talk with Claude Code at this terminal.
    ///
    /// Enter sends the prompt, also while claude works; Ctrl-J begins a new line; Tab completes names of commands and,
    /// after `@`, of files. Ctrl-C or Escape interrupts the turn. A second Ctrl-C leaves, and so does Ctrl-D. Lines may
    /// also come from a pipe.
    Chat(Later<Chat>),
    /// Show what a session looks like. A scripted stand-in plays claude.
    Demo(Later<Demo>),
    /// Show a recorded session or a transcript.
    ///
    /// FILE is a folder written by --record, a file with the output of claude, or a session's .jsonl; `-` is stdin. For
    /// a folder, prompts are shown too.
    Show(Later<Show>),
    /// Check a recorded session or a transcript for defects.
    ///
    /// Checks each line, and the order of the lines. Each defect is printed with its line. Notes report kinds and
    /// fields that claw does not know, which a newer CLI may have; they are not defects.
    Check(Later<Check>),
    /// Test an SDK in any language with the conformance suite.
    ///
    /// COMMAND starts the testee: a small program that reads one case as a line of JSON, uses the SDK, and writes what
    /// its user sees. The SDK starts a scripted stand-in in place of claude. The page docs/sdk-authors.md describes the
    /// lines. Needs Unix.
    Conform(Later<conform::Conform>),
    /// Look at a recorded session or a transcript, or write it as an HTML page.
    ///
    /// Without a page, shows the session as `claw show` does.
    View(Later<View>),
    /// List, search, change and export the sessions on disk, and count their costs.
    Sessions(Later<Sessions>),
    /// Copy the sessions of a store into another one.
    Store(Later<Stores>),
    /// Run sessions for browsers and programs (REST, server-sent events, WebSocket).
    ///
    /// Prints a link that logs one browser in. Warnings go to stderr. Ctrl-C ends the server: running turns may finish
    /// for 20 seconds.
    Serve(Later<Serve>),
    /// Add, list and remove the users of `claw serve`.
    ///
    /// A running server accepts a new user with the next request, and a removed one no more.
    Users(Later<Users>),
    /// Print the audit log of `claw serve`.
    ///
    /// A line has the time, the user, the address, the project, the session, the action, and what was done or why it was
    /// refused.
    Audit(Later<audit::Audit>),
    /// Be the agent that an editor such as Zed starts (Agent Client Protocol).
    ///
    /// The editor starts this command, communicates with it over stdin and stdout, and ends it by closing stdin. All
    /// processes of claude end with it. Messages for people go to stderr.
    Acp(Later<acp::Acp>),
    /// Print a JSON Schema of claude's protocol, or check lines against it.
    Schema(Later<Schema>),
    /// Print a script that completes claw's command line in a shell.
    Completions(Later<Completions>),
    /// Show and change the defaults of options.
    ///
    /// They are kept in a configuration file, in TOML. Keys have the names of the options, without `--`. A key in the
    /// table of a command (`[run]`, `[chat]`, `[serve]`, `[sessions]`, `[acp]`) is for this command, and takes precedence over a
    /// key above all tables. Options that may contain secrets have no key.
    Config(Later<Config>),
    /// Find out why claude does not work, and how to repair it.
    ///
    /// Checks claude, its version and login, settings files, folders and the proxy. Exit code 1 if something is wrong.
    Doctor(Later<Doctor>),
}

/// The command line with the arguments of all commands. In `Cli::command()`, a command has its arguments only after it was
/// called.
#[allow(
    dead_code,
    reason = "a build without `terminal` needs the called command alone"
)]
pub(crate) fn command() -> clap::Command {
    later::at_once(Cli::command)
}

#[derive(Args)]
pub(crate) struct Demo {
    /// Deny the tool use that the stand-in requests.
    #[arg(long)]
    pub(crate) deny: bool,
}

#[derive(Args)]
pub(crate) struct Check {
    /// A folder written by --record, a file with the output of claude, or a session's .jsonl; `-` is stdin.
    pub(crate) file: PathBuf,
    /// Accept missing parents, for transcripts from which lines were removed.
    #[arg(long)]
    pub(crate) gaps: bool,
}

#[derive(Args)]
pub(crate) struct View {
    /// A folder written by --record, a file with the output of claude, or a session's .jsonl; `-` is stdin.
    #[arg(required_unless_present = "html")]
    pub(crate) file: Option<PathBuf>,
    /// The page to write; `-` is stdout. The page is a single file, needs no network, and runs no script.
    #[arg(long, short, value_name = "PAGE")]
    pub(crate) output: Option<PathBuf>,
    /// FILE, of which a page is written.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "file",
        requires = "output"
    )]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Schema {
    /// stdout: lines that claude writes; stdin: lines that claude reads; options; hooks; tools; transcript: entries
    /// of a session's file; dialect: older forms of lines; view: elements to draw; codegen: all definitions, for
    /// code generation; meta: the list of kinds.
    #[arg(value_parser = PossibleValuesParser::new(SCHEMAS))]
    pub(crate) name: String,
    /// Validate each line of this file; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) check: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_parser = PossibleValuesParser::new(SHELLS))]
    pub(crate) shell: String,
}

#[derive(Args)]
pub(crate) struct Doctor {
    /// Connect to the API too, through the proxy if there is one. No request is sent to it.
    #[arg(long)]
    pub(crate) network: bool,
    /// Print the checks as a JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config_dirs: ConfigDirs,
}

#[derive(Args)]
pub(crate) struct Sessions {
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) config_dirs: ConfigDirs,
    #[command(subcommand)]
    pub(crate) command: sessions::Command,
}

#[derive(Args)]
pub(crate) struct Stores {
    #[command(subcommand)]
    pub(crate) command: store::Command,
}

#[derive(Args)]
pub(crate) struct Users {
    #[command(subcommand)]
    pub(crate) command: users::Command,
}

#[derive(Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) command: config::Config,
}

#[derive(Args)]
pub(crate) struct Serve {
    /// A folder in which sessions may run, and their permission mode, such as `shop=acceptEdits`. May be given several
    /// times. Default: the current folder.
    #[arg(long = "project", value_name = "DIR[=MODE]")]
    pub(crate) projects: Vec<String>,
    /// The address to listen on. Addresses other than loopback need --token-file or --phone. Default: 127.0.0.1:8000.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<std::net::SocketAddr>,
    /// Give the devices in the local network access: listen there, show its addresses and a QR code that logs a phone
    /// in, and allow only these addresses. With --listen, use that address or port.
    /// The connections have TLS, with an authority of this machine that each device installs once.
    #[arg(long, conflicts_with_all = ["hosting", "public_url"])]
    pub(crate) phone: bool,
    /// With --phone: serve HTTP. Everyone who can intercept traffic in the network can read what is sent, and browsers
    /// allow no notifications.
    #[arg(long, requires = "phone", conflicts_with = "tls_cert")]
    pub(crate) no_tls: bool,
    /// A file with the token that programs send as `Authorization: Bearer`. Default: a new token.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Give the users in this file access, with the rights of their roles. `claw users` adds and removes them, also while
    /// the server runs. The token of the server remains that of its owner. Default: there are no users.
    #[arg(long, value_name = "FILE", conflicts_with = "hosting")]
    pub(crate) users: Option<PathBuf>,
    /// The header in which a proxy names the user of a request, such as `X-Forwarded-Email`. It is accepted only from the
    /// addresses of --trusted-proxy, and only if it is the name of a user.
    #[arg(
        long,
        value_name = "NAME",
        requires = "trusted_proxy",
        conflicts_with = "hosting"
    )]
    pub(crate) user_header: Option<String>,
    /// An address of the proxy that sets the header, or a range such as `10.0.0.0/8`. Every program at such an address can
    /// be any user. May be given several times.
    #[arg(long, value_name = "ADDRESS", requires = "user_header")]
    pub(crate) trusted_proxy: Vec<String>,
    /// Append a line of JSON to this file for each prompt, answer, change, login and deletion, before it is carried out,
    /// and for each that is refused. What cannot be recorded is refused. `claw audit` prints the file.
    #[arg(long, value_name = "FILE", conflicts_with = "hosting")]
    pub(crate) audit: Option<PathBuf>,
    /// Serve HTTPS with the certificate in this file, in PEM, followed by those of the authorities between it and the root.
    /// The file is read again when it changes.
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        conflicts_with = "advertise"
    )]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM and without a password. Other users must not be able to read the file.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// A name, besides those of loopback, at which the server accepts requests. May be given several times.
    #[arg(long, value_name = "NAME", value_parser = values::host_name)]
    pub(crate) allow_host: Vec<String>,
    /// The address at which browsers reach the server through a reverse proxy, such as `https://claw.example.org`, or
    /// `https://example.org/agents` if the proxy serves it under a path.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Serve only Anthropic's hosting contract: `GET /health` and `POST /sessions/ID/messages`, for one project. Reads
    /// `MODEL`, `PORT` and `AGENT_AUTH_TOKEN` from the environment. With a token or --behind-gateway, the default of
    /// --listen is all addresses of the machine.
    #[arg(long, conflicts_with_all = ["allow_host", "public_url", "print_secrets"])]
    pub(crate) hosting: bool,
    /// With --hosting: only a gateway reaches the server, and lets only a session's owner use the session. Then no
    /// token is needed.
    #[arg(long, requires = "hosting")]
    pub(crate) behind_gateway: bool,
    /// Print the login link and the token even if the output is not a terminal, such as a journal. Default: they are
    /// written to a file that only the user can read, and its name is printed.
    #[arg(long)]
    pub(crate) print_secrets: bool,
    /// Write a line for each request to stderr, without its query.
    #[arg(long)]
    pub(crate) log_requests: bool,
    /// The form of the log on stderr. `json` is one object for each line. `RUST_LOG` in the environment sets its levels,
    /// such as `info` or `warn,claw_server=debug`. Default of the levels: warn.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = values::LogFormat::Text)]
    pub(crate) log_format: values::LogFormat,
    /// Export traces to this collector of OpenTelemetry, by OTLP over HTTP, such as `http://127.0.0.1:4318`. Headers for
    /// it are taken from `OTEL_EXPORTER_OTLP_HEADERS`.
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// The maximum number of claude processes.
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = values::processes())]
    pub(crate) processes: usize,
    /// Estimate costs at the prices in this JSON file, which has the form of `claw sessions usage --prices`. Default: the
    /// prices that claw is shipped with.
    #[arg(long, value_name = "FILE", conflicts_with = "hosting")]
    pub(crate) prices: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) notices: notify::Notices,
    #[command(flatten)]
    pub(crate) config_dirs: ConfigDirs,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Be one of several hosts with the same --store, behind any load balancer. URL is the address at which the other
    /// hosts reach this one, such as `http://10.0.0.5:8000`. All hosts have the same key in `CLAW_CLUSTER_KEY` or
    /// --cluster-key-file, and the same --token-file.
    #[arg(long, value_name = "URL", conflicts_with_all = ["hosting", "phone"])]
    pub(crate) advertise: Option<String>,
    /// A file with the key that the hosts share, of 32 characters or more. Default: the environment's
    /// `CLAW_CLUSTER_KEY`.
    #[arg(long, value_name = "FILE", requires = "advertise")]
    pub(crate) cluster_key_file: Option<PathBuf>,
    /// How many seconds the claim of a session lasts if its host does not renew it. If a host dies, its sessions wait
    /// this long for another host. A host that cannot reach the store for four fifths of this time ends its sessions.
    /// Default: 15.
    #[arg(long, value_name = "SECONDS", requires = "advertise", value_parser = clap::value_parser!(u64).range(2..=600))]
    pub(crate) claim_ttl: Option<u64>,
    /// End the process of a session whose permission request was not answered for this many seconds. The request is
    /// kept in the store, and waits without a time limit. Its answer, at any host, continues the session.
    #[arg(long, value_name = "SECONDS", requires = "advertise", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) defer_after: Option<u64>,
    /// Delete sessions that were not changed for this time, such as `90d` or `12h`, on the disk and in the store.
    /// Sessions in use stay. Default: sessions are kept until somebody deletes them.
    #[arg(long, value_name = "TIME", value_parser = values::age)]
    pub(crate) keep: Option<std::time::Duration>,
    /// Copy a session into this folder before --keep deletes it. `claw sessions list --config-dir FOLDER` reads it.
    #[arg(long, value_name = "FOLDER", requires = "keep")]
    pub(crate) archive: Option<PathBuf>,
    /// If a turn ends at a usage limit of the login that is reset within this many hours, wait for the reset and send
    /// the prompt again. The session shows until when it waits; stopping it takes the prompt back. Default: the turn
    /// fails.
    #[arg(long, value_name = "HOURS", conflicts_with = "hosting", value_parser = clap::value_parser!(u64).range(1..=168))]
    pub(crate) wait_for_limit: Option<u64>,
    /// Read options from a JSON file, in the form that `claw schema options` prints.
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// Give claude and the programs that it runs only those variables of this environment that programs need (such as
    /// `PATH`, `HOME`, `LANG` and those of proxies), `ANTHROPIC_*`, `CLAUDE_*`, and the ones that are named here. A `*`
    /// at the end of a name stands for any text. Default: all variables except those of claw itself.
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "", value_delimiter = ',')]
    pub(crate) only_env: Option<Vec<String>>,
    /// Run claude in a sandbox: behind the command that this TOML file names for each project, such as bwrap, podman or
    /// ssh. docs/deploying/walls.md has tested rows. Default: claude runs as the user of the server.
    #[arg(long, value_name = "FILE", conflicts_with = "hosting")]
    pub(crate) walls: Option<PathBuf>,
    /// Do not listen on the Unix socket by which `claw chat` of the same user joins this server. With --walls and
    /// --hosting, there is none. Windows has none.
    #[arg(long)]
    pub(crate) no_socket: bool,
    /// Limit what users and projects use: processes, live sessions, turns within an hour, waiting prompts, and the cost of a
    /// day and a month, as the rows of this TOML file have it. docs/deploying/limits.md describes them. Default: there are no such limits.
    #[arg(long, value_name = "FILE", conflicts_with = "hosting")]
    pub(crate) limits: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Chat {
    /// Resume the conversation with this ID. Without an ID, choose from a list of this folder's conversations.
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "the outer is whether the flag stands there, the inner its value"
    )]
    pub(crate) resume: Option<Option<String>>,
    /// Continue the last conversation in this directory.
    #[arg(long = "continue", conflicts_with = "resume")]
    pub(crate) go_on: bool,
    /// Whether the conversation runs in the `claw serve` of this user, and is on its page too. `auto`: if one runs, this
    /// folder is that of a project, and no option is given that the server does not take. `always`, or --attach alone:
    /// this folder may also be below that of a project, and without a server it is an error. `never`: in a process of its own.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always", default_value = "auto")]
    pub(crate) attach: Attach,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

/// When a conversation runs in a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Attach {
    Auto,
    Always,
    Never,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The recording or transcript.
    pub(crate) file: PathBuf,
    /// Print the elements, one JSON object a line. With --follow, print the changes.
    #[arg(long)]
    pub(crate) json: bool,
    /// Continue while the file grows: until Ctrl-C, or for a folder until its session ends. A file that is truncated or
    /// replaced is shown from its beginning.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Show the branches that were rewound, each below its line. They are no longer in the conversation.
    #[arg(long)]
    pub(crate) rewound: bool,
    /// The maximum width of lines. Default: the width of the terminal, or unlimited without one.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,
}

/// The heading of options about the store.
const STORE: &str = "Store";
/// The heading of options with which claude is started.
const CLAUDE: &str = "Claude";
/// The heading of options for recordings.
const RECORDING: &str = "Recording";

/// The store of sessions.
#[derive(Args, Clone)]
#[expect(clippy::struct_field_names, reason = "they are the names of the flags")]
pub(crate) struct Store {
    /// Keep sessions in this store too, and resume them from there on any host: a folder, or a URL such as
    /// `postgres://claw@db.internal/claw`. `claw sessions` shows and changes what is in the store. A URL with a
    /// password belongs into the environment, as `CLAW_STORE`, or into a file for --store-file.
    #[arg(long, value_name = "URL", global = true, help_heading = STORE)]
    pub(crate) store: Option<String>,
    /// Read the URL of the store from this file.
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "store", help_heading = STORE)]
    pub(crate) store_file: Option<PathBuf>,
    /// The name of the project in the store. Default: the name that claude gives to the folder of the working
    /// directory.
    #[arg(long, value_name = "NAME", global = true, help_heading = STORE)]
    pub(crate) store_project: Option<String>,
}

/// The options with which claude is started.
#[derive(Args)]
pub(crate) struct Setup {
    #[command(flatten)]
    pub(crate) store: Store,
    #[command(flatten)]
    pub(crate) config_dirs: ConfigDirs,
    /// Read options from a JSON file, in the form that `claw schema options` prints. Flags take precedence.
    #[arg(long, value_name = "FILE", help_heading = CLAUDE)]
    pub(crate) options: Option<PathBuf>,
    /// The model, by name or alias, such as `opus`.
    #[arg(long, value_name = "NAME", help_heading = CLAUDE)]
    pub(crate) model: Option<String>,
    /// The directory in which claude works. Default: this one.
    #[arg(long, value_name = "FOLDER", help_heading = CLAUDE)]
    pub(crate) cwd: Option<PathBuf>,
    /// What tools may do without asking.
    #[arg(long, value_name = "MODE", value_parser = PossibleValuesParser::new(values::MODES), help_heading = CLAUDE)]
    pub(crate) permission_mode: Option<String>,
    /// Tools that are allowed without asking, separated by commas, such as `Read,Grep`.
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', help_heading = CLAUDE)]
    pub(crate) allowed_tools: Option<Vec<String>>,
    /// End claude when it has been silent for this many seconds in the middle of a turn, or while a hook runs at the
    /// start. A running tool or an unanswered question does not count as silence. 0 for no limit.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, help_heading = CLAUDE)]
    pub(crate) stall: u64,
    /// If a turn ends at a usage limit of the login that is reset within this many hours, wait for the reset and send
    /// the prompt again, once. Ctrl-C ends the wait. Default: the turn fails.
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u64).range(1..=168), help_heading = CLAUDE)]
    pub(crate) wait_for_limit: Option<u64>,
    /// Record everything between claw and claude into this folder. Secrets are not masked.
    #[arg(long, value_name = "FOLDER", help_heading = RECORDING)]
    pub(crate) record: Option<PathBuf>,
    /// Replay a recording of the same prompts from this folder, instead of starting claude.
    #[arg(long, value_name = "FOLDER", conflicts_with = "record", help_heading = RECORDING)]
    pub(crate) replay: Option<PathBuf>,
}

#[cfg(test)]
#[path = "args/tests.rs"]
mod tests;
