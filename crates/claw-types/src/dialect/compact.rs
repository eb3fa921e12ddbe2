//! `system` / `compact_boundary` messages, often without details of the compaction.

use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::message::CompactMetadata;

/// An old form of the message about a compaction, often without details.
#[wire(tag(type = "system", subtype = "compact_boundary"))]
pub struct OldCompactBoundary {
    /// The details of the compaction. If they are absent, the upgraded message reports 0 tokens.
    pub compact_metadata: Option<CompactMetadata>,
    fields: OldIdentity!(),
}

impl Old for OldCompactBoundary {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        let field = "compact_trigger";
        let trigger = fill.compact_trigger.as_ref();
        let metadata = trigger.map(|trigger| CompactMetadata::new(trigger.clone(), 0));
        line.need("compact_metadata", field, metadata.as_ref())?;
        line.identify(fill);
        line.stdout()
    }
}
