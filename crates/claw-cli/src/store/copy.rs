//! `claw store copy`: copies the sessions of a store into another store.

use claw_client::store::{StoreError, WriterId, copy_sessions};

use super::check::check;
use super::opened::{open, open_from, url};
use super::place::place;
use crate::args::store::{Command, Copy};
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};

impl Command {
    pub(crate) async fn run(&self) -> Outcome {
        let outcome = match self {
            Self::Check(check) => check.run().await,
            Self::Copy(copy) => copy.run().await,
        };
        match outcome {
            Ok(outcome) | Err(outcome) => outcome,
        }
    }
}

impl Copy {
    async fn run(&self) -> Result<Outcome, Outcome> {
        let (from_url, to_url) = (url("FROM", &self.from)?, url("TO", &self.to)?);
        let refused = |error: StoreError| report(&error, Outcome::NotStarted);
        let from = open_from(&from_url, &self.layout).await.map_err(refused)?;
        let to = open(&to_url).await.map_err(refused)?;
        let named = self.layout.named.as_deref().unwrap_or_default();
        let sdk = self.layout.sdk.as_deref().unwrap_or_default();
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
        if failed > 0 {
            write_stderr(&format!("claw: {failed} sessions are not copied\n"));
            return Ok(Outcome::BrokeOff);
        }
        if !self.compare {
            return Ok(Outcome::Success);
        }
        let compared = check(&*from, Some(&*to), None, project, None).await;
        compared.map_err(|error| report(&error, Outcome::BrokeOff))
    }
}
