//! How a session is begun.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_transport::{Pipes, Recorder, Subprocess, Transport, TransportError};
use claw_types::control::{
    Elicitation, ElicitationResponse, PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::{Json, QueryOptions};
use futures::FutureExt;
use futures::channel::mpsc::unbounded;
use futures::future::{BoxFuture, Fuse};
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument;

use crate::callbacks::{Callbacks, Closures, IntoAnswer, callback};
use crate::calls::{Answer, Waiting};
use crate::commands::{Commands, When};
use crate::driver::{Driver, Ends};
use crate::ending::Ending;
use crate::engine::{Engine, Limits};
use crate::error::Cause;
use crate::feed::feed;
use crate::hook::{self, Hook, HookCall, HookFor};
use crate::inbox::{Reader, Stream};
use crate::initialize::{Confirm, check, initialize, shadows};
use crate::requests::Requests;
use crate::session::Shared;
use crate::token::{self, HostAuthToken, OauthToken};
use crate::{CallbackContext, Error, FirstMatch, Prompt, Query, Session, ToolPermissionRequest};

/// How much may wait for readers, in bytes, where nothing else is set.
const BUFFER: usize = 128 << 20;

type StderrFn = Arc<dyn Fn(&str) + Send + Sync>;

/// A transport, its type forgotten.
struct AnyTransport(Box<dyn Opens>);

trait Opens: Send {
    fn open(self: Box<Self>) -> BoxFuture<'static, Result<Pipes, TransportError>>;
    fn offer_permission_prompts(&mut self);
    fn offer_stderr(&mut self, callback: StderrFn);
}

impl<T: Transport + 'static> Opens for T {
    fn open(self: Box<Self>) -> BoxFuture<'static, Result<Pipes, TransportError>> {
        Transport::open(*self).boxed()
    }

    fn offer_permission_prompts(&mut self) {
        Transport::offer_permission_prompts(self);
    }

    fn offer_stderr(&mut self, callback: StderrFn) {
        Transport::offer_stderr(self, callback);
    }
}

impl Transport for AnyTransport {
    async fn open(self) -> Result<Pipes, TransportError> {
        self.0.open().await
    }
}

/// Sets a session up: [`Session::builder`].
#[must_use = "a session begins with `connect` or `query`"]
pub struct SessionBuilder {
    /// Boxed: they would make every future here long.
    options: Box<QueryOptions>,
    closures: Closures,
    /// `None`: a process of this machine, as the options say.
    transport: Option<AnyTransport>,
    stderr: Option<StderrFn>,
    record: Option<PathBuf>,
    limits: Limits,
    buffer: usize,
    #[cfg(feature = "mcp")]
    pub(crate) mcp: crate::mcp::Host,
}

impl SessionBuilder {
    pub(crate) fn new(options: QueryOptions) -> Self {
        Self {
            options: Box::new(options),
            closures: Closures::default(),
            transport: None,
            stderr: None,
            record: None,
            limits: Limits::default(),
            buffer: BUFFER,
            #[cfg(feature = "mcp")]
            mcp: crate::mcp::Host::default(),
        }
    }

