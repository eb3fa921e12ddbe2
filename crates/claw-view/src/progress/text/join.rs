//! Joins tokens that form one number.

use super::number::{number, unit};
use super::token::{Kind, Token};
use super::words::{self, Class};

/// Joins tokens that together form one number, as in `3 of 12`, `3 / 12`, `1.5 of 6 MB` and `45 percent`.
pub(super) fn join<'a>(tokens: &[Token<'a>], line: &'a str) -> Vec<Token<'a>> {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let (kind, len) = joint(&tokens[at..]).unwrap_or((tokens[at].kind, 1));
        let last = &tokens[at + len - 1];
        joined.push(Token {
            kind,
            text: &line[tokens[at].at..last.end],
            end: last.end,
            class: if len == 1 {
                tokens[at].class
            } else {
                Class::default()
            },
            punctuation: last.punctuation,
            ..tokens[at]
        });
        at += len;
    }
    joined
}

fn joint(tokens: &[Token<'_>]) -> Option<(Kind, usize)> {
    let (first, len) = quantity(tokens)?;
    let next = |at: usize| {
        tokens
            .get(at)
            .filter(|_| tokens[at - 1].punctuation.is_none())
    };
    let is_percent = next(len).is_some_and(|t| t.is_mark("%") || t.reads(&["percent"]));
    #[expect(clippy::cast_precision_loss, reason = "a percentage is small")]
    match first {
        Kind::Number(value) if is_percent => return Some((Kind::Percent(value as f64), len + 1)),
        Kind::Decimal(value) if is_percent => return Some((Kind::Percent(value), len + 1)),
        _ => {}
    }
    // If no second number follows, the result is a single size, or a pair or ratio with a unit.
    let alone = match first {
        Kind::Sizes(..) | Kind::Size(_) if len > 1 => Some((first, len)),
        _ => None,
    };
    let mut at = len;
    let word = |at: usize, text: &str| next(at).is_some_and(|t| t.reads(&[text]));
    if next(at).is_some_and(|t| t.is_mark("/")) || word(at, "of") {
        at += 1;
    } else if word(at, "out") && word(at + 1, "of") {
        at += 2;
    } else {
        return alone;
    }
    if ["the", "these", "those", "our"]
        .iter()
        .any(|article| word(at, article))
    {
        at += 1;
    }
    next(at)?;
    let Some((second, len)) = quantity(&tokens[at..]) else {
        return alone;
    };
    let kind = match (first, second) {
        (Kind::Number(done), Kind::Number(total)) => Kind::Pair(done, total),
        (Kind::Size(done), Kind::Size(total)) => Kind::Sizes(done, total),
        (Kind::Decimal(done), Kind::Size(total)) => {
            let unit = scale(&tokens[at..])?;
            Kind::Sizes(done * unit, total)
        }
        #[expect(clippy::cast_precision_loss, reason = "a size is shown rounded")]
        (Kind::Number(done), Kind::Size(total)) => {
            let unit = scale(&tokens[at..])?;
            Kind::Sizes(done as f64 * unit, total)
        }
        _ => return alone,
    };
    Some((kind, at + len))
}

/// Returns the number of bytes of a size's unit. The unit is part of the first token, or is the second token.
fn scale(tokens: &[Token<'_>]) -> Option<f64> {
    let (_, _, rest) = number(tokens[0].text)?;
    unit(rest).or_else(|| unit(tokens.get(1)?.text))
}

/// Returns a number. If a unit of size follows, the number includes it. Also returns the number of tokens that both
/// occupy.
#[expect(clippy::cast_precision_loss, reason = "a size is shown rounded")]
fn quantity(tokens: &[Token<'_>]) -> Option<(Kind, usize)> {
    let first = tokens.first()?;
    // A separate token with a single letter is not accepted as a unit, because it may mean something else.
    let unit = tokens
        .get(1)
        .filter(|next| first.punctuation.is_none() && !next.glued && next.text.len() > 1)
        .and_then(|next| unit(next.text));
    Some(match (first.kind, unit) {
        (Kind::Number(n), Some(unit)) => (Kind::Size(n as f64 * unit), 2),
        (Kind::Decimal(n), Some(unit)) => (Kind::Size(n * unit), 2),
        (Kind::Ratio(n, m), Some(unit)) => (Kind::Sizes(n * unit, m * unit), 2),
        (Kind::Pair(n, m), Some(unit)) => (Kind::Sizes(n as f64 * unit, m as f64 * unit), 2),
        (Kind::Number(_) | Kind::Decimal(_) | Kind::Size(_), None) => (first.kind, 1),
        (Kind::Word, _) => (Kind::Number(words::number(first.text)?), 1),
        _ => return None,
    })
}
