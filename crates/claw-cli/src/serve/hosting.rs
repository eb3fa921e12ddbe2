//! `claw serve --hosting`: serves Anthropic's hosting contract.

use std::env::{self, VarError};
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use claw_client::pool::Pool;
use claw_client::types::QueryOptions;
use claw_server::{Hosting, ServerBuilder, Token};
use tokio::net::TcpListener;

use super::{PORT, token};
use crate::args::Serve;

/// The environment variable with the token.
const TOKEN: &str = "AGENT_AUTH_TOKEN";

impl Serve {
    pub(super) async fn host(
        self,
        builder: ServerBuilder,
        options: QueryOptions,
    ) -> Result<(), Box<dyn Error>> {
        let mut project = match &self.projects[..] {
            [] => self.project(".")?,
            [one] => self.project(one)?,
            _ => return Err("--hosting serves one project".into()),
        };
        if let Some(model) = variable("MODEL")? {
            project = project.model(model);
        }
        let mut hosting = Hosting::new(project.name.clone());
        if self.behind_gateway {
            hosting = hosting.behind_gateway();
        }
        let token = match &self.token_file {
            Some(file) => Some(token(file)?),
            None => own_token()?,
        };
        let is_open = self.behind_gateway || token.is_some();
        if let Some(token) = token {
            hosting = hosting.token(token);
        }
        let listen = match self.listen {
            Some(listen) => listen,
            None => SocketAddr::new(
                if is_open {
                    Ipv4Addr::UNSPECIFIED.into()
                } else {
                    Ipv4Addr::LOCALHOST.into()
                },
                port()?,
            ),
        };
        if !is_open && !listen.ip().is_loopback() {
            let text = "a server that other machines can reach needs a token or a gateway";
            let how = format!("set {TOKEN}, or add --token-file or --behind-gateway");
            return Err(format!("--listen {listen}: {text}: {how}").into());
        }
        let tls = self.own_tls()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let builder = match tls {
            Some(tls) => builder.tls(tls),
            None => builder,
        };
        let server = builder
            .project(project)
            .options(options)
            .pool(Pool::builder().processes(self.processes).build())
            .build()?;
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|error| format!("{listen}: {error}"))?;
        let ended = crate::signals::ended()?;
        anstream::println!("Listens on {scheme}://{}", listener.local_addr()?);
        Ok(server.serve_hosting(&hosting, listener, ended).await?)
    }
}

/// Returns the value of an environment variable. Fails if the value is not text.
pub(super) fn variable(name: &str) -> Result<Option<String>, Box<dyn Error>> {
    match env::var(name) {
        Ok(text) => Ok(Some(text)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(format!("{name} is not text").into()),
    }
}

/// Returns the token in the environment. Fails if the variable is set but empty, because the user then wanted to set a
/// secret.
fn own_token() -> Result<Option<Token>, Box<dyn Error>> {
    let Some(text) = variable(TOKEN)? else {
        return Ok(None);
    };
    let token = Token::new(text);
    let token =
        token.ok_or_else(|| format!("{TOKEN}: a token has 16 characters or more, and no spaces"));
    Ok(Some(token?))
}

fn port() -> Result<u16, Box<dyn Error>> {
    let Some(text) = variable("PORT")? else {
        return Ok(PORT);
    };
    Ok(text
        .parse()
        .map_err(|_| format!("PORT: {text:?} is not a port"))?)
}
