use super::*;
use crate::Exit;

fn exited(pid: Option<u32>, stderr: &str) -> Exited {
    Exited {
        pid,
        exit: Exit::new(None, false),
        stderr: stderr.to_owned(),
        cut: None,
    }
}

#[test]
fn nothing_that_an_error_quotes_steers_a_terminal() {
    let hostile = "a\u{1b}[2J\u{9b}b\u{202e}\r";
    let errors = [
        TransportError::Exited(Box::new(exited(Some(7), &format!("one {hostile}c\ntwo")))),
        TransportError::SessionNotFound(Box::new(SessionNotFound {
            id: hostile.to_owned(),
            searched: Some(hostile.into()),
            file: None,
            cwd: None,
            exited: None,
        })),
        TransportError::SessionNotFound(Box::new(SessionNotFound {
            id: "an id".to_owned(),
            searched: None,
            file: Some(hostile.into()),
            cwd: Some(hostile.into()),
            exited: Some(exited(None, "")),
        })),
        TransportError::LaunchHook(io::Error::other(hostile)),
        TransportError::BadRecording {
            line: 7,
            reason: hostile.to_owned(),
        },
        TransportError::CwdMissing {
            path: hostile.into(),
        },
        TransportError::NotFound {
            searched: vec![hostile.into()],
        },
        TransportError::NotLaunchable {
            path: hostile.into(),
            reason: "it is not executable",
            source: io::Error::other(hostile),
        },
        TransportError::BatchFile {
            path: hostile.into(),
        },
        TransportError::Io(io::Error::other(hostile)),
    ];
    for error in errors {
        // `main` shows the text of `Debug`, so both texts are checked.
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(text.contains("a\\u{1b}[2J\\u{9b}b\\u{202e}"), "{text:?}");
            assert!(
                !text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\r']),
                "{text:?}"
            );
        }
        // The text of an error does not contain the text of its cause.
        if let Some(cause) = error.source() {
            assert!(!error.to_string().contains(&cause.to_string()), "{error}");
        }
    }
}

#[test]
fn the_lines_of_stderr_stay_lines() {
    let error = TransportError::Exited(Box::new(exited(None, "one\n\ttwo\n")));
    assert!(
        error.to_string().ends_with("; stderr: one\n\ttwo"),
        "{error}"
    );
}

#[test]
fn debug_is_the_sentence_that_a_person_needs() {
    let error = TransportError::NotFound {
        searched: vec!["/usr/bin/claude".into(), "/home/user/bin/claude".into()],
    };
    assert_eq!(
        format!("{error:?}"),
        "claude was not found: install it with `npm install -g @anthropic-ai/claude-code`, or name its path in \
         `path_to_claude_code_executable` or CLAW_CLAUDE_PATH (looked at /usr/bin/claude, /home/user/bin/claude)"
    );
    // The error also shows the text of the system's error.
    let error = TransportError::NotLaunchable {
        path: "/usr/bin/claude".into(),
        reason: "it is no program for this system",
        source: io::Error::other("Exec format error"),
    };
    assert_eq!(
        format!("{error:?}"),
        "/usr/bin/claude exists, but could not be started: it is no program for this system: Exec format error"
    );
}
