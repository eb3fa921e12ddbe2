//! A claw that was built without features.

use crate::claw::{claw, ran};

#[test]
fn a_claw_without_schemas_says_how_one_with_them_is_built() {
    for arguments in [
        &["schema", "stdout"][..],
        &["schema", "stdout", "--check", "-"],
    ] {
        let ran = ran(claw(arguments).output().unwrap());
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{arguments:?}");
        assert!(ran.stderr.contains("--features schema"), "{}", ran.stderr);
    }
}
