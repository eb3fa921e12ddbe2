use super::*;

#[test]
fn links_are_those_that_a_reader_can_follow() {
    let text = "[a](a.md) and [b\nc](b.md#x \"title\") `[no](no.md)` ![d](d.svg)\n\
                ```\n[no](no.md)\n```\n[e] [![f](f.png)](f.md)\n\n[e]: e.md\n";
    let found: Vec<_> = links(text)
        .into_iter()
        .map(|link| (link.target, link.is_image))
        .collect();
    let expected = [
        ("a.md", false),
        ("b.md#x", false),
        ("d.svg", true),
        ("e.md", false),
        ("f.md", false),
        ("f.png", true),
    ];
    assert_eq!(
        found,
        expected.map(|(target, image)| (target.to_owned(), image))
    );
    assert_eq!(
        &text[links(text)[1].range.clone()],
        "[b\nc](b.md#x \"title\")"
    );
}

#[test]
fn anchors_are_those_of_github_and_mdbook() {
    let text =
        "# One, two: `three_4`\n```\n# no\n```\n## Die Tür\n## Again\n### Again\nUnderlined\n===\n";
    let expected = [
        "one-two-three_4",
        "die-tür",
        "again",
        "again-1",
        "underlined",
    ];
    assert_eq!(anchors(text), expected);
}
