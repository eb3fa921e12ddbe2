//! Checks whether claude is installed, has a version that claw knows, and is logged in.

use claw_client::transport::{TransportError, discover};
use claw_client::types::{CLI_VERSION, QueryOptions};
use claw_client::{OLDEST_CLI, is_too_old};
use claw_server::{CliProblemKind, check_cli};

use super::check::Check;

pub(super) async fn check(options: &QueryOptions) -> Vec<Check> {
    let path = match discover(options) {
        Ok(path) => path,
        Err(error) => {
            let mend = match error {
                TransportError::NotFound { .. } => {
                    "Install it with `npm install -g @anthropic-ai/claude-code`, or set CLAW_CLAUDE_PATH to its path."
                }
                _ => "Set CLAW_CLAUDE_PATH to the path of claude.",
            };
            return vec![Check::bad("claude", one_line(&error.to_string()), mend)];
        }
    };
    let info = check_cli(options).await;
    let (kind, text, command) = match info.problem {
        Some(problem) => (Some(problem.kind), problem.text, problem.command),
        None => (None, String::new(), None),
    };
    if kind == Some(CliProblemKind::NotRunning) {
        let mend = "Run it with `--version`. If it is not claude, set CLAW_CLAUDE_PATH to the path of claude; if it is, install claude anew.";
        return vec![Check::bad("claude", text, mend)];
    }
    let mut checks = vec![Check::good("claude", path.display().to_string())];
    let version = info.version.unwrap_or_default();
    let window =
        format!("claw works with {OLDEST_CLI} and newer, and is tested up to {CLI_VERSION}");
    checks.push(if is_too_old(&version) {
        Check::bad(
            "version",
            format!("{version}; {window}"),
            "Run `claude update`.",
        )
    } else {
        Check::good("version", format!("{version}; {window}"))
    });
    checks.push(match (kind, info.account) {
        (Some(CliProblemKind::NotLoggedIn), _) => Check::bad(
            "login",
            "nobody is logged in to claude",
            format!(
                "Run `{}`, or set ANTHROPIC_API_KEY.",
                command.as_deref().unwrap_or("claude auth login")
            ),
        ),
        (_, Some(account)) => Check::good("login", account),
        (_, None) => Check::warning(
            "login",
            "claude does not tell who is logged in",
            "Run `claude auth status`.",
        ),
    });
    checks
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
