//! What `Artifact` gives: pages.

use super::{
    ArtifactAssetDeleted, ArtifactAssetListed, ArtifactAssetRead, ArtifactAssetUploaded,
    ArtifactAssetsUploaded, ArtifactUnwatched, ArtifactWatches, ArtifactWatching,
};
use crate::by_key::by_key;
use crate::{Count, Json, Number, True};

by_key! {
    /// What `Artifact` gives. No tag tells the kinds apart, but a key that each of them alone has.
    ArtifactOutput {
        /// A page was published.
        "path" Published(ArtifactPublished),
        /// The pages that there are.
        "artifacts" Listed(ArtifactListed),
        /// A page was read.
        "read" Read(ArtifactView),
        /// Whether a page is watched now.
        "watch" Watching(ArtifactWatching),
        /// A page is not watched any more.
        "unwatch" Unwatched(ArtifactUnwatched),
        /// What is watched.
        "watches" Watches(ArtifactWatches),
        /// A file was added to a page.
        "asset_upload" AssetUploaded(ArtifactAssetUploaded),
        /// Several files were, or some of them.
        "asset_uploads" AssetsUploaded(ArtifactAssetsUploaded),
        /// The files of a page.
        "asset_list" AssetListed(ArtifactAssetListed),
        /// A file of a page was saved.
        "asset_read" AssetRead(ArtifactAssetRead),
        /// A file of a page was deleted.
        "asset_delete" AssetDeleted(ArtifactAssetDeleted),
        /// A page was pinned, or is not any more.
        "pin" Pinned(ArtifactPinned),
    }
}

/// A page was published.
#[wire]
pub struct ArtifactPublished {
    /// Where it is.
    pub url: String,
    /// The file.
    pub path: String,
    /// The artifact.
    pub artifact_id: Option<String>,
    /// The page's title.
    pub title: Option<String>,
    /// The version that this is.
    pub version: Option<String>,
    /// What the page may do.
    pub capabilities: Option<Json>,
    /// What the server keeps of what was declared.
    pub stored: Option<ArtifactStored>,
    /// What is not as it should be.
    pub warnings: Option<Vec<String>>,
    /// How many times more one may publish for now.
    #[wire(rename = "publishesRemaining")]
    pub publishes_remaining: Option<Count>,
    /// When one may publish as often as before again.
    #[wire(rename = "publishesResetAt")]
    pub publishes_reset_at: Option<Number>,
    /// The version of what runs the page.
    pub contract: Option<String>,
    /// Whether the page was there before.
    pub updated: Option<bool>,
    /// Whether it is the person's own.
    pub owned: Option<bool>,
    /// Its icon.
    pub icon: Option<String>,
    /// An icon was sent.
    #[wire(rename = "faviconSent")]
    pub favicon_sent: Option<True>,
    /// The icon that was asked for was left out.
    #[wire(rename = "iconDropped")]
    pub icon_dropped: Option<True>,
    /// Who can see it.
    pub audience: Option<String>,
    /// Who can see the folder that it is in.
    pub folder_audience: Option<ArtifactFolderAudience>,
    /// The number of this version.
    pub seq: Option<Count>,
    /// It was the same already.
    pub unchanged: Option<True>,
    /// Whether the session is told of new versions.
    #[wire(rename = "liveSubscription")]
    pub live_subscription: Option<String>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
}

/// Who can see a folder.
#[wire(open)]
pub enum ArtifactFolderAudience {
    /// Others than the person.
    Others = "others",
    /// Nobody knows.
    Unknown = "unknown",
}

/// What the server keeps of what was declared of a page.
#[wire]
pub struct ArtifactStored {
    /// The version of what runs the page.
    pub contract: String,
    /// The version that would be better.
    #[wire(rename = "preferredContract")]
    pub preferred_contract: Option<String>,
    /// What the page may do, each with its settings: an object.
    pub capabilities: Option<Json>,
    /// Whether that was taken over from before.
    pub carried: Option<bool>,
    /// How the server's answer was read.
    pub read: Option<String>,
}

