//! Determines which links can be followed, and finds URLs in text.

use std::ops::Range;

use claw_types::escape;

/// The schemes of links that can be followed.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];
/// The schemes of URLs in text, without the colon and slashes.
const IN_TEXT: [&str; 2] = ["https", "http"];

/// Whether a link to this destination may be followed.
pub(super) fn leads(destination: &str) -> bool {
    let has = |scheme: &&str| {
        let start = destination.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    // A destination with a user name is refused. For `https://known.example@other.example`, a browser opens the host
    // `other.example`.
    let mut parts = destination.split(['/', '?', '#']).skip(2);
    let names_user = parts.next().is_some_and(|host| host.contains('@'));
    SCHEMES.iter().any(has)
        && !names_user
        // Such characters are refused, because the displayed destination would differ from the real one.
        && !destination.contains(|c: char| c.is_whitespace() || c == '\\')
        && escape(destination) == destination
}

/// Returns the URLs in a text that can be followed, in order. The work is linear in the length of the text.
pub(super) fn urls(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.match_indices("://")
        .filter_map(move |(colon, slashes)| {
            let start = start_of_scheme(text, end, colon)?;
            let rest = colon + slashes.len();
            let length = text[rest..].find(is_outside).unwrap_or(text.len() - rest);
            // The search continues after this URL, even if it cannot be followed and remains plain text.
            end = rest + length;
            let url = without_punctuation(&text[start..end]);
            let host = url.get(rest - start..)?.chars().next()?;
            let is_url = (host.is_alphanumeric() || host == '[') && leads(url);
            is_url.then(|| start..start + url.len())
        })
}

/// Returns the start of the scheme that ends at `colon`. Returns `None` if there is no scheme between `from` and
/// `colon`, or if the scheme is only the end of a longer word.
fn start_of_scheme(text: &str, from: usize, colon: usize) -> Option<usize> {
    let before = text.get(from..colon)?;
    let scheme = IN_TEXT.iter().find(|scheme| {
        let start = before.len().checked_sub(scheme.len());
        let end = start.and_then(|start| before.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    })?;
    let start = colon - scheme.len();
    let previous = text[..start].chars().next_back();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
    (!previous.is_some_and(is_word)).then_some(start)
}

/// Whether a character ends a URL in text. White space, CJK punctuation and quotation marks are such characters.
fn is_outside(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}')
        || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
        || matches!(c, '\u{2018}'..='\u{201f}' | '…' | '«' | '»')
}

/// Removes punctuation at the end of a URL, because it belongs to the sentence around the URL. A closing bracket is not
/// removed if the URL also contains its opening bracket.
fn without_punctuation(url: &str) -> &str {
    let count = |bracket: char| url.chars().filter(|c| *c == bracket).count();
    let mut open = [(')', count(')'), count('(')), (']', count(']'), count('['))];
    let mut end = url.len();
    for c in url.chars().rev() {
        let is_punctuation = matches!(
            c,
            '.' | ',' | ':' | ';' | '!' | '?' | '\'' | '*' | '_' | '~'
        );
        let bracket = open
            .iter_mut()
            .find(|(closing, closed, opened)| *closing == c && closed > opened);
        match bracket {
            Some((_, closed, _)) => *closed -= 1,
            None if is_punctuation => {}
            None => break,
        }
        end -= c.len_utf8();
    }
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        urls(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn urls_end_where_the_sentence_goes_on() {
        for (text, expected) in [
            ("https://a.example", "https://a.example"),
            (
                "See HTTP://a.example/b?c=d&e=f#g.",
                "HTTP://a.example/b?c=d&e=f#g",
            ),
            ("(https://a.example/b)", "https://a.example/b"),
            ("https://a.example/b_(c)", "https://a.example/b_(c)"),
            ("(https://a.example/b_(c)).", "https://a.example/b_(c)"),
            ("[https://a.example]", "https://a.example"),
            ("http://[::1]:8000/a", "http://[::1]:8000/a"),
            ("http://localhost:3000, and more", "http://localhost:3000"),
            ("is it https://a.example/b?!", "https://a.example/b"),
            ("“https://a.example/b”", "https://a.example/b"),
            ("https://a.example/b。次", "https://a.example/b"),
            ("https://a.example/städte/ü", "https://a.example/städte/ü"),
            ("https://a.example/a@b", "https://a.example/a@b"),
            ("URL:https://a.example", "https://a.example"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        assert_eq!(
            found("https://a.example,https://b.example https://c.example"),
            ["https://a.example,https://b.example", "https://c.example"]
        );
    }

    #[test]
    fn what_cannot_be_followed_is_text() {
        for text in [
            "",
            "https://",
            "https://.",
            "https://)",
            "xhttps://a.example",
            "git+https://a.example",
            "javascript://a.example",
            "ftp://a.example",
            "https:a.example",
            "https://known.example@other.example/a",
            "https://a.example/\u{202e}b",
            "https://a.example/\u{1b}[2J",
            "://a.example",
        ] {
            assert_eq!(found(text), [""; 0], "{text:?}");
        }
    }
}
