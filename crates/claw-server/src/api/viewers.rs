//! The limiter of viewers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;

use super::Refusal;

/// Maximum number of viewers of one session.
const MOST_OF_ONE: usize = 1000;
/// Maximum total number of viewers of all sessions.
const MOST: usize = 10_000;

/// Counts the viewers of each session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Viewers {
    count: Arc<Mutex<Count>>,
}

#[derive(Debug, Default)]
struct Count {
    all: usize,
    by_session: HashMap<String, usize>,
}

/// The permit of one viewer to watch a session. Dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct ViewerSlot {
    of: Viewers,
    session: String,
}

impl Viewers {
    /// Returns the total number of viewers of all sessions.
    pub(crate) fn all(&self) -> usize {
        let count = self.count.lock();
        count.unwrap_or_else(PoisonError::into_inner).all
    }

    /// Adds a viewer of this session. Fails if there are too many viewers.
    pub(crate) fn acquire(&self, session: &str) -> Result<ViewerSlot, Refusal> {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let here = count.by_session.get(session).copied().unwrap_or_default();
        if count.all >= MOST || here >= MOST_OF_ONE {
            let text = "too many viewers look at this";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "busy", text));
        }
        count.all += 1;
        count.by_session.insert(session.to_owned(), here + 1);
        Ok(ViewerSlot {
            of: self.clone(),
            session: session.to_owned(),
        })
    }
}

impl Drop for ViewerSlot {
    fn drop(&mut self) {
        let count = self.of.count.lock();
        let mut count = count.unwrap_or_else(PoisonError::into_inner);
        count.all -= 1;
        if let Some(here) = count.by_session.get_mut(&self.session) {
            *here -= 1;
            if *here == 0 {
                count.by_session.remove(&self.session);
            }
        }
    }
}
