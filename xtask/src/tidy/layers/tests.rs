use super::*;

const NONE: [String; 0] = [];

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

/// Returns the problems of a crate that has these dependencies. All crates of the project exist.
fn wrong_with(name: &str, dependencies: &[(&str, &str)]) -> Vec<String> {
    let dependencies: Vec<_> = dependencies
        .iter()
        .map(|(name, kind)| dependency(name, kind))
        .collect();
    let mut all = vec![package_with(name, &dependencies.join(","))];
    let others = ARROWS.iter().filter(|(other, _)| *other != name);
    all.extend(others.map(|(other, below)| {
        let below: Vec<_> = below.iter().map(|name| dependency(name, "null")).collect();
        package_with(other, &below.join(","))
    }));
    wrong_arrows(&packages(&format!("[{}]", all.join(","))))
}

#[test]
fn an_arrow_that_points_up_is_found() {
    assert_eq!(wrong_with("claw-codec", &[("claw-types", "null")]), NONE);
    assert_eq!(
        wrong_with(
            "claw-codec",
            &[("claw-types", "null"), ("claw-client", "null")]
        ),
        ["claw-codec may not depend on claw-client"]
    );
}

#[test]
fn an_arrow_that_is_in_the_table_alone_is_found() {
    assert_eq!(
        wrong_with("claw-codec", &[]),
        ["claw-codec does not depend on claw-types, as the table of layers says"]
    );
    assert_eq!(
        wrong_with("claw-codec", &[("claw-types", r#""dev""#)]).len(),
        1
    );
}

#[test]
fn tests_alone_may_use_the_testkit() {
    let view = |kind| {
        wrong_with(
            "claw-view",
            &[("claw-types", "null"), ("claw-testkit", kind)],
        )
    };
    assert_eq!(view(r#""dev""#), NONE);
    assert_eq!(view("null"), ["claw-view may not depend on claw-testkit"]);
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
    // Each row contains only crates that have rows above it, so the order of the rows is the layering.
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
