//! Applies the options of `claw run`.

use std::io::{IsTerminal as _, stderr, stdout};
use std::path::Path;

use claw_client::Prompt;
use claw_client::types::api::{ContentBlock, TextBlock};
use claw_client::types::options::OutputFormat;
use claw_client::types::{Json, QueryOptions};

use super::{Printed, Shown, run};
use crate::args::run::{Output, Run};
use crate::attach;
use crate::escape::escape;
use crate::outcome::{Outcome, write_stderr};
use crate::{ask, input};

impl Run {
    pub(crate) async fn run(self) -> Outcome {
        self.prepared().await.unwrap_or_else(|outcome| outcome)
    }

    async fn prepared(mut self) -> Result<Outcome, Outcome> {
        let mut options = self.setup.options()?;
        self.session(&mut options)?;
        self.setup.apply_config_dirs(&mut options)?;
        let attached = self.attached()?;
        let text = input::prompt(self.prompt.take(), self.stdin)?;
        let store = self.setup.opened("run", &options).await?;
        let prompt = if attached.is_empty() {
            Prompt::from(text)
        } else {
            let text = TextBlock::new(text).into();
            Prompt::from(attached.into_iter().chain([text]).collect::<Vec<_>>())
        };
        let decider = ask::Decider::Terminal;
        let connection = self.setup.connection(store.as_ref());
        let required = std::mem::take(&mut self.require_mcp);
        Ok(run(prompt, options, decider, self.shown(), required, connection).await)
    }

    /// Applies the options about the session and the turn.
    fn session(&mut self, options: &mut QueryOptions) -> Result<(), Outcome> {
        if let Some(turns) = self.max_turns {
            options.max_turns = Some(turns.into());
        }
        if self.go_on {
            (options.continue_session, options.resume) = (Some(true), None);
        } else if let Some(id) = self.resume.take() {
            (options.continue_session, options.resume) = (None, Some(id.into()));
        }
        if self.fork {
            if options.continue_session != Some(true) && options.resume.is_none() {
                write_stderr(
                    "claw: --fork copies a conversation: name it with --resume ID, or take the last one with --continue\n",
                );
                return Err(Outcome::Usage);
            }
            options.fork_session = Some(true);
        }
        if let Some(file) = &self.schema {
            options.output_format = Some(OutputFormat::json_schema(schema(file)?));
        }
        Ok(())
    }

    /// Reads the files and the images. Returns the files first. Both are in the order of their options.
    fn attached(&self) -> Result<Vec<ContentBlock>, Outcome> {
        let files = self.file.iter().map(|file| (file, attach::document(file)));
        let image = |file| attach::image(file).map(|image| image.block.into());
        let images = self.image.iter().map(|file| (file, image(file)));
        let all = files.chain(images).map(|(file, block)| {
            block.map_err(|why| unreadable(&format!("{}: {why}", file.display())))
        });
        all.collect()
    }

    fn shown(&self) -> Shown {
        let printed = match self.output {
            Output::Json => Printed::Result,
            Output::Ndjson => Printed::Lines,
            Output::Text if self.schema.is_some() => Printed::Structured,
            Output::Text => Printed::Answer,
        };
        let is_seen = stdout().is_terminal() && stderr().is_terminal();
        if is_seen && printed == Printed::Answer && !self.quiet && !self.verbose {
            return Shown::Text;
        }
        Shown::Apart {
            printed,
            quiet: self.quiet,
            verbose: self.verbose,
        }
    }
}

/// Reads the JSON Schema in a file. The schema must be an object.
fn schema(file: &Path) -> Result<Json, Outcome> {
    let fault = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| unreadable(&fault(&error)))?;
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(schema) if schema.is_object() => Ok(schema.into()),
        Ok(_) => Err(misused(&fault(&"a schema is a JSON object"))),
        Err(error) => Err(misused(&fault(&error))),
    }
}

fn misused(fault: &str) -> Outcome {
    write_stderr(&format!("claw: {}\n", escape(fault)));
    Outcome::Usage
}

fn unreadable(fault: &str) -> Outcome {
    write_stderr(&format!("claw: {}\n", escape(fault)));
    Outcome::Unreadable
}
