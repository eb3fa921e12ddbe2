//! What is said.

use crate::shown::shown;

shown! {
    /// What the person said: a prompt, or a slash command with its arguments.
    pub struct UserInput {
        /// The text.
        pub text: String,
    }

    /// What the model said.
    pub struct AssistantText {
        /// The text, as far as it has come.
        pub text: String,
        /// Whether it still grows.
        pub streaming: bool,
        /// Whether an interrupt cut it off: it may end in mid-word.
        pub aborted: bool,
    }

    /// What the model thought.
    pub struct Thinking {
        /// The text, as far as it has come. Empty where it is not shown.
        pub text: String,
        /// Whether it still grows.
        pub streaming: bool,
        /// Whether it is kept from the reader.
        pub redacted: bool,
    }

    /// The person has interrupted.
    pub struct Interrupted {
        /// How the CLI says it.
        pub text: String,
        /// Whether it was while a tool was used, or waited for permission.
        pub during_tool_use: bool,
    }

    /// What came before was replaced by a summary.
    pub struct ContextCompaction {
        /// The summary; null until it comes.
        pub summary: Option<String>,
        /// What a person is shown of it, without what the CLI adds for the model; null where that is all.
        pub shown: Option<String>,
        /// Who asked for it: `manual` or `auto`; null where nobody said.
        pub trigger: Option<String>,
        /// Tokens of the conversation before; null where nobody said.
        pub tokens_before: Option<u64>,
        /// Tokens of the conversation after; null where nobody said.
        pub tokens_after: Option<u64>,
    }

    /// A picture.
    pub struct Image {
        /// Where it is.
        pub media: Media,
        /// Who showed it: the person, the model, or the tool use of that id.
        pub from: String,
    }

    /// A document.
    pub struct Document {
        /// Its title; null where it has none.
        pub title: Option<String>,
        /// Where it is.
        pub media: Media,
        /// Who showed it: the person, the model, or the tool use of that id.
        pub from: String,
    }

    /// Where the contents of a picture or a document are. Exactly one of `data`, `text`, `url` and
    /// `file` is there, none where claw does not know that way.
    #[derive(Default)]
    pub struct Media {
        /// The media type, such as `image/png`; null where nobody said.
        pub media_type: Option<String>,
        /// The contents, in base64.
        pub data: Option<String>,
        /// The contents, as text.
        pub text: Option<String>,
        /// The address.
        pub url: Option<String>,
        /// The id of the file at the Files API.
        pub file: Option<String>,
    }
}
