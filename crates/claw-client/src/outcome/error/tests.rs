use std::error::Error as _;
use std::io;

use super::*;

fn is_public<T: std::error::Error + Clone + Send + Sync + 'static>() {}

#[test]
fn it_is_one_word_that_goes_everywhere() {
    is_public::<Error>();
    let word = size_of::<usize>();
    assert_eq!(size_of::<Error>(), word);
    assert_eq!(size_of::<Result<(), Error>>(), word);
}

#[test]
fn a_clone_is_the_same_cause() {
    let error = Error::from(TransportError::Io(io::ErrorKind::UnexpectedEof.into()));
    let same = error.clone();
    assert!(std::ptr::eq(error.cause(), same.cause()));
}

#[test]
fn debug_is_the_sentence_that_a_person_needs() {
    let error = Error::from(TransportError::NotFound {
        searched: vec!["/usr/bin/claude".into()],
    });
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(
        error
            .to_string()
            .starts_with("claude was not found: install it with `npm install -g")
    );
    assert!(error.is_not_found() && error.is_launch_failure());
    let error = Error::from(Cause::ResultLost);
    assert_eq!(
        format!("{error:?}"),
        "claude became idle without a result for this prompt"
    );
}

#[test]
fn what_the_text_does_not_say_is_its_source() {
    let error = Error::from(TransportError::NotLaunchable {
        path: "/usr/bin/claude".into(),
        reason: "it is no program for this system",
        source: io::Error::other("Exec format error"),
    });
    assert!(!error.to_string().contains("Exec format error"), "{error}");
    assert_eq!(error.source().unwrap().to_string(), "Exec format error");
    assert!(format!("{error:?}").ends_with(": Exec format error"));
    // If the text contains the whole cause, the error has no source.
    let error = Error::from(TransportError::Io(io::Error::other("a pipe")));
    assert_eq!(error.to_string(), "a pipe");
    assert!(error.source().is_none());
}

#[test]
fn what_it_quotes_steers_no_terminal() {
    let hostile = "a\u{1b}[2J\u{9b}b\u{202e}\r";
    for cause in [
        Cause::Refused(Refused {
            subtype: "interrupt".to_owned(),
            error: hostile.to_owned(),
            code: None,
        }),
        Cause::CliTooOld {
            found: hostile.to_owned(),
        },
        Cause::BadAnswer {
            subtype: "interrupt".to_owned(),
            reason: hostile.to_owned(),
        },
        Cause::Transport(TransportError::Io(io::Error::other(hostile))),
    ] {
        let error = Error::from(cause);
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(text.contains("a\\u{1b}[2J\\u{9b}b\\u{202e}"), "{text:?}");
            assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\r']));
        }
    }
}
