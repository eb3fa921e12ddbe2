use super::*;

#[test]
fn every_place_names_what_is_pinned() {
    let workspace = Workspace::read().unwrap();
    let cli = claude::version(&workspace).unwrap();
    let root = workspace.root;
    let versions = Versions {
        cli: &cli,
        sdk: sdk::VERSION,
        python: pinned_python(),
    };
    for place in &PLACES {
        let text = fs::read_to_string(root.join(place.file)).unwrap();
        let (_, version, _) = place.find(&text).unwrap();
        let pinned = place.which.of(&versions);
        assert_eq!(version, pinned, "{}: {:?}", place.file, place.before);
        assert_eq!(text.matches(place.before).count(), 1, "{}", place.file);
    }
}

#[test]
fn a_version_is_replaced_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place {
        file: "a.md",
        before: "the CLI, ",
        which: Pinned::Cli,
    };
    let path = folder.path().join("a.md");
    for (is, should) in [
        ("2.0.1; the CLI, 2.1.9, and", "2.0.1; the CLI, 2.2.10, and"),
        ("It is the CLI, 2.1.9.", "It is the CLI, 2.2.10."),
        ("the CLI, 2.1.9", "the CLI, 2.2.10"),
    ] {
        fs::write(&path, is).unwrap();
        place.set(folder.path(), "2.2.10").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), should);
    }
    for none in ["the CLI 2.1.9", "the CLI, latest"] {
        fs::write(&path, none).unwrap();
        let error = place.set(folder.path(), "2.2.10").unwrap_err();
        assert_eq!(error.to_string(), "a.md has no version after \"the CLI, \"");
    }
}

#[test]
fn the_sdk_of_a_cli_has_its_last_number() {
    assert_eq!(sdk::of_cli("2.1.330").unwrap(), "0.3.330");
    for wrong in ["latest", "2.1", "2.1.x", "2.1.3.4"] {
        assert!(sdk::of_cli(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_table_says_what_is_to_be_looked_at() {
    let took = |step: &str, done| Took {
        step: step.to_owned(),
        time: Duration::from_secs(90),
        done,
    };
    assert_eq!(
        table(&[
            took("claude", Ok(())),
            took("fixtures check", Err("2 to mend".into())),
        ]),
        "step           minutes\n\
         claude             1.5  done\n\
         fixtures check     1.5  TO BE LOOKED AT\n"
    );
}

#[test]
fn lines_that_still_name_the_older_version_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        run(git.args(words).current_dir(root)).unwrap();
    };
    git(&["init", "--quiet"]);
    let long = format!("measured with 2.1.9 {}", "é".repeat(200));
    for (file, text) in [
        (
            "README.md",
            "for 2.1.9\nfor 2.1.90 and 12.1.9\nfor 0.3.9, too\n",
        ),
        ("types.rs", "    #[wire(since = \"2.1.9\")]\n"),
        ("fixtures/a/manifest.json", "2.1.9"),
        ("crates/a/fixtures/b.ndjson", "2.1.9"),
        ("crates/a/tests/it/b.rs", "2.1.9"),
        ("crates/a/src/b/tests.rs", "2.1.9"),
        ("schemas/meta.json", "2.1.9"),
        ("docs/long.md", &long),
    ] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }
    git(&["add", "."]);
    let found = mentions(root, &["2.1.9", "0.3.9"]).unwrap();
    let found: Vec<_> = found.lines().collect();
    assert_eq!(
        found[..2],
        ["README.md:1:for 2.1.9", "README.md:3:for 0.3.9, too"]
    );
    assert!(found.len() == 3 && found[2].starts_with("docs/long.md:1:measured with 2.1.9"));
    assert_eq!(found[2].chars().count(), LONGEST);
    assert_eq!(mentions(root, &["2.1.8"]).unwrap(), "");
    assert!(mentions(&root.join("nowhere"), &["2.1.9"]).is_err());
}
