//! Reads prompts from stdin, up to a maximum length.

use std::io::{self, BufRead, IsTerminal as _, Read, stdin};
use std::string::FromUtf8Error;
use std::time::Duration;

use super::tty;
use crate::outcome::{Outcome, say};

/// The prompt that stands for stdin.
const STDIN: &str = "-";
/// The most that is read as one prompt, in bytes. `claude -p` has the same bound.
const MAX_BYTES: usize = 10 * 1024 * 1024;
/// How long the first byte of stdin is waited for. `claude -p` waits as long.
const PATIENCE: Duration = Duration::from_secs(3);

/// The whole prompt: the given one and, on the lines behind it, stdin, as `claude -p` does it. A given prompt of `-` is
/// stdin alone, and so is none, unless stdin is a terminal.
///
/// A stdin that is open and silent, as hosts leave it to commands that they start, is not waited for longer than
/// [`PATIENCE`], unless `wait` says that something will come. Once it has begun, its end is waited for.
pub(crate) fn prompt(given: Option<String>, wait: bool) -> Result<String, Outcome> {
    let is_named = given.is_some();
    let Some(given) = given.filter(|given| given != STDIN) else {
        return whole(is_named || wait);
    };
    let prompt = with_stdin(given, wait)?;
    if prompt.trim().is_empty() {
        say("claw: the prompt is empty\n");
        return Err(Outcome::Usage);
    }
    Ok(prompt)
}

/// The given prompt and, on the lines behind it, stdin.
fn with_stdin(given: String, wait: bool) -> Result<String, Outcome> {
    if stdin().is_terminal() {
        return Ok(given);
    }
    if !wait && !tty::has_input(PATIENCE) {
        anstream::eprintln!(
            "claw: nothing came on stdin within {} seconds, so the prompt goes without it. --stdin waits for it; \
             < /dev/null says that there is none.",
            PATIENCE.as_secs()
        );
        return Ok(given);
    }
    let input = text(&mut stdin().lock())?;
    Ok(match (given.is_empty(), input.is_empty()) {
        (_, true) => given,
        (true, false) => input,
        (false, false) => format!("{given}\n{input}"),
    })
}

/// The prompt, which is all of stdin. `wait`: for as long as it is silent, and also at a terminal.
fn whole(wait: bool) -> Result<String, Outcome> {
    if !wait && (stdin().is_terminal() || !tty::has_input(PATIENCE)) {
        say("claw: there is no prompt: `claw run PROMPT`, or `claw run -` for one on stdin\n");
        return Err(Outcome::Usage);
    }
    let prompt = text(&mut stdin().lock())?;
    if prompt.trim().is_empty() {
        say("claw: there is no prompt on stdin\n");
        return Err(Outcome::Usage);
    }
    Ok(prompt)
}

/// The whole input. Bytes that are not text are replaced, and their place is reported.
fn text(input: &mut impl Read) -> Result<String, Outcome> {
    let fail = |error: io::Error| {
        anstream::eprintln!("claw: stdin: {error}");
        Outcome::Unreadable
    };
    let mut bytes = Vec::new();
    let most = MAX_BYTES as u64 + 1;
    input.take(most).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() > MAX_BYTES {
        return Err(fail(too_much()));
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| replaced(&error)))
}

/// The next line of a prompt, without its line ending. `None` at the end of the input.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    input
        .take(MAX_BYTES as u64 + 1)
        .read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() > MAX_BYTES {
        return Err(too_much());
    }
    if bytes.pop_if(|last| *last == b'\n').is_some() {
        bytes.pop_if(|last| *last == b'\r');
    }
    Ok(Some(
        String::from_utf8(bytes).unwrap_or_else(|error| replaced(&error)),
    ))
}

fn too_much() -> io::Error {
    let most = MAX_BYTES / 1024 / 1024;
    io::Error::other(format!(
        "more than {most} MiB for one prompt: write it to a file, and name the file in the prompt"
    ))
}

/// The text with U+FFFD in place of what is none.
fn replaced(error: &FromUtf8Error) -> String {
    let place = error.utf8_error().valid_up_to() + 1;
    anstream::eprintln!("claw: byte {place} of stdin is no UTF-8: U+FFFD stands in its place");
    String::from_utf8_lossy(error.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input)? {
            lines.push(line);
        }
        Ok(lines)
    }

    #[test]
    fn every_line_is_kept() {
        let read = lines(b"one\r\n\ntwo \r\nthree\xffrest\nfour").unwrap();
        assert_eq!(read, ["one", "", "two ", "three\u{fffd}rest", "four"]);
        assert!(lines(b"").unwrap().is_empty());
    }

    #[test]
    fn a_prompt_has_a_bound() {
        let most = vec![b'a'; MAX_BYTES];
        assert_eq!(text(&mut &*most).unwrap().len(), MAX_BYTES);
        assert_eq!(lines(&most).unwrap()[0].len(), MAX_BYTES);
        let more = vec![b'a'; MAX_BYTES + 1];
        assert_eq!(text(&mut &*more), Err(Outcome::Unreadable));
        assert!(lines(&more).is_err());
    }
}
