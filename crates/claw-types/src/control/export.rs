//! `export_conversation`: the conversation as text. Not part of the official SDK's published types.

/// To `claude`: export the conversation as text, as `/export` does. Not part of the official SDK's
/// published types.
#[wire(tag(subtype = "export_conversation"), response = ExportConversationResponse)]
pub struct ExportConversation {}

/// The response to `export_conversation`.
#[wire]
pub struct ExportConversationResponse {
    /// The text of the conversation.
    pub text: String,
    /// A suggested name for the file in which the text is saved.
    pub default_filename: String,
}
