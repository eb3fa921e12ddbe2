//! `claw serve`: serves sessions to browsers and programs.

mod cluster;
mod hosting;
mod limits;
mod log;
mod network;
mod notify;
mod only_env;
mod phone;
#[cfg(unix)]
mod socket;
mod tailscale;
mod tls;
mod walls;

use std::error::Error;
use std::io::{IsTerminal as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use claw_client::pool::Pool;
use claw_client::transport::{create_private_file, raise_open_files, return_large_blocks};
use claw_client::types::QueryOptions;
use claw_client::types::options::PermissionMode;
use claw_server::{
    Audit, Otlp, Prices, Project, PublicUrl, Server, ServerBuilder, Token, TrustedProxy, Users,
};
use claw_sessions::Sessions;
use tokio::net::TcpListener;

use crate::args::{Serve, values::MODES};
use crate::outcome::{Outcome, report};
use crate::store::Opened;
use crate::{options, signals};

/// The environment variable with the headers for a collector of traces.
const OTLP_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// The port to listen on by default.
const PORT: u16 = 8000;

impl Serve {
    pub(crate) async fn run(self) -> Outcome {
        if let Err(error) = log::start(self.log_format, self.log_requests, self.phone) {
            return report(&*error, Outcome::NotStarted);
        }
        let file = self.options.as_deref();
        let mut options = match file.map_or_else(|| Ok(QueryOptions::default()), options::read) {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        if let Some(names) = &self.only_env {
            let host = std::env::vars_os().map(|(name, _)| name);
            if let Err(error) = only_env::keep_only(names, host, &mut options) {
                return report(&*error, Outcome::NotStarted);
            }
        }
        let sessions = match self.config_dirs.of_command(&options) {
            Ok(sessions) => sessions,
            Err(outcome) => return outcome,
        };
        let opened = match self.store.open("serve", Path::new(".")).await {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let has_store = opened.is_some();
        let of_user = || Sessions::of_user();
        let folder = sessions.clone().map_or_else(of_user, Ok);
        let folder = folder.map(|sessions| sessions.projects().with_file_name("claw"));
        let builder = stored(Server::builder(), opened, self.claim_ttl, sessions.as_ref());
        let builder = match sessions {
            Some(sessions) => builder.sessions(sessions),
            None => builder,
        };
        let builder = match cluster::set(&self, has_store, builder) {
            Ok(builder) => builder,
            Err(error) => return report(&*error, Outcome::NotStarted),
        };
        let builder = match traced(self.otlp.as_deref(), builder) {
            Ok(builder) => builder,
            Err(error) => return report(&*error, Outcome::NotStarted),
        };
        return_large_blocks();
        if let Err(error) = raise_open_files() {
            anstream::eprintln!("claw: the limit of open files stays as it is: {error}");
        }
        let served = if self.hosting {
            self.host(builder, options).await
        } else {
            self.serve(builder, options, folder).await
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
        folder: Result<PathBuf, claw_sessions::Error>,
    ) -> Result<(), Box<dyn Error>> {
        let mut builder = builder
            .options(options)
            .pool(Pool::builder().processes(self.processes).build());
        if let Some(hours) = self.wait_for_limit {
            builder =
                builder.limits(|limits| limits.limit_wait = Some(Duration::from_hours(hours)));
        }
        if self.keep.is_some() {
            builder = builder.limits(|limits| {
                limits.keep = self.keep;
                limits.archive = self
                    .archive
                    .as_ref()
                    .map(|folder| Arc::new(claw_store::FsStore::new(folder)) as _);
            });
        }
        let here = [".".to_owned()];
        let named = if self.projects.is_empty() {
            &here[..]
        } else {
            &self.projects
        };
        if named.len() > 1 && self.store.store_project.is_some() {
            return Err("--store-project names one project, and there are several".into());
        }
        let projects = named.iter().map(|text| self.project(text));
        let mut projects = projects.collect::<Result<Vec<_>, _>>()?;
        if let Some(file) = &self.walls {
            walls::apply(file, &mut projects)?;
        }
        let users = self.users.as_ref().map(Users::open).transpose()?;
        if let Some(file) = &self.limits {
            let users = users.as_ref().map(Users::list);
            builder = builder.quotas(limits::read(file, &projects, users.as_deref())?);
        }
        for project in projects {
            builder = builder.project(project);
        }
        for name in &self.allow_host {
            builder = builder.host(name);
        }
        if let Some(file) = &self.prices {
            builder = builder.prices(Prices::from_file(file)?);
        }
        if let Some(file) = &self.token_file {
            builder = builder.token(token(file)?);
        }
        if let Some(users) = users {
            builder = builder.users(users);
        }
        if let Some(header) = &self.user_header {
            let addresses = self.trusted_proxy.iter().map(String::as_str);
            builder = builder.trusted_proxy(TrustedProxy::new(header, addresses)?);
        }
        if let Some(file) = &self.audit {
            let audit = Audit::open(file);
            let audit = audit.map_err(|error| format!("--audit {}: {error}", file.display()))?;
            builder = builder.audit(audit);
        }
        let public = self.public_url.as_deref().map(public).transpose()?;
        if let Some(public) = &public {
            builder = builder.public_url(public.clone());
        }
        builder = self.notices.set(builder)?;
        let own = self.own_tls()?;
        let is_https = own.is_some() || (self.phone && !self.no_tls);
        let scheme = if is_https { "https" } else { "http" };
        let (listener, listening) = self.listen().await?;
        let address = listener.local_addr()?;
        let mut addresses = Vec::new();
        for address in &listening {
            addresses.push(self::public(&format!("{scheme}://{address}"))?);
        }
        let mut authority = None;
        let mut name = self
            .allow_host
            .first()
            .filter(|_| self.phone && own.is_some())
            .cloned();
        match own {
            Some(tls) => builder = builder.tls(tls),
            None if is_https => {
                let folder = folder?.join("tls");
                let made = Box::pin(self.tls_for_devices(&folder, &listening)).await?;
                builder = builder.tls(made.tls);
                name = made.name;
                authority = Some((made.authority, made.fingerprint, made.reason));
            }
            None => {}
        }
        // The user's own certificate and that of Tailscale are valid for a name. The address with
        // this name comes first.
        if let Some(name) = name {
            addresses.insert(
                0,
                self::public(&format!("https://{name}:{}", address.port()))?,
            );
        }
        let follows = self.phone && address.ip().is_unspecified();
        let fixed = addresses.len() - if follows { listening.len() } else { 0 };
        for url in &addresses[..fixed] {
            builder = builder.device_url(url.clone());
        }
        if follows {
            let port = address.port();
            builder = builder.changing_device_urls(move || network::urls(scheme, port));
        }
        if self.phone && self.token_file.is_none() {
            builder = builder.token(Token::random());
        }
        let server = builder.build()?;
        #[cfg(unix)]
        let socket = self.has_socket().then(|| socket::bind(&server)).flatten();
        let ended = signals::ended()?;
        let origin = match (public, addresses.first()) {
            (Some(url), _) => url.to_string(),
            (None, Some(url)) => url.to_string(),
            (None, None) => self.origin(scheme, address),
        };
        let link = format!("{origin}{}", server.login_path());
        let token = self.token_file.is_none();
        let token = token.then(|| server.token().expose().to_owned());
        let mut secrets = format!("Log in, once, with {link}\n");
        if let Some(token) = &token {
            secrets = format!("{secrets}Token for programs: {token}\n");
        }
        let is_shown = self.print_secrets || std::io::stdout().is_terminal();
        let folder = server.hub().sessions().projects().with_file_name("claw");
        let file = folder.join(format!("serve-{}.login", address.port()));
        if is_shown {
            // With --phone, the secrets are printed last, so that they are visible on the screen.
            if !self.phone {
                anstream::print!("{secrets}");
            }
        } else {
            write_secrets(&file, &secrets)?;
            anstream::println!("Listens on {origin}. How to log in: {}", file.display());
        }
        let about = async {
            if self.phone {
                for url in &addresses[1..] {
                    anstream::println!("Also at {url}");
                }
                anstream::print!("{}", phone::projects(server.hub()));
                anstream::print!("{}", phone::cli(&server.cli().await));
                if !is_https {
                    anstream::println!(
                        "There is no TLS: whoever listens in this network can read what is sent."
                    );
                }
                // The address of the page that sets a new device up. This page has no TLS, and
                // contains no secret.
                let setup = listening.first().filter(|_| authority.is_some());
                let setup = setup.map(|address| format!("http://{address}"));
                if let Some((authority, fingerprint, reason)) = &authority {
                    let text = phone::authority(authority, fingerprint, reason.as_deref());
                    anstream::print!("{text}");
                }
                if is_shown {
                    let secrets = phone::secrets(&link, token.as_deref(), setup.as_deref());
                    anstream::print!("{secrets}");
                } else if let Some(setup) = &setup {
                    anstream::print!("{}", phone::new_device(setup));
                }
            }
        };
        #[cfg(unix)]
        let serving = async {
            match socket {
                Some(socket) => server.serve_with_socket(listener, socket, ended).await,
                None => server.serve(listener, ended).await,
            }
        };
        #[cfg(not(unix))]
        let serving = server.serve(listener, ended);
        let mut serving = pin!(serving);
        // If the server ends first, the command does not wait for the information about the CLI.
        let outcome = tokio::select! {
            outcome = &mut serving => outcome,
            () = about => serving.await,
        };
        if !is_shown {
            // The secrets are no longer valid, so their file is removed.
            let _ = std::fs::remove_file(&file);
        }
        Ok(outcome?)
    }

    /// Starts listening. Returns the listener, and the addresses at which other devices reach the server. The addresses
    /// are empty if other devices cannot reach it.
    async fn listen(&self) -> Result<(TcpListener, Vec<SocketAddr>), Box<dyn Error>> {
        let listen = self.listen.unwrap_or((Ipv4Addr::LOCALHOST, PORT).into());
        if !self.phone {
            if !listen.ip().is_loopback() && self.token_file.is_none() {
                let text = "a server that other machines can reach needs a token of its own: add --token-file, or use --phone";
                return Err(format!("--listen {listen}: {text}").into());
            }
            let listener = TcpListener::bind(listen).await?;
            // Clients use the address that the user has named, so the server must accept it in the header `Host`.
            let own = (!listen.ip().is_unspecified() && !listen.ip().is_loopback())
                .then(|| listener.local_addr())
                .transpose()?;
            return Ok((listener, own.into_iter().collect()));
        }
        let named = self.listen.filter(|listen| !listen.ip().is_unspecified());
        let (ip, addresses) = match named {
            Some(named) if named.ip().is_loopback() => {
                return Err("--phone: no other device reaches an address of loopback".into());
            }
            Some(named) => (named.ip(), vec![named.ip()]),
            None => {
                let network = network::find()?;
                let shown = network.addresses.iter().map(|one| IpAddr::V4(one.ip));
                (IpAddr::V4(network.listen), shown.collect())
            }
        };
        let listener = TcpListener::bind((ip, listen.port())).await?;
        let port = listener.local_addr()?.port();
        let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, port));
        Ok((listener, addresses.collect()))
    }

    /// Returns the address that a person opens. It is never the unspecified address, because browsers cannot open it.
    fn origin(&self, scheme: &str, address: SocketAddr) -> String {
        if !address.ip().is_unspecified() {
            return format!("{scheme}://{address}");
        }
        let name = self.allow_host.first();
        if name.is_none() {
            anstream::eprintln!(
                "claw: requests of other machines are refused: name this machine with --allow-host, or let the devices in \
                 its network in with --phone"
            );
        }
        let name = name.map_or("127.0.0.1", |name| name);
        format!("{scheme}://{name}:{}", address.port())
    }
}

/// Sets the store and the duration of its claims, if a store is given.
#[cfg_attr(
    not(feature = "stores"),
    expect(unused_variables, reason = "no store has claims or an index")
)]
fn stored(
    builder: ServerBuilder,
    opened: Option<Opened>,
    claim_ttl: Option<u64>,
    sessions: Option<&Sessions>,
) -> ServerBuilder {
    match opened {
        #[cfg(feature = "stores")]
        Some(store) => {
            let mut options = store.options();
            if let Some(seconds) = claim_ttl {
                options = options.ttl(Duration::from_secs(seconds));
            }
            let of_user = || Sessions::of_user().ok();
            if let Some(sessions) = sessions.cloned().or_else(of_user) {
                options = options.index_folder(store.index_folder(&sessions));
            }
            builder.store(options)
        }
        #[cfg(not(feature = "stores"))]
        Some(never) => match never {},
        None => builder,
    }
}

