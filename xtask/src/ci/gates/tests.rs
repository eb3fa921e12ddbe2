use super::*;

#[test]
fn a_target_that_cannot_be_added_fails_unless_told_otherwise() {
    assert!(missing("no network".into(), false).is_err());
    let allowed = missing("no network".into(), true);
    assert!(matches!(allowed, Ok(Checked::No(reason)) if reason == "no network"));
}
