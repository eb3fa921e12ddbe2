//! Determines which pictures the API accepts.

use crate::members::{Members, items};
use crate::scan::has;

/// The maximum length of a picture in Base64 that the CLI sends.
const LONGEST: usize = 5 << 20;

/// The judgement of a picture.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// The data has another media type, which the API accepts.
    Type(&'static str),
    /// The reason why the API refuses the picture.
    Refused(&'static str),
}

/// Judges a picture by the length and the beginning of its Base64 data.
fn judge(data: &str, media_type: &str) -> Verdict {
    if data.is_empty() {
        return Verdict::Refused("it is empty");
    }
    if data.len() > LONGEST {
        return Verdict::Refused("it is over 5 MiB in Base64");
    }
    let Some(start) = decoded_start(data.as_bytes()) else {
        return Verdict::Refused("its data is not Base64");
    };
    match format(&start) {
        Some(found) if found == media_type => Verdict::Fine,
        Some(found) => Verdict::Type(found),
        None => Verdict::Refused("it is no PNG, JPEG, GIF or WebP picture"),
    }
}

/// Parts of the messages, in lower case, with which the CLI records that a picture was refused. After such a
/// message, the CLI leaves out the pictures before it.
const ERRORS: [&str; 9] = [
    "could not process image",
    "image exceeds",
    "image dimensions exceed",
    "image does not match the provided media type",
    "image cannot be empty",
    "image was too large",
    "exceeds api limit",
    "exceed the api limit",
    "unable to resize image",
];

/// Whether a line records that a picture was refused.
pub(super) fn is_error(record: &Members<'_>) -> bool {
    if !record.is_truthy("isApiErrorMessage") || record.text("type").as_deref() != Some("assistant")
    {
        return false;
    }
    if record.text("apiError").as_deref() == Some("media_removed") {
        return true;
    }
    let message = record.get("message").map(crate::scan::text);
    let message = message.unwrap_or_default().to_lowercase();
    ERRORS.iter().any(|error| message.contains(error))
}

/// Whether a line contains a picture that is not fine.
pub(super) fn has_broken(record: &Members<'_>) -> bool {
    let message = record.get("message").unwrap_or_default();
    let is_prompt = record.text("type").as_deref() == Some("user");
    if !is_prompt || !has(message, b"\"image\"") {
        return false;
    }
    let blocks = Members::parse(message);
    let blocks = blocks.as_ref().and_then(|message| message.get("content"));
    blocks.is_some_and(|blocks| any_broken(blocks, true))
}

fn any_broken(blocks: &[u8], has_results: bool) -> bool {
    let blocks = items(blocks).unwrap_or_default().into_iter();
    blocks
        .filter_map(Members::parse)
        .any(|block| match block.text("type").as_deref() {
            Some("image") => of_block(&block).is_some_and(|(verdict, _)| verdict != Verdict::Fine),
            Some("tool_result") if has_results => {
                let inner = block.get("content");
                inner.is_some_and(|inner| any_broken(inner, false))
            }
            _ => false,
        })
}

/// Judges the picture of a block, and returns the judgement with the media type that the block names. Returns `None` if
/// the block does not contain the picture itself.
pub(super) fn of_block(block: &Members<'_>) -> Option<(Verdict, String)> {
    let source = Members::parse(block.get("source")?)?;
    if source.text("type")? != "base64" {
        return None;
    }
    let media_type = source.text("media_type").unwrap_or_default().into_owned();
    let verdict = judge(&source.text("data").unwrap_or_default(), &media_type);
    Some((verdict, media_type))
}

fn format(start: &[u8]) -> Option<&'static str> {
    Some(match start {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
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
        ] => "image/webp",
        _ => return None,
    })
}

/// Returns the first bytes of the data, or `None` if the data is not Base64.
fn decoded_start(data: &[u8]) -> Option<Vec<u8>> {
    let padding = data.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = &data[..data.len() - padding];
    if padding > 2
        || !data.len().is_multiple_of(4)
        || !digits.iter().all(|byte| digit(*byte).is_some())
    {
        return None;
    }
    let mut start = Vec::with_capacity(12);
    for four in digits.chunks(4).take(4) {
        let value = four.iter().fold(0_u32, |value, byte| {
            value << 6 | u32::from(digit(*byte).unwrap_or_default())
        });
        let value = value << (6 * (4 - four.len()));
        let [_, bytes @ ..] = value.to_be_bytes();
        start.extend_from_slice(&bytes[..four.len() - 1]);
    }
    Some(start)
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_what_its_data_is() {
        let png = "iVBORw0KGgoAAAANSUhEUg==";
        assert_eq!(judge(png, "image/png"), Verdict::Fine);
        assert_eq!(judge(png, "image/jpeg"), Verdict::Type("image/png"));
        assert_eq!(
            judge("/9j/4AAQSkZJRgABAQAA", "image/png"),
            Verdict::Type("image/jpeg")
        );
        assert_eq!(
            judge("R0lGODlhAQABAIAAAAAA", "image/bmp"),
            Verdict::Type("image/gif")
        );
        assert_eq!(judge("UklGRiIAAABXRUJQVlA4", "image/webp"), Verdict::Fine);
    }

    #[test]
    fn what_the_api_refuses_has_a_reason() {
        let long = "iVBORw0KGgoA".to_owned() + &"A".repeat(5 << 20);
        for (data, reason) in [
            ("", "empty"),
            ("iVBORw0KGgo", "not Base64"),
            ("iVBO\nRw0KGgo", "not Base64"),
            ("!!!!", "not Base64"),
            ("====", "not Base64"),
            ("Qk0AAAAA", "no PNG"),
            ("QQ==", "no PNG"),
            (&*long, "over 5 MiB"),
        ] {
            let Verdict::Refused(why) = judge(data, "image/png") else {
                panic!("{reason}")
            };
            assert!(why.contains(reason), "{why}");
        }
    }
}