    /// Sets who decides whether a tool may be used. Without it the CLI refuses what it would have
    /// to ask for.
    ///
    /// Called only where no rule, mode or hook has decided. Each call runs in a task of its own,
    /// has no deadline but [`callback_timeout`](Self::callback_timeout), and is dropped when the CLI
    /// takes it back (after an interrupt, say). It **fails closed**: an `Err` or a panic refuses the
    /// tool; the model reads an `Err`.
    ///
    /// ```no_run
    /// use claw_client::{PermissionDeny, PermissionResult, QueryOptions, Session};
    ///
    /// let builder = Session::builder(QueryOptions::default());
    /// let builder = builder.can_use_tool(|request| async move {
    ///     match request.tool_name() {
    ///         "Bash" => PermissionDeny::new("no shell here").interrupt(true).into(),
    ///         _ => PermissionResult::allow(),
    ///     }
    /// });
    /// ```
    ///
    /// The callback gives a [`PermissionResult`], a `PermissionAllow`, a `PermissionDeny`, or a `Result`
    /// of one. Its [`CallbackContext`] is [`ToolPermissionRequest::context`]. Rules by the tool's name, with closures
    /// among them, are set with [`permissions`](Self::permissions).
    ///
    /// A yes without another input is a yes to the request's input. Options that keep the callback from
    /// being called (a whole tool in `allowed_tools`, the mode `bypassPermissions`) are told in the log.
    pub fn can_use_tool<F, Fut>(mut self, decide: F) -> Self
    where
        F: Fn(ToolPermissionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<PermissionResult>,
    {
        self.closures.permission = Some(callback(move |request, _| decide(request)));
        self
    }

    /// Has rules decide whether a tool may be used, in place of a closure of
    /// [`can_use_tool`](Self::can_use_tool); what holds for that one holds here.
    pub fn permissions(self, rules: FirstMatch) -> Self {
        self.can_use_tool(move |request| rules.decision(request))
    }

    /// Registers a hook: `call` is called whenever `E` happens to what `what` names. Any number may be
    /// registered, of one event too. [`hook`](crate::hook) says what holds for all of them.
    ///
    /// [`connect`](Self::connect) refuses hooks that the CLI would never call:
    /// [`Error::is_hook_never_called`].
    pub fn hook<E: Hook>(mut self, what: impl Into<HookFor>, call: impl HookCall<E>) -> Self {
        let call = hook::callback(call);
        let hooks = &mut self.closures.hooks;
        hooks.register(E::EVENT, what.into(), Some(call));
        self
    }

    /// Registers a hook that [`Session::requests`] gets, as
    /// [`IncomingRequest::Hook`](crate::IncomingRequest::Hook).
    pub fn hook_request<E: Hook>(mut self, what: impl Into<HookFor>) -> Self {
        self.closures.hooks.register(E::EVENT, what.into(), None);
        self.answer_requests()
    }

    /// Sets who answers what MCP servers ask the user. Without it every elicitation is declined.
    ///
    /// An `Err`, a panic, no answer within [`callback_timeout`](Self::callback_timeout): the user
    /// has turned away.
    pub fn on_elicitation<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(Elicitation, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<ElicitationResponse>,
    {
        self.closures.elicitation = Some(callback(answer));
        self
    }

    /// Sets who shows dialogs, of the kinds in
    /// [`supported_dialog_kinds`](QueryOptions::supported_dialog_kinds): one without the other is an
    /// error when the session begins.
    ///
    /// An `Err`, a panic, no answer within [`callback_timeout`](Self::callback_timeout): the user
    /// has turned away.
    pub fn on_user_dialog<F, Fut>(mut self, show: F) -> Self
    where
        F: Fn(RequestUserDialog, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<UserDialogResponse>,
    {
        self.closures.dialog = Some(callback(show));
        self
    }

    /// Sets who answers requests of another kind, by its `subtype`: one that claw has no closure for,
    /// such as those of newer CLIs. Gets the request, gives the answer's payload; an `Err` or a panic
    /// is answered with an error.
    pub fn on_request<F, Fut>(mut self, subtype: impl Into<String>, answer: F) -> Self
    where
        F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<Json>,
    {
        let others = &mut self.closures.others;
        others.insert(subtype.into(), callback(answer));
        self
    }

    /// Sets who has a new OAuth token when the CLI's was refused; gets the request as it came. Tells
    /// the CLI, in its environment, that somebody answers such requests.
    ///
    /// An `Err` or a panic is answered with an error; the turn then fails as it would have.
    pub fn on_oauth_token_refresh<F, Fut>(mut self, refresh: F) -> Self
    where
        F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<OauthToken>,
    {
        self.declare("CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH");
        self.on_request("oauth_token_refresh", token::written(refresh))
    }

    /// Sets who has a new token of the host's own when the CLI's was refused, as
    /// [`on_oauth_token_refresh`](Self::on_oauth_token_refresh).
    pub fn on_host_auth_token_refresh<F, Fut>(mut self, refresh: F) -> Self
    where
        F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<HostAuthToken>,
    {
        self.declare("CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH");
        self.on_request("host_auth_token_refresh", token::written(refresh))
    }

    /// Has every answer end in output of this form, for [`Session::ask_as`]: sets
    /// [`output_format`](QueryOptions::output_format) to the type's JSON Schema, whose descriptions
    /// (the type's doc comments) the model reads.
    #[cfg(feature = "schemars")]
    pub fn output_as<T: JsonSchema>(mut self) -> Self {
        let format =
            claw_types::options::OutputFormat::json_schema(crate::output::schema_of::<T>());
        self.options.output_format = Some(format);
        self
    }

    /// Says that the application reads [`Session::requests`]: every request goes there that no closure
    /// here answers. What comes before the application reads waits for it.
    pub fn answer_requests(mut self) -> Self {
        self.closures.by_application = true;
        self
    }

    /// Sets how the CLI is reached: a [`Replay`](claw_transport::Replay) of a recording,
    /// [`Io`](claw_transport::Io) over any reader and writer, a [`Subprocess`] with a launcher of its
    /// own. Without it, a process of this machine is started.
    ///
    /// What the options say about the program, its arguments, environment and directory is up to the
    /// transport then: a [`Subprocess`] is given the same options. It hears from the builder that there is a
    /// permission callback, and what [`stderr`](Self::stderr) sets.
    ///
    /// ```no_run
    /// use claw_client::transport::Replay;
    /// use claw_client::{QueryOptions, Session};
    ///
    /// # async fn example() -> Result<(), claw_client::Error> {
    /// let session = Session::builder(QueryOptions::default())
    ///     .transport(Replay::open("recordings/sum")?)
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(AnyTransport(Box::new(transport)));
        self
    }

    /// Has each line of the CLI's stderr given to `callback`, secrets masked. It is called on a
    /// thread that all sessions share.
    pub fn stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Some(Arc::new(callback));
        self
    }

    /// Has every byte that passes between the session and the CLI written into a folder, as
    /// [`Recorder::create_in`] does: [`Replay`](claw_transport::Replay) then plays the session again,
    /// without a CLI ([`transport`](Self::transport)). Nothing is masked in it.
    pub fn record(mut self, folder: impl Into<PathBuf>) -> Self {
        self.record = Some(folder.into());
        self
    }

    /// Sets how long the CLI may take to start. The time in which hooks of a settings file run does
    /// not count, up to ten minutes. Default 60 s.
    pub fn initialize_timeout(mut self, timeout: Duration) -> Self {
        self.limits.initialize = timeout;
        self
    }

    /// Sets how long the CLI may take to answer a [`Call`](crate::Call). Default 60 s. One that may take
    /// another time has [`Call::timeout`](crate::Call::timeout).
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.limits.call = timeout;
        self
    }

