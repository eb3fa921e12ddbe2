//! `claw doctor`: looks for problems that prevent sessions.

mod check;
mod claude;
mod folders;
mod proxy;
mod servers;
#[cfg(feature = "terminal")]
mod sessions;
mod settings;

use std::fmt::Write as _;
use std::io::Write as _;

use claw_client::types::QueryOptions;
use serde_json::json;

use self::check::{Check, State};
use crate::args::config_dirs::ConfigDirs;
use crate::escape::escape;
use crate::outcome::Outcome;

/// Runs all checks, and prints them. With `network`, also checks whether the API can be reached.
pub(crate) async fn run(network: bool, is_json: bool, dirs: &ConfigDirs) -> Outcome {
    #[cfg(feature = "terminal")]
    let of_file = crate::defaults::config_dirs();
    #[cfg(feature = "terminal")]
    let dirs = if dirs.config_dirs.is_empty() {
        &of_file
    } else {
        dirs
    };
    let mut checks = claude::check(&QueryOptions::default()).await;
    checks.extend(settings::check());
    #[cfg(feature = "terminal")]
    checks.extend(settings::own());
    checks.extend(servers::check(&QueryOptions::default()).await);
    checks.extend(folders::check(dirs));
    #[cfg(feature = "terminal")]
    checks.extend(sessions::check(dirs));
    checks.extend(proxy::check(network).await);
    let is_good = checks.iter().all(|check| check.state != State::Bad);
    let text = if is_json {
        format!("{}\n", json!({ "ok": is_good, "checks": checks }))
    } else {
        drawn(&checks)
    };
    let mut out = anstream::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) => Outcome::unwritten(&error),
        Ok(()) if is_good => Outcome::Success,
        Ok(()) => Outcome::ErrorResult,
    }
}

fn drawn(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for check in checks {
        let mark = match check.state {
            State::Good => '✓',
            State::Warning => '!',
            State::Bad => '✗',
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{mark} {:width$}  {}",
            check.name,
            escape(&check.text)
        );
        if let Some(mend) = &check.mend {
            let _ = writeln!(text, "  {:width$}  → {}", "", escape(mend));
        }
    }
    text
}
