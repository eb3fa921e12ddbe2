//! The login to Claude Code.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{AuthMethod, AuthMethodTerminal, Meta};
use claw_client::transport::{discover, environment};
use claw_types::QueryOptions;
use claw_types::control::{AccountInfo, ApiProvider, InitializeResponse};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

use crate::failure::failed;
use crate::offer::Offer;

/// The ID of the login in a terminal.
pub(crate) const LOGIN: &str = "claude-login";

/// The timeout of a logout.
const LOGOUT: Duration = Duration::from_secs(20);

/// The display name of the login.
const NAME: &str = "Log in to Claude";

/// Returns the login that the client runs in its terminal, or `None` if the client cannot run one. `arguments` follow
/// the arguments with which the client starts the agent.
pub(crate) fn method(offer: &Offer, arguments: &[String]) -> Option<AuthMethod> {
    let command = offer.login_command.then(|| command(arguments)).flatten();
    if !offer.terminal_login && command.is_none() {
        return None;
    }
    let login = AuthMethodTerminal::new(LOGIN, NAME);
    let login = login.description("Runs the login of Claude Code in a terminal.".to_owned());
    let mut login = login.args(arguments.to_vec());
    login.meta = command.map(|command| Meta::from_iter([("terminal-auth".to_owned(), command)]));
    Some(AuthMethod::Terminal(login))
}

/// Returns the complete command of the login, for clients that append no arguments to a command. The command consists
/// of the command of this process and the arguments. Returns `None` if the command cannot be written as JSON.
fn command(arguments: &[String]) -> Option<Value> {
    let program = std::env::current_exe().ok()?.into_os_string();
    let own = std::env::args_os().skip(1).map(OsString::into_string);
    let mut args = own.collect::<Result<Vec<_>, _>>().ok()?;
    args.extend_from_slice(arguments);
    let program = program.into_string().ok()?;
    Some(json!({"label": NAME, "command": program, "args": args}))
}

/// Whether no account is logged in. Every prompt would then fail.
pub(crate) fn is_missing(info: Option<&InitializeResponse>) -> bool {
    info.is_some_and(|info| is_nobody(&info.account))
}

fn is_nobody(account: &AccountInfo) -> bool {
    let is_anthropic = account.api_provider == Some(ApiProvider::FirstParty);
    let has_token = account.token_source.as_deref() != Some("none");
    // An older CLI reports nothing about tokens, although it may have one.
    is_anthropic && !has_token && account.api_key_source.is_none() && account.email.is_none()
}

/// Returns the error for a session that cannot be used without a login.
pub(crate) fn required() -> Error {
    let text = "Nobody is logged in to Claude Code. Log in with `claude auth login`.";
    Error::auth_required().data(json!({ "message": text }))
}

/// Logs out with the CLI's own command.
pub(crate) async fn log_out(options: &QueryOptions) -> Result<(), Error> {
    let path = discover(options);
    let path = path.map_err(|error| failed("Claude Code was not found", &error))?;
    let mut command = Command::new(path);
    command
        .args(["auth", "logout"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    for (name, value) in environment(options) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let status = timeout(LOGOUT, command.status()).await;
    let Ok(status) = status else {
        return Err(Error::new(-32603, "the logout took too long"));
    };
    let status = status.map_err(|error| failed("the logout did not start", &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(-32603, format!("the logout failed: {status}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_without_token_and_key_is_nobody() {
        let account = |text| serde_json::from_str::<AccountInfo>(text).unwrap();
        let nobody = r#"{"tokenSource":"none","apiProvider":"firstParty"}"#;
        assert!(is_nobody(&account(nobody)));
        for somebody in [
            r#"{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY","apiProvider":"firstParty"}"#,
            r#"{"tokenSource":"none","apiProvider":"bedrock"}"#,
            r#"{"tokenSource":"claude.ai","apiProvider":"firstParty"}"#,
            r"{}",
        ] {
            assert!(!is_nobody(&account(somebody)), "{somebody}");
        }
    }
}
