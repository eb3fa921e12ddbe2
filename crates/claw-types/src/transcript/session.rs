//! What a session is: its names, its modes, where it comes from. The last line of a kind counts.

use crate::options::PermissionMode;
use crate::{Count, Json, MessageUuid, Number, SessionId, Tri};

/// A struct for a line about the session, which is no link of the chain.
macro_rules! note {
    ($(#[doc = $doc:literal])+ [$kind:tt] $name:ident { $($own:tt)* }) => {
        $(#[doc = $doc])+
        #[wire(tag(type = $kind), rename_all = "camelCase")]
        pub struct $name {
            $($own)*
            /// The session.
            pub session_id: $crate::SessionId,
        }
    };
}
pub(crate) use note;

note! {
    /// The title that a person gave the session.
    ["custom-title"] CustomTitleEntry {
        /// The title.
        pub custom_title: String,
    }
}

note! {
    /// The title that a model gave the session. A person's own goes before it.
    ["ai-title"] AiTitleEntry {
        /// The title.
        pub ai_title: String,
    }
}

note! {
    /// A word that the session can be found by.
    ["tag"] TagEntry {
        /// The word; empty where it was taken away.
        pub tag: String,
    }
}

/// What a conversation was about. Written by older CLIs, and by imports.
#[wire(tag(type = "summary"), rename_all = "camelCase")]
pub struct SummaryEntry {
    /// The summary.
    pub summary: String,
    /// The last line of the conversation.
    pub leaf_uuid: MessageUuid,
    /// The session. Older CLIs do not say.
    pub session_id: Option<SessionId>,
}

note! {
    /// The session's name among agents.
    ["agent-name"] AgentNameEntry {
        /// The name.
        pub agent_name: String,
    }
}

note! {
    /// The session's colour on screens.
    ["agent-color"] AgentColorEntry {
        /// The colour's name.
        pub agent_color: String,
    }
}

note! {
    /// The agent that the session runs as.
    ["agent-setting"] AgentSettingEntry {
        /// The agent's name.
        pub agent_setting: String,
    }
}

note! {
    /// How the CLI works: `normal`, `coordinator` ….
    ["mode"] ModeEntry {
        /// The mode.
        pub mode: String,
    }
}

note! {
    /// What is asked for and what is not.
    ["permission-mode"] PermissionModeEntry {
        /// The mode.
        pub permission_mode: PermissionMode,
    }
}

note! {
    /// Whether the model works by writing programs.
    ["repl-mode"] ReplModeEntry {
        /// Whether it does.
        pub repl_mode: Json,
        /// Whether what the programs say is typed.
        pub typed_events: Option<bool>,
    }
}

note! {
    /// From here on, the session remembers or does not.
    ["memory-mode"] MemoryModeEntry {
        /// How.
        pub mode: String,
        /// The line after which it holds; null from the beginning.
        pub after_uuid: Tri<MessageUuid>,
        /// When, as ISO 8601.
        pub timestamp: Option<String>,
        /// Why.
        pub reason: Option<String>,
        /// Whose memory it is, of a shape of its own.
        pub account: Option<Json>,
        /// What the person chose.
        pub account_choice: Option<Json>,
    }
}

note! {
    /// On which side of a sandbox the session stays.
    ["isolation-latch"] IsolationLatchEntry {
        /// The side.
        pub side: String,
    }
}

note! {
    /// A word that the session keeps for the API's sake; empty where there is none.
    ["atis-latch"] AtisLatchEntry {
        /// The word.
        pub atis: String,
    }
}

note! {
    /// The folder that the session's changes to the CLI itself come from.
    ["dev-mods"] DevModsEntry {
        /// The folder.
        pub folder: String,
    }
}

note! {
    /// The session goes on in another folder.
    ["relocated"] RelocatedEntry {
        /// The folder.
        pub relocated_cwd: String,
    }
}

note! {
    /// The git worktree that the session works in.
    ["worktree-state"] WorktreeStateEntry {
        /// The worktree; null where it works in none.
        #[wire(nullable)]
        pub worktree_session: Option<WorktreeRecord>,
    }
}

/// A git worktree that a session works in.
#[wire(rename_all = "camelCase")]
pub struct WorktreeRecord {
    /// Where it is.
    pub worktree_path: String,
    /// What it is called.
    pub worktree_name: Option<String>,
    /// Its branch.
    pub worktree_branch: Option<String>,
    /// The folder that the session was in before.
    pub original_cwd: Option<String>,
    /// The folder that it was in when it began.
    pub pre_enter_original_cwd: Option<String>,
    /// The branch that it was on before.
    pub original_branch: Option<String>,
    /// The commit that it was on before.
    pub original_head_commit: Option<String>,
    /// Where the project's own settings are looked for.
    pub extension_root: Option<String>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// Whether a hook made it.
    pub hook_based: Option<bool>,
}

note! {
    /// The pull request that the session is about.
    ["pr-link"] PrLinkEntry {
        /// Its number.
        pub pr_number: Number,
        /// Its address.
        pub pr_url: String,
        /// Its repository.
        pub pr_repository: String,
        /// When it was linked, as ISO 8601.
        pub timestamp: Option<String>,
    }
}

note! {
    /// A page that the session has published, or how many there are.
    ["frame-link"] FrameLinkEntry {
        /// The file.
        pub path: Option<String>,
        /// The page's address.
        pub frame_url: Option<String>,
        /// The page's title.
        pub title: Option<String>,
        /// How many pages the session has published.
        pub artifact_count: Option<Count>,
        /// When, as ISO 8601.
        pub timestamp: Option<String>,
    }
}

note! {
    /// Comments on published pages that the session listens for.
    ["artifact-comment-monitor"] ArtifactCommentMonitorEntry {
        /// The version of this kind of line.
        pub v: Count,
        /// The pages, of a shape of its own.
        pub artifacts: Json,
    }
}

note! {
    /// Comments on published pages that the session has answered.
    ["artifact-autoreact-ledger"] ArtifactAutoreactLedgerEntry {
        /// The version of this kind of line.
        pub v: Count,
        /// The account that published them.
        pub account_uuid: Option<String>,
        /// The pages, of a shape of its own.
        pub artifacts: Json,
    }
}

note! {
    /// The session in the cloud that this one is shown in.
    ["bridge-session"] BridgeSessionEntry {
        /// That session; empty where there is none any more.
        pub bridge_session_id: String,
        /// How far it has been told.
        pub last_sequence_num: Number,
        /// Dialogs that it can show.
        pub declared_dialog_kinds: Option<Vec<String>>,
        /// The group that it belongs to.
        pub session_grouping_id: Option<String>,
        /// Whether it is not told of what was before.
        pub no_history_backfill: Option<bool>,
        /// Whose it is.
        pub owner_account_uuid: Option<String>,
        /// The owner's organisation.
        pub owner_organization_uuid: Option<String>,
    }
}

note! {
    /// What was before is not shown in the cloud.
    ["history-suppression"] HistorySuppressionEntry {
        /// Why.
        pub cause: String,
        /// The account that it is kept from.
        pub vetoed_against_account_uuid: Option<String>,
        /// When, as ISO 8601.
        pub ts: Option<String>,
    }
}

note! {
    /// The account that the session belongs to.
    ["session-owner"] SessionOwnerEntry {
        /// The account.
        pub account_uuid: Option<String>,
        /// Its organisation.
        pub organization_uuid: Option<String>,
    }
}

note! {
    /// Another organisation that answers came from.
    ["hybrid-organization"] HybridOrganizationEntry {
        /// The organisation.
        pub organization_uuid: String,
    }
}

note! {
    /// The model has ended the conversation.
    ["ended-by-model"] EndedByModelEntry {
        /// When, as ISO 8601.
        pub timestamp: Option<String>,
    }
}

note! {
    /// The conversation goes on in another session.
    ["continued-in"] ContinuedInEntry {
        /// That session.
        pub continued_in_session_id: SessionId,
        /// When, as ISO 8601.
        pub timestamp: Option<String>,
    }
}

note! {
    /// Sessions that the conversation comes from.
    ["derived-from"] DerivedFromEntry {
        /// The version of this kind of line.
        pub v: Count,
        /// The sessions.
        pub sessions: Vec<DerivedSession>,
    }
}

/// A session that a conversation comes from.
#[wire]
pub struct DerivedSession {
    /// What kind of session.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// The session; null where it is not known.
    pub id: Tri<String>,
    /// How: `compact`, `resume`, `branch`, `import` ….
    pub via: Option<String>,
}

note! {
    /// What a fast way of reading the file may rely on.
    ["resume-head-vouch"] ResumeHeadVouchEntry {
        /// A sum over the lines before, of a shape of its own.
        pub sum: Json,
    }
}
