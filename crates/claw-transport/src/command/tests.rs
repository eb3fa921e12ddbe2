use super::*;

#[cfg(unix)]
#[test]
fn a_shortage_is_not_the_programs_fault() {
    use rustix::io::Errno;

    let command = CommandSpec::new("/bin/sh");
    for shortage in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN] {
        let error = command.launch_error(shortage.into());
        assert!(matches!(error, TransportError::Io(_)), "{error}");
        assert!(!error.is_launch_failure());
    }
    let error = command.launch_error(Errno::NOEXEC.into());
    assert!(error.to_string().contains("no program"), "{error}");
    let error = command.launch_error(io::ErrorKind::InvalidInput.into());
    assert!(error.to_string().contains("NUL"), "{error}");
}

#[test]
fn debug_shows_no_value() {
    let command = CommandSpec::new("claude")
        .args(["--verbose", "--settings={\"env\":{\"KEY\":\"hush\"}}"])
        .env("TOKEN", "hush");
    let shown = format!("{command:?}");
    assert!(!shown.contains("hush"), "{shown}");
    for name in ["--verbose", "--settings=", "TOKEN"] {
        assert!(shown.contains(name), "{name} in {shown}");
    }
}

#[test]
fn the_last_word_on_a_variable_counts_whatever_its_case_is_on_windows() {
    let command = CommandSpec::new("claude")
        .env("CLAW_A", "set")
        .env("Claw_B", "set");
    assert_eq!(command.variable("CLAW_A"), Some("set".into()));
    let expected = cfg!(windows).then(|| "set".into());
    assert_eq!(command.variable("CLAW_B"), expected);
}
