//! The program `claw-restate`: a worker.
#![forbid(unsafe_code)]
#![expect(clippy::doc_markdown, reason = "the help is no markdown")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program prints"
)]

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use claw_client::store::{StoreOptions, open, project_name};
use claw_cluster::{ClusterKey, HostUrl};
use claw_restate::{Limits, Worker};
use claw_types::QueryOptions;
use tokio::net::TcpListener;

/// Runs turns of Claude Code that Restate gives to it.
///
/// Several workers stand behind a proxy for HTTP/2, with one store. The guide "Durable execution with Restate" shows how.
#[derive(Parser)]
#[command(version, args_override_self = true)]
struct Args {
    /// Listen on this address, for Restate and the other workers.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9080")]
    listen: String,
    /// The address at which the other workers reach this one, such as http://10.0.0.5:9080. [default: that of --listen]
    #[arg(long, value_name = "URL")]
    advertise: Option<String>,
    /// The store: a folder, or a URL. One with a password belongs in CLAW_STORE.
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// The name of the project in the store. [default: the name of the working directory]
    #[arg(long, value_name = "NAME")]
    store_project: Option<String>,
    /// How long a worker that died keeps its sessions, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    ttl: u64,
    /// Read the key that the workers share from this file. [default: CLAW_CLUSTER_KEY]
    #[arg(long, value_name = "FILE")]
    cluster_key_file: Option<PathBuf>,
    /// Take only requests that Restate has signed with this key (publickeyv1_…). May be repeated.
    #[arg(long, value_name = "KEY")]
    identity_key: Vec<String>,
    /// Read the options of claude from a JSON file, in the form that `claw schema options` prints.
    #[arg(long, value_name = "FILE")]
    options: Option<PathBuf>,
    /// How many turns run at once.
    #[arg(long, value_name = "N", default_value_t = 4)]
    processes: usize,
    /// How long a turn may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 12 * 3600, value_parser = clap::value_parser!(u64).range(1..))]
    turn_limit: u64,
    /// How long a permission request waits for `answer`, without a process, in seconds. [default: it is refused at once]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    answer_limit: Option<u64>,
    /// How often a turn may be begun.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    attempts: u32,
    /// How long turns may continue when the worker is asked to end, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    drain: u64,
}

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into()),
        )
        .with_writer(io::stderr)
        .init();
    let runtime = tokio::runtime::Runtime::new();
    let done = runtime
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(run(Args::parse())));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let options = options(&args)?;
    let key = key(&args)?;
    let store = match args.store.or_else(|| std::env::var("CLAW_STORE").ok()) {
        Some(url) => {
            let schemes = [claw_store_postgres::SCHEME, claw_store_redis::SCHEME];
            open(&url, &schemes).await?
        }
        None => return Err("a worker needs a store: --store, or CLAW_STORE".into()),
    };
    let store = StoreOptions::from(store).ttl(Duration::from_secs(args.ttl));
    let project = match args.store_project {
        Some(project) => project,
        None => project_name(options.cwd.as_deref().unwrap_or_else(|| ".".as_ref())),
    };
    let listener = TcpListener::bind(&args.listen)
        .await
        .map_err(|error| format!("--listen {}: {error}", args.listen))?;
    let here = listener.local_addr()?;
    let advertise = args.advertise.unwrap_or_else(|| format!("http://{here}"));
    let address = HostUrl::new(&advertise).ok_or_else(|| {
        format!("--advertise {advertise}: not an address such as http://10.0.0.5:9080")
    })?;
    let mut limits = Limits::default();
    limits.processes = args.processes;
    limits.turn = Duration::from_secs(args.turn_limit);
    limits.attempts = args.attempts;
    limits.answer = args.answer_limit.map(Duration::from_secs);
    limits.drain = Duration::from_secs(args.drain);
    let worker = Worker::new(options, store, project, address, key, limits)?;
    println!("Listens on {here}");
    worker
        .serve(listener, &args.identity_key, shutdown_signal())
        .await?;
    Ok(())
}

/// Returns the options for claude.
fn options(args: &Args) -> Result<QueryOptions, Box<dyn Error>> {
    Ok(match &args.options {
        Some(file) => {
            let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
            let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
            serde_json::from_str(&text).map_err(|error| wrong(&error))?
        }
        None => QueryOptions::default(),
    })
}

fn key(args: &Args) -> Result<ClusterKey, Box<dyn Error>> {
    let (from, text) = if let Some(file) = &args.cluster_key_file {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
        (name, text)
    } else {
        let text = std::env::var("CLAW_CLUSTER_KEY").unwrap_or_default();
        ("CLAW_CLUSTER_KEY".to_owned(), text)
    };
    let key = ClusterKey::new(text.trim());
    key.ok_or_else(|| {
        format!("{from}: the key that the workers share has 32 characters or more, and no spaces (openssl rand -hex 32)")
            .into()
    })
}

/// Waits for SIGTERM or Ctrl-C.
async fn shutdown_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = term.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
