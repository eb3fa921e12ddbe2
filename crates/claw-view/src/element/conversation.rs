//! Elements of the conversation.

use crate::shown::shown;

shown! {
    /// An element with the user's input: a prompt, or a slash command with its arguments.
    pub struct UserInput {
        /// The text of the input.
        pub text: String,
    }

    /// An element with a text that the model wrote.
    pub struct AssistantText {
        /// The text so far.
        pub text: String,
        /// Whether more text follows, because the model is still writing.
        pub streaming: bool,
        /// Whether an interrupt ended the text early. The text may then end in the middle of a word.
        pub aborted: bool,
    }

    /// An element with the model's thinking.
    pub struct Thinking {
        /// The text so far. Empty if the thinking is not shown.
        pub text: String,
        /// Whether more text follows, because the model is still writing.
        pub streaming: bool,
        /// Whether the API withheld the text of the thinking (redacted thinking).
        pub redacted: bool,
    }

    /// An element that says that the user interrupted the turn.
    pub struct Interrupted {
        /// The CLI's text that reports the interruption.
        pub text: String,
        /// Whether a tool was running or waiting for permission when the turn was interrupted.
        pub during_tool_use: bool,
    }

    /// An element for a compaction: a summary replaced the conversation before it.
    pub struct ContextCompaction {
        /// The summary. Null until the CLI has sent it.
        pub summary: Option<String>,
        /// The part of the summary that a person should see, without the text that the CLI adds for the model. Null if
        /// a person should see the whole `summary`.
        pub shown: Option<String>,
        /// What started the compaction: `manual` (the user) or `auto` (the CLI, because the context
        /// was full). Null if unknown.
        pub trigger: Option<String>,
        /// The number of tokens of the conversation before the compaction. Null if unknown.
        pub tokens_before: Option<u64>,
        /// The number of tokens of the conversation after the compaction. Null if unknown.
        pub tokens_after: Option<u64>,
        /// The part of the conversation that the summary replaces, such as `3 messages from a prompt on`. Null if the
        /// summary replaces the whole conversation before it.
        pub part: Option<String>,
    }

    /// An element for a branch of the conversation that was rewound: the user went back to an earlier message, and the
    /// conversation continued from there. The model does not have the branch.
    pub struct RewoundBranch {
        /// The line to show, such as `rewound: 2 prompts`.
        pub text: String,
        /// The number of prompts in the branch.
        pub prompts: u64,
        /// The elements of the branch, in order. They are shown when a person asks for them.
        pub elements: Vec<crate::element::Element>,
    }

    /// An element with an image.
    pub struct Image {
        /// The contents of the image, or the place where they are stored.
        pub media: Media,
        /// The source of the image: `user`, `assistant`, or the ID of the tool use that returned it.
        pub from: String,
    }

    /// An element with a document.
    pub struct Document {
        /// The title of the document. Null if it has none.
        pub title: Option<String>,
        /// The contents of the document, or the place where they are stored.
        pub media: Media,
        /// The source of the document: `user`, `assistant`, or the ID of the tool use that returned it.
        pub from: String,
    }

    /// The contents of an image or document. At most one of `data`, `text`, `url` and `file` is present. All four are
    /// null if this version of the library does not know the kind of source.
    #[derive(Default)]
    pub struct Media {
        /// The media type, such as `image/png`. Null if unknown.
        pub media_type: Option<String>,
        /// The contents in base64.
        pub data: Option<String>,
        /// The contents as text.
        pub text: Option<String>,
        /// The URL of the contents.
        pub url: Option<String>,
        /// The ID of the file in the Files API, which stores the contents.
        pub file: Option<String>,
    }
}
