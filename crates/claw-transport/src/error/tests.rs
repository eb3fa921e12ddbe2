use super::*;

#[test]
fn nothing_that_an_error_quotes_steers_a_terminal() {
    let hostile = "a\u{1b}[2J\u{9b}b\u{202e}\r";
    let errors = [
        TransportError::Exited {
            pid: Some(7),
            exit: Exit::new(None, false),
            stderr: format!("one {hostile}c\ntwo"),
        },
        TransportError::BadRecording {
            line: 7,
            reason: hostile.to_owned(),
        },
        TransportError::CwdMissing {
            path: hostile.into(),
        },
        TransportError::NotFound {
            looked_in: vec![hostile.into()],
        },
        TransportError::NotLaunchable {
            path: hostile.into(),
            reason: "it is not executable",
            source: io::ErrorKind::PermissionDenied.into(),
        },
        TransportError::BatchFile {
            path: hostile.into(),
        },
        TransportError::Io(io::Error::other(hostile)),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("a\\u{1b}[2J\\u{9b}b\\u{202e}"), "{text:?}");
        assert!(
            !text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\r']),
            "{text:?}"
        );
    }
}

#[test]
fn the_lines_of_stderr_stay_lines() {
    let error = TransportError::Exited {
        pid: None,
        exit: Exit::new(None, false),
        stderr: "one\n\ttwo\n".to_owned(),
    };
    assert!(
        error.to_string().ends_with("; stderr: one\n\ttwo"),
        "{error}"
    );
}
