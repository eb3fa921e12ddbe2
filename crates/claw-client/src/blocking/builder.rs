//! The configuration of a blocking session.

use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use claw_transport::{Launcher, Transport, TransportError};
use claw_types::control::{
    Elicitation, ElicitationResponse, PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::{Json, QueryOptions};
use futures::stream;
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
use tokio::sync::mpsc;

use super::callbacks::{BlockingHook, Threads};
use super::runtime::Runtime;
use super::{Blocking, Query, Session};
use crate::engine::RunningHook;
use crate::hook::{Hook, HookFor, IntoHookOutput};
use crate::outcome::error::Error;
use crate::requests::answer::IntoAnswer;
use crate::requests::context::CallbackContext;
use crate::requests::decide::FirstMatch;
use crate::requests::permission::ToolPermissionRequest;
use crate::requests::token::{HostAuthToken, OauthToken};
use crate::session::prompt::Prompt;

/// Configures a blocking session. Created by [`Session::builder`]. Each method corresponds to the method of
/// [`SessionBuilder`](crate::SessionBuilder) with the same name. Callbacks are plain closures that [may
/// block](super#threads).
#[must_use = "a session begins with `connect` or `query`"]
pub struct SessionBuilder {
    inner: crate::SessionBuilder,
    threads: Threads,
}

/// Declares methods that forward their arguments to the methods of the async builder with the same names.
macro_rules! setters {
    ($($name:ident($($argument:ident: $type:ty),*);)+) => {$(
        #[doc = concat!(
            "The blocking form of [`SessionBuilder::", stringify!($name), "`](crate::SessionBuilder::", stringify!($name), ")."
        )]
        pub fn $name(self, $($argument: $type),*) -> Self {
            self.with(|builder| builder.$name($($argument),*))
        }
    )+};
}

/// Declares methods that take a blocking closure as a callback, and pass it to the async builder.
macro_rules! callbacks {
    ($($name:ident($question:ty) -> $answer:ty;)+) => {$(
        #[doc = concat!(
            "The blocking form of [`SessionBuilder::", stringify!($name), "`](crate::SessionBuilder::", stringify!($name),
            "), with a closure that [may block](super#threads)."
        )]
        pub fn $name<A: IntoAnswer<$answer>>(
            self,
            answer: impl Fn($question, CallbackContext) -> A + Send + Sync + 'static,
        ) -> Self {
            let answer = self.threads.callback(answer);
            self.with(|builder| builder.$name(answer))
        }
    )+};
}

impl SessionBuilder {
    pub(super) fn new(options: QueryOptions) -> Self {
        Self {
            inner: crate::Session::builder(options),
            threads: Threads::default(),
        }
    }

    /// Applies `change` to the underlying async builder, for settings that the blocking builder has no method for. An
    /// async callback that is set in this way runs on the thread that all blocking sessions share, and must not block
    /// it.
    pub fn with(self, change: impl FnOnce(crate::SessionBuilder) -> crate::SessionBuilder) -> Self {
        Self {
            inner: change(self.inner),
            threads: self.threads,
        }
    }

    /// Sets the callback that decides whether a tool may be used, as
    /// [`SessionBuilder::can_use_tool`](crate::SessionBuilder::can_use_tool) does. The closure [may
    /// block](super#threads), for example to ask a person at the terminal.
    ///
    /// The callback **fails closed**: an `Err` or a panic denies the tool use.
    pub fn can_use_tool<A: IntoAnswer<PermissionResult>>(
        self,
        decide: impl Fn(ToolPermissionRequest) -> A + Send + Sync + 'static,
    ) -> Self {
        let decide = self.threads.callback(move |request, _| decide(request));
        self.with(|builder| {
            builder.can_use_tool(move |request: ToolPermissionRequest| {
                let context = request.context().clone();
                decide(request, context)
            })
        })
    }

    /// Sets the rules that decide whether a tool may be used. See
    /// [`SessionBuilder::permissions`](crate::SessionBuilder::permissions).
    pub fn permissions(self, rules: FirstMatch) -> Self {
        self.with(|builder| builder.permissions(rules))
    }

    /// Registers a hook, as [`SessionBuilder::hook`](crate::SessionBuilder::hook) does. The closure
    /// [may block](super#threads).
    ///
    /// ```no_run
    /// use claw_client::blocking::Session;
    /// use claw_client::hook::PostToolUse;
    /// use claw_client::types::QueryOptions;
    ///
    /// let builder = Session::builder(QueryOptions::default())
    ///     .hook::<PostToolUse>("Bash", |input, _| println!("{}", input.tool_name));
    /// ```
    pub fn hook<E: Hook>(self, what: impl Into<HookFor>, call: impl BlockingHook<E>) -> Self {
        let call = self
            .threads
            .run(move |input: E::Input, context| call(input, context).into_output());
        self.with(|builder| builder.hook::<E>(what, call))
    }

    /// Registers a hook by the name of its event, as
    /// [`SessionBuilder::hook_named`](crate::SessionBuilder::hook_named) does. The closure [may block](super#threads).
    pub fn hook_named<A: IntoAnswer<Json>>(
        self,
        event: impl Into<String>,
        what: impl Into<HookFor>,
        call: impl Fn(Json, CallbackContext) -> A + Send + Sync + 'static,
    ) -> Self {
        let call = self.threads.callback::<_, _, Json>(call);
        self.with(|builder| builder.hook_named(event, what, call))
    }

    callbacks! {
        on_elicitation(Elicitation) -> ElicitationResponse;
        on_user_dialog(RequestUserDialog) -> UserDialogResponse;
        on_oauth_token_refresh(Json) -> OauthToken;
        on_host_auth_token_refresh(Json) -> HostAuthToken;
    }

