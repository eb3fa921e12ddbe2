//! `Artifact`: pages that are published on claude.ai.

mod asset;
mod output;
mod watch;

pub use asset::*;
pub use output::*;
pub use watch::*;

use crate::{Count, Json};

/// What to do with artifacts.
#[wire(open)]
pub enum ArtifactAction {
    /// Publish a file.
    Publish = "publish",
    /// Say which there are.
    List = "list",
    /// Read one.
    Read = "read",
    /// Say which types there are.
    ListTypes = "list_types",
    /// Be told of new versions of one.
    Watch = "watch",
    /// Be told no more.
    Unwatch = "unwatch",
    /// Say what is watched.
    Status = "status",
    /// Add a file to one.
    UploadAsset = "upload_asset",
    /// Say which files one has.
    ListAssets = "list_assets",
    /// Save a file of one on this machine.
    ReadAsset = "read_asset",
    /// Delete a file of one.
    DeleteAsset = "delete_asset",
    /// Put one among those that the person has pinned.
    Pin = "pin",
    /// Take it out of there.
    Unpin = "unpin",
}

/// Whose artifacts are listed.
#[wire(open)]
pub enum ArtifactScope {
    /// The person's own.
    Mine = "mine",
    /// Those that others share with the person.
    Shared = "shared",
    /// Both.
    All = "all",
}

/// The version of what runs a page: `latest`, or any other by its name.
#[wire(open)]
pub enum ArtifactContract {
    /// The newest.
    Latest = "latest",
}

/// What `Artifact` is given.
#[wire]
pub struct ArtifactInput {
    /// What to do. Absent: publish.
    pub action: Option<ArtifactAction>,
    /// The file to publish (HTML), or to add to an artifact.
    pub file_path: Option<String>,
    /// Not used any more: `icon` is.
    pub favicon: Option<String>,
    /// The icon of the page, as a plain word such as `chart` or `map`. Absent: as it was.
    pub icon: Option<String>,
    /// How many a list may have; absent for 25.
    pub limit: Option<Count>,
    /// Where a list goes on: what the list before gave as the token of the next page.
    pub page_token: Option<String>,
    /// Whose are listed. Absent: the person's own.
    pub scope: Option<ArtifactScope>,
    /// The title, for a page that does not say one itself.
    pub title: Option<String>,
    /// What the page is, in a sentence.
    pub description: Option<String>,
    /// A name for this version, of 60 characters at most.
    pub label: Option<String>,
    /// The artifact that is meant. Absent in publishing: the one that this conversation has
    /// published from that file, or a new one.
    pub url: Option<String>,
    /// What to find out in reading an artifact of somebody else.
    pub prompt: Option<String>,
    /// Publish over a version that somebody else has published meanwhile.
    pub force: Option<bool>,
    /// Pin it, once it is published.
    pub pin: Option<bool>,
    /// The directory into which a file of an artifact is saved. Absent: one of the session's own.
    pub out_dir: Option<String>,
    /// Several files to add to an artifact, in place of `file_path`: 1 to 25.
    pub file_paths: Option<Vec<String>>,
    /// The file of an artifact that is meant: 32 hexadecimal digits.
    pub asset_id: Option<String>,
    /// Where a list of files goes on: what the list before gave as `next`.
    pub after: Option<String>,
    /// What the page may do, each with its settings: an object. `{}` for nothing; absent: as it was.
    pub capabilities: Option<Json>,
    /// The version of what runs the page. Absent: as it was.
    pub contract: Option<ArtifactContract>,
}

#[cfg(test)]
mod tests;
