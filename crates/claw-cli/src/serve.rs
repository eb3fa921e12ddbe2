//! `claw serve`: sessions for browsers and programs.

mod hosting;
mod notify;

use std::error::Error;
use std::io::{IsTerminal as _, Write as _};
use std::net::Ipv4Addr;
use std::path::Path;

use claw_client::pool::Pool;
use claw_client::transport::{create_private_file, raise_open_files};
use claw_client::types::QueryOptions;
use claw_client::types::options::PermissionMode;
use claw_server::{Project, PublicUrl, Server, ServerBuilder, Token};
use tokio::net::TcpListener;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::args::Serve;
use crate::options;
use crate::outcome::{Outcome, report};
use crate::store::{self, Opened};

/// The port to listen on, if no other is named.
const PORT: u16 = 8000;

/// The modes that may stand behind a project's folder.
const MODES: [&str; 6] = [
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "auto",
    "bypassPermissions",
];

impl Serve {
    pub(crate) async fn run(self) -> Outcome {
        let file = self.options.as_deref();
        let mut options = match file.map_or_else(|| Ok(QueryOptions::default()), options::read) {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        store::hide(&mut options);
        notify::hide(&mut options);
        let opened = match self.store.open("serve", Path::new(".")).await {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let builder = stored(Server::builder(), opened);
        if let Err(error) = raise_open_files() {
            anstream::eprintln!("claw: the limit of open files stays as it is: {error}");
        }
        let served = if self.hosting {
            self.host(builder, options).await
        } else {
            self.serve(builder, options).await
        };
        match served {
            Ok(()) => Outcome::Success,
            Err(error) => report(&*error, Outcome::NotStarted),
        }
    }

    async fn serve(
        self,
        builder: ServerBuilder,
        options: QueryOptions,
    ) -> Result<(), Box<dyn Error>> {
        let mut builder = builder
            .options(options)
            .pool(Pool::builder().processes(self.processes).build());
        let here = [".".to_owned()];
        let named = if self.projects.is_empty() {
            &here[..]
        } else {
            &self.projects
        };
        if named.len() > 1 && self.store.store_project.is_some() {
            return Err("--store-project names one project, and there are several".into());
        }
        for text in named {
            builder = builder.project(self.project(text)?);
        }
        for name in &self.allow_host {
            builder = builder.host(name);
        }
        if let Some(file) = &self.token_file {
            builder = builder.token(token(file)?);
        }
        let public = self.public_url.as_deref().map(public).transpose()?;
        if let Some(public) = &public {
            builder = builder.public_url(public.clone());
        }
        builder = self.notices.set(builder)?;
        log(self.log_requests);
        let server = builder.build()?;
        let listen = self.listen.unwrap_or((Ipv4Addr::LOCALHOST, PORT).into());
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let ended = ended()?;
        let origin = public.map_or_else(|| format!("http://{address}"), |url| url.to_string());
        let mut secrets = format!("Log in, once, with {origin}{}\n", server.login_path());
        if self.token_file.is_none() {
            let token = server.token().expose();
            secrets = format!("{secrets}Token for programs: {token}\n");
        }
        if self.print_secrets || std::io::stdout().is_terminal() {
            anstream::print!("{secrets}");
            return Ok(server.serve(listener, ended).await?);
        }
        let folder = server.hub().sessions().projects().with_file_name("claw");
        let file = folder.join(format!("serve-{}.login", address.port()));
        write_secrets(&file, &secrets)?;
        anstream::println!(
            "Listens on http://{address}. How to log in: {}",
            file.display()
        );
        let outcome = server.serve(listener, ended).await;
        // The secrets open nothing any more.
        let _ = std::fs::remove_file(&file);
        Ok(outcome?)
    }
}

/// Sets the store, if there is one.
fn stored(builder: ServerBuilder, opened: Option<Opened>) -> ServerBuilder {
    match opened {
        #[cfg(feature = "store")]
        Some(store) => builder.store(store.options()),
        #[cfg(not(feature = "store"))]
        Some(never) => match never {},
        None => builder,
    }
}

impl Serve {
    /// A project from `DIR` or `DIR=MODE`, with its name in the store.
    fn project(&self, text: &str) -> Result<Project, Box<dyn Error>> {
        let project = project(text)?;
        Ok(match &self.store.store_project {
            Some(name) => project.store_project(name),
            None => project,
        })
    }
}

fn project(text: &str) -> Result<Project, Box<dyn Error>> {
    let (folder, mode) = match text.rsplit_once('=') {
        Some((folder, mode)) if MODES.contains(&mode) => (folder, mode),
        _ => (text, "default"),
    };
    let project = Project::new(folder).map_err(|error| format!("the project {folder}: {error}"))?;
    Ok(project.mode(PermissionMode::from(mode)))
}

/// The address that proxies serve.
fn public(text: &str) -> Result<PublicUrl, Box<dyn Error>> {
    let url = PublicUrl::new(text);
    Ok(url.ok_or_else(|| format!("{text}: not an address such as https://claw.example.org"))?)
}

/// Writes a file that nobody else can read.
fn write_secrets(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    create_private_file(file)?.write_all(text.as_bytes())
}

/// Writes warnings, and requests if they are wanted, to stderr.
fn log(requests: bool) {
    let server = if requests {
        LevelFilter::INFO
    } else {
        LevelFilter::WARN
    };
    let targets = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("claw_server", server);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(std::io::stderr);
    // There is another one only if somebody else has set it: then it stays.
    let _ = tracing_subscriber::registry()
        .with(lines.with_filter(targets))
        .try_init();
}

/// The token in a file.
fn token(file: &Path) -> Result<Token, Box<dyn Error>> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let token = Token::new(text.trim());
    Ok(token.ok_or_else(|| format!("{name}: a token has 16 characters or more, and no spaces"))?)
}

/// Waits for Ctrl-C or, on Unix, SIGTERM. They are caught from now on.
#[cfg(unix)]
fn ended() -> std::io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
fn ended() -> std::io::Result<impl Future<Output = ()> + Send> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}
