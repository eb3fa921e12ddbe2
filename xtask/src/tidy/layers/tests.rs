use super::*;

fn packages(json: &str) -> Vec<Package> {
    serde_json::from_str(json).unwrap()
}

fn package_with(name: &str, dependencies: &str) -> String {
    format!(
        r#"{{"id":"{name}","name":"{name}","targets":[],"features":{{}},"dependencies":[{dependencies}]}}"#
    )
}

fn dependency(name: &str, kind: &str) -> String {
    format!(r#"{{"name":"{name}","kind":{kind},"optional":false}}"#)
}

#[test]
fn an_arrow_that_points_up_is_found() {
    let packages = packages(&format!(
        "[{},{}]",
        package_with("claw-types", ""),
        package_with("claw-codec", &dependency("claw-types", "null")),
    ));
    assert_eq!(wrong_arrows(&packages), Vec::<String>::new());

    let packages = self::packages(&format!(
        "[{},{}]",
        package_with("claw-types", &dependency("claw-codec", "null")),
        package_with("claw-codec", ""),
    ));
    assert_eq!(
        wrong_arrows(&packages),
        ["claw-types may not depend on claw-codec"]
    );
}

#[test]
fn tests_alone_may_use_the_testkit() {
    let client = |kind| {
        packages(&format!(
            "[{},{}]",
            package_with("claw-client", &dependency("claw-testkit", kind)),
            package_with("claw-testkit", ""),
        ))
    };
    assert_eq!(wrong_arrows(&client(r#""dev""#)), Vec::<String>::new());
    assert_eq!(
        wrong_arrows(&client("null")),
        ["claw-client may not depend on claw-testkit"]
    );
}

#[test]
fn a_crate_without_a_row_is_found() {
    let packages = packages(&format!("[{}]", package_with("claw-new", "")));
    assert_eq!(
        wrong_arrows(&packages),
        ["claw-new has no row in the table of layers"]
    );
}

#[test]
fn the_table_has_no_cycle() {
    // Each row names only crates of rows above it: the order is the layering.
    for (row, (name, below)) in ARROWS.iter().enumerate() {
        for other in *below {
            assert!(
                ARROWS[..row].iter().any(|(above, _)| above == other),
                "{name} → {other}"
            );
        }
    }
}

#[test]
fn what_claw_types_must_not_use_is_found() {
    let types = |dependencies: &str| {
        packages(&format!("[{}]", package_with("claw-types", dependencies))).remove(0)
    };
    assert_eq!(
        too_much_for_types(&types(&dependency("serde", "null"))),
        Vec::<String>::new()
    );
    assert_eq!(
        too_much_for_types(&types(&dependency("proptest", r#""dev""#))),
        Vec::<String>::new()
    );
    assert_eq!(
        too_much_for_types(&types(&dependency("tokio", "null"))),
        ["it depends on tokio"]
    );
    assert_eq!(
        too_much_for_types(&types(&dependency("schemars", "null"))),
        ["schemars is not optional"]
    );
}

#[test]
fn a_runtime_in_a_tree_is_found() {
    assert_eq!(
        runtimes("claw-types v0.1.0\nserde v1.0.0\n"),
        Vec::<&str>::new()
    );
    assert_eq!(runtimes("claw-types v0.1.0\ntokio v1.0.0 (*)\n"), ["tokio"]);
}

#[test]
fn unsafe_code_is_seen_in_the_text() {
    assert!(forbids_unsafe("//! x\n#![forbid(unsafe_code)]\n"));
    assert!(!forbids_unsafe(
        "//! #![forbid(unsafe_code)] would be good\n"
    ));
    assert_eq!(
        lifts_unsafe("#[expect(\n    unsafe_code,\n    reason = \"…\"\n)]"),
        1
    );
    assert_eq!(lifts_unsafe("#![deny(unsafe_code)]"), 0);
}
