//! Reads prompts from stdin, up to a maximum length.

use std::io::{self, BufRead, IsTerminal as _, Read, stdin};
use std::string::FromUtf8Error;
use std::time::Duration;

use super::tty;
use crate::outcome::{Outcome, write_stderr};

/// The prompt argument that means stdin.
const STDIN: &str = "-";
/// Maximum size of a prompt from stdin, in bytes. `claude -p` has the same limit.
const MAX_BYTES: usize = 10 * 1024 * 1024;
/// Maximum wait for the first byte of stdin. `claude -p` has the same limit.
const PATIENCE: Duration = Duration::from_secs(3);

/// Returns the whole prompt. As with `claude -p`, it is the given text, followed by stdin on the next lines. If the
/// given prompt is `-` or absent, the whole prompt comes from stdin. If no prompt is given, stdin must not be a
/// terminal, unless `wait` is set.
///
/// A program that starts this command may leave stdin open and write nothing. The wait for the first byte is therefore
/// limited to [`PATIENCE`], unless `wait` is set or the given prompt is `-`. After the first byte, stdin is read to its
/// end.
pub(crate) fn prompt(given: Option<String>, wait: bool) -> Result<String, Outcome> {
    let is_named = given.is_some();
    let Some(given) = given.filter(|given| given != STDIN) else {
        return whole(is_named || wait);
    };
    let prompt = with_stdin(given, wait)?;
    if prompt.trim().is_empty() {
        write_stderr("claw: the prompt is empty\n");
        return Err(Outcome::Usage);
    }
    Ok(prompt)
}

/// Returns the given prompt, followed by stdin on the next lines.
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

/// Reads the prompt from stdin. If `wait` is set, the wait for the first byte has no limit, and stdin may be a
/// terminal.
fn whole(wait: bool) -> Result<String, Outcome> {
    if !wait && (stdin().is_terminal() || !tty::has_input(PATIENCE)) {
        write_stderr(
            "claw: there is no prompt: `claw run PROMPT`, or `claw run -` for one on stdin\n",
        );
        return Err(Outcome::Usage);
    }
    let prompt = text(&mut stdin().lock())?;
    if prompt.trim().is_empty() {
        write_stderr("claw: there is no prompt on stdin\n");
        return Err(Outcome::Usage);
    }
    Ok(prompt)
}

/// Reads the whole input. Replaces bytes that are not UTF-8, and prints the position of the first one.
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

/// Reads the next line of a prompt, without its line ending. Returns `None` at the end of the input.
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

/// Returns the text with U+FFFD instead of bytes that are not UTF-8, and prints the position of the first one.
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
