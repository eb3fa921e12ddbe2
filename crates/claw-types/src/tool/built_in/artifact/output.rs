//! Outputs of the `Artifact` tool about pages.

use super::{
    ArtifactAssetDeleted, ArtifactAssetListed, ArtifactAssetRead, ArtifactAssetUploaded,
    ArtifactAssetsUploaded, ArtifactUnwatched, ArtifactWatches, ArtifactWatching,
};
use crate::by_key::by_key;
use crate::{Count, Json, Number, True};

by_key! {
    /// The output of the `Artifact` tool. In JSON, no tag names the kind of output. Each kind is recognised by a key
    /// that only this kind has.
    ArtifactOutput {
        /// The output after publishing an artifact.
        "path" Published(ArtifactPublished),
        /// The output after listing artifacts.
        "artifacts" Listed(ArtifactListed),
        /// The output after reading an artifact.
        "read" Read(ArtifactView),
        /// The output after starting to watch an artifact.
        "watch" Watching(ArtifactWatching),
        /// The output after ending the watch of an artifact.
        "unwatch" Unwatched(ArtifactUnwatched),
        /// The output after listing the watches of artifacts.
        "watches" Watches(ArtifactWatches),
        /// The output after a file was added to an artifact.
        "asset_upload" AssetUploaded(ArtifactAssetUploaded),
        /// The output after adding several files to an artifact. Some of the files may not have been added.
        "asset_uploads" AssetsUploaded(ArtifactAssetsUploaded),
        /// The output after listing the files of an artifact.
        "asset_list" AssetListed(ArtifactAssetListed),
        /// The output after a file of an artifact was saved on this machine.
        "asset_read" AssetRead(ArtifactAssetRead),
        /// The output after deleting a file of an artifact.
        "asset_delete" AssetDeleted(ArtifactAssetDeleted),
        /// The output after pinning or unpinning an artifact.
        "pin" Pinned(ArtifactPinned),
    }
}

/// Output of the `Artifact` tool after publishing an artifact.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire]
pub struct ArtifactPublished {
    /// The URL of the artifact.
    pub url: String,
    /// The path of the published file.
    pub path: String,
    /// The ID of the artifact.
    pub artifact_id: Option<String>,
    /// The title of the page.
    pub title: Option<String>,
    /// The version that was published.
    pub version: Option<String>,
    /// The capabilities of the page: an object with the settings of each capability.
    pub capabilities: Option<Json>,
    /// The page's declarations, as Anthropic's server stored them: the version of its runtime and its capabilities.
    pub stored: Option<ArtifactStored>,
    /// Warnings about the page.
    pub warnings: Option<Vec<String>>,
    /// The number of further publications that the rate limit currently allows.
    #[wire(rename = "publishesRemaining")]
    pub publishes_remaining: Option<Count>,
    /// The time at which the rate limit for publications is reset.
    #[wire(rename = "publishesResetAt")]
    pub publishes_reset_at: Option<Number>,
    /// The version of the page's runtime.
    pub contract: Option<String>,
    /// Whether an existing artifact was updated.
    pub updated: Option<bool>,
    /// Whether the artifact belongs to the user.
    pub owned: Option<bool>,
    /// The icon of the page.
    pub icon: Option<String>,
    /// Present if an icon was sent together with the page.
    #[wire(rename = "faviconSent")]
    pub favicon_sent: Option<True>,
    /// Present if the requested icon was dropped.
    #[wire(rename = "iconDropped")]
    pub icon_dropped: Option<True>,
    /// The group of people who can see the artifact. The CLI does not document the names of these groups.
    pub audience: Option<String>,
    /// The people who can see the folder of the artifact.
    pub folder_audience: Option<ArtifactFolderAudience>,
    /// The sequence number of the version.
    pub seq: Option<Count>,
    /// Present if the content was identical to the published version.
    pub unchanged: Option<True>,
    /// The state of the session's subscription to new versions of the artifact. The CLI does not document its values.
    #[wire(rename = "liveSubscription")]
    pub live_subscription: Option<String>,
    /// Whether the artifact is pinned.
    pub pinned: Option<bool>,
}

/// The people who can see a folder.
#[wire(open)]
pub enum ArtifactFolderAudience {
    /// People other than the user.
    Others = "others",
    /// The audience is unknown.
    Unknown = "unknown",
}

/// A page's declarations, as Anthropic's server stored them: the version of its runtime and its capabilities.
#[wire]
pub struct ArtifactStored {
    /// The version of the page's runtime.
    pub contract: String,
    /// The version of the runtime that Anthropic's server prefers.
    #[wire(rename = "preferredContract")]
    pub preferred_contract: Option<String>,
    /// The capabilities of the page: an object with the settings of each capability.
    pub capabilities: Option<Json>,
    /// Whether these declarations of the page were copied from its previous version.
    pub carried: Option<bool>,
    /// The way in which the CLI read the response of Anthropic's server. The CLI does not document its values.
    pub read: Option<String>,
}

