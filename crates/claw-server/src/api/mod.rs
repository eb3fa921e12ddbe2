//! REST: its handlers and its types.

pub(crate) mod choices;
mod cli;
pub(crate) mod disk;
pub(crate) mod document;
mod error;
pub(crate) mod events;
pub(crate) mod extract;
pub(crate) mod fork;
pub(crate) mod list;
pub(crate) mod metrics;
pub(crate) mod past;
pub(crate) mod response;
pub(crate) mod sessions;
pub(crate) mod table;
mod types;
mod viewers;

use std::sync::Arc;

pub use choices::FilesQuery;
pub use past::{FileChanges, PromptView, Rewind, Rewound};
pub use types::{
    CliInfo, CliProblem, CliProblemKind, ErrorBody, ErrorInfo, Fork, ForkOf, ListQuery, NewSession,
    ProjectInfo, SearchQuery, Sent, SessionItem, SessionPage, SessionPatch, SessionView, Settings,
    StoppedTask, UsageBy, UsageQuery,
};

pub(crate) use cli::Cli;
pub(crate) use error::Refusal;
pub(crate) use types::{Health, HealthStatus};
pub(crate) use viewers::ViewerSlot;

use crate::hub::Hub;
use crate::metrics::Metrics;
use viewers::Viewers;

/// What handlers share.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) hub: Hub,
    pub(crate) cli: Cli,
    pub(crate) viewers: Viewers,
    pub(crate) metrics: Arc<Metrics>,
}

impl Api {
    pub(crate) fn new(hub: Hub, cli: Cli) -> Self {
        Self {
            hub,
            cli,
            viewers: Viewers::default(),
            metrics: Arc::default(),
        }
    }
}
