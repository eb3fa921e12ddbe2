use super::*;

fn mask(pairs: &[(&str, &str)]) -> Mask {
    Mask::of_variables(pairs.iter().map(|(n, v)| (n.into(), v.into())))
}

#[test]
fn values_of_secret_variables_are_masked() {
    let mask = mask(&[("GITHUB_TOKEN", "ghp_12345678"), ("PLAIN", "plain-value")]);
    assert_eq!(
        mask.apply("got ghp_12345678 and plain-value"),
        "got *** and plain-value"
    );
}

#[test]
fn short_values_stay() {
    assert_eq!(
        mask(&[("MAX_TOKENS", "32000")]).apply("limit 32000"),
        "limit 32000"
    );
}

#[test]
fn each_line_of_a_long_secret_is_masked() {
    let mask = mask(&[("PRIVATE_KEY", "-----BEGIN-----\nabcdefghijkl\n")]);
    assert_eq!(mask.apply("key abcdefghijkl"), "key ***");
}

#[test]
fn a_secret_that_contains_another_goes_whole() {
    let mask = mask(&[("A_KEY", "abcdefgh"), ("B_KEY", "abcdefgh-more")]);
    assert_eq!(mask.apply("x abcdefgh-more y"), "x *** y");
}

#[test]
fn api_keys_and_headers_are_masked_without_being_known() {
    let mask = Mask::default();
    assert_eq!(
        mask.apply("key sk-ant-api03-AbC_9, next"),
        "key sk-ant-***, next"
    );
    assert_eq!(
        mask.apply("Authorization: Bearer a.b-c\nrest"),
        "Authorization: Bearer ***\nrest"
    );
    assert_eq!(mask.apply("X-Api-Key: abc"), "X-Api-Key: ***");
}

#[test]
fn other_text_stays() {
    let text = "Grüße: bearer, basically nothing 🎉";
    assert_eq!(Mask::default().apply(text), text);
}

#[test]
fn what_sounds_like_a_secret_is_one() {
    for name in [
        "PGPASS",
        "SSH_PASSPHRASE",
        "AWS_CREDENTIALS",
        "NPM_AUTH",
        "authorization",
    ] {
        let mask = mask(&[(name, "s3cr3t-value")]);
        assert_eq!(mask.apply("it is s3cr3t-value."), "it is ***.", "{name}");
    }
}

#[test]
fn passwords_in_urls_are_masked() {
    let mask = mask(&[
        ("DATABASE_URL", "postgres://app:hunter%2022x@db/app"),
        ("HTTPS_PROXY", "http://proxy:3128"),
    ]);
    for (text, shown) in [
        ("to https://me:pass@host/x?y", "to https://me:***@host/x?y"),
        ("to https://me:p@ss@host", "to https://me:***@host"),
        ("to HTTPS://:pass@host,", "to HTTPS://:***@host,"),
        ("git+ssh://me:pass@host", "git+ssh://me:***@host"),
        (
            "https://me@host https://host:80/a@b",
            "https://me@host https://host:80/a@b",
        ),
        (
            "see http://proxy:3128 and \"x://\" me:a@b",
            "see http://proxy:3128 and \"x://\" me:a@b",
        ),
        // The password without its URL, in the encoded and in the decoded form.
        ("password hunter%2022x is wrong", "password *** is wrong"),
        ("password hunter 22x is wrong", "password *** is wrong"),
    ] {
        assert_eq!(mask.apply(text), shown);
    }
}
