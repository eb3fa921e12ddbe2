//! `claw serve`: sessions for browsers and programs.

use std::error::Error;
use std::path::Path;

use claw_client::pool::Pool;
use claw_client::types::QueryOptions;
use claw_client::types::options::PermissionMode;
use claw_server::{Project, Server, Token};
use tokio::net::TcpListener;

use crate::args::Serve;
use crate::options;
use crate::outcome::{Outcome, report};

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
        let options = match file.map_or_else(|| Ok(QueryOptions::default()), options::read) {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        match self.serve(options).await {
            Ok(()) => Outcome::Success,
            Err(error) => report(&*error, Outcome::NotStarted),
        }
    }

    async fn serve(self, options: QueryOptions) -> Result<(), Box<dyn Error>> {
        let mut builder = Server::builder()
            .options(options)
            .pool(Pool::builder().processes(self.processes).build());
        let here = [".".to_owned()];
        let named = if self.projects.is_empty() {
            &here[..]
        } else {
            &self.projects
        };
        for text in named {
            builder = builder.project(project(text)?);
        }
        for name in &self.allow_host {
            builder = builder.host(name);
        }
        if let Some(file) = &self.token_file {
            builder = builder.token(token(file)?);
        }
        let server = builder.build()?;
        let listener = TcpListener::bind(self.listen).await?;
        let address = listener.local_addr()?;
        let ended = ended()?;
        anstream::println!("Log in, once, with http://{address}{}", server.login_path());
        if self.token_file.is_none() {
            anstream::println!("Token for programs: {}", server.token().expose());
        }
        Ok(server.serve(listener, ended).await?)
    }
}

/// A project from `DIR` or `DIR=MODE`.
fn project(text: &str) -> Result<Project, Box<dyn Error>> {
    let (folder, mode) = match text.rsplit_once('=') {
        Some((folder, mode)) if MODES.contains(&mode) => (folder, mode),
        _ => (text, "default"),
    };
    let project = Project::new(folder).map_err(|error| format!("the project {folder}: {error}"))?;
    Ok(project.mode(PermissionMode::from(mode)))
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
