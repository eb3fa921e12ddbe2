use super::*;

#[test]
fn what_is_wrong_anywhere_is_found_in_any_file() {
    for (word, why) in ANYWHERE {
        let found = wrong("docs/a.md", &format!("see {word} there"));
        assert_eq!(found, [format!("`{word}`: {why}")]);
    }
    let own = concat!("/home/", "alice/x");
    assert_eq!(wrong("a.rs", own).len(), 1);
    assert_eq!(wrong("a.toml", own).len(), 1);
}

#[test]
fn work_put_off_is_found_in_code_alone() {
    for (word, _) in IN_CODE {
        assert_eq!(wrong("a.rs", word).len(), 1, "{word}");
        assert_eq!(wrong("a.md", word).len(), 0, "{word}");
    }
}

#[test]
fn promises_are_found_in_comments_alone() {
    for word in IN_COMMENTS {
        assert_eq!(wrong("a.rs", &format!("x(); // {word}: later")).len(), 1);
        assert_eq!(wrong("a.rs", &format!("grep(\"{word}\")")).len(), 0);
        assert_eq!(wrong("a.rs", &format!("// {word}S")).len(), 0);
    }
}

#[test]
fn temporary_paths_are_fine_in_code_alone() {
    let path = concat!("/tm", "p/x");
    assert_eq!(wrong("a.rs", path).len(), 0);
    assert_eq!(wrong("a.md", path).len(), 1);
    assert_eq!(wrong("fixtures/a/stdout.ndjson", path).len(), 1);
}
