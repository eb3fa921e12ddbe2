use super::*;

#[test]
fn a_target_that_cannot_be_added_fails_unless_told_otherwise() {
    assert!(missing("no network".into(), false).is_err());
    let allowed = missing("no network".into(), true);
    assert!(matches!(allowed, Ok(Checked::No(reason)) if reason == "no network"));
}

#[test]
fn every_library_names_its_oldest_rust() {
    let workspace = xtask::workspace::Workspace::read().unwrap();
    for package in workspace.libraries() {
        oldest_rust(package).unwrap();
    }

    let silent = r#"{"id":"a","name":"a","targets":[],"features":{},"dependencies":[]}"#;
    let silent: Package = serde_json::from_str(silent).unwrap();
    let error = oldest_rust(&silent).unwrap_err();
    assert_eq!(error.to_string(), "a names no rust-version");
}
