//! Blocks with images, documents and search results of the API.

use claw_types::api::{Content as Blocks, ContentBlock, Source};

use claw_types::Json;

use super::{Origin, Timeline};
use crate::at_api;
use crate::element::{Content, Document, Image, Media};

impl Timeline {
    /// Handles a block that can occur in messages of any kind. `id` is used for the element if the block itself has no
    /// ID. `who` names the source of the block, such as `user`.
    pub(super) fn other_block(&mut self, from: &Origin, id: &str, who: &str, block: &ContentBlock) {
        if let Some((tool, content)) = block.api_tool_result() {
            return self.api_result(from, tool, content);
        }
        let content = match block {
            ContentBlock::Image(block) => Content::Image(Image {
                media: media(&block.source),
                from: who.to_owned(),
            }),
            ContentBlock::Document(block) => Content::Document(Document {
                title: block.title.clone(),
                media: media(&block.source),
                from: who.to_owned(),
            }),
            ContentBlock::SearchResult(block) => Content::Document(Document {
                title: Some(block.title.clone()),
                media: Media {
                    text: Some(Blocks::Blocks(block.content.clone()).text()),
                    ..Media::default()
                },
                from: block.source.clone(),
            }),
            ContentBlock::ContainerUpload(block) => Content::Document(Document {
                title: None,
                media: Media {
                    file: Some(block.file_id.clone()),
                    ..Media::default()
                },
                from: who.to_owned(),
            }),
            ContentBlock::McpToolResult(block) => {
                let failed = block.is_error == Some(true);
                return self.result_at_api(
                    from,
                    &block.tool_use_id,
                    block.content.as_ref(),
                    failed,
                );
            }
            other => {
                let kind = match other {
                    ContentBlock::Unknown(unknown) => {
                        if let Some(tool) = at_api::result_of(unknown) {
                            let content = unknown.json().get("content");
                            let content = content.unwrap_or_else(Json::null);
                            return self.api_result(from, &tool, &content);
                        }
                        unknown.kind().into_owned()
                    }
                    _ => "content block".to_owned(),
                };
                let json = Json::new(other).unwrap_or_else(|_| Json::null());
                return self.unknown(from, &kind, json.as_raw(), None);
            }
        };
        self.add(from, id.to_owned(), content);
    }
}

fn media(source: &Source) -> Media {
    let mut media = Media::default();
    match source {
        Source::Base64(source) => {
            media.media_type = Some(source.media_type.clone());
            media.data = Some(source.data.clone());
        }
        Source::Url(source) => media.url = Some(source.url.clone()),
        Source::File(source) => media.file = Some(source.file_id.clone()),
        Source::Text(source) => {
            media.media_type = Some(source.media_type.clone());
            media.text = Some(source.data.clone());
        }
        Source::Content(source) => media.text = Some(source.content.text()),
        _ => {}
    }
    media
}
