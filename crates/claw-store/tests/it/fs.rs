//! The store in a folder.

use std::fs;
use std::sync::Arc;

use claw_store::FsStore;
use claw_testkit::store::conformance;

#[tokio::test]
async fn the_store_in_a_folder_conforms() {
    let root = tempfile::tempdir().unwrap();
    let mut count = 0;
    let report = conformance(async || {
        count += 1;
        Arc::new(FsStore::new(root.path().join(count.to_string())).sync(false))
    })
    .await;
    assert!(report.skipped.is_empty());
    assert!(fs::read_dir(root.path()).unwrap().count() > 10);
}
