//! `Artifact`: pages that are published on claude.ai.

mod asset;
mod output;
mod watch;

pub use asset::*;
pub use output::*;
pub use watch::*;

use crate::{Count, Json};

/// An operation on artifacts, which are pages published on claude.ai.
#[wire(open)]
pub enum ArtifactAction {
    /// Publishes a file as an artifact.
    Publish = "publish",
    /// Lists the artifacts.
    List = "list",
    /// Reads an artifact.
    Read = "read",
    /// Lists the types of artifacts.
    ListTypes = "list_types",
    /// Watches an artifact for new versions.
    Watch = "watch",
    /// Stops watching an artifact.
    Unwatch = "unwatch",
    /// Lists the artifacts that are watched.
    Status = "status",
    /// Adds a file to an artifact.
    UploadAsset = "upload_asset",
    /// Lists the files of an artifact.
    ListAssets = "list_assets",
    /// Saves a file of an artifact on this machine.
    ReadAsset = "read_asset",
    /// Deletes a file of an artifact.
    DeleteAsset = "delete_asset",
    /// Pins an artifact for the user.
    Pin = "pin",
    /// Unpins an artifact.
    Unpin = "unpin",
}

/// The owners whose artifacts are listed.
#[wire(open)]
pub enum ArtifactScope {
    /// The user's own artifacts.
    Mine = "mine",
    /// Artifacts that others share with the user.
    Shared = "shared",
    /// The user's own and shared artifacts.
    All = "all",
}

/// The version of the runtime that an artifact's page uses: `latest`, or the name of a version.
#[wire(open)]
pub enum ArtifactContract {
    /// The newest version.
    Latest = "latest",
}

/// The input of the `Artifact` tool.
#[wire]
pub struct ArtifactInput {
    /// The operation. Absent means `publish`.
    pub action: Option<ArtifactAction>,
    /// The HTML file to publish, or the file to add to an artifact.
    pub file_path: Option<String>,
    /// The icon of the page. Obsolete: use `icon` instead.
    pub favicon: Option<String>,
    /// The icon of the page, as a plain word such as `chart` or `map`. If absent, the icon does not change.
    pub icon: Option<String>,
    /// The maximum length of a list. Absent means 25.
    pub limit: Option<Count>,
    /// The token of the next page, which the previous list returned.
    pub page_token: Option<String>,
    /// The owners whose artifacts are listed. If absent, only the user's own artifacts are listed.
    pub scope: Option<ArtifactScope>,
    /// The title of the page, if the page itself does not contain a title.
    pub title: Option<String>,
    /// A description of the page, in one sentence.
    pub description: Option<String>,
    /// A label of this version, at most 60 characters.
    pub label: Option<String>,
    /// The URL of the artifact. If the URL is absent, `publish` updates the artifact that this conversation published
    /// from the same file. If there is no such artifact, `publish` creates a new artifact.
    pub url: Option<String>,
    /// A question about the artifact. It is used only by `read`, and only if the artifact belongs to somebody else.
    pub prompt: Option<String>,
    /// Whether to overwrite a version that somebody else has published in the meantime.
    pub force: Option<bool>,
    /// Whether to pin the artifact after publishing it.
    pub pin: Option<bool>,
    /// The directory in which a file of an artifact is saved. If absent, a directory of the session is used.
    pub out_dir: Option<String>,
    /// The 1 to 25 files to add to an artifact, as an alternative to `file_path`.
    pub file_paths: Option<Vec<String>>,
    /// The ID of a file of an artifact: 32 hexadecimal digits.
    pub asset_id: Option<String>,
    /// The cursor of the page to return from a list of files. It is the value of `next` on the previous page.
    pub after: Option<String>,
    /// The capabilities of the page: an object with the settings of each capability. `{}` means no capabilities. If
    /// absent, the capabilities do not change.
    pub capabilities: Option<Json>,
    /// The version of the page's runtime. If absent, the version does not change.
    pub contract: Option<ArtifactContract>,
}

#[cfg(test)]
mod tests;