    /// Sets how long a callback may take to answer a request of the CLI's (a permission, an elicitation,
    /// a dialog, one of another kind); after that the answer is as if the callback had failed. By default
    /// it may take for ever: people answer these. Hooks have [their own](HookFor::timeout).
    pub fn callback_timeout(mut self, timeout: Duration) -> Self {
        self.limits.callback = Some(timeout);
        self
    }

    /// Sets how long the CLI may be silent in the middle of a turn. After that the turn is interrupted and the process
    /// is ended, at the latest 5 s later; what waits fails with [`Error::is_stalled`]. By default it may be silent for
    /// ever.
    ///
    /// Every line counts as a sign of life. A tool that takes long gives one every 30 s. The model's answer gives one
    /// for each piece with [`include_partial_messages`](QueryOptions::include_partial_messages), and without it only
    /// when a block is complete: take some minutes then. Hooks of settings files are silent while they run. Time in
    /// which the CLI waits for a callback of the application, or for its messages to be read, does not count.
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.limits.stall = Some(timeout);
        self
    }

    /// Sets how much may wait for its readers, in bytes. Default 128 MiB.
    ///
    /// At three quarters of it claw stops reading what the CLI writes, unless a call or a callback is
    /// under way, or another reader waits for a message; at the bound these calls and readers fail with
    /// [`Error::is_backlogged`]. Messages that nobody could read are not counted:
    /// [`Session::messages`] says what becomes of them.
    pub fn buffer(mut self, bytes: usize) -> Self {
        self.buffer = bytes;
        self
    }

    /// Starts the CLI and waits until it is ready for prompts.
    ///
    /// A thread of claw's starts it, so that it inherits nothing that the calling thread has of its
    /// own: on Linux `PR_SET_NO_NEW_PRIVS`, Landlock, seccomp without TSYNC, CPU affinity, namespaces.
    /// [`set_launch_hook`](claw_transport::set_launch_hook) does such things in that thread.
    ///
    /// # Errors
    ///
    /// [`Error::is_launch_failure`] if there is no CLI to start, an option is no good, or the session to
    /// go on with is not kept on this machine;
    /// [`Error::is_exited`] with what the CLI said on stderr if it does not like its options;
    /// [`Error::is_not_taken`]; [`Error::is_timeout`]; [`Error::is_cli_too_old`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process is ended.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn connect(self) -> Result<Session, Error> {
        let (send, receive) = oneshot::channel();
        let (session, _) = self.start(Some(send), Run::Session).await?;
        match receive.await {
            Ok(Ok(_)) => Ok(session),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(session.shared.ended()),
        }
    }

    /// Starts the CLI with one prompt, as [`query`](crate::query) does.
    ///
    /// # Errors
    ///
    /// [`Error::is_launch_failure`] if there is no CLI to start. What goes wrong after that comes in the
    /// stream.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process is ended.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn query(self, prompt: impl Into<Prompt>) -> Result<Query, Error> {
        self.run(Run::Prompt(Box::new(prompt.into()))).await
    }

    /// Starts the CLI with prompts that come one after the other. Ends when there are no more, and
    /// the CLI has answered them and come to rest. A prompt that cannot be sent is passed over, which
    /// the log tells.
    ///
    /// # Errors
    ///
    /// As [`query`](Self::query).
    ///
    /// # Cancel safety
    ///
    /// As [`query`](Self::query).
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
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

    /// Tells the CLI something in its environment, unless the options do.
    fn declare(&mut self, name: &str) {
        let env = self.options.env.get_or_insert_default();
        if env.get(name).is_none() {
            env.insert(name, Some("1".to_owned()));
        }
    }

    /// The transport, as it is to be opened.
    fn opened(&mut self) -> AnyTransport {
        let given = self.transport.take();
        let mut transport =
            given.unwrap_or_else(|| AnyTransport(Box::new(Subprocess::new(&self.options))));
        let by_tool = self.options.permission_prompt_tool_name.is_some();
        if self.closures.permission.is_some() || (self.closures.by_application && !by_tool) {
            transport.0.offer_permission_prompts();
        }
        if let Some(callback) = self.stderr.take() {
            transport.0.offer_stderr(callback);
        }
        transport
    }

    /// Opens the transport, and starts the task that works on it. One prompt makes it a session of
    /// one run; it is written right behind the handshake.
    async fn start(
        mut self,
        initialized: Option<oneshot::Sender<Answer>>,
        run: Run,
    ) -> Result<(Session, Option<Reader>), Error> {
        check(&self.options, &self.closures)?;
        if self.closures.permission.is_some() {
            for what in shadows(&self.options) {
                tracing::warn!(%what, "the permission callback is not called because of an option");
            }
        }
        let said = initialize(&self.options, &self.closures.hooks)?;
        let confirm = Confirm::of(&said);
        let verbatim = self.options.verbatim_prompts == Some(true);
        let transport = self.opened();
        let record = self.record;
        let opening = async {
            match record {
                None => transport.open().await,
                Some(folder) => {
                    let recorder = Recorder::create_in(transport, folder);
                    recorder.map_err(TransportError::from)?.open().await
                }
            }
        };
        #[cfg(feature = "mcp")]
        let mcp = Arc::new(self.mcp);
        #[cfg(feature = "mcp")]
        let (closures, (opened, said)) = {
            mcp.check(&self.options)?;
            let closures = Closures {
                mcp: Some(mcp.clone().taker()),
                ..self.closures
            };
            (closures, tokio::join!(opening, mcp.prepared(said)))
        };
        #[cfg(not(feature = "mcp"))]
        let (closures, opened) = (self.closures, opening.await);
        let parts = opened?.into_parts();
        let started = Instant::now();
        let (commands, receiver) = Commands::new();
        let dialogs = self.options.supported_dialog_kinds.as_deref();
        let mut engine = Engine::new(self.limits, closures.served(dialogs));
        engine.initialize(Duration::ZERO, said.clone());
        let exited = parts.process.exited();
        let (to_requests, requests) = closures
            .by_application
            .then(unbounded)
            .map(|(sender, receiver)| (sender, Requests::new(receiver)))
            .unzip();
        let shared = Shared::new(parts.process, commands, requests, verbatim, said);
        #[cfg(feature = "mcp")]
        let shared = shared.with_mcp(mcp.clone());
        let session = Session {
            shared: Arc::new(shared),
        };
        #[cfg(feature = "mcp")]
        mcp.connect(Arc::downgrade(&session.shared));
        // Before anything can come.
        let lines = match run {
            Run::Session => None,
            _ => session.shared.inbox.open(Stream::All),
        };
        let mut feeder = JoinSet::new();
        let ends = match run {
            Run::Session => Ends::Never,
            Run::Prompt(prompt) => {
                // Its lines go to the stream of all.
                let (uuid, line) = prompt.into_line(verbatim)?;
                drop(session.prompt(uuid, line, When::AtOnce)?);
                Ends::WithItsPrompt
            }
            Run::Prompts(feed) => {
                feeder.spawn(feed(Arc::downgrade(&session.shared)));
                Ends::WithTheLastPrompt { came: false }
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
            started,
            ending: Ending::of(&session.shared.process),
            ladder: Fuse::terminated(),
            to_stdin: session.shared.to_stdin.clone(),
            stdin: None,
        };
        let span = tracing::info_span!("session", pid = session.shared.process.pid());
        let run = driver.run(parts.incoming, parts.outgoing, exited);
        tokio::spawn(run.instrument(span));
        Ok((session, lines))
    }
}

/// What is said to a session while it is started.
enum Run {
    Session,
    Prompt(Box<Prompt>),
    Prompts(Box<dyn FnOnce(Weak<Shared>) -> BoxFuture<'static, ()> + Send>),
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
