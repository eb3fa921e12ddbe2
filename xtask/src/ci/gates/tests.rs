use super::*;

#[test]
fn a_target_that_cannot_be_added_fails_unless_told_otherwise() {
    assert!(missing("no network".into(), false).is_err());
    let allowed = missing("no network".into(), true);
    assert!(matches!(allowed, Ok(Checked::No(reason)) if reason == "no network"));
}

#[test]
fn every_library_is_compiled_with_the_rust_that_it_names() {
    let workspace = xtask::workspace::Workspace::read().unwrap();
    let by_version = oldest_rust(workspace.libraries()).unwrap();
    let named: usize = by_version.values().map(Vec::len).sum();
    assert_eq!(named, workspace.libraries().count());

    let silent = r#"{"id":"a","name":"a","targets":[],"features":{},"dependencies":[]}"#;
    let silent: Package = serde_json::from_str(silent).unwrap();
    let error = oldest_rust(std::iter::once(&silent)).unwrap_err();
    assert_eq!(error.to_string(), "a names no rust-version");
}