impl Serve {
    /// Returns whether the server listens on a socket for commands of the same user. With walls, it does not, because a
    /// wall may allow its processes to reach the socket.
    #[cfg(unix)]
    fn has_socket(&self) -> bool {
        !self.no_socket && self.walls.is_none()
    }

    /// Creates a project from the argument `DIR` or `DIR=MODE`, and sets its name in the store.
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
    let project = Project::new(folder).map_err(|error| match text.rsplit_once('=') {
        // The text after the last `=` is not a mode, so it was read as a part of the folder's name.
        Some((before, mode)) if folder == text && Path::new(before).is_dir() => format!(
            "the project {before}: {mode:?} is not a permission mode; these are {}",
            MODES.join(", ")
        ),
        _ => format!("the project {folder}: {error}"),
    })?;
    Ok(project.mode(PermissionMode::from(mode)))
}

/// Sets the collector of traces, if a URL is given.
fn traced(url: Option<&str>, builder: ServerBuilder) -> Result<ServerBuilder, Box<dyn Error>> {
    let Some(url) = url else {
        return Ok(builder);
    };
    let mut otlp = Otlp::new(url).map_err(|error| format!("--otlp: {error}"))?;
    if let Some(headers) = hosting::variable(OTLP_HEADERS)? {
        let with_headers = otlp.headers(&headers);
        otlp = with_headers.map_err(|error| format!("{OTLP_HEADERS}: {error}"))?;
    }
    Ok(builder.otlp(otlp))
}

/// Parses the address at which a reverse proxy serves claw.
fn public(text: &str) -> Result<PublicUrl, Box<dyn Error>> {
    let url = PublicUrl::new(text);
    Ok(url.ok_or_else(|| format!("{text}: not an address such as https://claw.example.org"))?)
}

/// Writes a file that only the user can read.
fn write_secrets(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    create_private_file(file)?.write_all(text.as_bytes())
}

/// Reads the token in a file.
fn token(file: &Path) -> Result<Token, Box<dyn Error>> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let token = Token::new(text.trim());
    Ok(token.ok_or_else(|| format!("{name}: a token has 16 characters or more, and no spaces"))?)
}
