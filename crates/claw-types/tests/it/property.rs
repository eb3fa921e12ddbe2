//! What holds of any bytes as a line. The fuzz target and the ordinary tests share it.

use std::fmt::Debug;

use claw_types::dialect::{self, Dialect, Fill, Today};
use claw_types::{FromLine, Message, StdinMessage, StdoutMessage, from_line, json_equal};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads `line` as each union and panics where something does not hold.
pub(crate) fn holds(line: &[u8]) {
    let message = one::<Message>(line, Message::is_unknown);
    let stdout = one::<StdoutMessage>(line, StdoutMessage::is_unknown);
    one::<StdinMessage>(line, StdinMessage::is_unknown);
    if let Some(StdoutMessage::Message(inside)) = &stdout {
        assert_eq!(Some(inside), message.as_ref(), "two readings of one line");
    }
    old(line, stdout.as_ref());
}

fn one<T>(line: &[u8], is_unknown: impl Fn(&T) -> bool) -> Option<T>
where
    T: FromLine + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let read = from_line::<T>(line);
    let strict = serde_json::from_slice::<T>(line);
    let value = match (read, strict) {
        (Ok(value), strict) => {
            match strict {
                Ok(strict) => assert_eq!(strict, value, "serde reads it otherwise"),
                Err(error) => assert!(
                    has_surrogate(line),
                    "serde does not read what from_line does: {error}\n{}",
                    String::from_utf8_lossy(line)
                ),
            }
            value
        }
        (Err(error), Ok(_)) => panic!("from_line does not read what serde does: {error}"),
        (Err(_), Err(_)) => return None,
    };
    let written = serde_json::to_string(&value).unwrap_or_else(|error| panic!("{error}"));
    assert!(!written.contains(['\n', '\r']), "more than a line");
    match from_line::<T>(written.as_bytes()) {
        Ok(again) => assert_eq!(again, value, "written and read again"),
        Err(error) => panic!("cannot read what was written: {error}\n{written}"),
    }
    if is_unknown(&value) && !has_surrogate(line) {
        let line = std::str::from_utf8(line).unwrap_or_default();
        assert!(json_equal(&written, line), "unknown and changed: {written}");
    }
    Some(value)
}

/// Reads `line` as an older form.
fn old(line: &[u8], stdout: Option<&StdoutMessage>) {
    let Ok(old) = dialect::from_line(line) else {
        assert!(
            stdout.is_none(),
            "today's form fits and the dialect's reader fails"
        );
        return;
    };
    let known = stdout.filter(|message| !message.is_unknown());
    if let Some(message) = known {
        assert_eq!(old, Dialect::Today(Today::Stdout(message.clone())));
    }
    let written = serde_json::to_string(&old).unwrap_or_else(|error| panic!("{error}"));
    // Not always the same form: of a key that stood twice, one may not fit today.
    match dialect::from_line(written.as_bytes()).map(|again| serde_json::to_string(&again)) {
        Ok(Ok(again)) => assert!(json_equal(&again, &written), "{again}\nis not\n{written}"),
        other => panic!("cannot read what was written: {other:?}\n{written}"),
    }
    if let (Ok(line), false) = (std::str::from_utf8(line), has_surrogate(line))
        && !matches!(old, Dialect::Today(_))
    {
        assert!(json_equal(&written, line), "an old form changed: {written}");
    }
    let fill = Fill::new("session", "uuid")
        .message_id("message")
        .model("model");
    if let Ok(Today::Stdout(message)) = old.upgrade(&fill) {
        let today = serde_json::to_vec(&message).unwrap_or_else(|error| panic!("{error}"));
        let again = from_line(&today);
        assert_eq!(
            again.ok(),
            Some(message),
            "upgraded, written and read again"
        );
    }
}

/// Whether a half of a surrogate pair may be escaped in it, alone or not.
fn has_surrogate(line: &[u8]) -> bool {
    line.windows(3).any(|w| w == b"\\ud" || w == b"\\uD")
}
