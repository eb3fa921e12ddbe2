//! A prompt of the client as a prompt of Claude Code.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ContentBlock as Block, EmbeddedResourceResource as Resource, ImageContent, ResourceLink,
};
use claw_types::api::{Base64Source, Content, ContentBlock, ImageBlock, Source, TextBlock};

use crate::failure::invalid;

/// Converts the blocks of a prompt.
///
/// # Errors
///
/// Fails for sound, which Claude Code cannot hear, and for an embedded file that is neither text nor an image.
pub(crate) fn content(blocks: &[Block]) -> Result<Content, Error> {
    let mut converted = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        converted
            .push(self::block(block).map_err(|reason| invalid(format!("prompt[{at}]: {reason}")))?);
    }
    // A slash command is recognised in a plain text alone.
    match <[ContentBlock; 1]>::try_from(converted) {
        Ok([ContentBlock::Text(text)]) => Ok(Content::from(text.text)),
        Ok(one) => Ok(Content::from(Vec::from(one))),
        Err(blocks) => Ok(Content::from(blocks)),
    }
}

fn block(block: &Block) -> Result<ContentBlock, String> {
    Ok(match block {
        Block::Text(block) => text(block.text.clone()),
        Block::Image(block) => image(block),
        Block::ResourceLink(link) => text(link_text(link)),
        Block::Resource(embedded) => match &embedded.resource {
            Resource::TextResourceContents(file) => {
                let uri = &file.uri;
                text(format!(
                    "<context ref=\"{uri}\">\n{}\n</context>",
                    file.text
                ))
            }
            Resource::BlobResourceContents(file) => {
                let kind = file.mime_type.as_deref().unwrap_or_default();
                if !kind.starts_with("image/") {
                    return Err(format!(
                        "a file of the type `{kind}` cannot be part of a prompt"
                    ));
                }
                image(&ImageContent::new(&*file.blob, kind))
            }
            _ => return Err("the kind of the resource is unknown".to_owned()),
        },
        Block::Audio(_) => return Err("Claude Code takes no audio".to_owned()),
        _ => return Err("the kind of the block is unknown".to_owned()),
    })
}

fn text(text: String) -> ContentBlock {
    ContentBlock::Text(TextBlock::new(text))
}

fn image(image: &ImageContent) -> ContentBlock {
    let source = Base64Source::new(image.mime_type.as_str(), &*image.data);
    ContentBlock::Image(Box::new(ImageBlock::new(Source::Base64(source))))
}

/// A link to a file as the CLI understands it: `@path` for a file on this machine, else the URI.
fn link_text(link: &ResourceLink) -> String {
    match link.uri.strip_prefix("file://") {
        Some(path) => format!("@{}", decoded(path)),
        None => format!("[{}]({})", link.name, link.uri),
    }
}

/// A path without percent encoding.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        if let Some(code) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(code);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{AudioContent, TextContent};

    use super::*;

    #[test]
    fn a_text_alone_stays_a_text_so_that_slash_commands_work() {
        let blocks = [Block::Text(TextContent::new("/compact"))];
        assert_eq!(content(&blocks).unwrap(), Content::from("/compact"));
    }

    #[test]
    fn a_link_to_a_file_becomes_a_mention() {
        let link = ResourceLink::new("a b.rs", "file:///work/project/a%20b.rs");
        let blocks = [Block::ResourceLink(link)];
        assert_eq!(
            content(&blocks).unwrap(),
            Content::from("@/work/project/a b.rs")
        );
    }

    #[test]
    fn audio_is_refused_with_its_place() {
        let blocks = [
            Block::Text(TextContent::new("Listen.")),
            Block::Audio(AudioContent::new("AAAA", "audio/wav")),
        ];
        let error = content(&blocks).unwrap_err();
        assert!(error.to_string().contains("prompt[1]"), "{error}");
    }
}
