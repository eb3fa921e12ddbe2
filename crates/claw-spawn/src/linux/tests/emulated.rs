//! Where the new process gets a copy of the host's memory all the same.

use super::*;

#[test]
fn under_valgrind_a_failed_start_is_an_error() {
    const NAME: &str = "linux::tests::emulated::under_valgrind_a_failed_start_is_an_error";
    if is_alone(NAME, &["valgrind", "--tool=none", "--quiet"]) {
        let preloaded = std::env::var("LD_PRELOAD").unwrap_or_default();
        assert!(preloaded.contains("valgrind"), "it does not run under it");
        let missing = run(Command::new("/no/such/program")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let mut nowhere = shell("exit 0");
        nowhere.current_dir("/no/such/folder");
        assert_eq!(run(nowhere).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(run(shell("echo started")).unwrap().0, "started\n");
    }
}
