//! A conversation with blocking methods.

use std::time::SystemTime;

use claw_transport::{Exit, Process, Shutdown};
use claw_types::QueryOptions;
use claw_types::control::{InitializeResponse, Request};
use claw_types::message::CompactMetadata;
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
#[cfg(feature = "schemars")]
use serde::de::DeserializeOwned;

use super::runtime::Runtime;
use super::{Blocking, Messages, Requests, Session, SessionBuilder, Turn};
use crate::outcome::error::Error;
use crate::outcome::usage::UsageTotals;
use crate::session::prompt::Prompt;

impl Blocking<crate::Session> {
    /// Creates a builder for a session with these options.
    pub fn builder(options: QueryOptions) -> SessionBuilder {
        SessionBuilder::new(options)
    }

    /// Sends a prompt and returns its turn, an iterator of messages that ends with the result. The CLI can answer
    /// queued prompts together, as with [`Session::send`](crate::Session::send).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::send`](crate::Session::send).
    #[track_caller]
    pub fn send(&self, prompt: impl Into<Prompt>) -> Result<Turn, Error> {
        let turn = self.runtime.wait(self.inner.send(prompt))?;
        Ok(self.wrap(turn))
    }

    /// Sends a prompt and waits for the text of the answer to it. Threads that ask at the same time wait for each
    /// other: see [`Session::ask`](crate::Session::ask).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::ask`](crate::Session::ask).
    #[track_caller]
    pub fn ask(&self, prompt: impl Into<Prompt>) -> Result<String, Error> {
        self.runtime.wait(self.inner.ask(prompt))
    }

    /// Sends a prompt and waits for its structured output, a value of the type that the session was built for: see
    /// [`Session::ask_as`](crate::Session::ask_as).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::ask_as`](crate::Session::ask_as).
    #[cfg(feature = "schemars")]
    #[track_caller]
    pub fn ask_as<T>(&self, prompt: impl Into<Prompt>) -> Result<T, Error>
    where
        T: DeserializeOwned + JsonSchema,
    {
        self.runtime.wait(self.inner.ask_as(prompt))
    }

    /// Makes the CLI compact the conversation, and waits for its report: see
    /// [`Session::compact`](crate::Session::compact).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::compact`](crate::Session::compact).
    #[track_caller]
    pub fn compact(&self) -> Result<CompactMetadata, Error> {
        self.runtime.wait(self.inner.compact())
    }

    /// Compacts the conversation as [`compact`](Self::compact) does, with instructions for the model about the summary.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`compact`](Self::compact).
    #[track_caller]
    pub fn compact_with(&self, instructions: impl Into<String>) -> Result<CompactMetadata, Error> {
        self.runtime.wait(self.inner.compact_with(instructions))
    }

    /// Returns an iterator of all messages of the session, including those between turns: see
    /// [`Session::messages`](crate::Session::messages).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::messages`](crate::Session::messages).
    pub fn messages(&self) -> Result<Messages, Error> {
        Ok(self.wrap(self.inner.messages()?))
    }

    /// Returns an iterator of the CLI's requests, which your program answers as data: see
    /// [`Session::requests`](crate::Session::requests). Use it on a separate thread: a thread that waits for a turn
    /// cannot answer the requests that the turn waits for.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::requests`](crate::Session::requests).
    pub fn requests(&self) -> Result<Requests, Error> {
        Ok(self.wrap(self.inner.requests()?))
    }

    /// Sends a control request to the CLI and waits for the response. Other threads can use the session meanwhile. Most
    /// kinds of control requests have a separate method, such as [`set_model`](Self::set_model). This method accepts
    /// every kind, with all of its fields.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Session::call`](crate::Session::call).
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
    /// Fails with the same errors as [`Session::close`](crate::Session::close).
    #[track_caller]
    pub fn close(&self) -> Result<Exit, Error> {
        self.runtime.wait(self.inner.close())
    }

    /// Ends the session as [`close`](Self::close) does, with other time limits.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`close`](Self::close).
    #[track_caller]
    pub fn close_with(&self, steps: Shutdown) -> Result<Exit, Error> {
        self.runtime.wait(self.inner.close_with(steps))
    }

    /// Returns the mirror, which copies the session's transcripts to its store. Returns `None` if the session has no
    /// store.
    #[cfg(feature = "store")]
    pub fn mirror(&self) -> Option<&crate::store::Mirror> {
        self.inner.mirror()
    }

    /// Returns the process of the CLI.
    pub fn process(&self) -> &Process {
        self.inner.process()
    }

    /// Returns the CLI's response to `initialize`. Returns `None` until the response has arrived.
    pub fn info(&self) -> Option<&InitializeResponse> {
        self.inner.info()
    }

    /// Returns the time at which the usage limit of the login is reset: see
    /// [`Session::limit_reset`](crate::Session::limit_reset).
    pub fn limit_reset(&self) -> Option<SystemTime> {
        self.inner.limit_reset()
    }

    /// Returns the number of messages that were discarded because they had no reader: see
    /// [`Session::skipped`](crate::Session::skipped).
    pub fn skipped(&self) -> u64 {
        self.inner.skipped()
    }
}

/// Creates a blocking session from an async one, such as the one that
/// [`CallbackContext::session`](crate::CallbackContext::session) returns. The session's task stays in the runtime in
/// which it was started, and this runtime must keep running.
///
/// # Panics
///
/// Panics if the thread that all blocking sessions share cannot be started.
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
