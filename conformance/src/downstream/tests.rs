use super::*;

const README: &str = "# S\n\n## TypeScript\n\nText.\n\n```sh\na\nb\n```\n\nCore:\n\n```ts\nx\n```\n\n\
    ## Python\n\n```sh\nc\n```\n";

#[test]
fn the_commands_are_those_of_the_language() {
    assert_eq!(commands(LANGUAGES[0].heading, README).unwrap(), "a\nb\n");
    assert_eq!(commands(LANGUAGES[1].heading, README).unwrap(), "c\n");
    assert!(commands(LANGUAGES[2].heading, README).is_err());
}

#[test]
fn an_excerpt_has_to_stand_in_the_program() {
    let folder = tempfile::tempdir().unwrap();
    assert!(quoted(LANGUAGES[0].heading, README, folder.path()).is_err());
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/read.ts"), "w\nx\ny\n").unwrap();
    assert!(quoted(LANGUAGES[0].heading, README, folder.path()).is_ok());
}

#[test]
fn the_readme_has_commands_and_an_excerpt_for_every_language() {
    let root = Workspace::read().unwrap().root;
    let readme = fs::read_to_string(root.join("schemas/README.md")).unwrap();
    for language in &LANGUAGES {
        assert!(commands(language.heading, &readme).is_ok());
        let folder = root.join("schemas/downstream").join(language.folder);
        quoted(language.heading, &readme, &folder).unwrap();
    }
    assert!(commands(server::HEADING, &readme).is_ok());
    let folder = root.join("schemas/downstream").join(server::NAME);
    quoted(server::HEADING, &readme, &folder).unwrap();
}

#[test]
fn facts_differ_but_for_how_much_is_known() {
    let a = serde_json::json!({"known": 1, "tools": {"Bash": 1}});
    let b = serde_json::json!({"known": 2, "tools": {"Bash": 1}});
    let c = serde_json::json!({"known": 1, "tools": {}});
    assert!(same_facts(&a, &b));
    assert!(!same_facts(&a, &c));
}
