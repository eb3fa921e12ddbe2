//! Callbacks at work: each in a task of its own.

use std::collections::HashMap;

use claw_types::RequestId;
use claw_types::control::{CanUseTool, PermissionResult};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tracing::Instrument;

use crate::permission::{CanUseToolFn, PermissionRequest};

type Decision = Result<PermissionResult, String>;

/// A callback's task is over.
pub(crate) type Decided = Option<Result<(Id, Decision), JoinError>>;

/// The callbacks at work. Dropping this drops them.
#[derive(Default)]
pub(crate) struct Callbacks {
    can_use_tool: Option<CanUseToolFn>,
    tasks: JoinSet<Decision>,
    by_request: HashMap<RequestId, AbortHandle>,
    by_task: HashMap<Id, RequestId>,
}

impl Callbacks {
    pub(crate) fn new(can_use_tool: Option<CanUseToolFn>) -> Self {
        Self {
            can_use_tool,
            ..Self::default()
        }
    }

    pub(crate) fn any(&self) -> bool {
        !self.tasks.is_empty()
    }

    pub(crate) fn ask(&mut self, id: RequestId, ask: Box<CanUseTool>) {
        let span = tracing::debug_span!("can_use_tool", %id, tool = %ask.tool_name);
        let callback = self.can_use_tool.clone();
        let request = PermissionRequest {
            request_id: id.clone(),
            question: *ask,
        };
        let decide = async move {
            match callback {
                Some(callback) => callback(request).await,
                None => Err("there is nobody to ask for permission".to_owned()),
            }
        };
        let task = self.tasks.spawn(decide.instrument(span));
        self.by_task.insert(task.id(), id.clone());
        self.by_request.insert(id, task);
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn withdraw(&mut self, id: &RequestId) {
        if let Some(task) = self.by_request.remove(id) {
            self.by_task.remove(&task.id());
            task.abort();
        }
    }

    /// Waits until a callback is over.
    pub(crate) async fn next(&mut self) -> Decided {
        self.tasks.join_next_with_id().await
    }

    /// What that callback decided; `None` if it was withdrawn. One that panicked denies.
    pub(crate) fn decided(&mut self, decided: Decided) -> Option<(RequestId, Decision)> {
        let (task, decision) = match decided? {
            Ok((task, decision)) => (task, decision),
            Err(error) => (
                error.id(),
                Err("the permission callback panicked".to_owned()),
            ),
        };
        let id = self.by_task.remove(&task)?;
        self.by_request.remove(&id);
        if let Err(reason) = &decision {
            tracing::warn!(%id, %reason, "a permission callback failed, so the tool is refused");
        }
        Some((id, decision))
    }
}
