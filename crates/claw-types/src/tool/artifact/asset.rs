//! What `Artifact` gives: files of a page.

use claw_types_derive::{Wire, WireUnion};

use crate::{Count, Extra, True, Unknown};

/// The page that was written to.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactWritten {
    /// Where it is.
    pub url: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file was added to a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetUploaded {
    /// The file.
    pub asset_upload: ArtifactFile,
    /// The page.
    pub written: Option<ArtifactWritten>,
    /// Whether that is the person's own.
    pub owned: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file that was added to a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactFile {
    /// Names it.
    pub id: String,
    /// Where it is.
    pub url: String,
    /// How long it is, in bytes.
    pub size_bytes: Count,
    /// Its media type.
    pub content_type: String,
    /// Its name on this machine.
    pub file_name: String,
    /// The SHA-256 of what it holds.
    pub sha256: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Several files were added to a page, or some of them.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetsUploaded {
    /// What came of each.
    pub asset_uploads: ArtifactAssetUploads,
    /// The page.
    pub written: Option<ArtifactWritten>,
    /// Whether that is the person's own.
    pub owned: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What came of adding several files to a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetUploads {
    /// The page.
    pub url: String,
    /// What came of each file: 1 to 25.
    pub results: Vec<ArtifactAssetUploadResult>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What came of adding a file to a page.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ArtifactAssetUploadResult {
    /// It was added.
    Uploaded(Box<ArtifactAssetUpload>),
    /// It was not: that failed.
    Failed(Box<ArtifactAssetFailed>),
    /// It was not: another one failed before.
    NotAttempted(Box<ArtifactAssetNotAttempted>),
    /// A form that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A file, one of several, was added to a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(status = "uploaded"))]
#[non_exhaustive]
pub struct ArtifactAssetUpload {
    /// The file on this machine.
    pub file_path: String,
    /// Names it.
    pub id: String,
    /// Where it is.
    pub url: String,
    /// How long it is, in bytes.
    pub size_bytes: Count,
    /// Its media type.
    pub content_type: String,
    /// Its name on this machine.
    pub file_name: String,
    /// The SHA-256 of what it holds.
    pub sha256: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

macro_rules! not_uploaded {
    ($($(#[doc = $doc:literal])+ $name:ident = $tag:literal;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Wire, Debug, Clone, PartialEq)]
        #[wire(tag(status = $tag))]
        #[non_exhaustive]
        pub struct $name {
            /// The file on this machine.
            pub file_path: String,
            /// Why, as a word.
            pub reason: String,
            /// Why.
            pub message: String,
            /// It may be there nevertheless.
            pub may_be_stored: Option<True>,
            /// Fields that claw does not know.
            #[wire(extra)]
            pub extra: Extra,
        }
    )+};
}

not_uploaded! {
    /// A file, one of several, could not be added to a page.
    ArtifactAssetFailed = "failed";
    /// A file, one of several, was not even tried.
    ArtifactAssetNotAttempted = "not_attempted";
}

/// The files of a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetListed {
    /// The files.
    pub asset_list: ArtifactAssetList,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The files of a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetList {
    /// The page.
    pub url: String,
    /// The files, 1000 at most.
    pub assets: Vec<ArtifactAsset>,
    /// How much the page holds and may hold.
    pub usage: ArtifactAssetUsage,
    /// What the list goes on with.
    pub next: Option<String>,
    /// Others may have written to the page too.
    pub cowritten: Option<True>,
    /// People from outside may have.
    pub outside_writer: Option<True>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file of a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAsset {
    /// Names it.
    pub id: String,
    /// Where it is.
    pub url: String,
    /// Its media type.
    pub content_type: String,
    /// How long it is, in bytes.
    pub size_bytes: Count,
    /// When it was added.
    pub created_at: String,
    /// The SHA-256 of what it holds.
    pub sha256: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// How much a page holds and may hold.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetUsage {
    /// How many files.
    pub files: Count,
    /// How many bytes.
    pub bytes: Count,
    /// How many files at most.
    pub max_files: Count,
    /// How many bytes at most.
    pub max_bytes: Count,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file of a page was saved on this machine.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetRead {
    /// The file.
    pub asset_read: ArtifactAssetSaved,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file of a page, saved on this machine.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetSaved {
    /// Names it.
    pub id: String,
    /// Where it was saved.
    pub path: String,
    /// How long it is, in bytes.
    pub size_bytes: Count,
    /// Its media type.
    pub content_type: String,
    /// The SHA-256 of what it holds.
    pub sha256: String,
    /// Others may have written to the page too.
    pub cowritten: Option<True>,
    /// People from outside may have.
    pub outside_writer: Option<True>,
    /// Anybody can read the page.
    pub public_read: Option<True>,
    /// The page is somebody else's.
    pub foreign: Option<True>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file of a page was deleted.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetDeleted {
    /// The file.
    pub asset_delete: ArtifactAssetDelete,
    /// The page.
    pub written: Option<ArtifactWritten>,
    /// Whether that is the person's own.
    pub owned: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What became of a file of a page.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArtifactAssetDelete {
    /// Names it.
    pub id: String,
    /// Whether it is gone.
    pub deleted: bool,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
