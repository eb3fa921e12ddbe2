//! The capabilities that the client offered in `initialize`.

use agent_client_protocol::v1::schema::{ClientCapabilities, ElicitationCapabilities};

/// The capabilities that the client offered in `initialize`. The agent uses no other capability of the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offer {
    /// Whether the client can show forms (`elicitation.form`).
    pub forms: bool,
    /// Whether the client can open a URL when an MCP server asks the user to open it (`elicitation.url`).
    pub urls: bool,
    /// Whether the client can run a login in a terminal (`auth.terminal`).
    pub terminal_login: bool,
    /// Whether the client runs the command that the agent names as its login (`_meta.terminal-auth`). Clients did so
    /// before the protocol had `auth.terminal`, and the registry of agents still requires it.
    pub login_command: bool,
    /// Whether the client shows notices (`session.notices`).
    pub notices: bool,
    /// Whether the client shows compactions (`session.compaction`).
    pub compaction: bool,
    /// Whether the client shows options that are on or off (`session.configOptions.boolean`).
    pub switches: bool,
    /// Whether the client shows the output of commands as a terminal (`_meta.terminal_output`).
    pub terminal_output: bool,
    /// Whether the client shows the texts and the thinking of sub-agents (`_meta.subagent-transcript`). Each has the tool
    /// use of its sub-agent in `_meta.claudeCode.parentToolUseId`. Other clients would show them as texts of the main
    /// agent.
    pub subagent_texts: bool,
    /// Whether the client shows the change of a file as a patch, as clients of version 2 of the protocol do.
    #[cfg(feature = "v2-draft")]
    pub(crate) patches: bool,
}

impl From<&ClientCapabilities> for Offer {
    fn from(client: &ClientCapabilities) -> Self {
        let elicitation = client.elicitation.as_ref();
        let session = client.session.as_ref();
        let meta = client.meta.as_ref();
        let is_set = |name: &str| meta.and_then(|meta| meta.get(name)) == Some(&true.into());
        Self {
            forms: elicitation.is_some_and(ElicitationCapabilities::supports_form),
            urls: elicitation.is_some_and(ElicitationCapabilities::supports_url),
            terminal_login: client.auth.terminal,
            login_command: is_set("terminal-auth"),
            notices: session.is_some_and(|it| it.notices.is_some()),
            compaction: session.is_some_and(|it| it.compaction.is_some()),
            switches: session
                .and_then(|it| it.config_options.as_ref())
                .is_some_and(|it| it.boolean.is_some()),
            terminal_output: is_set("terminal_output"),
            subagent_texts: is_set("subagent-transcript"),
            #[cfg(feature = "v2-draft")]
            patches: false,
        }
    }
}
