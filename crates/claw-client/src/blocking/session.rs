//! A conversation with blocking methods.

use claw_transport::{Exit, Process, Shutdown};
use claw_types::QueryOptions;
use claw_types::control::{InitializeResponse, Request};
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
#[cfg(feature = "schemars")]
use serde::de::DeserializeOwned;

use super::runtime::Runtime;
use super::{Blocking, Messages, Requests, SessionBuilder, Turn};
use crate::{Error, Prompt, UsageTotals};

/// A conversation with a running CLI whose methods block: see [`Session`](crate::Session), and [the
/// differences](super).
///
/// Cheap to clone. Every clone is the same session, for any number of threads.
///
/// # Drop
///
/// The session ends with its last handle, including a [`Turn`] or [`Query`](super::Query) of it.
/// claw's thread ends and reaps the process. Dropping does not wait.
pub type Session = Blocking<crate::Session>;

impl Blocking<crate::Session> {
    /// Creates a builder for a session with these options.
    pub fn builder(options: QueryOptions) -> SessionBuilder {
        SessionBuilder::new(options)
    }

    /// Sends a prompt. Its turn is an iterator of messages that ends with the result. The CLI can
    /// answer queued prompts together, as with [`Session::send`](crate::Session::send).
    ///
    /// # Errors
    ///
    /// As [`Session::send`](crate::Session::send).
    #[track_caller]
    pub fn send(&self, prompt: impl Into<Prompt>) -> Result<Turn, Error> {
        let turn = self.runtime.wait(self.inner.send(prompt))?;
        Ok(self.wrap(turn))
    }

    /// Sends a prompt and waits for the text of its own answer. Threads that ask at the same time
    /// wait for each other: see [`Session::ask`](crate::Session::ask).
    ///
    /// # Errors
    ///
    /// As [`Session::ask`](crate::Session::ask).
    #[track_caller]
    pub fn ask(&self, prompt: impl Into<Prompt>) -> Result<String, Error> {
        self.runtime.wait(self.inner.ask(prompt))
    }

    /// Sends a prompt and waits for structured output of the form that the session was built for:
    /// see [`Session::ask_as`](crate::Session::ask_as).
    ///
    /// # Errors
    ///
    /// As [`Session::ask_as`](crate::Session::ask_as).
    #[cfg(feature = "schemars")]
    #[track_caller]
    pub fn ask_as<T>(&self, prompt: impl Into<Prompt>) -> Result<T, Error>
    where
        T: DeserializeOwned + JsonSchema,
    {
        self.runtime.wait(self.inner.ask_as(prompt))
    }

    /// Returns all messages of the session, including those between turns: see
    /// [`Session::messages`](crate::Session::messages).
    ///
    /// # Errors
    ///
    /// As [`Session::messages`](crate::Session::messages).
    pub fn messages(&self) -> Result<Messages, Error> {
        Ok(self.wrap(self.inner.messages()?))
    }

    /// Returns the requests of the CLI for the application to answer as data: see
    /// [`Session::requests`](crate::Session::requests). Read them on a separate thread: a thread
    /// that waits for a turn, which waits for the answer to a request, waits forever.
    ///
    /// # Errors
    ///
    /// As [`Session::requests`](crate::Session::requests).
    pub fn requests(&self) -> Result<Requests, Error> {
        Ok(self.wrap(self.inner.requests()?))
    }

    /// Calls the CLI and waits for the response, while other threads continue. Most kinds have a
    /// method, such as [`set_model`](Self::set_model). This one takes every kind with all of its
    /// fields.
    ///
    /// # Errors
    ///
    /// As [`Session::call`](crate::Session::call).
    #[track_caller]
    pub fn call<R: Request>(&self, body: R) -> Result<R::Response, Error> {
        self.runtime.wait(self.inner.call(body))
    }

    /// Returns the tokens and the cost of this session so far: see [`Session::usage`](crate::Session::usage).
    pub fn usage(&self) -> UsageTotals {
        self.inner.usage()
    }

    /// Ends the session and waits for the end of its process: see
    /// [`Session::close`](crate::Session::close).
    ///
    /// # Errors
    ///
    /// As [`Session::close`](crate::Session::close).
    #[track_caller]
    pub fn close(&self) -> Result<Exit, Error> {
        self.runtime.wait(self.inner.close())
    }

    /// Ends the session with other times than [`close`](Self::close).
    ///
    /// # Errors
    ///
    /// As [`close`](Self::close).
    #[track_caller]
    pub fn close_with(&self, steps: Shutdown) -> Result<Exit, Error> {
        self.runtime.wait(self.inner.close_with(steps))
    }

    /// Returns the mirror of the session in its store. `None` without a store.
    #[cfg(feature = "store")]
    pub fn mirror(&self) -> Option<&crate::store::Mirror> {
        self.inner.mirror()
    }

    /// Returns the process of the CLI.
    pub fn process(&self) -> &Process {
        self.inner.process()
    }

    /// Returns the CLI's response to `initialize`. `None` before it has arrived.
    pub fn info(&self) -> Option<&InitializeResponse> {
        self.inner.info()
    }

    /// Returns the number of messages that were discarded because no one read them: see
    /// [`Session::skipped`](crate::Session::skipped).
    pub fn skipped(&self) -> u64 {
        self.inner.skipped()
    }
}

/// Creates a blocking session from an async one, such as the session of a
/// [`CallbackContext::session`](crate::CallbackContext::session). Its task stays in the runtime in
/// which it was started, which must keep running.
///
/// # Panics
///
/// If claw's thread cannot be started.
impl From<crate::Session> for Session {
    fn from(session: crate::Session) -> Self {
        match Runtime::get() {
            Ok(runtime) => Self {
                inner: session,
                runtime,
            },
            Err(error) => panic!("claw's thread cannot be started: {error}"),
        }
    }
}
