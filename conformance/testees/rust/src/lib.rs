//! What the testees of Rust crates share: the case that a testee reads, and the events that it writes.

use std::fmt::Display;
use std::path::PathBuf;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};

/// A case, as `claw conform` gives it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    pub claude: PathBuf,
    pub folder: PathBuf,
    pub prompts: Vec<String>,
    #[serde(default)]
    pub partial_messages: bool,
    pub permission: Option<Permission>,
    pub hook: Option<Hook>,
    pub tool: Option<Tool>,
    #[serde(default)]
    pub interrupt: bool,
    #[serde(default)]
    pub leave: bool,
    pub sessions: Option<usize>,
    pub time_limit: Option<u64>,
}

/// What the permission callback returns.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    pub behavior: Option<String>,
    pub updated_input: Option<Value>,
    #[serde(default)]
    pub message: String,
    pub raise: Option<String>,
    #[serde(default)]
    pub after_result: bool,
}

/// A hook, and what it returns.
#[derive(Debug, Clone, Deserialize)]
pub struct Hook {
    pub event: String,
    #[serde(default)]
    pub response: Value,
    pub raise: Option<String>,
}

/// A tool in the testee's process, and what it returns.
#[derive(Debug, Clone, Deserialize)]
pub struct Tool {
    pub server: String,
    pub name: String,
    #[serde(default)]
    pub response: String,
    pub raise: Option<String>,
}

/// Reads the case.
pub fn read() -> anyhow::Result<Case> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

impl Case {
    /// Whether the case is one prompt, and nothing else.
    pub fn is_plain(&self) -> bool {
        let has_callback = self.permission.is_some() || self.hook.is_some() || self.tool.is_some();
        self.prompts.len() == 1 && !has_callback && !self.interrupt && !self.leave
    }
}

/// Writes an event.
pub fn print_event(name: &str, value: Value) {
    println!("{}", json!({name: value}));
}

/// Writes that the crate cannot do what the case says, and exits.
pub fn unsupported(what: &str) -> ! {
    print_event("unsupported", json!(what));
    std::process::exit(0)
}

/// Plays the sessions of a case at the same time. Writes the errors of those that failed, and the end.
pub async fn run<F, E>(case: &Case, play: impl Fn() -> F)
where
    F: Future<Output = Result<(), E>>,
    E: Display,
{
    let sessions = (0..case.sessions.unwrap_or(1)).map(|_| play());
    for played in join_all(sessions).await {
        if let Err(error) = played {
            print_event("error", json!(error.to_string()));
        }
    }
    print_event("end", json!(true));
}
