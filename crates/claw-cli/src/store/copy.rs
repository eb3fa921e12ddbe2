//! `claw store copy`: copies the sessions of a store into another one.

use std::sync::Arc;

use claw_client::store::{ReadSessions, StoreError, WriterId, copy_sessions};
use claw_store::adapter::{Foreign, Sdk};

use super::opened::{open, open_foreign};
use super::place::place;
use crate::args::store::{Command, Copy};
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};
use crate::url_password::has_password;

impl Command {
    pub(crate) async fn run(&self) -> Outcome {
        let Self::Copy(copy) = self;
        match copy.run().await {
            Ok(outcome) | Err(outcome) => outcome,
        }
    }
}

impl Copy {
    async fn run(&self) -> Result<Outcome, Outcome> {
        let (from_url, to_url) = (url("FROM", &self.from)?, url("TO", &self.to)?);
        let refused = |error: StoreError| report(&error, Outcome::NotStarted);
        let from = self.open_from(&from_url).await.map_err(refused)?;
        let to = open(&to_url).await.map_err(refused)?;
        let named = self.named.as_deref().unwrap_or_default();
        let sdk = self.sdk.as_deref().unwrap_or_default();
        let source = WriterId::of_store(&format!("{} {sdk} {named}", place(&from_url)));
        let (mut sessions, mut lines, mut failed) = (0_u64, 0, 0_u64);
        let project = self.project.as_deref();
        let copied = copy_sessions(&*from, &*to, project, &source, |session, new| match new {
            Ok(new) => {
                sessions += 1;
                lines += new;
            }
            Err(error) => {
                failed += 1;
                let text = format!("{session}: {error}");
                write_stderr(&format!("claw: {}\n", escape(&text)));
            }
        });
        let copied = copied.await;
        let what = if sessions == 1 {
            "session is"
        } else {
            "sessions are"
        };
        write_stderr(&format!("{sessions} {what} copied. New lines: {lines}.\n"));
        copied.map_err(|error| report(&error, Outcome::BrokeOff))?;
        Ok(if failed == 0 {
            Outcome::Success
        } else {
            write_stderr(&format!("claw: {failed} sessions are not copied\n"));
            Outcome::BrokeOff
        })
    }

    /// Opens the store from which the sessions are copied.
    async fn open_from(&self, url: &str) -> Result<Arc<dyn ReadSessions>, StoreError> {
        let sdk = match self.sdk.as_deref() {
            None => return Ok(open(url).await?),
            Some("python") => Sdk::Python,
            Some(_) => Sdk::TypeScript,
        };
        let name = self.named.as_deref();
        open_foreign(url, Foreign { sdk, name }).await
    }
}

/// The URL in an argument, or in the variable that the argument names.
fn url(argument: &str, given: &str) -> Result<String, Outcome> {
    let refuse = |why: String| {
        write_stderr(&format!("claw: {argument}: {}\n", escape(&why)));
        Outcome::Usage
    };
    if let Some(name) = given.strip_prefix("env:") {
        let value = std::env::var(name).ok().filter(|url| !url.is_empty());
        return value.ok_or_else(|| refuse(format!("the variable {name} is not set to a URL")));
    }
    if has_password(given) {
        let why = "every user of this machine can read a command line. Set a variable to the URL with the password, \
            and write env: and its name here.";
        return Err(refuse(why.to_owned()));
    }
    Ok(given.to_owned())
}
