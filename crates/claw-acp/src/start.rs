//! Starts the process of a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{McpServer, SessionId};
use claw_client::Session;
use claw_types::QueryOptions;
use claw_types::options::{PermissionMode, SettingSource, SystemPrompt};
use claw_view::element::{NoticeKind, NoticeLevel};
use claw_view::{SessionFolders, running_hook};

use crate::config::Config;
use crate::failure::{invalid, of_claude};
use crate::peer::Peer;
use crate::sent_tools::SentTools;
use crate::session::LiveSession;
use crate::settings::Settings;
use crate::updates::notice_update;
use crate::{auth, mcp, permission, question};

/// Returns the options of a session. They are the agent's options with the settings of the client's request.
pub(crate) fn options(
    config: &Config,
    cwd: &Path,
    directories: &[PathBuf],
    servers: &[McpServer],
) -> Result<QueryOptions, Error> {
    if !cwd.is_absolute() {
        let path = cwd.display();
        return Err(invalid(format!("cwd: `{path}` is not an absolute path")));
    }
    let mut options = config.first_options();
    options.cwd = Some(cwd.to_owned());
    options.include_partial_messages = Some(true);
    options
        .system_prompt
        .get_or_insert_with(SystemPrompt::claude_code);
    options.setting_sources.get_or_insert_with(|| {
        vec![
            SettingSource::User,
            SettingSource::Project,
            SettingSource::Local,
        ]
    });
    if !directories.is_empty() {
        let all = options.additional_directories.get_or_insert_default();
        all.extend_from_slice(directories);
    }
    if !servers.is_empty() {
        let servers = mcp::servers(servers)?;
        let all = options.mcp_servers.get_or_insert_default();
        for (name, server) in servers.iter() {
            all.insert(name, server.clone());
        }
    }
    Ok(options)
}

/// Starts the process of a session, and waits until it accepts prompts.
pub(crate) async fn connect(
    config: &Config,
    peer: Peer,
    id: SessionId,
    mut options: QueryOptions,
) -> Result<Arc<LiveSession>, Error> {
    if peer.offer.subagent_texts {
        options.forward_subagent_text.get_or_insert(true);
    }
    #[cfg(feature = "v2-draft")]
    let peer = peer.for_session(&id);
    let sent = SentTools::default();
    let folders = SessionFolders::default();
    let begun = options.clone();
    let asks = options.permission_mode != Some(PermissionMode::DontAsk);
    let mut builder = Session::builder(options).initialize_timeout(config.start_timeout);
    if let Some(store) = &config.store {
        builder = builder.store(store.0.clone());
    }
    if let Some(configure) = &config.configure {
        builder = configure(builder);
    }
    builder = builder.on_start_hook({
        let (peer, id) = (peer.clone(), id.clone());
        move |hook| {
            let text = running_hook(&hook.name, hook.running_for);
            let (kind, level) = (NoticeKind::Session, NoticeLevel::Warning);
            let Some(update) = notice_update(&peer.offer, kind, level, &text) else {
                return;
            };
            let (peer, id) = (peer.clone(), id.clone());
            // The result is ignored, because sending fails only if the client has disconnected.
            tokio::spawn(async move { peer.update(&id, update).await });
        }
    });
    if asks {
        let (peer, id, sent, folders) = (peer.clone(), id.clone(), sent.clone(), folders.clone());
        builder = builder.can_use_tool(move |request| {
            let (peer, id, sent, folders) =
                (peer.clone(), id.clone(), sent.clone(), folders.clone());
            async move {
                sent.wait_for(request.tool_use_id()).await;
                let result = permission::decide(&peer, &id, &folders, request).await;
                folders.answered(&result);
                result
            }
        });
    }
    if peer.offer.forms || peer.offer.urls {
        let (peer, id) = (peer.clone(), id.clone());
        builder = builder.on_elicitation(move |elicitation, _| {
            let (peer, id) = (peer.clone(), id.clone());
            async move { question::elicit(&peer, &id, elicitation).await }
        });
    }
    let session = builder.connect().await;
    let session = session.map_err(|error| of_claude("Claude Code did not start", &error))?;
    if auth::is_missing(session.info()) {
        return Err(auth::required());
    }
    let settings = Settings::new(&begun, session.info());
    LiveSession::start(id, session, peer, begun, settings, sent, folders)
}
