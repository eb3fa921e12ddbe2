//! Checks whether a bucket supports conditional writes.

use bytes::Bytes;
use claw_store::StoreError;
use object_store::UpdateVersion;

use crate::paths::Paths;
use crate::requests::Requests;

/// Refuses a bucket that does not support conditional writes. In such a bucket, two requests could create the same
/// object, or a request could replace a version of an object that it has not read. Lines would then be lost without an
/// error.
pub(crate) async fn conditional_writes(
    requests: &Requests,
    paths: &Paths,
) -> Result<(), StoreError> {
    let path = paths.probe()?;
    let deadline = requests.deadline();
    let create = async |text: &'static str| {
        let created = requests.create(&path, Bytes::from_static(text.as_bytes()), deadline);
        created.await.map_err(StoreError::nothing_stored)
    };
    if !create("1").await? {
        return Err(lacks("says that there is an object which is not there"));
    }
    if create("2").await? {
        return Err(lacks("creates an object that is there (If-None-Match: *)"));
    }
    let first = requests.get(&path, 16, deadline).await?;
    let first = first.ok_or_else(|| lacks("does not have an object that was just written"))?;
    let replace = async |text: &'static str, version: &UpdateVersion| {
        let (body, version) = (Bytes::from_static(text.as_bytes()), Some(version.clone()));
        let replaced = requests.replace(&path, body, version, deadline);
        replaced.await.map_err(StoreError::nothing_stored)
    };
    if !replace("3", &first.version).await? {
        return Err(lacks("does not change the newest version of an object"));
    }
    if replace("4", &first.version).await? {
        return Err(lacks("changes an older version of an object (If-Match)"));
    }
    requests
        .delete(vec![path], deadline)
        .await
        .map_err(StoreError::nothing_stored)
}

fn lacks(what: &str) -> StoreError {
    StoreError::refused(format!(
        "the bucket does not honour conditional writes: it {what}"
    ))
}
