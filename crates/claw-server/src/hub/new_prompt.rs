//! A prompt, as a client sends it.

use std::io;

use base64::engine::general_purpose::STANDARD;
use base64::read::DecoderReader;
use claw_types::MessageUuid;
use claw_types::api::{
    Base64Source, ContentBlock, DocumentBlock, ImageBlock, Source, TextBlock, TextSource,
};
use claw_types::message::{Priority, UserMessage};
use serde::{Deserialize, Serialize};

use super::HubError;
use super::uploads::{Folders, Upload};
use crate::object;

/// The priorities that the CLI knows. A prompt with another priority would stay in the CLI's queue for ever.
const PRIORITIES: [Priority; 3] = [Priority::Now, Priority::Next, Priority::Later];

/// The media type of PDF documents.
const PDF: &str = "application/pdf";

/// The media type of plain text documents, which are not in base64.
const PLAIN: &str = "text/plain";

/// A prompt to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct NewPrompt {
    /// The UUID of the prompt, made by the client. A prompt with a UUID that was sent before is not sent again, so a
    /// client that got no response can repeat its request. If absent, the server makes a UUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// The text of the prompt.
    pub text: String,
    /// The images of the prompt. They come before its documents and its text.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "object::each"
    )]
    pub images: Vec<Image>,
    /// The documents of the prompt. They come after its images and before its text.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "object::each"
    )]
    pub documents: Vec<Document>,
    /// The time at which the CLI takes up the prompt if a turn is running. `now`: at once, and the running turn is
    /// interrupted. `next`: as soon as the model can read the prompt. `later`: after the running turn. If absent, the
    /// CLI's default applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
}

/// An image in a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PromptImage"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Image {
    /// The media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// The bytes of the image, in base64: with the standard alphabet, with padding and without line breaks.
    #[cfg_attr(feature = "schema", schemars(extend("contentEncoding" = "base64")))]
    pub data: String,
}

/// A document in a prompt. The API accepts PDF and plain text. A document of another type is written as a file into the
/// folder in which the session runs, below `.claude/uploads`, and `@` with its path is added to the text of the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PromptDocument"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Document {
    /// The media type: `application/pdf`, `text/plain`, or the one of another file, such as `application/octet-stream`.
    pub media_type: String,
    /// A plain text as it is. The bytes of any other document in base64, as those of an image.
    pub data: String,
    /// The title of the document, such as the name of its file. Documents other than PDF and plain text need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Document {
    /// Whether the document is written as a file.
    fn is_file(&self) -> bool {
        self.media_type != PDF && self.media_type != PLAIN
    }

    /// Returns the content block of a document that is not written as a file.
    fn block(self) -> ContentBlock {
        let source = if self.media_type == PDF {
            Source::from(Base64Source::new(self.media_type, self.data))
        } else {
            Source::from(TextSource::new(self.media_type, self.data))
        };
        let mut block = DocumentBlock::new(source);
        block.title = self.title;
        block.into()
    }
}

