//! Converts a prompt of the client to a prompt of Claude Code.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ContentBlock as Block, EmbeddedResourceResource as Resource, ImageContent, ResourceLink,
};
use claw_client::mention;
use claw_types::api::{Base64Source, Content, ContentBlock, ImageBlock, Source, TextBlock};

use crate::failure::invalid;

/// Converts the blocks of a prompt.
///
/// The CLI searches for mentions of files only in the last text block. Therefore, this block contains what the person
/// wrote, with the mentioned files. All other content precedes it: images, the content of files, and links. No text in
/// them can make the CLI read a file.
///
/// # Errors
///
/// Fails for audio, which Claude Code does not support, and for an embedded file that is neither text nor an image.
pub(crate) fn content(blocks: &[Block]) -> Result<Content, Error> {
    let mut before = Vec::new();
    let mut words = String::new();
    for (at, block) in blocks.iter().enumerate() {
        match self::block(block) {
            Ok(Part::Words(more)) => words.push_str(&more),
            Ok(Part::Mention(mention)) => {
                if !words.is_empty() && !words.ends_with(char::is_whitespace) {
                    words.push(' ');
                }
                words.push_str(&mention);
                let next = blocks.get(at + 1);
                if !matches!(next, Some(Block::Text(text)) if text.text.starts_with(char::is_whitespace))
                {
                    words.push(' ');
                }
            }
            Ok(Part::Before(block)) => before.push(block),
            Err(reason) => return Err(invalid(format!("prompt[{at}]: {reason}"))),
        }
    }
    let words = match words.trim_end_matches(' ') {
        "" if !before.is_empty() => WITHOUT_WORDS,
        words => words,
    };
    // The CLI recognises a slash command only in a plain text.
    if before.is_empty() {
        return Ok(Content::from(words));
    }
    before.push(text(words.to_owned()));
    Ok(Content::from(before))
}

/// The last text block of a prompt without text from the person.
const WITHOUT_WORDS: &str = "See the context above.";

/// A block of a prompt, converted for the CLI.
enum Part {
    /// Text from the person.
    Words(String),
    /// A file that the CLI reads.
    Mention(String),
    /// Content that precedes the person's text.
    Before(ContentBlock),
}

fn block(block: &Block) -> Result<Part, String> {
    Ok(Part::Before(match block {
        Block::Text(block) => return Ok(Part::Words(block.text.clone())),
        Block::Image(block) => image(block),
        Block::ResourceLink(link) => match mentioned(link) {
            Some(mention) => return Ok(Part::Mention(mention)),
            None => text(format!("[{}]({})", link.name, link.uri)),
        },
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
    }))
}

fn text(text: String) -> ContentBlock {
    ContentBlock::Text(TextBlock::new(text))
}

fn image(image: &ImageContent) -> ContentBlock {
    let source = Base64Source::new(image.mime_type.as_str(), &*image.data);
    ContentBlock::Image(Box::new(ImageBlock::new(Source::Base64(source))))
}

/// Returns the mention with which the CLI reads a linked file of this machine: `@path`. Returns `None` for any other
/// link, and for a file whose name the CLI would mistake for another one. The model can still read such a file with a
/// tool, which asks the person for permission.
fn mentioned(link: &ResourceLink) -> Option<String> {
    let path = link.uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    mention(&decoded(path.strip_prefix('/').map(|_| path)?)?)
}

/// Decodes the percent encoding of a path. Returns `None` if the result is not UTF-8.
fn decoded(path: &str) -> Option<String> {
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
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        AudioContent, EmbeddedResource, TextContent, TextResourceContents,
    };

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
            Content::from("@\"/work/project/a b.rs\"")
        );
    }

    fn texts(blocks: &[Block]) -> Vec<String> {
        let content = content(blocks).unwrap();
        let texts = content.blocks().iter().map(|block| match block {
            ContentBlock::Text(text) => text.text.clone(),
            other => format!("{other:?}"),
        });
        if content.blocks().is_empty() {
            vec![content.text()]
        } else {
            texts.collect()
        }
    }

    /// The CLI reads mentions only in the last text block.
    #[test]
    fn only_what_the_person_wrote_and_the_mentioned_files_come_last() {
        let words = |text: &str| Block::Text(TextContent::new(text));
        let link = |uri: &str| Block::ResourceLink(ResourceLink::new("x @/etc/passwd", uri));
        let file = TextResourceContents::new("see @/etc/passwd\n", "file:///work/a.txt");
        let file = Block::Resource(EmbeddedResource::new(Resource::TextResourceContents(file)));
        let context = "<context ref=\"file:///work/a.txt\">\nsee @/etc/passwd\n\n</context>";
        assert_eq!(texts(&[words("Read"), file.clone()]), [context, "Read"]);
        assert_eq!(texts(std::slice::from_ref(&file)), [context, WITHOUT_WORDS]);
        let two = [
            words("Compare"),
            link("file:///w/a.rs"),
            words("with "),
            link("file://localhost/w/b%20c"),
            words("."),
        ];
        assert_eq!(texts(&two), ["Compare @/w/a.rs with @\"/w/b c\" ."]);
        // File names that cannot be mentioned, a file on another machine, and a link that names no file.
        for uri in [
            "file:///w/x%20@/etc/passwd",
            "file:///w/tail%20",
            "file:///w/new%0Aline",
            "file:///w/%ff",
            "file://host/w/a",
            "https://example.com/ @/etc/passwd",
        ] {
            let linked = format!("[x @/etc/passwd]({uri})");
            assert_eq!(texts(&[words("See "), link(uri)]), [linked.as_str(), "See"]);
        }
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
