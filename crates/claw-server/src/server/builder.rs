//! The builder of a server.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use claw_client::pool::Pool;
use claw_client::store::StoreOptions;
use claw_client::{QueryOptions, SessionBuilder};
#[cfg(feature = "cluster")]
use claw_cluster::{ClusterKey, HostUrl};
use claw_sessions::{Prices, Sessions};
use claw_types::options::InvalidOption;

use crate::api::sessions::PARTS;
use crate::api::table::Roles;
use crate::api::{Api, Cli};
#[cfg(feature = "cluster")]
use crate::cluster::Cluster;
use crate::connections::Connections;
use crate::guard::{self, ChangingUrls, Guard, Logins, PublicUrl, TrustedProxy};
use crate::hub::{Build, HubSetup, Limits, set_config_dir};
use crate::quota_book::QuotaBook;
use crate::{Audit, Hub, Project, Quotas, Token, Users};

use super::Server;

/// A builder of a server. [`Server::builder`] creates it.
#[must_use = "a server begins with `build`"]
pub struct ServerBuilder {
    projects: Vec<Project>,
    options: QueryOptions,
    build: Option<Build>,
    pool: Option<Pool>,
    sessions: Option<Sessions>,
    store: Option<StoreOptions>,
    limits: Limits,
    prices: Arc<Prices>,
    token: Option<Token>,
    users: Option<Users>,
    quotas: Option<Quotas>,
    audit: Option<Audit>,
    gh: Option<PathBuf>,
    proxy: Option<TrustedProxy>,
    hosts: Vec<String>,
    public: Option<PublicUrl>,
    devices: Vec<PublicUrl>,
    changing: ChangingUrls,
    connections: Connections,
    #[cfg(feature = "cluster")]
    cluster: Option<(HostUrl, ClusterKey)>,
    #[cfg(feature = "notify")]
    notify: Option<crate::notify::Notify>,
    #[cfg(feature = "notify")]
    otlp: Option<crate::otlp::Otlp>,
    #[cfg(feature = "notify")]
    tls: Option<crate::tls::Tls>,
    #[cfg(feature = "notify")]
    may_push_to_loopback: bool,
}

/// Adds the configuration folders of the projects' walls (see [`Wall`](crate::Wall)) to the folders of the sessions.
///
/// # Errors
///
/// Fails with [`SetupError::WallHome`] or [`SetupError::Disk`].
fn with_walls(
    sessions: Sessions,
    projects: &[Project],
    options: &QueryOptions,
) -> Result<Sessions, SetupError> {
    let own: Vec<_> = projects
        .iter()
        .filter_map(|project| Some((project.wall.as_ref()?, project.own_config_dir()?)))
        .collect();
    if own.is_empty() {
        return Ok(sessions);
    }
    let first = sessions.each().map(|home| home.config_dir().to_owned());
    let all = first.chain(own.iter().map(|(_, own)| own.clone()));
    let set = |name: &str| options.env.as_ref()?.get(name);
    let all = Sessions::of_config_dirs(all, |name| match set(name) {
        Some(set) => set.as_ref().map(Into::into),
        None => std::env::var_os(name),
    })?;
    let others = sessions.each().len();
    for (wall, own) in own {
        let mut homes = all.each().skip(others);
        // If two paths lead to the same folder, the list contains only the first path. So if the path of this wall is not in
        // the list, its folder is already in use.
        if !homes.any(|home| home.config_dir() == own) {
            return Err(SetupError::WallHome(wall.name().to_owned()));
        }
    }
    Ok(all)
}

