use super::*;
use xtask::workspace::Workspace;

/// Returns the findings of the rule for documents with these texts.
fn found(texts: &[(&str, &str)]) -> Vec<Finding> {
    let workspace = Workspace::read().unwrap();
    check(&Project {
        workspace: &workspace,
        texts: texts
            .iter()
            .map(|&(path, text)| (path.to_owned(), text.to_owned()))
            .collect(),
        files: texts.iter().map(|(path, _)| PathBuf::from(path)).collect(),
    })
}

#[test]
fn links_that_resolve_pass() {
    let texts = [
        (
            "README.md",
            "[a](docs/a.md) [b](docs/a.md#two-words) [c](https://x.y/z) [d](docs) [e](#f-g)\n# F: g\n",
        ),
        (
            "docs/a.md",
            "## Two words\n[back](../README.md) [src](../crates/x/lib.rs)\n```\n[no](no.md)\n```\n",
        ),
        ("crates/x/lib.rs", "//! See docs/a.md."),
    ];
    assert_eq!(found(&texts), []);
}

#[test]
fn links_that_lead_nowhere_are_found() {
    for (text, problem) in [
        ("[a](b.md)", "docs/a.md: (b.md) leads to no file"),
        ("[a](#no)", "docs/a.md: (#no) leads to no heading"),
        (
            "[a](../../b.md)",
            "docs/a.md: (../../b.md) leaves the project",
        ),
        ("as docs/b.md says", "docs/a.md: there is no docs/b.md"),
    ] {
        assert_eq!(
            found(&[("docs/a.md", text)]),
            [Finding::Error(problem.to_owned())],
            "{text}"
        );
    }
}

#[test]
fn documents_are_mentioned_in_any_text() {
    let texts: Vec<_> = mentions("(docs/a-b.md), `docs/c/d.md#x`; docs/e. x/docs/f.md").collect();
    assert_eq!(texts, ["docs/a-b.md", "docs/c/d.md"]);
}
