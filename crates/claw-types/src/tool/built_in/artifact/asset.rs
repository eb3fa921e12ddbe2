//! Outputs of the `Artifact` tool about the files of an artifact.

use crate::{Count, True};

/// The artifact that was changed.
#[wire]
pub struct ArtifactWritten {
    /// The URL of the artifact.
    pub url: String,
}

/// Output of the `Artifact` tool after a file was added to an artifact.
#[wire]
pub struct ArtifactAssetUploaded {
    /// The file that was added.
    pub asset_upload: ArtifactFile,
    /// The artifact that was changed.
    pub written: Option<ArtifactWritten>,
    /// Whether the artifact belongs to the user.
    pub owned: Option<bool>,
}

/// A local file that was added to an artifact.
#[wire(fields)]
struct UploadedFile {
    /// The ID of the file.
    pub id: String,
    /// The URL of the file.
    pub url: String,
    /// The size of the file, in bytes.
    pub size_bytes: Count,
    /// The media type of the file.
    pub content_type: String,
    /// The local name of the file.
    pub file_name: String,
    /// The SHA-256 hash of the content.
    pub sha256: Option<String>,
}

/// A file that was added to an artifact.
#[wire]
pub struct ArtifactFile {
    fields: UploadedFile!(),
}

/// Output of the `Artifact` tool after adding several files to an artifact. Some of the files may not have been added.
#[wire]
pub struct ArtifactAssetsUploaded {
    /// The results, one for each file.
    pub asset_uploads: ArtifactAssetUploads,
    /// The artifact that was changed.
    pub written: Option<ArtifactWritten>,
    /// Whether the artifact belongs to the user.
    pub owned: Option<bool>,
}

/// The results of adding several files to an artifact.
#[wire]
pub struct ArtifactAssetUploads {
    /// The URL of the artifact.
    pub url: String,
    /// The results, one for each of the 1 to 25 files.
    pub results: Vec<ArtifactAssetUploadResult>,
}

/// The result of adding one of several files to an artifact.
#[wire]
pub enum ArtifactAssetUploadResult {
    /// The file was added.
    Uploaded(Box<ArtifactAssetUpload>),
    /// The file could not be added.
    Failed(Box<ArtifactAssetFailed>),
    /// The CLI did not try to add the file, because an earlier file had failed.
    NotAttempted(Box<ArtifactAssetNotAttempted>),
}

/// The result for one of several files: the file was added to an artifact.
#[wire(tag(status = "uploaded"))]
pub struct ArtifactAssetUpload {
    /// The local path of the file.
    pub file_path: String,
    fields: UploadedFile!(),
}

/// A file that was not added, and the reason.
#[wire(fields)]
struct NotUploaded {
    /// The local path of the file.
    pub file_path: String,
    /// The reason why the file could not be added, as a code.
    pub reason: String,
    /// The reason why the file could not be added, in words.
    pub message: String,
    /// Present if the file may have been stored nevertheless.
    pub may_be_stored: Option<True>,
}

/// The result for one of several files: the file could not be added to an artifact.
#[wire(tag(status = "failed"))]
pub struct ArtifactAssetFailed {
    fields: NotUploaded!(),
}

/// The result for one of several files: the CLI did not try to add the file to an artifact, because an earlier file had
/// failed.
#[wire(tag(status = "not_attempted"))]
pub struct ArtifactAssetNotAttempted {
    fields: NotUploaded!(),
}

/// Output of the `Artifact` tool after listing the files of an artifact.
#[wire]
pub struct ArtifactAssetListed {
    /// The list of files.
    pub asset_list: ArtifactAssetList,
}

/// The files of an artifact.
#[wire]
pub struct ArtifactAssetList {
    /// The URL of the artifact.
    pub url: String,
    /// The files, at most 1000.
    pub assets: Vec<ArtifactAsset>,
    /// The storage that the artifact uses, and its limits.
    pub usage: ArtifactAssetUsage,
    /// The cursor of the next page. Absent on the last page.
    pub next: Option<String>,
    /// Present if people other than the user may have written to the artifact.
    pub cowritten: Option<True>,
    /// Present if people outside the organisation may have written to the artifact.
    pub outside_writer: Option<True>,
}

/// A file of an artifact.
#[wire]
pub struct ArtifactAsset {
    /// The ID of the file.
    pub id: String,
    /// The URL of the file.
    pub url: String,
    /// The media type of the file.
    pub content_type: String,
    /// The size of the file, in bytes.
    pub size_bytes: Count,
    /// The time when the file was added.
    pub created_at: String,
    /// The SHA-256 hash of the content.
    pub sha256: Option<String>,
}

/// The storage that an artifact uses, and its limits.
#[wire]
pub struct ArtifactAssetUsage {
    /// The number of files.
    pub files: Count,
    /// The total size of the files, in bytes.
    pub bytes: Count,
    /// The maximum number of files.
    pub max_files: Count,
    /// The maximum total size of the files, in bytes.
    pub max_bytes: Count,
}

/// Output of the `Artifact` tool after a file of an artifact was saved on this machine.
#[wire]
pub struct ArtifactAssetRead {
    /// The file that was saved.
    pub asset_read: ArtifactAssetSaved,
}

/// A file of an artifact, saved on this machine.
#[wire]
pub struct ArtifactAssetSaved {
    /// The ID of the file.
    pub id: String,
    /// The local path at which the file was saved.
    pub path: String,
    /// The size of the file, in bytes.
    pub size_bytes: Count,
    /// The media type of the file.
    pub content_type: String,
    /// The SHA-256 hash of the content.
    pub sha256: String,
    /// Present if people other than the user may have written to the artifact.
    pub cowritten: Option<True>,
    /// Present if people outside the organisation may have written to the artifact.
    pub outside_writer: Option<True>,
    /// Present if anybody can read the artifact.
    pub public_read: Option<True>,
    /// Present if the artifact belongs to somebody else.
    pub foreign: Option<True>,
}

/// Output of the `Artifact` tool after deleting a file of an artifact.
#[wire]
pub struct ArtifactAssetDeleted {
    /// The file that was to be deleted, and whether it was deleted.
    pub asset_delete: ArtifactAssetDelete,
    /// The artifact that was changed.
    pub written: Option<ArtifactWritten>,
    /// Whether the artifact belongs to the user.
    pub owned: Option<bool>,
}

/// The result of deleting a file of an artifact.
#[wire]
pub struct ArtifactAssetDelete {
    /// The ID of the file.
    pub id: String,
    /// Whether the file no longer exists.
    pub deleted: bool,
}
