use super::claw::{claw, ran};

#[test]
fn the_version_is_that_of_the_command_and_not_of_its_package() {
    let version = ran(claw(&["--version"]).output().unwrap());
    assert_eq!(version.code, Some(0), "{}", version.stderr);
    let expected = format!("claw {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(version.stdout, expected);
}
