//! The start of a session.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use claw_transport::{Recorder, Subprocess, Transport, TransportError};
use claw_types::QueryOptions;
use claw_types::control::Initialize;
use futures::channel::mpsc::unbounded;
use futures::future::{BoxFuture, Fuse};
use futures::{FutureExt, StreamExt};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tracing::Instrument;

#[cfg(feature = "pool")]
use super::warm;
use super::{AnyTransport, SessionBuilder};
use crate::driver::clock::Clock;
use crate::driver::initialize::{Confirm, add_field, check, initialize, shadows};
use crate::driver::reading::Lines;
use crate::driver::shutdown::ShutdownState;
use crate::driver::{Driver, EndCondition};
use crate::engine::Engine;
use crate::handle::Session;
use crate::handle::commands::{Command, CommandSender, PromptTiming};
use crate::handle::shared::{Shared, sent};
use crate::outcome::error::{Cause, Error};
use crate::requests::callbacks::Callbacks;
#[cfg(feature = "mcp")]
use crate::requests::callbacks::Closures;
use crate::session::messages::Query;
use crate::session::prompt::Prompt;
use crate::waiting::calls::{Answer, Waiting};
use crate::waiting::inbox::{Reader, Stream};

impl SessionBuilder {
    /// Starts the CLI and waits until it is ready for prompts.
    ///
    /// A thread of claw starts the process, so that it does not inherit attributes of the calling
    /// thread: on Linux `PR_SET_NO_NEW_PRIVS`, Landlock, seccomp without TSYNC, CPU affinity,
    /// namespaces. Use [`set_launch_hook`](claw_transport::set_launch_hook) to set such attributes
    /// in that thread.
    ///
    /// # Errors
    ///
    /// For an error of this method, one of these is true:
    /// - [`Error::is_launch_failure`]: no CLI can be started, an option is invalid, or the session to resume is not
    ///   stored on this machine.
    /// - [`Error::is_exited`]: the CLI rejects its options. The error contains the CLI's stderr.
    /// - [`Error::is_not_taken`]: the CLI does not confirm an option.
    /// - [`Error::is_timeout`]: the CLI does not start in time.
    /// - [`Error::is_cli_too_old`]: claw does not support a CLI of this age.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process is ended.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn connect(self) -> Result<Session, Error> {
        let (send, receive) = oneshot::channel();
        let (session, _) = self.start(Some(send), Run::Session).await?;
        let error = match receive.await {
            Ok(Ok(_)) => return Ok(session),
            Ok(Err(error)) => error,
            Err(_) => session.shared.ended(),
        };
        #[cfg(feature = "store")]
        if let Some(mirror) = session.mirror().cloned() {
            drop(session);
            // Waits for the mirror, so that the next start is not refused because of this session's claim.
            mirror.finished().await;
        }
        Err(error)
    }

    /// Starts the CLI with one prompt, as [`query`](crate::query) does.
    ///
    /// # Errors
    ///
    /// Fails if no CLI can be started: [`Error::is_launch_failure`] is true for that error. Later errors are items of
    /// the stream.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process is ended.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn query(self, prompt: impl Into<Prompt>) -> Result<Query, Error> {
        self.run(Run::Prompt(Box::new(prompt.into()))).await
    }

    /// Starts the CLI with successive prompts. The query ends when the stream of prompts has ended
    /// and the CLI has answered them and is idle. A prompt that cannot be sent is skipped, and the
    /// log reports it.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`query`](Self::query).
    ///
    /// # Cancel safety
    ///
    /// Cancel safety is the same as for [`query`](Self::query).
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn query_all<S>(self, prompts: S) -> Result<Query, Error>
    where
        S: futures::Stream<Item: Into<Prompt> + Send> + Send + 'static,
    {
        let feed = |session| feed(session, prompts).boxed();
        self.run(Run::Prompts(Box::new(feed))).await
    }

    async fn run(self, run: Run) -> Result<Query, Error> {
        let (session, lines) = self.start(None, run).await?;
        Ok(Query::new(session, lines.ok_or(Cause::MessagesTaken)?))
    }

    /// Whether a callback or the application answers permission requests.
    pub(super) fn has_permission_prompts(&self) -> bool {
        let by_tool = self.options.permission_prompt_tool_name.is_some();
        self.closures.permission.is_some() || (self.closures.by_application && !by_tool)
    }

    /// Returns the configured transport.
    fn opened(&mut self) -> AnyTransport {
        let given = self.transport.take();
        let launcher = self.launcher.take();
        let mut transport = given.unwrap_or_else(|| {
            let process = Subprocess::new(&self.options);
            AnyTransport(Box::new(match launcher {
                Some(launcher) => process.launcher(launcher),
                None => process,
            }))
        });
        if self.has_permission_prompts() {
            transport.0.offer_permission_prompts();
        }
        if let Some(callback) = self.stderr.take() {
            transport.0.offer_stderr(callback);
        }
        transport
    }

    /// Opens the transport and starts the task of the session. If `run` contains a prompt, the prompt is written
    /// directly after the handshake, and the session ends when the CLI has finished the work on it.
    async fn start(
        mut self,
        initialized: Option<oneshot::Sender<Answer>>,
        run: Run,
    ) -> Result<(Session, Option<Reader>), Error> {
        check(&self.options, &self.closures)?;
        #[cfg(feature = "mcp")]
        self.mcp.check(&self.options)?;
        if self.closures.permission.is_some() {
            for what in shadows(&self.options) {
                tracing::warn!(%what, "the permission callback is not called because of an option");
            }
        }
        let request = self.first_request()?;
        #[cfg(feature = "pool")]
        let request = if self.is_initialized {
            warm::without_first_only(request)
        } else {
            request
        };
        let confirm = Confirm::of(&request);
        let verbatim = self.options.verbatim_prompts == Some(true);
        // The options were checked before, so that a session that cannot start does not wait for a claim.
        #[cfg(feature = "store")]
        let prepared = match self.store.take() {
            Some(store) => {
                let is_own = self.transport.is_none();
                let preparing = crate::stored::Prepared::new(store, &mut self.options, is_own);
                // This future is boxed, because it would make every future here large.
                Some(Box::pin(preparing).await?)
            }
            None => None,
        };
        let transport = self.opened();
        let (record, may_break_off) = (self.record, self.recording_may_break_off);
        let opening = async {
            match record {
                None => transport.open().await,
                Some(folder) => {
                    let recorder = Recorder::create_in(transport, folder);
                    let recorder = recorder.map_err(TransportError::from)?;
                    recorder.go_on(may_break_off).open().await
                }
            }
        };
        #[cfg(feature = "mcp")]
        let mcp = Arc::new(self.mcp);
        #[cfg(feature = "mcp")]
        let (closures, (opened, request)) = {
            let closures = Closures {
                mcp: Some(Box::new(mcp.clone().receiver())),
                ..self.closures
            };
            (closures, tokio::join!(opening, mcp.prepared(request)))
        };
        #[cfg(not(feature = "mcp"))]
        let (closures, opened) = (self.closures, opening.await);
        #[cfg(feature = "store")]
        let (opened, prepared) = match (opened, prepared) {
            (Err(error), Some(prepared)) => {
                Box::pin(prepared.release()).await;
                return Err(error.into());
            }
            both => both,
        };
        let parts = opened?.into_parts();
        let incoming = Lines::from(parts.incoming);
        #[cfg(feature = "store")]
        let (incoming, mirror) = match prepared {
            Some(prepared) => {
                let mirrored = prepared.mirrored(incoming, &parts.process);
                let (incoming, mirror) = Box::pin(mirrored).await?;
                (incoming, Some(mirror))
            }
            None => (incoming, None),
        };
        let clock = Clock::start();
        let (commands, receiver) = CommandSender::new();
        let dialogs = self.options.supported_dialog_kinds.as_deref();
        let mut engine = Engine::new(self.limits, closures.served(dialogs));
        engine.initialize(Duration::ZERO, request.clone());
        let exited = parts.process.exited();
        let (to_requests, requests) = closures.by_application.then(unbounded).unzip();
        let shared = Shared::new(parts.process, commands, requests, verbatim, request);
        #[cfg(feature = "store")]
        let shared = shared.with_mirror(mirror);
        #[cfg(feature = "mcp")]
        let shared = shared.with_mcp(mcp.clone());
        let session = Session {
            shared: Arc::new(shared),
        };
        #[cfg(feature = "store")]
        if let Some(mirror) = session.mirror() {
            let handles: Weak<Shared> = Arc::downgrade(&session.shared);
            mirror.ends_with(handles);
        }
        #[cfg(feature = "mcp")]
        {
            let shared: Weak<Shared> = Arc::downgrade(&session.shared);
            mcp.connect(shared);
        }
        // The stream must exist before the first message can arrive.
        let lines = match run {
            Run::Session => None,
            _ => session.shared.inbox.open(Stream::All),
        };
        let mut feeder = JoinSet::new();
        let ends = match run {
            Run::Session => EndCondition::Never,
            Run::Prompt(prompt) => {
                // The messages of the prompt's turn go to the stream of all messages, so its own stream is dropped.
                let (uuid, line) = prompt.into_line(verbatim)?;
                drop(session.prompt(uuid, line, PromptTiming::AtOnce)?);
                EndCondition::WithItsPrompt
            }
            Run::Prompts(feed) => {
                feeder.spawn(feed(Arc::downgrade(&session.shared)));
                EndCondition::WithTheLastPrompt { came: false }
            }
        };
        let driver = Driver {
            engine,
            inbox: session.shared.inbox.clone(),
            shared: Arc::downgrade(&session.shared),
            commands: receiver,
            callbacks: Callbacks::new(closures, Arc::downgrade(&session.shared), to_requests),
            waiting: Waiting::new(initialized),
            ends,
            _feeder: feeder,
            begun: false,
            early: None,
            ended_early: false,
            confirm,
            held: Vec::new(),
            queue: BTreeMap::new(),
            bound: self.buffer,
            clock,
            shutdown: ShutdownState::of(&session.shared.process),
            shutdown_task: Fuse::terminated(),
            to_stdin: session.shared.to_stdin.clone(),
            stdin: None,
        };
        // A pool starts the session in a separate task, which is in no span. So the span in which
        // the builder was created comes first.
        let outer = if self.span.is_none() {
            tracing::Span::current()
        } else {
            self.span
        };
        let pid = session.shared.process.pid();
        let span = tracing::info_span!(parent: &outer, "session", pid);
        let run = driver.run(incoming, parts.outgoing, exited);
        tokio::spawn(run.instrument(span).instrument(outer));
        Ok((session, lines))
    }

    /// Returns the handshake request.
    pub(super) fn first_request(&self) -> Result<Box<Initialize>, Error> {
        let mut request = initialize(&self.options, &self.closures.hooks)?;
        for (name, value) in &self.initialize_fields {
            add_field(&mut request, name, value)?;
        }
        Ok(request)
    }
}

