use super::*;

#[test]
fn comments_and_blank_lines_do_not_count() {
    assert_eq!(
        code_lines("//! a\n\n/// b\nfn c() {\n    // d\n    e(); // f\n}\n"),
        3
    );
}

#[test]
fn long_files_are_found() {
    let lengths = [("a.rs", 400), ("b.rs", 401), ("c.rs", 600), ("d.rs", 601)];
    assert_eq!(
        judge(lengths.into_iter(), &[]),
        [
            Finding::Warning("b.rs has 401 lines of code, over 400".to_owned()),
            Finding::Warning("c.rs has 600 lines of code, over 400".to_owned()),
            Finding::Error("d.rs has 601 lines of code, over 600".to_owned()),
        ]
    );
}

#[test]
fn an_exemption_has_to_be_needed() {
    let exempt = [("a.rs", "a table"), ("b.rs", "was one")];
    assert_eq!(
        judge([("a.rs", 900), ("b.rs", 300)].into_iter(), &exempt),
        [Finding::Error(
            "b.rs is exempt and does not need it".to_owned()
        )]
    );
}

#[test]
fn tests_are_known_by_their_names() {
    assert!(is_test("crates/a/src/b/tests.rs"));
    assert!(is_test("crates/a/src/b_tests.rs"));
    assert!(is_test("crates/a/tests/it/main.rs"));
    assert!(!is_test("crates/a/src/contests.rs"));
}
