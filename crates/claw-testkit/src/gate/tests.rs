use std::time::Duration;

use super::Gates;

#[tokio::test]
async fn a_gate_holds_until_it_is_opened() {
    let gates = Gates::new();
    let waiting = tokio::spawn({
        let gates = gates.clone();
        async move { gates.wait("a").await }
    });
    gates.reached("a").await;
    gates.open("b");
    tokio::task::yield_now().await;
    assert!(
        !waiting.is_finished(),
        "another gate's opening let it through"
    );
    gates.open("a");
    waiting.await.unwrap().unwrap();
    gates.wait("a").await.unwrap();
}

#[tokio::test]
async fn gates_in_a_folder_reach_across_processes() {
    let folder = tempfile::tempdir().unwrap();
    // Two sets with the same folder share nothing but the folder, like the sets of two processes.
    let (here, there) = (
        Gates::in_folder(folder.path()),
        Gates::in_folder(folder.path()),
    );
    let waiting = tokio::spawn(async move { there.wait("a").await });
    tokio::time::timeout(Duration::from_mins(1), here.reached("a"))
        .await
        .unwrap();
    assert!(!waiting.is_finished());
    here.open("a");
    tokio::time::timeout(Duration::from_mins(1), waiting)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_folder_that_is_gone_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let gates = Gates::in_folder(folder.path().join("missing"));
    assert!(gates.wait("a").await.is_err());
    assert!(gates.try_open("a").is_err());
}
