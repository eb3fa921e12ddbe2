use super::*;

fn texts(of: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |&(path, text): &(&str, &str)| (path.to_owned(), text.to_owned());
    of.iter().map(owned).collect()
}

#[test]
fn a_page_that_the_summary_lacks_is_found() {
    let texts = texts(&[
        (
            SUMMARY,
            "- [A](a.md)\n- [Program](../crates/x/examples/p.rs)\n",
        ),
        ("docs/a.md", ""),
        ("docs/deep/b.md", ""),
        ("docs/picture.svg", ""),
        ("crates/x/examples/p.rs", ""),
        ("crates/x/examples/q.rs", ""),
        ("crates/x/README.md", ""),
    ]);
    let expected = [
        "docs/SUMMARY.md does not list crates/x/examples/q.rs",
        "docs/SUMMARY.md does not list docs/deep/b.md",
    ];
    assert_eq!(missing(&texts), expected);
}

#[test]
fn links_are_rewritten_for_the_book() {
    let pages = [
        "README.md",
        "docs/a.md",
        "docs/deep/b.md",
        "crates/x/examples/p.rs",
        "crates/x/README.md",
    ]
    .map(str::to_owned);
    for (page, link, expected) in [
        ("docs/a.md", "[b](deep/b.md#there)", "[b](deep/b.md#there)"),
        ("docs/deep/b.md", "[a](../a.md)", "[a](../a.md)"),
        (
            "docs/deep/b.md",
            "[p](../../crates/x/examples/p.rs)",
            "[p](../project/crates/x/examples/p.rs.md)",
        ),
        ("README.md", "[a](docs/a.md)", "[a](a.md)"),
        (
            "README.md",
            "[x](crates/x)",
            "[x](project/crates/x/README.md)",
        ),
        ("docs/a.md", "[home](../README.md)", "[home](index.md)"),
        ("README.md", "![it](docs/it.svg)", "![it](it.svg)"),
        (
            "docs/a.md",
            "[x](https://x.y/z) [here](#here)",
            "[x](https://x.y/z) [here](#here)",
        ),
        (
            "docs/a.md",
            "see [the\nlibrary](../crates/x/lib.rs)!",
            "see the\nlibrary (`crates/x/lib.rs`)!",
        ),
        ("docs/a.md", "[`lib.rs`](../crates/x/lib.rs)", "`lib.rs`"),
        ("docs/a.md", "`[x](y.md)`", "`[x](y.md)`"),
    ] {
        assert_eq!(
            rewritten(page, link, &pages).unwrap(),
            expected,
            "{page}: {link}"
        );
    }
    let reference = "[x]\n\n[x]: deep/b.md\n";
    assert!(rewritten("docs/a.md", reference, &pages).is_err());
}

#[test]
fn built_links_that_lead_nowhere_are_found() {
    let texts = texts(&[
        (
            "deep/a.html",
            r##"<a href="../b.html#x">b</a> <a href="#no"> <a href="c.html"> <a href="../b.html#no">
            <a href="https://x.y/z"> <script src="../s.js"> <a href="../../out.html">"##,
        ),
        ("b.html", r##"<h1 id="x"><a href="#x">"##),
        ("s.js", ""),
    ]);
    let found = html::wrong(&texts);
    let expected = ["#no", "c.html", "../b.html#no", "../../out.html"]
        .map(|target| format!("deep/a.html: {target:?} leads nowhere"));
    assert_eq!(found, expected);
}
