//! A conversation that waits.

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

/// A conversation with a running CLI, each of whose methods waits: see [`Session`](crate::Session), and
/// [what is different here](super).
///
/// Cheap to clone; every clone is the same session, for any number of threads.
///
/// # Drop
///
/// The session ends with its last handle, a [`Turn`] or [`Query`](super::Query) of it included: the process
/// is ended and reaped by a thread of claw's. Dropping it waits for nothing.
pub type Session = Blocking<crate::Session>;

impl Blocking<crate::Session> {
    /// Begins to set a session up.
    pub fn builder(options: QueryOptions) -> SessionBuilder {
        SessionBuilder::new(options)
    }

    /// Sends a prompt. Its turn is an iterator of messages that ends with the result. What
    /// [`Session::send`](crate::Session::send) says of prompts that wait together holds here too.
    ///
    /// # Errors
    ///
    /// As [`Session::send`](crate::Session::send).
    #[track_caller]
    pub fn send(&self, prompt: impl Into<Prompt>) -> Result<Turn, Error> {
        let turn = self.runtime.wait(self.inner.send(prompt))?;
        Ok(self.beside(turn))
    }

    /// Sends a prompt, and waits for the text of its own answer. Threads that ask at the same time wait for
    /// each other: see [`Session::ask`](crate::Session::ask).
    ///
    /// # Errors
    ///
    /// As [`Session::ask`](crate::Session::ask).
    #[track_caller]
    pub fn ask(&self, prompt: impl Into<Prompt>) -> Result<String, Error> {
        self.runtime.wait(self.inner.ask(prompt))
    }

    /// Sends a prompt, and waits for an answer of the form that the session was built for: see
    /// [`Session::ask_as`](crate::Session::ask_as).
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

    /// All messages of the session, those between turns included: see
    /// [`Session::messages`](crate::Session::messages).
    ///
    /// # Errors
    ///
    /// As [`Session::messages`](crate::Session::messages).
    pub fn messages(&self) -> Result<Messages, Error> {
        Ok(self.beside(self.inner.messages()?))
    }

    /// What the CLI asks, for the application to answer by data: see
    /// [`Session::requests`](crate::Session::requests). Read it on a thread of its own: whoever waits for the
    /// turn that waits for the answer waits for ever.
    ///
    /// # Errors
    ///
    /// As [`Session::requests`](crate::Session::requests).
    pub fn requests(&self) -> Result<Requests, Error> {
        Ok(self.beside(self.inner.requests()?))
    }

    /// Asks the CLI something, and waits for the answer, while other threads go on. Most requests have a
    /// method, such as [`set_model`](Self::set_model); this one takes every request, with all that it can say.
    ///
    /// # Errors
    ///
    /// As [`Session::call`](crate::Session::call).
    #[track_caller]
    pub fn call<R: Request>(&self, body: R) -> Result<R::Response, Error> {
        self.runtime.wait(self.inner.call(body))
    }

    /// What was used so far, by the results that have come.
    pub fn usage(&self) -> UsageTotals {
        self.inner.usage()
    }

    /// Ends the session, and waits for the end of its process: see
    /// [`Session::close`](crate::Session::close).
    ///
    /// # Errors
    ///
    /// As [`Session::close`](crate::Session::close).
    #[track_caller]
    pub fn close(&self) -> Result<Exit, Error> {
        self.runtime.wait(self.inner.close())
    }

    /// As [`close`](Self::close), with other times.
    ///
    /// # Errors
    ///
    /// As [`close`](Self::close).
    #[track_caller]
    pub fn close_with(&self, ladder: Shutdown) -> Result<Exit, Error> {
        self.runtime.wait(self.inner.close_with(ladder))
    }

    /// The CLI's process.
    pub fn process(&self) -> &Process {
        self.inner.process()
    }

    /// What the CLI said about itself when it was ready.
    pub fn info(&self) -> Option<&InitializeResponse> {
        self.inner.info()
    }

    /// How many messages were thrown away because there was nobody to read them: see
    /// [`Session::skipped`](crate::Session::skipped).
    pub fn skipped(&self) -> u64 {
        self.inner.skipped()
    }
}

/// A session for threads that block, of one that async code has begun or that a callback's
/// [`CallbackContext::session`](crate::CallbackContext::session) gave. What works on it stays where it is: in the runtime
/// that it was begun in, which has to run for it.
///
/// # Panics
///
/// Where claw's thread cannot be started.
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