/// The reason why a server cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Two projects have the same name.
    #[error("two projects are named {0:?}")]
    SameName(String),
    /// The options with which sessions of this project would begin are invalid.
    #[error("the project {project:?}: {reason}")]
    Options {
        /// The name of the project.
        project: String,
        /// The invalid option, and the reason why the CLI does not accept it.
        #[source]
        reason: InvalidOption,
    },
    /// The files in which an earlier server has recorded unanswered prompts cannot be read.
    #[error("the marks of running turns: {0}")]
    Marks(#[source] io::Error),
    /// The file in which an earlier server has stored the costs of users and projects cannot be read.
    #[error("the costs of users and projects: {0}")]
    Costs(#[source] io::Error),
    /// The browser logins that an earlier server has saved cannot be read.
    #[error("the logins of browsers: {0}")]
    Logins(#[source] io::Error),
    /// The server is to be one of several hosts, but it has no suitable store. The hosts need a common store that can
    /// claim sessions, list their transcripts and delete sessions.
    #[error("several hosts need a store with claims, lists of transcripts and deletion")]
    NoClaims,
    /// The server is to trust a proxy that names users, but it has no users.
    #[error("a trusted proxy names users, so the server needs users")]
    ProxyWithoutUsers,
    /// The configuration folder in the home of this wall is already used by the server or by another wall. It may be
    /// reached under another path, through a symbolic link.
    #[error("the wall {0:?}: its home has a configuration folder that is in use elsewhere")]
    WallHome(String),
    /// The folder of the sessions on disk could not be determined.
    #[error(transparent)]
    Disk(#[from] claw_sessions::Error),
}

impl ServerBuilder {
    pub(super) fn new() -> Self {
        Self {
            projects: Vec::new(),
            options: QueryOptions::default(),
            build: None,
            pool: None,
            sessions: None,
            store: None,
            limits: Limits::default(),
            prices: Arc::new(Prices::shipped().clone()),
            token: None,
            users: None,
            quotas: None,
            audit: None,
            gh: None,
            proxy: None,
            hosts: guard::LOOPBACK.map(str::to_owned).into(),
            public: None,
            devices: Vec::new(),
            changing: ChangingUrls::default(),
            connections: Connections::default(),
            #[cfg(feature = "cluster")]
            cluster: None,
            #[cfg(feature = "notify")]
            notify: None,
            #[cfg(feature = "notify")]
            otlp: None,
            #[cfg(feature = "notify")]
            tls: None,
            #[cfg(feature = "notify")]
            may_push_to_loopback: false,
        }
    }

    /// Adds a project.
    pub fn project(mut self, project: Project) -> Self {
        self.projects.push(project);
        self
    }

    /// Sets the options with which all sessions begin. The folder, the model and the permission mode of the project
    /// override those in the options.
    pub fn options(mut self, options: QueryOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the function that creates the session of each process from its options. Use it to add hooks or MCP servers,
    /// or to set another transport. The server itself sets the permission callback and the stall limit. Default:
    /// [`Session::builder`].
    ///
    /// [`Session::builder`]: claw_client::Session::builder
    pub fn session(
        mut self,
        build: impl Fn(QueryOptions) -> SessionBuilder + Send + Sync + 'static,
    ) -> Self {
        self.build = Some(Arc::new(build));
        self
    }

    /// Sets the process pool in which sessions run. Default: a pool with default settings.
    pub fn pool(mut self, pool: Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Sets the folders of the sessions on disk. Default: the folders in which the CLI stores the current user's
    /// sessions.
    pub fn sessions(mut self, sessions: Sessions) -> Self {
        self.sessions = Some(sessions);
        self
    }

    /// Stores sessions in a store and on disk, so that any host can resume them. The list of sessions, the usage
    /// and the search include the sessions of the store. [`Project::store_project`] sets the name of a
    /// project in the store.
    pub fn store(mut self, store: impl Into<StoreOptions>) -> Self {
        self.store = Some(store.into());
        self
    }

    /// Makes the server one of several hosts with the same [store](Self::store), behind any load balancer. `address`
    /// is the address at which the other hosts reach this one. All hosts have the same key, token, projects (by their
    /// names in the store), options and [users](Self::users).
    ///
    /// The host that has claimed a session runs it. Every other host forwards requests, events and web sockets of the
    /// session to that host. The store needs [claims](claw_client::store::Claims), lists of transcripts, and deletion.
    /// Address and key are types of the crate [`claw_cluster`].
    #[cfg(feature = "cluster")]
    #[cfg_attr(docsrs, doc(cfg(feature = "cluster")))]
    pub fn cluster(mut self, address: HostUrl, key: ClusterKey) -> Self {
        self.cluster = Some((address, key));
        self
    }

    /// Changes the limits of the [hub](Server::hub).
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// Sets the prices with which costs are estimated. Estimates are used for a running turn, and for sessions for
    /// which the CLI has written no cost. Default: [`Prices::shipped`].
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Arc::new(prices);
        self
    }

    /// Sets the token that gives access to the server. Default: a random token.
    pub fn token(mut self, token: Token) -> Self {
        self.token = Some(token);
        self
    }

    /// Sets the users. Each user has a token, a role and the projects that the user may see. The [token](Self::token)
    /// of the server still gives the rights of the owner. By default, there are no users.
    pub fn users(mut self, users: Users) -> Self {
        self.users = Some(users);
        self
    }

    /// Sets the limits of users and projects. If the server is one of [several hosts](Self::cluster), each host counts
    /// only what it runs itself. By default, there are no limits.
    pub fn quotas(mut self, quotas: Quotas) -> Self {
        self.quotas = Some(quotas);
        self
    }

    /// Trusts this proxy: its header names the [user](Self::users) who sends a request. By default, no header names a
    /// user.
    pub fn trusted_proxy(mut self, proxy: TrustedProxy) -> Self {
        self.proxy = Some(proxy);
        self
    }

    /// Sets the audit log. Before the server carries out an action of a person or program, it records the action in
    /// this log. If the action cannot be recorded, the server refuses it. Requests of the [hosting
    /// contract](crate::Hosting) are not recorded. By default, the server has no audit log.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Sets the program that opens pull requests, with the arguments of `gh pr create`. By default, it is `gh` in `PATH`.
    pub fn gh(mut self, program: impl Into<PathBuf>) -> Self {
        self.gh = Some(program.into());
        self
    }

    /// Allows requests whose header `Host` contains this name. `name` has no port. The names of loopback are always
    /// allowed.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into().to_ascii_lowercase());
        self
    }

    /// Sets the address at which browsers reach the server through a reverse proxy. The proxy must forward the header
    /// `Host` unchanged. With `https`, browsers send the login cookie only over TLS. If the address has a path, all
    /// links and calls of the page begin with this path. The proxy may forward requests with this path or without it.
    pub fn public_url(mut self, url: PublicUrl) -> Self {
        self.public = Some(url);
        self
    }

    /// Adds an address at which other devices reach the server without a proxy, such as `http://192.168.1.5:8000`. The
    /// server then accepts requests with the name in the address, as with [`host`](Self::host). Login links for other
    /// devices contain the address.
    pub fn device_url(mut self, url: PublicUrl) -> Self {
        self.hosts.push(url.name());
        self.devices.push(url);
        self
    }

    /// Sets a function that returns the addresses at which other devices reach the server without a proxy, if they may change
    /// while the server runs, such as the addresses of a laptop. They are treated as those of
    /// [`device_url`](Self::device_url), and are allowed in the header `Host` only as long as the function returns them.
    ///
    /// The function must return only addresses that this machine has at the time of the call. The server calls it for each
    /// request whose header `Host` is not otherwise allowed, and for each login link. So it must not block for long.
    pub fn changing_device_urls(
        mut self,
        urls: impl Fn() -> Vec<PublicUrl> + Send + Sync + 'static,
    ) -> Self {
        self.changing = ChangingUrls(Some(Arc::new(urls)));
        self
    }

    /// Changes the limits for the connections that [`Server::serve`] accepts.
    pub fn connections(mut self, change: impl FnOnce(&mut Connections)) -> Self {
        change(&mut self.connections);
        self
    }

    /// Exports traces to this collector. The server exports a span for each session, for the time for which the session
    /// is live. The spans of the turns are children of this span. The children of a turn's span are the waits of the
    /// turn (for a process, for the record of its prompt, and for answers to requests), and its calls to the store. The
    /// processes of a session get the variable `TRACEPARENT`, so that the CLI's own traces join the session's trace. By
    /// default, nothing is exported.
    #[cfg(feature = "notify")]
    #[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
    pub fn otlp(mut self, otlp: crate::otlp::Otlp) -> Self {
        self.otlp = Some(otlp);
        self
    }

    /// Sends notices to people who are not looking at the page. Notices are about waiting requests, finished work and
    /// failures. They link to the [public address](Self::public_url), if there is one.
    #[cfg(feature = "notify")]
    #[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
    pub fn notify(mut self, notify: crate::notify::Notify) -> Self {
        self.notify = Some(notify);
        self
    }

    /// Makes [`Server::serve`] and [`Server::serve_hosting`] serve connections with TLS. On a connection without TLS,
    /// the server accepts no login, token or cookie. It redirects browsers to its HTTPS address, or shows them how to
    /// trust the [authority of this machine](crate::Tls::local), and refuses all other requests. The
    /// [router](Server::router) alone has no TLS. By default, the server uses no TLS.
    #[cfg(feature = "notify")]
    #[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
    pub fn tls(mut self, tls: crate::tls::Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Allows subscriptions whose push service is on loopback or has no TLS. Only tests use this method.
    #[cfg(feature = "notify")]
    #[doc(hidden)]
    pub fn may_push_to_loopback(mut self) -> Self {
        self.may_push_to_loopback = true;
        self
    }

    /// Creates the server.
    ///
    /// # Errors
    ///
    /// Fails with [`SetupError`] if the server cannot be set up.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn build(self) -> Result<Server, SetupError> {
        for (at, project) in self.projects.iter().enumerate() {
            if self.projects[..at]
                .iter()
                .any(|other| other.name == project.name)
            {
                return Err(SetupError::SameName(project.name.clone()));
            }
            // If the host program has set a function that builds sessions, the function may still change the options.
            // So they are checked only without such a function.
            if self.build.is_none() {
                let options = project.options(&self.options, None, project.mode.clone());
                options.validate().map_err(|reason| SetupError::Options {
                    project: project.name.clone(),
                    reason,
                })?;
            }
        }
        if self.proxy.is_some() && self.users.is_none() {
            return Err(SetupError::ProxyWithoutUsers);
        }
        let sessions = match self.sessions {
            Some(sessions) => sessions,
            None => Sessions::of_user()?,
        };
        let sessions = with_walls(sessions, &self.projects, &self.options)?;
        // Calls without a session, such as the check of the CLI, use the first configuration folder.
        let mut options = self.options;
        set_config_dir(&mut options, &sessions);
        let logins = sessions.projects().with_file_name("claw").join("logins");
        let logins = Logins::open(logins).map_err(SetupError::Logins)?;
        #[cfg(feature = "cluster")]
        let mut logins = logins;
        #[cfg(feature = "cluster")]
        if let Some((_, key)) = &self.cluster {
            let key = key.clone();
            logins.share(Box::new(move |text| key.sign_login(text)));
        }
        let pool = self.pool.unwrap_or_else(|| Pool::builder().build());
        let cli = match (&self.build, &self.projects.first()) {
            (Some(_), _) => Cli::new(None, None),
            (None, Some(first)) if first.wall.is_some() => {
                let mut options = options.clone().cwd(&first.folder);
                let own = first.own_config_dir();
                let home = sessions
                    .each()
                    .find(|home| own.as_deref() == Some(home.config_dir()));
                set_config_dir(&mut options, &home.unwrap_or_else(|| sessions.clone()));
                Cli::new(Some(options), first.wall.clone())
            }
            (None, _) => Cli::new(Some(options.clone()), None),
        };
        #[cfg(feature = "cluster")]
        let (is_claiming, store) = match (&self.cluster, self.store) {
            (None, store) => (false, store),
            (Some((address, _)), Some(store)) => {
                let of = store.store();
                if of.claims().is_none() || of.subkeys().is_none() || of.deletes().is_none() {
                    return Err(SetupError::NoClaims);
                }
                (true, Some(store.address(address.to_string())))
            }
            (Some(_), None) => return Err(SetupError::NoClaims),
        };
        #[cfg(not(feature = "cluster"))]
        let (is_claiming, store) = (false, self.store);
        let quotas = self.quotas.map(|quotas| {
            let folder = sessions.projects().with_file_name("claw");
            QuotaBook::open(quotas, folder.join("quotas.json"))
        });
        let quotas = quotas.transpose().map_err(SetupError::Costs)?;
        let hub = Hub::new(HubSetup {
            projects: self.projects,
            options,
            build: self.build,
            pool,
            sessions,
            store,
            is_claiming,
            limits: self.limits,
            quotas: quotas.map(Arc::new),
            prices: self.prices,
        })
        .map_err(SetupError::Marks)?;
        #[cfg(feature = "notify")]
        if let Some(otlp) = self.otlp {
            otlp.start(&hub.activity().spans);
        }
        #[cfg(feature = "notify")]
        if let Some(notify) = self.notify {
            let public = self.public.as_ref().map(ToString::to_string);
            notify.start(hub.activity(), public);
        }
        let has_own_token = self.token.is_some();
        if let Some(users) = &self.users {
            users.watch();
        }
        #[cfg(feature = "cluster")]
        let host = (self.cluster.as_ref()).map(|(address, _)| address.to_string());
        #[cfg(not(feature = "cluster"))]
        let host = None;
        #[cfg(feature = "cluster")]
        let watched = self.cluster.iter();
        #[cfg(feature = "cluster")]
        let watched = watched.map(|(address, _)| address.socket().0.to_ascii_lowercase());
        #[cfg(not(feature = "cluster"))]
        let watched = std::iter::empty();
        let token = self.token.unwrap_or_else(Token::random);
        let activity = hub.activity().clone();
        let audit = self
            .audit
            .map(|it| it.of_server(host, token.expose(), activity));
        let guard = Guard {
            token,
            logins,
            users: self.users,
            audit,
            proxy: self.proxy,
            open: Server::routes()
                .iter()
                .filter(|route| route.is_open)
                .map(|route| route.path)
                .collect(),
            routes: Server::routes().iter().map(|route| route.path).collect(),
            hosts: self.hosts,
            watched: watched.collect(),
            public: self.public,
            devices: self.devices,
            changing: self.changing,
            #[cfg(feature = "cluster")]
            cluster: self
                .cluster
                .and_then(|(address, key)| Cluster::new(address, key, &hub).map(Arc::new)),
        };
        Ok(Server {
            api: Arc::new(Api::new(
                hub,
                cli,
                Roles::new(&Server::routes(), &PARTS),
                self.gh,
            )),
            guard: Arc::new(guard),
            connections: self.connections,
            has_own_token,
            #[cfg(feature = "notify")]
            tls: self.tls,
            #[cfg(feature = "notify")]
            push: Arc::new(crate::push::PushSetup::new(self.may_push_to_loopback)),
        })
    }
}
