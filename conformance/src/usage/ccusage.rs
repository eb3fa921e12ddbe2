//! Runs the npm package `ccusage` without network access.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use xtask::npm;
use xtask::run::{Result, read};
use xtask::workspace::Workspace;

/// The newest version that is written in JavaScript. Later versions need an executable of the platform.
const VERSION: &str = "18.0.11";

/// The report of ccusage for a day and a model, or for all days and a model in a session.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cache_creation_tokens: u64,
    pub(super) cache_read_tokens: u64,
    pub(super) cost: f64,
}

#[derive(Deserialize)]
struct Daily {
    daily: Vec<Day>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Day {
    date: String,
    model_breakdowns: Vec<ModelPart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModelPart {
    model_name: String,
    #[serde(flatten)]
    part: Part,
}

/// Returns the usage by day and model in a configuration folder. With `calculated`, ccusage computes all costs from the
/// prices in its package. Otherwise, it takes costs from the transcripts if they contain them.
pub(super) fn by_day_and_model(
    workspace: &Workspace,
    config: &Path,
    calculated: bool,
) -> Result<BTreeMap<(String, String), Part>> {
    let prefix = workspace.ci_directory().join(format!("ccusage-{VERSION}"));
    let program = prefix.join("node_modules/ccusage/dist/index.js");
    if !program.is_file() {
        npm::install(&prefix, &[&format!("ccusage@{VERSION}")], &[])?;
    }
    let mode = if calculated { "calculate" } else { "auto" };
    let mut node = Command::new("node");
    node.arg(&program)
        .args(["daily", "--json", "--offline", "--breakdown"])
        .args(["--timezone", "UTC", "--mode", mode])
        .env("CLAUDE_CONFIG_DIR", config)
        .env("HOME", config)
        // Otherwise, it writes warnings between its output.
        .env("LOG_LEVEL", "0")
        .current_dir(config);
    let daily: Daily = serde_json::from_str(&read(&mut node)?)?;
    let mut parts = BTreeMap::new();
    for day in daily.daily {
        for model in day.model_breakdowns {
            parts.insert((day.date.clone(), model.model_name), model.part);
        }
    }
    Ok(parts)
}
