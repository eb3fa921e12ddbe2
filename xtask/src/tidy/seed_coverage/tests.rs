use super::*;
use xtask::workspace::Workspace;

const SOURCES: &str = "
    /// ```
    /// ```
    pub struct Message { }
    open_enum! {
        Mode {
            Plan = \"plan\",
        }
    }
    pub enum Union {
        Text(TextBlock),
    }
    impl Message {
        pub(crate) async fn kind(&self) {}
        pub const fn size() {}
    }
    pub content: Vec<Block>,
";

const OTHER: &str = "
    impl Union {
        pub fn added() {}
    }
    pub fn apart() {}
";

const CALL: &str = "
    #[wire(method(
        #[doc(alias = \"all\")]
        each_call(
            kind: impl Into<Kind>
        ) = {
            inside(kind)
        }
    ))]
    EachCall(EachCall),
";

const TESTS: &str = "
    #[test]
    /// What it holds.
    fn one_thing() {}
    fn helper() {}
    #[tokio::test(start_paused = true)]
    async fn another_thing() {}
";

/// Returns the problems that the rule finds if docs/seed-coverage.md has these rows.
fn found(rows: &str) -> Vec<String> {
    found_in(DOCUMENT, rows)
}

/// Returns the problems that the rule finds if a page has these rows.
fn found_in(page: &str, rows: &str) -> Vec<String> {
    let workspace = Workspace::read().unwrap();
    let texts = [
        ("crates/a/src/lib.rs", SOURCES.to_owned()),
        ("crates/a/src/other/mod.rs", OTHER.to_owned()),
        (CALLS, CALL.to_owned()),
        ("crates/a/tests/it/main.rs", TESTS.to_owned()),
        (
            page,
            format!("# Rows\n\n| row | type or function | test |\n| --- | --- | --- |\n{rows}\n"),
        ),
    ];
    let findings = check(&Project {
        workspace: &workspace,
        texts: texts.map(|(path, text)| (path.to_owned(), text)).into(),
        files: Vec::new(),
    });
    let text = |finding| match finding {
        Finding::Error(text) | Finding::Warning(text) => text,
    };
    findings.into_iter().map(text).collect()
}

#[test]
fn what_is_there_passes() {
    for row in [
        "| a | `Message` | `one_thing` |",
        "| `a` | `Message::kind`, `Message::size` | `one_thing`, `another_thing` |",
        "| a | `Message::content`, `Union::Text` | `crates/a/src/lib.rs` |",
        "| a | `Mode::Plan` | `one_thing` |",
        "| a | `Session::each_call`, `EachCall` | `one_thing` |",
        "| a | `Union::added`, `other::apart`, `Message::uuid` | `one_thing` |",
        "| a | somebody's own | – |",
    ] {
        assert_eq!(found(row), [""; 0], "{row}");
    }
}

#[test]
fn what_is_not_there_is_found() {
    for (row, problem) in [
        (
            "| a | `Massage` | `one_thing` |",
            "`Massage` is nowhere defined",
        ),
        (
            "| a | `Message::other` | `one_thing` |",
            "`Message::other` is nowhere defined",
        ),
        (
            "| a | `Session::inside` | `one_thing` |",
            "`Session::inside` is nowhere defined",
        ),
        (
            "| a | `Message::apart` | `one_thing` |",
            "`Message::apart` is nowhere defined",
        ),
        ("| a | `Message` | `helper` |", "there is no test `helper`"),
        ("| a | `Message` | `gone` |", "there is no test `gone`"),
        (
            "| a | `Message` | `crates/a/tests/it/main.rs` |",
            "`crates/a/tests/it/main.rs` is no file with examples",
        ),
    ] {
        assert_eq!(found(row), [format!("{DOCUMENT}:5: {problem}")], "{row}");
    }
}

#[test]
fn counterparts_are_there_and_remarks_may_name_anything() {
    for page in COUNTERPARTS {
        let row = "| `theirs` | `Message::kind` | `CLAUDE_CONFIG_DIR` |";
        assert_eq!(found_in(page, row), [""; 0]);
        let problem = format!("{page}:5: `Message::gone` is nowhere defined");
        assert_eq!(found_in(page, &row.replace("kind", "gone")), [problem]);
    }
}

#[test]
fn names_are_read_from_definitions_alone() {
    for (line, name) in [
        ("pub struct A;", Some("A")),
        ("pub(super) trait B: C {", Some("B")),
        ("fn c(", Some("c")),
        ("pub const D: u8 = 1;", Some("D")),
        ("pub const fn e() {}", Some("e")),
        ("    pub f: Option<G>,", Some("f")),
        ("    H,", Some("H")),
        ("    I = \"i\",", Some("I")),
        ("    J {", Some("J")),
        ("    text U(String),", Some("U")),
        ("    text of a page", None),
        ("let k: L = m;", None),
        ("n: O,", None),
        ("// struct P", None),
        ("Q::r(),", None),
        ("pub use s::T;", None),
    ] {
        assert_eq!(defined(line), name, "{line}");
    }
}
