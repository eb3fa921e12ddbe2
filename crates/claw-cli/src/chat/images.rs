//! Images that a prompt names by their paths, as a terminal types them when a file is dropped on it.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use claw_client::types::api::{Base64Source, Content, ContentBlock, ImageBlock, TextBlock};

use crate::escape::one_line;

/// The largest image that the model takes, in bytes; 5 MB in Base64.
const LARGEST: u64 = 5_000_000 / 4 * 3;
/// How many images one prompt has at most.
const MOST: usize = 10;

/// A prompt with its images.
pub(super) struct Written {
    pub(super) content: Content,
    pub(super) bytes: usize,
    /// What the user is told about the images, escaped.
    pub(super) notes: Vec<String>,
}

/// The prompt with the images whose paths are in its text: absolute, or starting with `./`, `../` or `~/`. The text stays
/// as it is. A relative path starts at this folder.
pub(super) fn with_images(text: String, folder: &Path) -> Written {
    let mut notes = Vec::new();
    let mut blocks: Vec<ContentBlock> = Vec::new();
    let mut bytes = text.len();
    for word in words(&text) {
        let Some((path, kind)) = image(&word, folder) else {
            continue;
        };
        let name = one_line(&word, 60);
        if blocks.len() == MOST {
            notes.push(format!(
                "{name} is not attached: a prompt has {MOST} images at most."
            ));
            break;
        }
        match read(&path) {
            Ok(Some(image)) => {
                notes.push(format!(
                    "{name} is attached ({} kB).",
                    image.len().div_ceil(1000)
                ));
                let data = BASE64_STANDARD.encode(&image);
                bytes += data.len();
                blocks.push(ImageBlock::new(Base64Source::new(kind, data)).into());
            }
            Ok(None) => notes.push(format!("{name} is not attached: it has more than 3.75 MB.")),
            // The word may be no path.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                let why = one_line(&error.to_string(), 100);
                notes.push(format!("{name} is not attached: {why}."));
            }
        }
    }
    let content = if blocks.is_empty() {
        text.into()
    } else {
        blocks.push(TextBlock::new(text).into());
        blocks.into()
    };
    Written {
        content,
        bytes,
        notes,
    }
}

/// The content of a file; `None` if it is too large. Special files, which may never end, are not read.
fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    if found.len() > LARGEST {
        return Ok(None);
    }
    fs::read(path).map(Some)
}

/// The path that a word is, and the kind of the image.
fn image(word: &str, folder: &Path) -> Option<(PathBuf, &'static str)> {
    let path = match word.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        None if word.starts_with("./") || word.starts_with("../") => folder.join(word),
        None => PathBuf::from(word),
    };
    if !path.is_absolute() {
        return None;
    }
    let kind = match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => return None,
    };
    Some((path, kind))
}

/// The words of a text, as a shell takes them: quotes and backslashes keep spaces.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if quote != Some('\'') && cfg!(unix) => word.extend(letters.next()),
            '"' | '\'' if quote == Some(letter) => quote = None,
            '"' | '\'' if quote.is_none() && word.is_empty() => quote = Some(letter),
            letter if letter == '\n' || (letter.is_whitespace() && quote.is_none()) => {
                words.push(std::mem::take(&mut word));
                quote = None;
            }
            letter => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_words_as_terminals_type_them() {
        assert_eq!(
            words("see /a/b\\ c.png '/d e.png' \"/f g.png\" don't\nend"),
            ["see", "/a/b c.png", "/d e.png", "/f g.png", "don't", "end"]
        );
    }

    #[test]
    fn images_are_attached_and_anything_else_is_text() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a b.png", "c.txt"] {
            fs::write(folder.path().join(name), "image").unwrap();
        }
        let large = fs::File::create(folder.path().join("large.gif")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        fs::create_dir(folder.path().join("folder.png")).unwrap();
        let text = "see ./a\\ b.png ./c.txt ./none.png a.png ./large.gif ./folder.png";
        let written = with_images(text.to_owned(), folder.path());
        assert_eq!(
            written.notes,
            [
                "./a b.png is attached (1 kB).",
                "./large.gif is not attached: it has more than 3.75 MB."
            ]
        );
        let image = ImageBlock::new(Base64Source::new(
            "image/png",
            BASE64_STANDARD.encode("image"),
        ));
        let blocks: Vec<ContentBlock> = vec![image.into(), TextBlock::new(text).into()];
        assert_eq!(written.content, blocks.into());
        let plain = with_images("/tmp/none.png".to_owned(), folder.path());
        assert!(plain.notes.is_empty());
        assert_eq!(plain.content, "/tmp/none.png".into());
    }
}
