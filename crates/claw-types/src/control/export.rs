//! `export_conversation`: the conversation as text. In no published type.

/// To `claude`: the conversation as text, as `/export` writes it. In no published type.
#[wire(tag(subtype = "export_conversation"), response = ExportConversationResponse)]
pub struct ExportConversation {}

/// The answer to `export_conversation`.
#[wire]
pub struct ExportConversationResponse {
    /// The conversation.
    pub text: String,
    /// What to call a file with it.
    pub default_filename: String,
}
