use super::tidy;

#[test]
fn a_description_is_the_paragraphs_of_the_comment() {
    let docs = " A message.\n\n Sent to hosts,\n once.\n\n ```\n let code;\n ```\n";
    assert_eq!(tidy(docs), "A message.\n\nSent to hosts, once.");
}

#[test]
fn a_link_becomes_its_text() {
    for (docs, description) in [
        ("See [`Entry`](super::Entry)s.", "See `Entry`s."),
        ("A [`HookStarted`], once.", "A `HookStarted`, once."),
        ("In the [result](super::ResultSuccess).", "In the result."),
        (
            "[`Map::get`] finds it.\n\n[`Map::get`]: crate::Map::get\n",
            "`Map::get` finds it.",
        ),
    ] {
        assert_eq!(tidy(docs), description);
    }
}

#[test]
fn brackets_that_are_no_link_stay() {
    for docs in [
        "`[]`: none. `[\"\"]` for an empty one.",
        "A list [of two] (or more).",
        "`a[0](b)` and [",
        "An odd ` backtick.",
    ] {
        assert_eq!(tidy(docs), docs);
    }
}
