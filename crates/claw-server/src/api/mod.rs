//! The REST interface: its handlers and its types.

pub(crate) mod changes;
pub(crate) mod choices;
mod cli;
pub(crate) mod disk;
pub(crate) mod document;
mod error;
pub(crate) mod events;
pub(crate) mod extract;
pub(crate) mod fork;
pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod metrics;
pub(crate) mod past;
pub(crate) mod quotas;
pub(crate) mod response;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod table;
mod types;
pub(crate) mod usage;
mod viewers;
pub(crate) mod worktree;

use std::path::PathBuf;
use std::sync::Arc;

pub use choices::*;
pub use past::*;
pub use table::Route;
pub use types::*;
pub use worktree::*;

pub(crate) use changes::EditsCache;
pub(crate) use cli::Cli;
pub use cli::check_cli;
pub(crate) use error::{Refusal, Refused};
pub(crate) use viewers::ViewerSlot;

use crate::hub::Hub;
use crate::metrics::Metrics;
use crate::queries::QueryLimiter;
use crate::usage::UsageReports;
use table::Roles;
use viewers::Viewers;

/// The state that the handlers share.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) hub: Hub,
    pub(crate) cli: Cli,
    /// The minimum roles for the operations.
    pub(crate) roles: Arc<Roles>,
    pub(crate) viewers: Viewers,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) usage: UsageReports,
    /// Caches the edits of the sessions for which changes were requested most recently.
    pub(crate) edits: EditsCache,
    /// Limits the number of concurrent searches in all sessions.
    pub(crate) searches: QueryLimiter,
    /// Limits the number of concurrent reports about changed files.
    pub(crate) changes: QueryLimiter,
    /// Limits the number of concurrent searches for files of a project.
    pub(crate) files: QueryLimiter,
    /// Limits the number of concurrent searches in one conversation.
    pub(crate) finds: QueryLimiter,
    /// Limits the number of concurrent requests for the elements of a conversation.
    pub(crate) elements: QueryLimiter,
    /// Limits the number of concurrent requests for the states of worktrees.
    pub(crate) worktrees: QueryLimiter,
    /// The program that opens pull requests. `None` means `gh` in `PATH`.
    gh: Option<PathBuf>,
}

impl Api {
    pub(crate) fn new(hub: Hub, cli: Cli, roles: Roles, gh: Option<PathBuf>) -> Self {
        Self {
            usage: UsageReports::new(hub.prices()),
            hub,
            cli,
            roles: Arc::new(roles),
            viewers: Viewers::default(),
            metrics: Arc::default(),
            edits: EditsCache::default(),
            searches: QueryLimiter::default(),
            changes: QueryLimiter::default(),
            files: QueryLimiter::default(),
            finds: QueryLimiter::default(),
            elements: QueryLimiter::default(),
            worktrees: QueryLimiter::default(),
            gh,
        }
    }

    /// Returns the program that opens pull requests. Returns `None` if no program was set and `PATH` has no `gh`. Blocks for a
    /// moment, because it reads the folders in `PATH`.
    fn gh(&self) -> Option<PathBuf> {
        self.gh.clone().or_else(crate::worktree::find_gh)
    }
}