/// The prompts of a session that is being started.
enum Run {
    Session,
    Prompt(Box<Prompt>),
    Prompts(Box<dyn FnOnce(Weak<Shared>) -> BoxFuture<'static, ()> + Send>),
}

/// Runs one prompt in its own process.
///
/// Returns as soon as the process runs. Later errors are items of the stream. For further settings,
/// use [`Session::builder`] with [`SessionBuilder::query`](crate::SessionBuilder::query) as the
/// last step. On a `current_thread` runtime the messages are read only [while the runtime is
/// polled](Session#on-a-current_thread-runtime).
///
/// # Errors
///
/// Fails if no CLI can be started: [`Error::is_launch_failure`] is true for that error.
///
/// # Cancel safety
///
/// If the future is dropped, the process is ended.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub async fn query(prompt: impl Into<Prompt>, options: QueryOptions) -> Result<Query, Error> {
    Session::builder(options).query(prompt).await
}

/// Writes the prompts as they arrive, and reports the end of the prompts. Holds a strong reference
/// to the session only while it writes a prompt, so that the session can end between two prompts.
async fn feed(
    session: Weak<Shared>,
    prompts: impl futures::Stream<Item = impl Into<Prompt>> + Send,
) {
    let mut prompts = pin!(prompts);
    while let Some(prompt) = prompts.next().await {
        let Some((outbox, verbatim)) = session
            .upgrade()
            .map(|shared| (shared.outbox.clone(), shared.verbatim))
        else {
            return;
        };
        let (uuid, line) = match prompt.into().into_line(verbatim) {
            Ok(written) => written,
            Err(error) => {
                tracing::warn!(%error, "a prompt is passed over");
                continue;
            }
        };
        let Some(line) = sent(&outbox, line).await else {
            return;
        };
        let Some(shared) = session.upgrade() else {
            return;
        };
        // The messages of the prompt's turn go to the stream of all messages.
        let session = Session { shared };
        let line = Bytes::from_owner(line);
        if session.prompt(uuid, line, PromptTiming::AtOnce).is_err() {
            return;
        }
    }
    if let Some(shared) = session.upgrade() {
        // Sending fails if the session has ended. Then the command is not needed.
        let _ = shared.command(Command::LastPrompt);
    }
}
