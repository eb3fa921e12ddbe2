//! The configuration of a session.

mod start;
#[cfg(feature = "pool")]
pub(crate) mod warm;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claw_transport::{Launcher, Pipes, Transport, TransportError};
use claw_types::control::{
    Elicitation, ElicitationResponse, PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::{Json, Map, QueryOptions};
use futures::FutureExt;
use futures::future::BoxFuture;
#[cfg(feature = "schemars")]
use schemars::JsonSchema;

use crate::engine::{Limits, RunningHook};
use crate::handle::Session;
use crate::requests::answer::{IntoAnswer, callback};
use crate::requests::callbacks::Closures;
use crate::requests::context::CallbackContext;
use crate::requests::decide::FirstMatch;
use crate::requests::hook::{self, Hook, HookCall, HookFor};
use crate::requests::permission::ToolPermissionRequest;
use crate::requests::token::{self, HostAuthToken, OauthToken};
pub use start::query;

/// The default limit for the lines that wait for readers, in bytes.
const BUFFER: usize = 128 << 20;

/// Time after which a hook that delays the start is reported.
const HOOK_REPORT: Duration = Duration::from_secs(5);

type StderrFn = Arc<dyn Fn(&str) + Send + Sync>;

/// A type-erased transport.
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

/// Configures a session. Created by [`Session::builder`].
#[must_use = "a session begins with `connect` or `query`"]
pub struct SessionBuilder {
    /// The options are boxed, because they would make every future here large.
    options: Box<QueryOptions>,
    closures: Closures,
    /// Fields of `initialize` that claw does not know.
    initialize_fields: Map<Json>,
    /// The transport. `None` starts a process on this machine according to the options.
    transport: Option<AnyTransport>,
    /// The launcher of the process on this machine. `None` for [`Local`](claw_transport::Local).
    launcher: Option<Arc<dyn Launcher>>,
    stderr: Option<StderrFn>,
    record: Option<PathBuf>,
    recording_may_break_off: bool,
    limits: Limits,
    buffer: usize,
    /// The `tracing` span in which the builder was created.
    span: tracing::Span,
    #[cfg(feature = "store")]
    store: Option<crate::stored::StoreOptions>,
    /// Whether the process is a spare, which has already received a first `initialize`. The parts that only the first
    /// `initialize` can contain are then left out of the second one.
    #[cfg(feature = "pool")]
    is_initialized: bool,
    #[cfg(feature = "mcp")]
    pub(crate) mcp: crate::mcp::Host,
}

impl Session {
    /// Creates a builder for a session with these options.
    pub fn builder(options: QueryOptions) -> SessionBuilder {
        SessionBuilder::new(options)
    }
}

impl SessionBuilder {
    pub(crate) fn new(options: QueryOptions) -> Self {
        Self {
            options: Box::new(options),
            closures: Closures::default(),
            initialize_fields: Map::default(),
            transport: None,
            launcher: None,
            stderr: None,
            record: None,
            recording_may_break_off: false,
            limits: Limits::default(),
            buffer: BUFFER,
            span: tracing::Span::current(),
            #[cfg(feature = "store")]
            store: None,
            #[cfg(feature = "pool")]
            is_initialized: false,
            #[cfg(feature = "mcp")]
            mcp: crate::mcp::Host::default(),
        }
    }

    /// Sets the callback that decides whether a tool may be used. Without it the CLI denies every
    /// tool use that needs a permission request.
    ///
    /// The callback is called only if no rule, mode or hook has decided. Each call runs in its own task, has no
    /// deadline except [`callback_timeout`](Self::callback_timeout), and is dropped when the CLI withdraws the request
    /// (after an interrupt, for example). The callback **fails closed**: an `Err` or a panic denies the tool use. The
    /// model reads the text of an `Err`.
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
    /// The callback returns a [`PermissionResult`], a `PermissionAllow`, a `PermissionDeny`, or a `Result` with one of
    /// these. The callback gets its [`CallbackContext`] from [`ToolPermissionRequest::context`].
    /// [`permissions`](Self::permissions) sets rules by the name of the tool, which can be combined with closures.
    ///
    /// A `PermissionAllow` without an input allows the tool use with the requested input. Options that keep the
    /// callback from being called (a whole tool in `allowed_tools`, the mode `bypassPermissions`) are reported in the
    /// log.
    pub fn can_use_tool<F, Fut>(mut self, decide: F) -> Self
    where
        F: Fn(ToolPermissionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<PermissionResult>,
    {
        self.closures.permission = Some(callback(move |request, _| decide(request)));
        self
    }

    /// Sets rules that decide whether a tool may be used, instead of a callback of
    /// [`can_use_tool`](Self::can_use_tool). The rules are consulted under the same conditions as that callback.
    pub fn permissions(self, rules: FirstMatch) -> Self {
        self.can_use_tool(move |request| rules.decision(request))
    }

    /// Registers a hook: `call` is called for each event `E` that `what` selects. Any number of
    /// hooks can be registered, also for the same event. See [`hook`](crate::hook) for the
    /// guarantees.
    ///
    /// If the CLI never calls hooks of this event, or none with this matcher, [`connect`](Self::connect) fails with an
    /// error for which [`Error::is_hook_never_called`](crate::Error::is_hook_never_called) is true.
    pub fn hook<E: Hook>(mut self, what: impl Into<HookFor>, call: impl HookCall<E>) -> Self {
        let call = hook::callback(call);
        let hooks = &mut self.closures.hooks;
        hooks.register(E::EVENT, what.into(), Some(call));
        self
    }

    /// Registers a hook without a closure. Your program answers its calls through [`Session::requests`], where they
    /// arrive as [`IncomingRequest::Hook`](crate::IncomingRequest::Hook).
    pub fn hook_request<E: Hook>(mut self, what: impl Into<HookFor>) -> Self {
        self.closures.hooks.register(E::EVENT, what.into(), None);
        self.answer_requests()
    }

    /// Registers a hook by the name of its event, such as `PreToolUse`. Use this method for events that have no marker
    /// type in [`hook`](crate::hook), because a newer CLI introduced them.
    ///
    /// The closure receives the whole input as JSON, in any form, and returns the hook's output as JSON:
    /// [`Json::empty_object`] makes no decision. If the output has `hookSpecificOutput`, its `hookEventName` must be
    /// the name of the event. In all other respects the hook is like one of [`hook`](Self::hook). An output that is not
    /// an object counts as a failure.
    ///
    /// A hook that fails denies the action also if claw does not know the event: the CLI receives an error response,
    /// and [`HookFor::on_failure`] is `Block` by default. So a CLI that does not support `Block` cannot be started with
    /// such a hook, unless `on_failure` is set to `Continue`. The CLI does not report whether it knows the event.
    ///
    /// ```no_run
    /// use claw_client::hook::HookFor;
    /// use claw_client::{Json, QueryOptions, Session};
    /// use serde_json::json;
    ///
    /// let builder = Session::builder(QueryOptions::default());
    /// let builder = builder.hook_named("PreSkillShellCommand", "Bash", |input: Json, _| async move {
    ///     let command = input.pointer("/tool_input/command");
    ///     match command.as_ref().and_then(Json::as_str) {
    ///         Some(command) if command.starts_with("git ") => json!({}),
    ///         _ => json!({"hookSpecificOutput": {
    ///             "hookEventName": "PreSkillShellCommand",
    ///             "permissionDecision": "deny",
    ///             "permissionDecisionReason": "only git",
    ///         }}),
    ///     }
    /// });
    /// ```
    pub fn hook_named<F, Fut>(
        mut self,
        event: impl Into<String>,
        what: impl Into<HookFor>,
        call: F,
    ) -> Self
    where
        F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<Json>> + Send + 'static,
    {
        let call = hook::callback_named(call);
        let hooks = &mut self.closures.hooks;
        hooks.register_named(event.into(), what.into(), Some(call));
        self
    }

    /// Registers a hook by the name of its event and without a closure. Its calls arrive as those of
    /// [`hook_request`](Self::hook_request). An input without a type is [`HookInput::Unknown`], with the whole JSON.
    ///
    /// [`HookInput::Unknown`]: claw_types::hook::HookInput::Unknown
    pub fn hook_request_named(
        mut self,
        event: impl Into<String>,
        what: impl Into<HookFor>,
    ) -> Self {
        let hooks = &mut self.closures.hooks;
        hooks.register_named(event.into(), what.into(), None);
        self.answer_requests()
    }

    /// Sets the callback that answers elicitations: requests of MCP servers for input from the user. Without this
    /// callback, every elicitation is declined.
    ///
    /// If the callback returns an `Err`, panics, or returns no answer within
    /// [`callback_timeout`](Self::callback_timeout), claw responds that the user has dismissed the request (`cancel`).
    pub fn on_elicitation<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(Elicitation, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<ElicitationResponse>,
    {
        self.closures.elicitation = Some(callback(answer));
        self
    }

    /// Sets the callback that shows dialogs of the kinds in
    /// [`supported_dialog_kinds`](QueryOptions::supported_dialog_kinds). If only the callback or only that option is
    /// set, the start of the session fails.
    ///
    /// If the callback returns an `Err`, panics, or returns no answer within
    /// [`callback_timeout`](Self::callback_timeout), claw responds that the user has dismissed the dialog
    /// (`cancelled`).
    pub fn on_user_dialog<F, Fut>(mut self, show: F) -> Self
    where
        F: Fn(RequestUserDialog, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<UserDialogResponse>,
    {
        self.closures.dialog = Some(callback(show));
        self
    }

    /// Sets the callback that answers requests with this `subtype`, for kinds of requests that this builder has no
    /// method for, such as those of a newer CLI. The callback receives the request and returns the payload of the
    /// response. An `Err` or a panic is answered with an error response.
    ///
    /// With the subtype `request_user_dialog`, the callback receives the dialogs of kinds that are not in
    /// [`supported_dialog_kinds`](QueryOptions::supported_dialog_kinds). Without such a callback, these dialogs are
    /// left to another host of the session.
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

    /// Sets the callback that provides a new OAuth token when the CLI's token was rejected. The callback receives the
    /// request unchanged. claw sets an environment variable so that the CLI sends such requests to your program.
    ///
    /// An `Err` or a panic is answered with an error response. The turn then fails as it does without a callback.
    pub fn on_oauth_token_refresh<F, Fut>(mut self, refresh: F) -> Self
    where
        F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<OauthToken>,
    {
        self.declare("CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH");
        self.on_request("oauth_token_refresh", token::written(refresh))
    }

    /// Sets the callback that answers `host_auth_token_refresh`: it provides a new token when the CLI's token was
    /// rejected. In all other respects this method is like [`on_oauth_token_refresh`](Self::on_oauth_token_refresh).
    pub fn on_host_auth_token_refresh<F, Fut>(mut self, refresh: F) -> Self
    where
        F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<HostAuthToken>,
    {
        self.declare("CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH");
        self.on_request("host_auth_token_refresh", token::written(refresh))
    }

    /// Requests structured output of the type `T` in every answer, for [`Session::ask_as`]. Sets
    /// [`output_format`](QueryOptions::output_format) to the JSON Schema of the type. The model reads the schema's
    /// descriptions, which are the doc comments of the type.
    #[cfg(feature = "schemars")]
    pub fn output_as<T: JsonSchema>(mut self) -> Self {
        let format = claw_types::options::OutputFormat::json_schema(
            crate::outcome::output::schema_of::<T>(),
        );
        self.options.output_format = Some(format);
        self
    }

    /// Sets the callback that receives hooks of settings files that delay the start: when a `SessionStart` hook has run
    /// for 5 s, and again whenever that time has doubled. The CLI takes no prompt before these hooks have ended. The
    /// callback runs in a separate task.
    ///
    /// ```no_run
    /// use claw_client::{QueryOptions, Session};
    ///
    /// let builder = Session::builder(QueryOptions::default());
    /// let builder = builder.on_start_hook(|hook| {
    ///     eprintln!("The hook {:?} has been running for {:?}.", hook.name, hook.running_for);
    /// });
    /// ```
    pub fn on_start_hook(mut self, report: impl Fn(&RunningHook) + Send + Sync + 'static) -> Self {
        self.closures.start_hook = Some(Arc::new(report));
        self.limits.hook_report = Some(HOOK_REPORT);
        self
    }

    /// Declares that your program reads [`Session::requests`]. Every request that no callback of this builder answers
    /// goes to that stream. Requests that arrive before your program reads the stream wait in it.
    pub fn answer_requests(mut self) -> Self {
        self.closures.by_application = true;
        self
    }

    /// Adds a field to the handshake request `initialize`: an option of a newer CLI that has no field in
    /// [`QueryOptions`] and no flag for [`extra_args`](QueryOptions::extra_args). A CLI that does not know the field
    /// ignores it. A field that claw knows makes the start fail, because an option of [`QueryOptions`] sets it.
    pub fn initialize_field(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.initialize_fields.insert(name, value.into());
        self
    }

    /// Sets the transport to the CLI: a [`Replay`](claw_transport::Replay) of a recording, an
    /// [`Io`](claw_transport::Io) over any reader and writer, or a [`Subprocess`](claw_transport::Subprocess) with its
    /// own launcher. Without it, a process on this machine is started.
    ///
    /// If a transport is set, it determines the program, its arguments, its environment and its directory; the options
    /// do not. To apply the options to a [`Subprocess`](claw_transport::Subprocess), pass them to it too. The builder
    /// notifies the transport whether there is a permission callback, and passes it the callback that
    /// [`stderr`](Self::stderr) sets.
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

    /// Sets the launcher of the process, which decides where and how the CLI is run: behind a
    /// [`Prefix`](claw_transport::Prefix) such as `bwrap` or `ssh`, or in any other way. The options apply as without it.
    /// Replaces a [`transport`](Self::transport) that was set before; a transport that is set later replaces the launcher.
    ///
    /// A session with a launcher never takes over a spare process of a [`Pool`](crate::pool::Pool), because spares are
    /// started without it.
    pub fn launcher(mut self, launcher: impl Launcher + 'static) -> Self {
        self.transport = None;
        self.launcher = Some(Arc::new(launcher));
        self
    }

    /// Sets the callback that receives each line of the CLI's stderr, with secrets masked. It is
    /// called on a thread that all sessions share.
    pub fn stderr(mut self, callback: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.stderr = Some(Arc::new(callback));
        self
    }

    /// Records every byte between the session and the CLI into a directory, as
    /// [`Recorder::create_in`](claw_transport::Recorder::create_in) does. [`Replay`](claw_transport::Replay), set with
    /// [`transport`](Self::transport), replays such a recording without a CLI. Secrets are not masked in the recording.
    ///
    /// If the recording cannot be written (the disk is full, for example), the session ends with an error for which
    /// [`Error::is_recording`](crate::Error::is_recording) is true, unless
    /// [`recording_may_break_off`](Self::recording_may_break_off) is set.
    pub fn record(mut self, folder: impl Into<PathBuf>) -> Self {
        self.record = Some(folder.into());
        self
    }

    /// Sets whether the session continues if its recording cannot be written, as
    /// [`Recorder::go_on`](claw_transport::Recorder::go_on) does. The default is `false`: the session ends.
    pub fn recording_may_break_off(mut self, may: bool) -> Self {
        self.recording_may_break_off = may;
        self
    }

    /// Keeps the conversation of the session in a store, and resumes it from there. See [`store`](crate::store).
    ///
    /// If the store has the session to resume, the session runs in a separate configuration folder. That folder
    /// contains the session and the user's configuration, and is removed at the end. If the store does not have the
    /// session to resume, the session is resumed from its transcript on this machine, and the whole transcript is
    /// stored.
    ///
    /// [`connect`](Self::connect) and [`query`](Self::query) fail if another process has claimed the session, and if
    /// the store cannot be reached. [`Error::store`](crate::Error::store) returns the store's error in both cases.
    #[cfg(feature = "store")]
    pub fn store(mut self, store: impl Into<crate::stored::StoreOptions>) -> Self {
        self.store = Some(store.into());
        self
    }

    /// Sets the timeout of the CLI's start, including the time of hooks of a settings file. By default, the start has
    /// 60 s, and hooks have an additional ten minutes.
    pub fn initialize_timeout(mut self, timeout: Duration) -> Self {
        self.limits.initialize = timeout;
        self.limits.initialize_with_hooks = true;
        self
    }

    /// Sets the time within which the CLI must answer a [`Call`](crate::Call). Default: 60 s.
    /// [`Call::timeout`](crate::Call::timeout) overrides it for one call.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.limits.call = timeout;
        self
    }

    /// Sets the time within which a callback must answer a request of the CLI (a permission, an elicitation, a dialog,
    /// a request of another kind). After that time the callback counts as failed. By default there is no limit, because
    /// people answer these requests. Hooks have [their own timeout](HookFor::timeout).
    pub fn callback_timeout(mut self, timeout: Duration) -> Self {
        self.limits.callback = Some(timeout);
        self
    }

    /// Sets how long the CLI may be silent in the middle of a turn. After that time, claw interrupts the turn and ends
    /// the process, with SIGTERM if the process still runs after 5 s. Turns and calls fail with an error for which
    /// [`Error::is_stalled`](crate::Error::is_stalled) is true. By default there is no limit.
    ///
    /// Every line that the CLI writes restarts the timeout. During a long tool use, the CLI writes a line every 30 s.
    /// During an answer of the model, it writes a line for each piece of text if
    /// [`include_partial_messages`](QueryOptions::include_partial_messages) is set. Without that option, it writes a
    /// line only when a content block is complete; set a timeout of some minutes then. The CLI writes nothing while a
    /// hook of a settings file runs. The time of a hook that runs at the start is counted too. The time in which the
    /// CLI waits for a callback of the application, or for the application to read messages, is not counted.
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.limits.stall = Some(timeout);
        self
    }

    /// Sets how many bytes of messages may wait for their readers. Default: 128 MiB.
    ///
    /// At three quarters of this limit, claw stops reading the CLI's output, unless a call or a callback is in
    /// progress or another reader waits for a message. At the limit, such calls and readers fail with an error for
    /// which [`Error::is_backlogged`](crate::Error::is_backlogged) is true. Messages without a reader are not counted;
    /// see [`Session::messages`].
    pub fn buffer(mut self, bytes: usize) -> Self {
        self.buffer = bytes;
        self
    }

    /// Sets an environment variable of the CLI, unless the options set it.
    fn declare(&mut self, name: &str) {
        let env = self.options.env.get_or_insert_default();
        if env.get(name).is_none() {
            env.insert(name, Some("1".to_owned()));
        }
    }
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
