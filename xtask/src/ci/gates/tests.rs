use super::*;

#[test]
fn a_target_that_cannot_be_added_fails_unless_told_otherwise() {
    assert!(missing("no network".into(), false).is_err());
    let allowed = missing("no network".into(), true);
    assert!(matches!(allowed, Ok(Checked::No(reason)) if reason == "no network"));
}

#[test]
fn a_missing_toolchain_fails_and_says_how_to_get_it() {
    let error = add_miri("claw-has-no-such").unwrap_err().to_string();
    let how = "rustup toolchain install claw-has-no-such --profile minimal --component miri";
    assert!(error.contains(how), "{error}");
}
