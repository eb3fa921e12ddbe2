//! The live page of one session in Chromium, while the load runs.

use std::path::PathBuf;
use std::process::Stdio;

use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::server::Server;
use crate::Result;
use crate::rounds::{median, quantile};

/// A browser that shows a session.
pub(crate) struct Page {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
    lines: u32,
}

/// Delays, in milliseconds from the agent's write.
#[derive(Deserialize)]
struct Saw {
    /// Until the line is in the document.
    document: Vec<f64>,
    /// Until the frame that shows it is drawn.
    drawn: Vec<f64>,
}

impl Page {
    /// Opens the page of a session, and waits until it is loaded. `CLAW_BENCH_PAGE` names the folder of the packages of
    /// npm and of the program that drives Chromium.
    pub(crate) async fn open(server: &Server, id: &str, lines: u32) -> Result<Self> {
        let folder = std::env::var_os("CLAW_BENCH_PAGE")
            .ok_or("CLAW_BENCH_PAGE is not set: run `cargo xtask bench serve`")?;
        let mut child = Command::new("node")
            .arg(PathBuf::from(folder).join("screen.mjs"))
            .arg(format!("http://{}", server.client.address))
            .args([&server.login, &format!("/s/{id}"), &lines.to_string()])
            .arg(claw_testkit::chromium()?)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let out = child.stdout.take().ok_or("no stdout")?;
        let mut output = BufReader::new(out).lines();
        match output.next_line().await?.as_deref() {
            Some("ready") => Ok(Self {
                child,
                output,
                lines,
            }),
            other => Err(format!("the page is not ready: {other:?}").into()),
        }
    }

    /// Waits until the page has shown all lines, and prints the delays.
    ///
    /// # Errors
    /// If it has not shown each line once.
    pub(crate) async fn print(mut self) -> Result {
        let saw = self.output.next_line().await?.ok_or("the page ended")?;
        let Saw {
            mut document,
            mut drawn,
        } = serde_json::from_str(&saw)?;
        let status = self.child.wait().await?;
        for (name, values) in [
            ("in the document", &mut document),
            ("on the screen", &mut drawn),
        ] {
            println!(
                "{name:<28}{:>12}{:>12}{:>10.2}{:>10.2}{:>10}{:>10.2}",
                values.len(),
                "",
                median(values),
                quantile(values, 0.99),
                "",
                quantile(values, 1.0),
            );
        }
        if !status.success()
            || document.len() != self.lines as usize
            || drawn.len() != document.len()
        {
            return Err(format!("the page shows {} lines: {status}", document.len()).into());
        }
        Ok(())
    }
}