/// Output of the `Artifact` tool after listing artifacts.
#[wire]
pub struct ArtifactListed {
    /// The artifacts that were found.
    pub artifacts: Vec<ArtifactPage>,
    /// Whether there are more artifacts than are listed here.
    pub truncated: Option<bool>,
    /// The total number of artifacts.
    pub total: Option<Count>,
    /// Present if there may be more artifacts than `total` says.
    pub total_at_least: Option<True>,
    /// The token of the next page. Absent on the last page.
    pub next_page_token: Option<String>,
    /// Whether artifacts can be pinned.
    pub pins_enabled: Option<bool>,
    /// The owners whose artifacts are listed. If absent, only the user's own artifacts are listed.
    pub scope: Option<ArtifactListScope>,
    /// Present if artifacts from outside the organisation are listed.
    pub external_listed: Option<True>,
}

/// The owners whose artifacts are listed, if the list is not limited to the user's own artifacts.
#[wire(open)]
pub enum ArtifactListScope {
    /// Artifacts that others share with the user.
    Shared = "shared",
    /// The user's own and shared artifacts.
    All = "all",
}

/// An artifact in a list.
#[wire]
pub struct ArtifactPage {
    /// The title of the page.
    pub title: String,
    /// The URL of the artifact.
    pub url: String,
    /// The icon of the page.
    pub favicon: Option<String>,
    /// The time of the last change.
    #[wire(rename = "updatedAt")]
    pub updated_at: Option<String>,
    /// Whether the artifact belongs to the user or to somebody else who shares it.
    pub rel: Option<ArtifactRelation>,
    /// Present if the artifact is from outside the organisation.
    pub external: Option<True>,
    /// The user's role for the artifact.
    pub role: Option<ArtifactRole>,
    /// Present if people outside the organisation may have written to the artifact.
    #[wire(rename = "outsidersMayHaveWritten")]
    pub outsiders_may_have_written: Option<True>,
    /// The kind under which the artifact is listed. The CLI does not document its values.
    #[wire(rename = "listedKind", since = "2.1.331")]
    pub listed_kind: Option<String>,
    /// Whether the artifact is pinned.
    pub pinned: Option<bool>,
}

/// The user's relation to an artifact.
#[wire(open)]
pub enum ArtifactRelation {
    /// The artifact belongs to the user.
    Mine = "mine",
    /// The artifact belongs to somebody else.
    Shared = "shared",
}

/// A user's role for an artifact.
#[wire(open)]
pub enum ArtifactRole {
    /// The user may change the artifact.
    Editor = "editor",
    /// The user may comment on the artifact.
    Commenter = "commenter",
    /// The user may read the artifact.
    Reader = "reader",
    /// The user may view the artifact.
    Viewer = "viewer",
}

/// Output of the `Artifact` tool after reading an artifact.
#[wire]
pub struct ArtifactView {
    /// The content that was read.
    pub read: ArtifactRead,
    /// Whether the artifact belongs to the user.
    pub owned: Option<bool>,
    /// The artifact that was read, and its version.
    #[wire(rename = "artifactRead")]
    pub artifact_read: Option<ArtifactSource>,
}

/// The content of an artifact.
#[wire(rename_all = "camelCase")]
pub struct ArtifactRead {
    /// The URL of the artifact.
    pub url: String,
    /// The size of the page, in bytes.
    pub bytes: Count,
    /// The HTTP status code.
    pub code: Count,
    /// The HTTP status text.
    pub code_text: String,
    /// The content of the page. If the input of the tool has a `prompt`, the answer to this question about the page.
    pub result: String,
    /// The duration of the request, in milliseconds.
    pub duration_ms: Number,
    /// The title of the page.
    pub title: Option<String>,
}

/// An artifact that was read, and its version.
#[wire]
pub struct ArtifactSource {
    /// The slug of the artifact.
    pub slug: String,
    /// The version of the artifact.
    pub ver: Option<String>,
    /// Whether a later publication builds on this version. Always `false` if present.
    pub seeded: Option<bool>,
}

/// Output of the `Artifact` tool after pinning or unpinning an artifact.
#[wire]
pub struct ArtifactPinned {
    /// The result of pinning or unpinning the artifact.
    pub pin: ArtifactPin,
}

/// The change to an artifact: it was pinned or unpinned.
#[wire(open)]
pub enum ArtifactPinAction {
    /// The artifact was pinned.
    Pin = "pin",
    /// The artifact was unpinned.
    Unpin = "unpin",
}

/// The result of pinning or unpinning an artifact.
#[wire]
pub struct ArtifactPin {
    /// The change that was made.
    pub action: ArtifactPinAction,
    /// The URL of the artifact.
    pub url: String,
    /// Whether the artifact is pinned now.
    pub pinned: bool,
    /// The title of the page.
    pub title: Option<String>,
}
