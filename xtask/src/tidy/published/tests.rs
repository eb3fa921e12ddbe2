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