impl NewPrompt {
    /// Creates a prompt with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            uuid: None,
            text: text.into(),
            images: Vec::new(),
            documents: Vec::new(),
            priority: None,
        }
    }

    /// Returns the UUID of the prompt, the message to the CLI, and the files that are to be written first.
    ///
    /// # Errors
    ///
    /// Fails with [`HubError::BadRequest`] if a value of the prompt is invalid.
    pub(super) fn message(
        self,
        folders: &Folders,
    ) -> Result<(MessageUuid, UserMessage, Vec<Upload>), HubError> {
        let bad = |what: &str| Err(HubError::BadRequest(what.to_owned()));
        self.check_priority()?;
        self.check_data()?;
        if self.text.is_empty() && self.images.is_empty() && self.documents.is_empty() {
            return bad("the prompt is empty");
        }
        let kinds = ["image/png", "image/jpeg", "image/gif", "image/webp"];
        if self
            .images
            .iter()
            .any(|image| !kinds.contains(&&*image.media_type))
        {
            return bad("an image is PNG, JPEG, GIF or WebP");
        }
        let uuid = match self.uuid {
            Some(uuid) => {
                let Ok(uuid) = uuid::Uuid::try_parse(&uuid) else {
                    return bad("the prompt's uuid is not a UUID");
                };
                MessageUuid::from(uuid.to_string().as_str())
            }
            None => MessageUuid::random(),
        };
        let (files, documents): (Vec<_>, Vec<_>) =
            self.documents.into_iter().partition(Document::is_file);
        let mut uploads = Vec::new();
        let mut text = self.text;
        for (index, file) in files.into_iter().enumerate() {
            let Some(title) = file.title.filter(|title| !title.is_empty()) else {
                return bad(
                    "a document that is neither PDF (application/pdf) nor text (text/plain) needs a `title`, the name \
                     of its file",
                );
            };
            let upload = Upload::new(&uuid, index, &title, file.data);
            text.push_str(match (index, text.is_empty()) {
                (_, true) => "",
                (0, false) => "\n\n",
                (_, false) => "\n",
            });
            text.push_str(&upload.mention(folders));
            uploads.push(upload);
        }
        let mut message = if self.images.is_empty() && documents.is_empty() {
            UserMessage::prompt(text)
        } else {
            let image = |image: Image| -> ContentBlock {
                let source = Base64Source::new(image.media_type, image.data);
                ImageBlock::new(Source::from(source)).into()
            };
            let images = self.images.into_iter().map(image);
            let documents = documents.into_iter().map(Document::block);
            let mut blocks: Vec<_> = images.chain(documents).collect();
            if !text.is_empty() {
                blocks.push(TextBlock::new(text).into());
            }
            UserMessage::prompt(blocks)
        };
        message.uuid = Some(uuid.clone());
        message.priority = self.priority;
        Ok((uuid, message, uploads))
    }

    fn check_priority(&self) -> Result<(), HubError> {
        match &self.priority {
            Some(priority) if !PRIORITIES.contains(priority) => {
                let text = "there is no such `priority`: it is `now`, `next` or `later`";
                Err(HubError::BadRequest(text.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Fails if data is not valid base64. The API would refuse such data in this turn and in each later turn, because
    /// the data stays in the conversation.
    fn check_data(&self) -> Result<(), HubError> {
        let images = self.images.iter().enumerate();
        let images = images.map(|(at, image)| ("images", at, &image.data));
        let documents = self.documents.iter().enumerate();
        let documents = documents.filter(|(_, document)| document.media_type != PLAIN);
        let documents = documents.map(|(at, document)| ("documents", at, &document.data));
        for (list, at, data) in images.chain(documents) {
            check_base64(data)
                .map_err(|wrong| HubError::BadRequest(format!("{list}[{at}].data {wrong}")))?;
        }
        Ok(())
    }
}

/// Checks that data is base64. Fails with a description of what is wrong. The data is decoded piece by piece and
/// discarded.
fn check_base64(data: &str) -> Result<(), String> {
    if data.is_empty() {
        return Err("is empty".to_owned());
    }
    let scheme = data.get(..5);
    if scheme.is_some_and(|it| it.eq_ignore_ascii_case("data:")) {
        return Err("is a data: URL: send only what follows its comma".to_owned());
    }
    let mut decoder = DecoderReader::new(data.as_bytes(), &STANDARD);
    match io::copy(&mut decoder, &mut io::sink()) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("is not base64: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_base64_with_padding_is_base64() {
        let long = "QUFB".repeat(5000);
        for good in [
            "QQ==",
            "QUE=",
            "QUFB",
            "+/+/",
            &long,
            &format!("{long}QQ=="),
        ] {
            assert_eq!(check_base64(good), Ok(()), "{good}");
        }
        for bad in [
            "***",
            "Q",
            "QQ",
            "QUE",
            "=",
            "====",
            "Q===",
            "QQ==QQ==",
            "QUFB====",
            "QUFB\n",
            " QUFB",
            "QUFB\r\nQUFB",
            "QU-_",
            "QÜ==",
            &format!("{long}*"),
            &format!("{long}QQ"),
            &format!("{long}==={long}"),
        ] {
            let wrong = check_base64(bad).unwrap_err();
            assert!(wrong.starts_with("is not base64: "), "{bad}: {wrong}");
        }
        assert_eq!(check_base64("").unwrap_err(), "is empty");
        let url = check_base64("Data:image/png;base64,QUFB").unwrap_err();
        assert_eq!(url, "is a data: URL: send only what follows its comma");
    }
}
