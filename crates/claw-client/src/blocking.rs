//! Queries and sessions for programs without async (feature `blocking`).
//!
//! The types and functions have the same names as in the crate root. A call waits for its response, a stream of
//! messages is an [`Iterator`], and a callback is a plain closure:
//!
//! ```no_run
//! use claw_client::blocking::Session;
//! use claw_client::types::QueryOptions;
//! use claw_client::types::control::PermissionResult;
//!
//! fn main() -> Result<(), claw_client::Error> {
//!     let session = Session::builder(QueryOptions::default())
//!         .can_use_tool(|request| match request.tool_name() {
//!             "Read" => PermissionResult::allow(),
//!             tool => PermissionResult::deny(format!("{tool} is not allowed here")),
//!         })
//!         .connect()?;
//!     println!("{}", session.ask("What is 2 + 2?")?);
//!     for received in session.send("Tell me a story.")? {
//!         if let Some(message) = received?.message() {
//!             print!("{}", message.text());
//!         }
//!     }
//!     session.close()?;
//!     Ok(())
//! }
//! ```
//!
//! # Threads
//!
//! All blocking sessions of a process share one thread, `claw-blocking`, which the first session starts. This thread
//! reads the output of every CLI, regardless of the program's own threads: a program that computes for an hour between
//! two calls misses no deadline. A [`Session`] is [`Clone`], [`Send`] and [`Sync`]: any number of threads can use it
//! at the same time.
//!
//! Each callback runs on its own thread and may block for any length of time: it delays only the request that it
//! answers, and it may call blocking functions, including those of its own session. At most 128 callbacks of one
//! session run at the same time; further callbacks are refused. If the CLI withdraws a request, the callback's answer
//! is not used, but the callback's thread cannot be stopped: a callback that takes long should check
//! [`CallbackContext::token`](crate::CallbackContext::token). A callback that panics refuses its request.
//!
//! # Inside of an async program
//!
//! A function of this module that waits **panics at once** when it is called from async code, because it would block
//! the thread that other tasks need. Such a function works in `tokio::task::spawn_blocking` and on ordinary threads.
//! Values of this module may be dropped anywhere, also in async code.
//!
//! # At the end of the program
//!
//! Dropping a session ends its process, as with an async session. If `main` returns or the program is killed while a
//! session is open, the session's process ends too: on Linux the kernel signals the process, on other systems the
//! process finds its stdin closed. [`Session::close`] ends the process in an orderly way and returns its exit status.
//!
//! # After a fork
//!
//! A forked process has none of its parent's threads. In the forked process, a function that waits
//! for a session of the parent panics at once. New sessions work there and start their own thread.

mod builder;
mod callbacks;
mod calls;
mod runtime;
mod session;
mod streams;

use std::fmt;
use std::future::Future;

use claw_types::QueryOptions;

use crate::outcome::error::Error;
use crate::session::prompt::Prompt;
use runtime::Runtime;

pub use builder::SessionBuilder;
pub use callbacks::BlockingHook;

/// The blocking form of `T`: see the aliases [`Session`], [`Query`], [`Turn`], [`Messages`],
/// [`TextStream`], [`TurnEvents`] and [`Requests`].
///
/// # Drop
///
/// Dropping this value has the same effect as dropping its `T`. The value may be dropped anywhere, also in async code.
#[derive(Clone)]
pub struct Blocking<T> {
    inner: T,
    runtime: Runtime,
}

impl<T> Blocking<T> {
    /// Returns the async form of this value, for methods that the blocking form lacks. The function
    /// [`wait`] waits for the futures of these methods.
    ///
    /// ```no_run
    /// # use claw_client::{Error, blocking};
    /// use std::time::Duration;
    ///
    /// # fn example(session: &blocking::Session) -> Result<(), Error> {
    /// let call = session.as_async().mcp_status().timeout(Duration::from_secs(5));
    /// let status = blocking::wait(call)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_async(&self) -> &T {
        &self.inner
    }

    /// Converts this value into its async form. The session's task still runs on the thread of the
    /// blocking sessions.
    pub fn into_async(self) -> T {
        self.inner
    }

    /// Wraps another handle of the same session.
    fn wrap<U>(&self, inner: U) -> Blocking<U> {
        Blocking {
            inner,
            runtime: self.runtime.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Blocking<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blocking").field(&self.inner).finish()
    }
}

/// A conversation with a running CLI: the blocking form of [`Session`](crate::Session). [The module](self) describes
/// the differences.
///
/// Clones of this type are handles of the same session, and any number of threads can use it.
///
/// # Drop
///
/// The session ends when its last handle is dropped. A [`Turn`] or [`Query`] of the session counts as a
/// handle. The drop does not wait: a thread of claw ends and reaps the process.
pub type Session = Blocking<crate::Session>;

/// The messages of one query, as an iterator. Returned by [`query`]. See
/// [`Query`](crate::Query).
pub type Query = Blocking<crate::Query>;

/// The messages of one turn, as an iterator. Returned by [`Session::send`]. See
/// [`Turn`](crate::Turn).
pub type Turn = Blocking<crate::Turn>;

/// All messages of a session, as an iterator. Returned by [`Session::messages`]. See
/// [`Messages`](crate::Messages).
pub type Messages = Blocking<crate::Messages>;

/// The text of a turn or a query, as an iterator. Returned by [`Turn::text_stream`]. See
/// [`TextStream`](crate::TextStream).
pub type TextStream<S = crate::Turn> = Blocking<crate::TextStream<S>>;

/// The messages of a turn or a query as an iterator of simple events. Returned by
/// [`Query::events`]. See [`TurnEvents`](crate::TurnEvents).
pub type TurnEvents<S = crate::Turn> = Blocking<crate::TurnEvents<S>>;

/// The requests of the CLI, as an iterator. Returned by [`Session::requests`]. See
/// [`Requests`](crate::Requests).
pub type Requests = Blocking<crate::Requests>;

/// Runs one prompt in its own process, as [`query`](crate::query()) does, and returns the messages
/// as an iterator.
///
/// ```no_run
/// use claw_client::types::QueryOptions;
///
/// fn main() -> Result<(), claw_client::Error> {
///     for received in claw_client::blocking::query("What is 2 + 2?", QueryOptions::default())? {
///         if let Some(message) = received?.message() {
///             print!("{}", message.text());
///         }
///     }
///     Ok(())
/// }
/// ```
///
/// # Errors
///
/// Fails with the same errors as [`query`](crate::query()).
///
/// # Panics
///
/// Panics in async code.
#[track_caller]
pub fn query(prompt: impl Into<Prompt>, options: QueryOptions) -> Result<Query, Error> {
    Session::builder(options).query(prompt)
}

/// Waits on the calling thread for a future of this crate. If the future needs a tokio runtime, it uses the runtime of
/// the thread that all blocking sessions share.
///
/// # Panics
///
/// Panics in async code, and if the thread of the blocking sessions cannot be started.
#[track_caller]
pub fn wait<F: Future>(future: F) -> F::Output {
    match Runtime::get() {
        Ok(runtime) => runtime.wait(future),
        Err(error) => panic!("claw's thread cannot be started: {error}"),
    }
}

#[cfg(test)]
mod tests;
