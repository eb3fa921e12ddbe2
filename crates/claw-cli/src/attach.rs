//! Files that are added to a prompt.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use claw_client::types::api::{
    Base64Source, ContentBlock, DocumentBlock, ImageBlock, Source, TextSource,
};

/// The maximum size of an added file, in bytes. If an image is too large for the model, claude makes it smaller.
pub(crate) const MAX_BYTES: u64 = 10 * 1024 * 1024;

/// An image from a file, and the length of the file in bytes.
pub(crate) struct Image {
    pub(crate) block: ImageBlock,
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "`claw chat` adds them up")
    )]
    pub(crate) bytes: usize,
}

/// Reads a text file or a PDF as a document.
///
/// # Errors
///
/// Fails with a text for the user if the file cannot be read, is too large, or is neither a text nor a PDF.
pub(crate) fn document(file: &Path) -> Result<ContentBlock, String> {
    let bytes = read(file)?;
    let source: Source = if bytes.starts_with(b"%PDF-") {
        Base64Source::new("application/pdf", BASE64_STANDARD.encode(&bytes)).into()
    } else {
        match String::from_utf8(bytes) {
            Ok(text) if text.is_empty() => return Err("is empty".to_owned()),
            Ok(text) => TextSource::new("text/plain", text).into(),
            Err(error) => {
                let why = match media_type_of(error.as_bytes()) {
                    Some(_) => "is an image: add it with --image",
                    None => "is neither text in UTF-8 nor a PDF",
                };
                return Err(why.to_owned());
            }
        }
    };
    let mut document = DocumentBlock::new(source);
    document.title = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Ok(document.into())
}

/// Reads an image from a file.
///
/// # Errors
///
/// Fails with a text for the user if the file cannot be read, is too large, or is not a PNG, JPEG, GIF or WebP.
pub(crate) fn image(file: &Path) -> Result<Image, String> {
    let bytes = read(file)?;
    let Some(media_type) = media_type_of(&bytes) else {
        return Err("is no PNG, JPEG, GIF or WebP".to_owned());
    };
    let source = Base64Source::new(media_type, BASE64_STANDARD.encode(&bytes));
    Ok(Image {
        block: ImageBlock::new(Source::from(source)),
        bytes: bytes.len(),
    })
}

/// Determines the media type of an image from its first bytes. Returns `None` for any other file.
fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let fail = |error: std::io::Error| error.to_string();
    let mut bytes = Vec::new();
    let mut limited = File::open(file).map_err(fail)?.take(MAX_BYTES + 1);
    limited.read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES / 1024 / 1024;
        return Err(format!("is larger than {most} MiB"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let file = folder.path().join(name);
            std::fs::write(&file, bytes).unwrap();
            file
        };
        let png = write("picture.txt", b"\x89PNG\r\n\x1a\nrest");
        assert!(image(&png).is_ok());
        assert!(document(&png).unwrap_err().contains("--image"));
        let text = write("notes.png", b"plain");
        assert!(matches!(document(&text), Ok(ContentBlock::Document(_))));
        let why = image(&text).err().unwrap();
        assert!(why.ends_with("no PNG, JPEG, GIF or WebP"), "{why}");
        let pdf = write("a", b"%PDF-1.7\n\xff");
        assert!(matches!(document(&pdf), Ok(ContentBlock::Document(_))));
        let binary = write("b", b"\0\xff\xfe");
        assert!(document(&binary).unwrap_err().contains("neither text"));
        assert!(document(&write("c", b"")).unwrap_err().contains("empty"));
        assert!(document(folder.path()).is_err());
        let large = write("d", &vec![b'a'; 10 * 1024 * 1024 + 1]);
        assert!(document(&large).unwrap_err().contains("10 MiB"));
    }
}
