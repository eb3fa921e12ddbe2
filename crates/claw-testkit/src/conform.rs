//! The conformance suite for SDKs: programs and libraries, in any language, that drive `claude`.
//!
//! The author of an SDK writes a small program, the *testee*. The testee reads one [case](Case) as a line of JSON from
//! its standard input, and uses the SDK as the case requires. It writes everything that a user of the SDK receives to
//! its standard output, as lines of JSON. In place of `claude`, the SDK starts a [scripted agent](crate::agent) whose
//! path is in the case. [`run`] starts the testee for one case, and checks its lines. `claw conform` does this for [all
//! cases](cases).
//!
//! # What a testee reads
//!
//! The testee reads one line, which is a JSON object. The testee does what the members require. A member that is absent
//! requires nothing.
//!
//! | member | meaning |
//! |---|---|
//! | `case` | the name of the case, for messages to people |
//! | `claude` | the path of the program that the SDK starts in place of `claude` |
//! | `folder` | the working directory of the session, which exists |
//! | `prompts` | the prompts. The testee sends each one after the result of the one before it |
//! | `partialMessages` | `true`: request partial messages |
//! | `permission` | what the permission callback returns: `{"behavior": "allow"}`, perhaps with `updatedInput`, or `{"behavior": "deny", "message": "…"}`. `{"raise": "…"}`: the callback throws an error. With `"afterResult": true`, the callback returns only after the first message of type `result`. Absent: no callback |
//! | `hook` | a hook to register: its `event`, and its `response`, or `raise`. Without a matcher |
//! | `tool` | an MCP server in the testee's process: `server`, the `name` of its only tool, and the text of its `response`, or `raise`. The tool takes `{"a": number}` |
//! | `interrupt` | `true`: interrupt the turn after the first message of type `assistant` |
//! | `leave` | `true`: after the first message of type `assistant`, stop reading, and end the session |
//! | `sessions` | start so many sessions at the same time, and do in each what the case says. Absent: one |
//! | `timeLimit` | set the SDK's own limit for the time without a message in a turn to so many seconds |
//!
//! # What a testee writes
//!
//! The testee writes one line for each event, and flushes it. Each line is a JSON object with one member:
//!
//! | member | when |
//! |---|---|
//! | `message` | the user of the SDK receives a message: the message as JSON, in the form of the CLI's line |
//! | `permission` | the callback is called: `tool` and `input` |
//! | `hook` | the hook is called: `event` and `input` |
//! | `tool` | the tool is called: `name` and `input` |
//! | `error` | the SDK reports an error to its user: its text |
//! | `end` | the session was ended, and the SDK has returned from that: `true` |
//! | `unsupported` | the SDK has no way to do what the case says: what it lacks. The testee then exits |
//!
//! After these lines, the testee exits with code 0. An error of the SDK is not an error of the testee. In some cases,
//! the testee is killed after its first message of type `assistant`, and the suite checks which processes are still
//! running.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

mod case;
mod judge;
mod testee;

pub use case::{Case, Expected, cases};
pub use testee::{Testee, run};

/// The time in which a testee must end, unless the case sets another time.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The testee did what the case expects.
    Passed,
    /// The testee did something else. Each text describes one difference.
    Failed(Vec<String>),
    /// The testee has reported that the SDK cannot do what the case requires. The text is the reason that the testee
    /// reported.
    Unsupported(String),
}

/// A failure to run a case. It does not depend on the behaviour of the testee.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConformError {
    /// The files of the case could not be written.
    #[error("the files of a case cannot be written")]
    Files(#[source] io::Error),
    /// The testee could not be started.
    #[error("{} cannot be started", program.display())]
    Start {
        /// The testee's program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
}