    /// Sets the callback that answers requests with this `subtype`, for kinds of requests that this builder has no
    /// method for. See [`SessionBuilder::on_request`](crate::SessionBuilder::on_request). The closure [may
    /// block](super#threads).
    pub fn on_request<A: IntoAnswer<Json>>(
        self,
        subtype: impl Into<String>,
        answer: impl Fn(Json, CallbackContext) -> A + Send + Sync + 'static,
    ) -> Self {
        let answer = self.threads.callback(answer);
        self.with(|builder| builder.on_request(subtype, answer))
    }

    setters! {
        answer_requests();
        initialize_field(name: impl Into<String>, value: impl Into<Json>);
        transport(transport: impl Transport + 'static);
        launcher(launcher: impl Launcher + 'static);
        stderr(callback: impl Fn(&str) + Send + Sync + 'static);
        on_start_hook(report: impl Fn(&RunningHook) + Send + Sync + 'static);
        record(folder: impl Into<PathBuf>);
        recording_may_break_off(may: bool);
        initialize_timeout(timeout: Duration);
        call_timeout(timeout: Duration);
        callback_timeout(timeout: Duration);
        stall_timeout(timeout: Duration);
        buffer(bytes: usize);
    }

    /// Registers a hook whose calls your program answers through [`Session::requests`], without a closure. See
    /// [`SessionBuilder::hook_request`](crate::SessionBuilder::hook_request).
    pub fn hook_request<E: Hook>(self, what: impl Into<HookFor>) -> Self {
        self.with(|builder| builder.hook_request::<E>(what))
    }

    /// Registers a hook by the name of its event, without a closure. See
    /// [`SessionBuilder::hook_request_named`](crate::SessionBuilder::hook_request_named).
    pub fn hook_request_named(self, event: impl Into<String>, what: impl Into<HookFor>) -> Self {
        self.with(|builder| builder.hook_request_named(event, what))
    }

    /// Keeps the conversation of the session in a store, so that other hosts can continue it. See
    /// [`SessionBuilder::store`](crate::SessionBuilder::store).
    #[cfg(feature = "store")]
    pub fn store(self, store: impl Into<crate::store::StoreOptions>) -> Self {
        self.with(|builder| builder.store(store))
    }

    /// Requests structured output of the type `T` in every answer, for [`Session::ask_as`]. See
    /// [`SessionBuilder::output_as`](crate::SessionBuilder::output_as).
    #[cfg(feature = "schemars")]
    pub fn output_as<T: JsonSchema>(self) -> Self {
        self.with(crate::SessionBuilder::output_as::<T>)
    }

    /// Adds an MCP server that runs in this process. See
    /// [`SessionBuilder::mcp_server`](crate::SessionBuilder::mcp_server). The server is async and runs on the thread
    /// that all blocking sessions share: a tool that blocks must use `tokio::task::spawn_blocking`.
    #[cfg(feature = "mcp")]
    pub fn mcp_server(self, name: impl Into<String>, server: impl Into<crate::McpServer>) -> Self {
        self.with(|builder| builder.mcp_server(name, server))
    }

    /// Starts the CLI and waits until it is ready for prompts.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`SessionBuilder::connect`](crate::SessionBuilder::connect).
    ///
    /// # Panics
    ///
    /// Panics if it is called in async code. In this case, nothing is started.
    #[track_caller]
    pub fn connect(self) -> Result<Session, Error> {
        let runtime = running()?;
        let inner = runtime.wait(self.inner.connect())?;
        Ok(Blocking { inner, runtime })
    }

    /// Starts the CLI with one prompt, as [`query`](super::query) does.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`SessionBuilder::query`](crate::SessionBuilder::query).
    ///
    /// # Panics
    ///
    /// Panics if it is called in async code. In this case, nothing is started.
    #[track_caller]
    pub fn query(self, prompt: impl Into<Prompt>) -> Result<Query, Error> {
        let runtime = running()?;
        let inner = runtime.wait(self.inner.query(prompt))?;
        Ok(Blocking { inner, runtime })
    }

    /// Starts the CLI with successive prompts, as [`SessionBuilder::query_all`](crate::SessionBuilder::query_all) does.
    /// A separate thread takes the prompts from the iterator, one prompt in advance. So the iterator may block, for
    /// example on lines of stdin. After the query is dropped, that thread ends when the iterator yields its next
    /// prompt.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`SessionBuilder::query_all`](crate::SessionBuilder::query_all).
    ///
    /// # Panics
    ///
    /// Panics if it is called in async code. In this case, nothing is started.
    #[track_caller]
    pub fn query_all<I>(self, prompts: I) -> Result<Query, Error>
    where
        I: IntoIterator<Item: Into<Prompt>, IntoIter: Send + 'static>,
    {
        let runtime = running()?;
        let (sender, receiver) = mpsc::channel::<Prompt>(1);
        let stream = stream::unfold(receiver, async |mut receiver| {
            let prompt = receiver.recv().await?;
            Some((prompt, receiver))
        });
        let inner = runtime.wait(self.inner.query_all(stream))?;
        let prompts = prompts.into_iter();
        let feed = move || {
            for prompt in prompts {
                if sender.blocking_send(prompt.into()).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("claw-prompts".into());
        thread.spawn(feed).map_err(TransportError::from)?;
        Ok(Blocking { inner, runtime })
    }
}

fn running() -> Result<Runtime, Error> {
    Ok(Runtime::get().map_err(TransportError::from)?)
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionBuilder").field(&self.inner).finish()
    }
}
