//! The agent: its configuration, and its connection to a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use claw_client::SessionBuilder;
use claw_client::store::{Owner, StoreOptions};
use claw_sessions::Sessions;
use claw_types::QueryOptions;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::config::{Config, START};
use crate::connection;
use crate::outbox::Outbox;
use crate::transport::{self, Direction};

/// An agent of the Agent Client Protocol that runs Claude Code. An editor is its client.
///
/// The agent speaks version 1 of the protocol. With the feature `v2-draft`, it speaks the draft of version 2 with clients
/// that request version 2 or a newer one.
///
/// # Drop
///
/// An agent owns no sessions or processes, so dropping it ends nothing. The future of [`serve`](Self::serve) owns them.
pub struct Agent(Config);

impl Agent {
    /// Creates an agent whose sessions begin with these options. The client sets the working directory, and can set the
    /// mode, the model and the effort level of a session.
    pub fn new(options: QueryOptions) -> Self {
        Self(Config {
            options,
            store: None,
            sessions: None,
            login: None,
            configure: None,
            start_timeout: START,
            tap: None,
        })
    }

    /// Stores the sessions in a store, so that another host can continue them. `owner` is the name under which this
    /// agent claims sessions.
    #[must_use]
    pub fn store(mut self, store: impl Into<StoreOptions>, owner: Owner) -> Self {
        let store = store.into().owner(owner.clone());
        self.0.store = Some(Box::new((store, owner)));
        self
    }

    /// Sets the location of the sessions on this disk. Default: the sessions of the user. If the configuration folders
    /// were named with [`Sessions::of_config_dirs`], a session is resumed with the configuration folder that contains
    /// it. New sessions, the login and the logout use the first folder. If two folders contain the same session, the
    /// session is not opened, and the error names both folders.
    #[must_use]
    pub fn sessions(mut self, sessions: Sessions) -> Self {
        self.0.sessions = Some(sessions);
        self
    }

    /// Offers a login in a terminal to clients that can run one. For the login, the client runs the command with which
    /// it starts the agent, and appends `args` to the command's arguments. Default: no login is offered.
    #[must_use]
    pub fn terminal_login<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.0.login = Some(args.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the time within which Claude Code must become ready for prompts. After this time, `session/new` and
    /// `session/load` fail. Default: 1 minute.
    #[must_use]
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.0.start_timeout = timeout;
        self
    }

    /// Sets a function that changes the builder of each session, for example to set a store. Permission requests and
    /// elicitations go to the client in any case.
    #[must_use]
    pub fn configure(
        mut self,
        configure: impl Fn(SessionBuilder) -> SessionBuilder + Send + Sync + 'static,
    ) -> Self {
        self.0.configure = Some(Arc::new(configure));
        self
    }

    /// Sets a function that is called with each line in either direction, for example to record the connection. A line
    /// may contain secrets. The function must not block.
    #[must_use]
    pub fn tap(mut self, tap: impl Fn(Direction, &str) + Send + Sync + 'static) -> Self {
        self.0.tap = Some(Arc::new(tap));
        self
    }

    /// Serves one client over a reader and a writer, such as stdin and stdout, until the client closes the reader. Then
    /// all sessions and their processes end.
    ///
    /// # Errors
    ///
    /// Fails if the connection breaks.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the sessions end and their processes are killed. Before the program exits, it can wait
    /// for the end of the processes with [`wait_for_dropped`](claw_client::transport::wait_for_dropped).
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn serve(
        self,
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), Error> {
        let outbox = Outbox::new();
        let tap = self.0.tap.clone();
        let lines = transport::lines(reader, writer, outbox.clone(), tap);
        let served = connection::serve(Arc::new(self.0), outbox, lines).await;
        served.map_err(Error)
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}

/// The error of an agent: the connection to the client broke.
#[derive(Debug)]
pub struct Error(agent_client_protocol::Error);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the connection to the client broke: {}", self.0)
    }
}

impl std::error::Error for Error {}
