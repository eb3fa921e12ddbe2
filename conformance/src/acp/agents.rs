//! Installs and starts the two agents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use xtask::run::Result;
use xtask::workspace::Workspace;
use xtask::{claude, npm};

use xtask::built;

/// The package and its version with which claw is compared.
const PACKAGE: &str = "@agentclientprotocol/claude-agent-acp";
const VERSION: &str = "0.101.0";

/// One of the two agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Claw,
    Npm,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claw => "claw",
            Self::Npm => "npm",
        }
    }
}

/// The paths of the programs.
pub(super) struct Agents {
    claw: PathBuf,
    /// The npm agent, for Node.
    npm: PathBuf,
    /// The real CLI.
    pub(super) claude: PathBuf,
    /// The scripted CLI.
    pub(super) scripted: PathBuf,
    /// An MCP server, for Python.
    pub(super) mcp: PathBuf,
    /// The protocol's schema, from its npm package.
    pub(super) schema: PathBuf,
}

/// Installs or builds all programs.
///
/// # Errors
/// Fails if npm or cargo is missing or fails.
pub(super) fn install(workspace: &Workspace) -> Result<Agents> {
    let prefix = workspace.ci_directory().join(format!("acp-{VERSION}"));
    let modules = prefix.join("node_modules");
    let npm = modules.join(PACKAGE).join("dist/index.js");
    if !npm.is_file() {
        // The CLI of the agent's SDK is left out, because both agents run the pinned one.
        npm::install(
            &prefix,
            &[&format!("{PACKAGE}@{VERSION}")],
            &["--omit=optional"],
        )?;
    }
    Ok(Agents {
        claw: built::program("claw-cli", "claw", &["--features", "terminal"])?,
        npm,
        claude: claude::install(workspace)?,
        mcp: workspace.root.join("xtask/recordings/files/mcp_server.py"),
        scripted: claw_testkit::agent::program()?,
        schema: modules.join("@agentclientprotocol/sdk/schema/v1/schema.json"),
    })
}

impl Agents {
    /// Returns the command that starts an agent. `options` are options of Claude Code for all
    /// sessions.
    pub(super) fn command(&self, kind: Kind, options: Option<&Path>) -> Vec<OsString> {
        match kind {
            Kind::Claw => {
                let mut words = vec![self.claw.clone().into(), "acp".into()];
                if let Some(options) = options {
                    words.extend(["--options".into(), options.into()]);
                }
                words
            }
            Kind::Npm => vec!["node".into(), self.npm.clone().into()],
        }
    }
}
