use super::*;

/// Returns the codes for a lack of resources, and the code for a file that is not a program.
#[cfg(unix)]
fn codes() -> (Vec<i32>, i32) {
    use rustix::io::Errno;
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN];
    let shortages = shortages.map(Errno::raw_os_error).into();
    (shortages, Errno::NOEXEC.raw_os_error())
}

/// Returns the codes for a lack of resources, and the code for a file that is not a program.
#[cfg(windows)]
fn codes() -> (Vec<i32>, i32) {
    (vec![4, 8, 14, 1450, 1455], 193)
}

#[cfg(any(unix, windows))]
#[test]
fn a_shortage_is_not_the_programs_fault() {
    let command = CommandSpec::new(std::env::current_exe().unwrap());
    let (shortages, no_program) = codes();
    for shortage in shortages {
        let error = command.launch_error(io::Error::from_raw_os_error(shortage));
        assert!(matches!(error, TransportError::Io(_)), "{error}");
        assert!(!error.is_launch_failure());
    }
    let error = command.launch_error(io::Error::from_raw_os_error(no_program));
    assert!(error.to_string().contains("no program"), "{error}");
    // claw does not know the reason for this code, which is a general I/O error or an internal error of Windows.
    let unknown = if cfg!(windows) { 1359 } else { 5 };
    let error = command.launch_error(io::Error::from_raw_os_error(unknown));
    assert!(
        error.to_string().contains("the system reports an error"),
        "{error}"
    );
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
