//! The store in a folder.

use std::fs;
use std::sync::Arc;

use claw_store::{FsStore, ReadSessions as _, SessionRef, SessionStore as _, StoreError, WriterId};
use claw_testkit::store::conformance;
use claw_testkit::store::samples::{batch, three_lines};

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

#[tokio::test]
async fn the_entry_of_a_session_is_read_without_other_sessions() {
    // The order of the list is that of the folder, so each of two sessions is damaged once.
    for (damaged, other) in [("s1", "s2"), ("s2", "s1")] {
        let root = tempfile::tempdir().unwrap();
        let store = FsStore::new(root.path()).sync(false);
        let (writer, lines) = (WriterId::new("w"), three_lines());
        let [damaged, other] = [damaged, other].map(|id| SessionRef::new("p", id).unwrap());
        for key in [damaged.main(), other.main()] {
            let append = store.append(&key, batch(&writer, 0, &lines, None));
            append.await.unwrap();
        }
        let mut files = vec![root.path().join(".claw-store")];
        let mut states = 0;
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
            } else if path.ends_with(format!("{}/main.json", damaged.session())) {
                fs::write(&path, "no state").unwrap();
                states += 1;
            }
        }
        assert_eq!(states, 1);
        let lists = store.lists().unwrap();
        let entry = lists.listed(&damaged).await;
        assert!(matches!(entry, Err(StoreError::Corrupt(_))), "{entry:?}");
        let entry = lists.listed(&other).await.unwrap();
        assert_eq!(entry.map(|listed| listed.session), Some(other));
    }
}
