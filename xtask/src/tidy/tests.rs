use super::*;

/// Checks that the project obeys a rule. Each rule has a separate test, so that a failure names the violated rule.
fn holds(name: &str) {
    let (_, rule) = RULES.iter().find(|(rule, _)| *rule == name).unwrap();
    let workspace = Workspace::read().unwrap();
    let mut findings = rule(&Project::read(&workspace).unwrap()).unwrap();
    findings.retain(|finding| matches!(finding, Finding::Error(_)));
    assert_eq!(findings, [], "{name}");
}

macro_rules! rules {
    ($($test:ident: $name:literal),+ $(,)?) => {
        $(#[test] fn $test() { holds($name); })+

        #[test]
        fn every_rule_is_a_test() {
            assert_eq!(RULES.map(|(name, _)| name), [$($name),+]);
        }
    };
}

rules! {
    dependencies_point_down: "dependencies point down",
    no_circles_of_files: "no circles of files",
    layers_of_a_crate: "layers of a crate",
    claw_types_stays_small: "claw-types stays small",
    claw_types_knows_no_runtime: "claw-types knows no runtime",
    default_members: "default members",
    no_unsafe_code: "no unsafe code",
    file_length: "file length",
    words_that_do_not_belong: "words that do not belong",
    comments_in_one_voice: "comments in one voice",
    names_by_the_table: "names by the table",
    links_resolve: "links resolve",
    the_book_has_every_page: "the book has every page",
    what_people_see_of_a_crate: "what people see of a crate",
    documents_are_covered: "the documents are covered",
}
