//! What `Artifact` gives: files of a page.

use crate::{Count, True};

/// The page that was written to.
#[wire]
pub struct ArtifactWritten {
    /// Where it is.
    pub url: String,
}

/// A file was added to a page.
#[wire]
pub struct ArtifactAssetUploaded {
    /// The file.
    pub asset_upload: ArtifactFile,
    /// The page.
    pub written: Option<ArtifactWritten>,
    /// Whether that is the person's own.
    pub owned: Option<bool>,
}

/// A file of a page that was on this machine.
#[wire(fields)]
struct UploadedFile {
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
}

/// A file that was added to a page.
#[wire]
pub struct ArtifactFile {
    fields: UploadedFile!(),
}

/// Several files were added to a page, or some of them.
#[wire]
pub struct ArtifactAssetsUploaded {
    /// What came of each.
    pub asset_uploads: ArtifactAssetUploads,
    /// The page.
    pub written: Option<ArtifactWritten>,
    /// Whether that is the person's own.
    pub owned: Option<bool>,
}

/// What came of adding several files to a page.
#[wire]
pub struct ArtifactAssetUploads {
    /// The page.
    pub url: String,
    /// What came of each file: 1 to 25.
    pub results: Vec<ArtifactAssetUploadResult>,
}

/// What came of adding a file to a page.
#[wire]
pub enum ArtifactAssetUploadResult {
    /// It was added.
    Uploaded(Box<ArtifactAssetUpload>),
    /// It was not: that failed.
    Failed(Box<ArtifactAssetFailed>),
    /// It was not: another one failed before.
    NotAttempted(Box<ArtifactAssetNotAttempted>),
}

/// A file, one of several, was added to a page.
#[wire(tag(status = "uploaded"))]
pub struct ArtifactAssetUpload {
    /// The file on this machine.
    pub file_path: String,
    fields: UploadedFile!(),
}

/// A file that is not there, and why.
#[wire(fields)]
struct NotUploaded {
    /// The file on this machine.
    pub file_path: String,
    /// Why, as a word.
    pub reason: String,
    /// Why.
    pub message: String,
    /// It may be there nevertheless.
    pub may_be_stored: Option<True>,
}

/// A file, one of several, could not be added to a page.
#[wire(tag(status = "failed"))]
pub struct ArtifactAssetFailed {
    fields: NotUploaded!(),
}

/// A file, one of several, was not even tried.
#[wire(tag(status = "not_attempted"))]
pub struct ArtifactAssetNotAttempted {
    fields: NotUploaded!(),
}

/// The files of a page.
#[wire]
pub struct ArtifactAssetListed {
    /// The files.
    pub asset_list: ArtifactAssetList,
}

/// The files of a page.
#[wire]
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
}

/// A file of a page.
#[wire]
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
}

/// How much a page holds and may hold.
#[wire]
pub struct ArtifactAssetUsage {
    /// How many files.
    pub files: Count,
    /// How many bytes.
    pub bytes: Count,
    /// How many files at most.
    pub max_files: Count,
    /// How many bytes at most.
    pub max_bytes: Count,
}

/// A file of a page was saved on this machine.
#[wire]
pub struct ArtifactAssetRead {
    /// The file.
    pub asset_read: ArtifactAssetSaved,
}

/// A file of a page, saved on this machine.
#[wire]
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
}

/// A file of a page was deleted.
#[wire]
pub struct ArtifactAssetDeleted {
    /// The file.
    pub asset_delete: ArtifactAssetDelete,
    /// The page.
    pub written: Option<ArtifactWritten>,
    /// Whether that is the person's own.
    pub owned: Option<bool>,
}

/// What became of a file of a page.
#[wire]
pub struct ArtifactAssetDelete {
    /// Names it.
    pub id: String,
    /// Whether it is gone.
    pub deleted: bool,
}
