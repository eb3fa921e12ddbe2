//! Runs claw's part: a session for each role.

use std::fs;
use std::path::Path;
use std::time::Duration;

use claw_client::hook::{HookFor, PreToolUse};
use claw_client::rmcp::ServerHandler;
use claw_client::rmcp::model::{Implementation, ServerConfig};
use claw_client::types::QueryOptions;
use claw_client::types::control::{
    DialogCancelled, ElicitationResponse, PermissionResult, UserDialogResponse,
};
use claw_client::types::hook::{ElicitationAction, HookOutput};
use claw_client::{Session, SessionBuilder};
use futures::TryStreamExt;
use serde_json::{Value, json};

use super::cases::Role;
use xtask::run::Result;

/// The timeout of a role.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) fn all(roles: &Path) -> Result {
    let roles: Vec<Role> = serde_json::from_str(&fs::read_to_string(roles)?)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        for role in &roles {
            let played = tokio::time::timeout(PATIENCE, one(role)).await?;
            let record = role.folder.join("record.json");
            if let Err(error) = played
                && !record.exists()
            {
                fs::write(record, json!({"refused": error.to_string()}).to_string())?;
            }
        }
        Ok(())
    })
}

async fn one(role: &Role) -> Result {
    let options: QueryOptions = serde_json::from_value(Value::Object(role.options.clone()))?;
    let objects = role.objects.iter();
    let builder = objects.fold(Session::builder(options), |builder, name| {
        with(builder, name)
    });
    let mut messages = builder.query("Hi").await?;
    while messages.try_next().await?.is_some() {}
    Ok(())
}

/// An MCP server without features, like the other side's.
struct Own;

impl ServerHandler for Own {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::default().with_server_info(Implementation::new("own", "1.0.0"))
    }
}

/// Adds the object that the script of the official SDK uses under that name.
fn with(builder: SessionBuilder, name: &str) -> SessionBuilder {
    match name {
        "canUseTool" => builder.can_use_tool(|_| async { PermissionResult::deny("no") }),
        "hooks" => {
            let bash = HookFor::from("Bash").timeout(Duration::from_secs(30));
            builder.hook::<PreToolUse>(bash, |_, _| async { HookOutput::none() })
        }
        "mcpServers" => builder.mcp_server("own", Own),
        "onElicitation" => builder
            .on_elicitation(|_, _| async { ElicitationResponse::new(ElicitationAction::Decline) }),
        "onUserDialog" => builder
            .on_user_dialog(|_, _| async { UserDialogResponse::from(DialogCancelled::new()) }),
        "stderr" => builder.stderr(|_| {}),
        // Objects that only the official SDK has and that do not affect the start, or that
        // correspond to an option of claw.
        _ => builder,
    }
}
