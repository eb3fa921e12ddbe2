//! The texts of a diagram, and their sizes.

/// The height of a line of text, in pixels.
pub(super) const LINE: i32 = 18;
/// The size of the letters, in pixels. The style sheet sets the same size.
const LETTER: i32 = 13;
/// The maximum length of a text, in bytes.
const LONGEST: usize = 600;
/// The width in pixels from which a text is divided between words.
const WIDEST: i32 = 240;

/// A text with its line breaks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) lines: Vec<String>,
}

impl Label {
    /// Reads a text as it stands in a diagram: perhaps between quotes, with `<br>` for a line break, with tags for bold
    /// or italic letters, and with escaped characters such as `#quot;`. Returns `None` if the text is too long.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let text = unquoted(text.trim());
        let mut lines = Vec::new();
        for line in broken(text).split('\n') {
            wrap(&decoded(line.trim()), &mut lines);
        }
        Some(Self { lines })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(String::is_empty)
    }

    /// The width of the longest line, in pixels. It is an estimate, because the font is that of the reader.
    pub(super) fn width(&self) -> i32 {
        self.lines.iter().map(|line| width(line)).max().unwrap_or(0)
    }

    /// The height of all lines, in pixels.
    pub(super) fn height(&self) -> i32 {
        self.lines.iter().map(|_| LINE).sum()
    }
}

/// Removes quotes around a text, and the backticks inside them, which mark a text as Markdown.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let text = inner.unwrap_or(text).trim();
    let inner = text.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    inner.unwrap_or(text)
}

/// Replaces each break of a line with a line feed, and removes the tags for bold and italic letters.
fn broken(text: &str) -> String {
    let mut broken = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '\\']) {
        broken.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("\\n") {
            broken.push('\n');
            rest = after;
            continue;
        }
        let tag = rest.find('>').map(|end| &rest[..=end]);
        let name = tag.map(|tag| tag.trim_matches(['<', '>', '/', ' ']).to_ascii_lowercase());
        match (name.as_deref(), tag) {
            (Some("br"), Some(tag)) => {
                broken.push('\n');
                rest = &rest[tag.len()..];
            }
            (Some("b" | "i" | "em" | "strong" | "small" | "u"), Some(tag)) => {
                rest = &rest[tag.len()..];
            }
            _ => {
                broken.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    broken.push_str(rest);
    broken
}

/// Replaces escaped characters such as `#quot;`, `#35;` and `&lt;`.
fn decoded(text: &str) -> String {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', '&']) {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest
            .as_bytes()
            .iter()
            .take(12)
            .position(|byte| *byte == b';');
        let character = end.and_then(|end| character(rest[1..end].trim_start_matches('#')));
        if let (Some(character), Some(end)) = (character, end) {
            decoded.push(character);
            rest = &rest[end + 1..];
        } else {
            decoded.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    decoded.push_str(rest);
    decoded
}

/// Returns the character that a name or a decimal number stands for.
fn character(name: &str) -> Option<char> {
    Some(match name {
        "quot" => '"',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "nbsp" => ' ',
        "semi" => ';',
        "colon" => ':',
        number => char::from_u32(number.parse().ok()?).filter(|c| !c.is_control())?,
    })
}

/// Divides a line that is too wide, between words.
fn wrap(text: &str, lines: &mut Vec<String>) {
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + width(word) > WIDEST {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
}

/// Estimates the width of a text in pixels.
fn width(text: &str) -> i32 {
    let hundredths: i32 = text.chars().map(hundredths).sum();
    (hundredths * LETTER + 99) / 100
}

/// The width of a character in hundredths of the size of the letters, in a wide font without serifs.
fn hundredths(c: char) -> i32 {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
        'i' | 'j' | 'l' | '|' | '\'' | '.' | ',' | ':' | ';' | '!' => 30,
        ' ' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' | '"' | '`' => 40,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 95,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '#' | '&' => 72,
        '\u{1100}'..='\u{11ff}' | '\u{2600}'..='\u{27bf}' | '\u{2e80}'..='\u{ffff}' => 105,
        c if u32::from(c) > 0xffff => 130,
        _ => 62,
    }
}
