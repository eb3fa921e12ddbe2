use xtask::workspace::Package;

use super::*;

fn texts(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    let files = files.iter();
    files
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

#[test]
fn a_crate_that_lacks_something_is_found() {
    let whole = format!("{}\n{}\n[features]\n", MANIFEST[0], MANIFEST[1]);
    assert_eq!(
        lacking(&texts(&[
            ("crates/a/Cargo.toml", &whole),
            ("crates/a/README.md", ""),
            ("crates/a/src/lib.rs", MARKS_FEATURES),
            ("xtask/Cargo.toml", ""),
        ])),
        Vec::<String>::new()
    );
    let lacking = lacking(&texts(&[
        ("crates/a/Cargo.toml", "[features]"),
        ("crates/a/src/lib.rs", ""),
    ]));
    assert_eq!(lacking.len(), 4, "{lacking:?}");
}

#[test]
fn a_field_that_a_registry_would_miss_is_found() {
    let bare = r#"{"id":"a","name":"a","targets":[],"features":{},"dependencies":[]}"#;
    let mut package: Package = serde_json::from_str(bare).unwrap();
    let fields = "description license readme rust-version repository keywords categories";
    let expected: Vec<_> = fields.split(' ').collect();
    let found = lacking_fields(std::iter::once(&package));
    let expected: Vec<_> = expected
        .iter()
        .map(|field| format!("a has no good `{field}`"))
        .collect();
    assert_eq!(found, expected);

    let some = || Some("x".to_owned());
    package.description = some();
    package.license = some();
    package.readme = some();
    package.rust_version = some();
    package.repository = Some("https://example.com/a".to_owned());
    package.keywords = vec!["a".to_owned()];
    package.categories = vec!["a".to_owned()];
    assert_eq!(
        lacking_fields(std::iter::once(&package)),
        Vec::<String>::new()
    );
    package.keywords = vec!["a word too long for it".to_owned()];
    package.categories = vec!["a".to_owned(); 6];
    assert_eq!(lacking_fields(std::iter::once(&package)).len(), 2);
}
