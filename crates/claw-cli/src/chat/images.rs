//! Attaches images whose paths are in a prompt. If a person drops a file on the terminal, the terminal types its path.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use claw_client::types::api::{Content, ContentBlock, TextBlock};

use crate::attach;
use crate::escape::one_line;

/// Maximum number of images in one prompt.
const MOST: usize = 10;

/// A prompt with its images.
pub(super) struct Written {
    pub(super) content: Content,
    pub(super) bytes: usize,
    /// Messages to the user about the images, escaped.
    pub(super) notes: Vec<String>,
}

/// Attaches the images whose paths are in the text of a prompt. Absolute paths are recognised, and paths that start
/// with `./`, `../` or `~/`. Relative paths start at `folder`. The text does not change.
pub(super) fn with_images(text: String, folder: &Path) -> Written {
    let mut notes = Vec::new();
    let mut blocks: Vec<ContentBlock> = Vec::new();
    let mut bytes = 0;
    for word in words(&text) {
        let Some(image) = path(&word, folder).and_then(|path| read(&path)) else {
            continue;
        };
        let name = one_line(&word, 60);
        let why = match image {
            _ if blocks.len() == MOST => format!("a prompt has {MOST} images at most"),
            Ok(image) if (bytes + image.bytes) as u64 > attach::MAX_BYTES => {
                let most = attach::MAX_BYTES / 1024 / 1024;
                format!("the images of a prompt have {most} MiB at most")
            }
            Ok(image) => {
                let size = image.bytes.div_ceil(1000);
                notes.push(format!("{name} is attached ({size} kB)."));
                bytes += image.bytes;
                blocks.push(image.block.into());
                continue;
            }
            Err(why) => one_line(&why, 100),
        };
        notes.push(format!("{name} is not attached: {why}."));
    }
    // Base64 makes four bytes from three bytes of an image.
    let bytes = text.len() + bytes.div_ceil(3) * 4;
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

/// Reads an image, or returns the reason why it cannot be attached. Returns `None` if the file does not exist, because
/// the word may not be a path. Also returns `None` for special files, because reading them may never end.
fn read(path: &Path) -> Option<Result<attach::Image, String>> {
    match fs::metadata(path) {
        Ok(found) => found
            .is_file()
            .then(|| attach::image(path).map_err(|why| format!("the file {why}"))),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// Returns the path in a word. Returns `None` if the word is not a path with the extension of an image.
fn path(word: &str, folder: &Path) -> Option<PathBuf> {
    let path = match word.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        None if word.starts_with("./") || word.starts_with("../") => folder.join(word),
        None => PathBuf::from(word),
    };
    if !path.is_absolute() {
        return None;
    }
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    ["png", "jpg", "jpeg", "gif", "webp"]
        .contains(&&*ending)
        .then_some(path)
}

/// Splits a text into words as a shell does. Spaces in quotes or after a backslash do not separate words.
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
        let write = |name: &str, length: usize| {
            let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
            bytes.resize(length, 0);
            fs::write(folder.path().join(name), bytes).unwrap();
        };
        let most = usize::try_from(attach::MAX_BYTES).unwrap();
        write("a b.png", 2000);
        // The first bytes of the file determine its media type, not its name.
        write("photo.jpg", 8);
        write("c.txt", 8);
        write("large.gif", most + 1);
        write("full.png", most);
        fs::write(folder.path().join("text.png"), "no image").unwrap();
        fs::create_dir(folder.path().join("folder.png")).unwrap();
        let text = "see ./a\\ b.png ./photo.jpg ./c.txt ./none.png a.png ./large.gif ./full.png ./text.png ./folder.png";
        let written = with_images(text.to_owned(), folder.path());
        assert_eq!(
            written.notes,
            [
                "./a b.png is attached (2 kB).",
                "./photo.jpg is attached (1 kB).",
                "./large.gif is not attached: the file is larger than 10 MiB.",
                "./full.png is not attached: the images of a prompt have 10 MiB at most.",
                "./text.png is not attached: the file is no PNG, JPEG, GIF or WebP.",
            ]
        );
        let image = |name: &str| attach::image(&folder.path().join(name)).unwrap().block;
        let blocks: Vec<ContentBlock> = vec![
            image("a b.png").into(),
            image("photo.jpg").into(),
            TextBlock::new(text).into(),
        ];
        assert_eq!(written.content, blocks.into());
        let plain = with_images("/tmp/none.png".to_owned(), folder.path());
        assert!(plain.notes.is_empty());
        assert_eq!(plain.content, "/tmp/none.png".into());
    }

    #[test]
    fn a_prompt_has_ten_images_at_most() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.gif"), "GIF89a").unwrap();
        let written = with_images("./a.gif ".repeat(12), folder.path());
        assert_eq!(written.notes.len(), 12);
        let last = "./a.gif is not attached: a prompt has 10 images at most.";
        assert_eq!(written.notes[10..], [last, last]);
    }
}