/// The pages that there are.
#[wire]
pub struct ArtifactListed {
    /// The pages.
    pub artifacts: Vec<ArtifactPage>,
    /// Whether there are more.
    pub truncated: Option<bool>,
    /// How many there are.
    pub total: Option<Count>,
    /// There may be more than `total`.
    pub total_at_least: Option<True>,
    /// What the list goes on with.
    pub next_page_token: Option<String>,
    /// Whether pages can be pinned.
    pub pins_enabled: Option<bool>,
    /// Whose are listed. Absent: the person's own.
    pub scope: Option<ArtifactListScope>,
    /// Pages from outside the organisation are among them.
    pub external_listed: Option<True>,
}

/// Whose pages are in a list that has not the person's own alone.
#[wire(open)]
pub enum ArtifactListScope {
    /// Those that others share with the person.
    Shared = "shared",
    /// Both.
    All = "all",
}

/// A page in a list.
#[wire]
pub struct ArtifactPage {
    /// Its title.
    pub title: String,
    /// Where it is.
    pub url: String,
    /// Its icon.
    pub favicon: Option<String>,
    /// When it was changed last.
    #[wire(rename = "updatedAt")]
    pub updated_at: Option<String>,
    /// Whose it is.
    pub rel: Option<ArtifactRelation>,
    /// It is from outside the organisation.
    pub external: Option<True>,
    /// What the person may do with it.
    pub role: Option<ArtifactRole>,
    /// People from outside may have written in it.
    #[wire(rename = "outsidersMayHaveWritten")]
    pub outsiders_may_have_written: Option<True>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
}

/// Whose a page is.
#[wire(open)]
pub enum ArtifactRelation {
    /// The person's own.
    Mine = "mine",
    /// Somebody else's.
    Shared = "shared",
}

/// What a person may do with a page.
#[wire(open)]
pub enum ArtifactRole {
    /// Change it.
    Editor = "editor",
    /// Comment on it.
    Commenter = "commenter",
    /// Read it.
    Reader = "reader",
    /// Look at it.
    Viewer = "viewer",
}

/// A page was read.
#[wire]
pub struct ArtifactView {
    /// What was read.
    pub read: ArtifactRead,
    /// Whether it is the person's own.
    pub owned: Option<bool>,
    /// Which version of which page it is.
    #[wire(rename = "artifactRead")]
    pub artifact_read: Option<ArtifactSource>,
}

/// What was read of a page.
#[wire(rename_all = "camelCase")]
pub struct ArtifactRead {
    /// Where it is.
    pub url: String,
    /// How long it is, in bytes.
    pub bytes: Count,
    /// The HTTP status.
    pub code: Count,
    /// The status in words.
    pub code_text: String,
    /// The page, or what was found out in it.
    pub result: String,
    /// How long it took, in milliseconds.
    pub duration_ms: Number,
    /// Its title.
    pub title: Option<String>,
}

/// Which version of which page was read.
#[wire]
pub struct ArtifactSource {
    /// The page.
    pub slug: String,
    /// The version.
    pub ver: Option<String>,
    /// `false`: it is not what a later publication builds on. Never `true`.
    pub seeded: Option<bool>,
}

/// A page was pinned, or is not any more.
#[wire]
pub struct ArtifactPinned {
    /// What was done.
    pub pin: ArtifactPin,
}

/// What was done to a page's pin.
#[wire(open)]
pub enum ArtifactPinAction {
    /// It was set.
    Pin = "pin",
    /// It was taken away.
    Unpin = "unpin",
}

/// What was done to a page's pin.
#[wire]
pub struct ArtifactPin {
    /// What was done.
    pub action: ArtifactPinAction,
    /// The page.
    pub url: String,
    /// Whether it is pinned now.
    pub pinned: bool,
    /// Its title.
    pub title: Option<String>,
}
