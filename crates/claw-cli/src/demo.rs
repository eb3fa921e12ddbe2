//! `claw demo`: shows a whole session with a scripted stand-in for `claude`. The stand-in is this program, started
//! again as a subprocess.

use std::env;
use std::process::exit;

use claw_client::types::{Map, QueryOptions};
use claw_testkit::agent::{self, Launch, Script};

use crate::ask::Decider;
use crate::outcome::{Outcome, report};
use crate::run::{Connection, Shown, run};

/// The environment variable that marks the process that plays claude.
pub(crate) const STAND_IN: &str = "CLAW_DEMO_STAND_IN";

const PROMPT: &str = "How many files are here?";

pub(crate) async fn demo(deny: bool) -> Outcome {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return report(&error, Outcome::NotStarted),
    };
    anstream::println!("A scripted stand-in plays claude here; `claw run` talks to the real one.");
    anstream::println!("> {PROMPT}");
    let stand_in: Map<Option<String>> = [(STAND_IN, Some("1".to_owned()))].into_iter().collect();
    let options = QueryOptions::default()
        .path_to_claude_code_executable(program)
        .include_partial_messages(true)
        .env(stand_in);
    let decider = Decider::Always { allow: !deny };
    let required = Vec::new();
    let connection = Connection::default();
    match run(PROMPT, options, decider, Shown::Text, required, connection).await {
        // With --deny, a denied tool use is the expected outcome.
        Outcome::Denied if deny => Outcome::Success,
        outcome => outcome,
    }
}

/// Returns whether this process plays claude.
pub(crate) fn is_stand_in() -> bool {
    env::var_os(STAND_IN).is_some()
}

/// Plays the script that the environment names, which `claw conform` sets. If there is none, plays the script of `claw
/// demo`.
pub(crate) async fn stand_in() -> ! {
    let launch = if env::var_os("CLAW_AGENT_SCRIPT").is_some() {
        Launch::from_args([], |name| env::var_os(name))
    } else {
        Ok(Launch::new(Script::demo()))
    };
    match launch {
        Ok(launch) => exit(agent::stdio(&launch).await),
        Err(error) => {
            report(&error, Outcome::NotStarted);
            exit(1)
        }
    }
}
