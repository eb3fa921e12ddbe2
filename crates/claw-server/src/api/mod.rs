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

pub use choices::FilesQuery;
pub use past::{FileChanges, PromptView, Rewind, Rewound};
pub use table::Route;
pub use types::*;
pub use worktree::{FinishWorktree, FinishedWorktree, WorktreeAction, WorktreeView};

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
    /// The roles that operations need.
    pub(crate) roles: Arc<Roles>,
    pub(crate) viewers: Viewers,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) usage: UsageReports,
    /// The edits of the sessions whose changes were requested last.
    pub(crate) edits: EditsCache,
    /// Limits searches in all sessions.
    pub(crate) searches: QueryLimiter,
    /// Limits reports of changed files.
    pub(crate) changes: QueryLimiter,
    /// Limits searches for files of a project.
    pub(crate) files: QueryLimiter,
    /// Limits searches in one conversation.
    pub(crate) finds: QueryLimiter,
    /// Limits requests for the elements of a conversation.
    pub(crate) elements: QueryLimiter,
    /// Limits requests for the states of worktrees.
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

    /// Returns the program that opens pull requests. Returns `None` if there is none. Blocks shortly, because it reads
    /// folders.
    fn gh(&self) -> Option<PathBuf> {
        self.gh.clone().or_else(crate::worktree::find_gh)
    }
}
