//! Processes that report the IDs of other sessions.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::json;
use tracing::Level;

use crate::client::Running;
use crate::config_dirs::transcript;
use crate::kept::{texts, view};
use crate::metrics::Log;
use crate::window::first;

const OTHER: &str = "22222222-2222-4222-8222-222222222222";
const NEW: &str = "33333333-3333-4333-8333-333333333333";

/// A turn in which the process continues the session under another ID.
pub(crate) fn reports(id: &str) -> Step {
    let init = json!({"type": "system", "subtype": "init", "cwd": "$cwd", "session_id": id, "tools": [],
        "mcp_servers": [], "model": "$model", "permissionMode": "default", "slash_commands": [],
        "apiKeySource": "none", "claude_code_version": "2.1.332", "output_style": "default", "agents": [],
        "skills": [], "plugins": [], "uuid": "$uuid"});
    Step::Turn(vec![Step::Line(init), Step::message([Block::text("Yes.")])])
}

/// Sends a prompt to a session, and waits until its turn has ended. Returns the ID of the session then.
pub(crate) async fn turn(running: &Running, session: &str) -> String {
    let mut events = running.events(session, None).await;
    let sent = running.prompt(session, "Well?").await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    events
        .until("state", |state| state["phase"] == "running")
        .await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let id = view(running, session).await["id"].clone();
    id.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_takes_no_place_of_another_live_one() {
    let log = Log::new(Level::WARN);
    let running = Running::start(Script::new([reports(OTHER), reports(NEW)])).await;
    let config = running.folder.path().join("config");
    transcript(&running, &config, OTHER, "Pears");
    assert_eq!(view(&running, OTHER).await["id"], OTHER);
    let session = running.session().await;
    assert_eq!(turn(&running, &session).await, session);
    // Nothing of the turn is lost, and its viewers are informed.
    let shown = texts(&running, &session).await;
    assert!(shown.contains(&"Yes.".to_owned()), "{shown:?}");
    let notice =
        "Claude reported an ID that this session cannot have. The session keeps its own ID.";
    assert!(shown.contains(&notice.to_owned()), "{shown:?}");
    assert_eq!(view(&running, OTHER).await["id"], OTHER);
    assert_eq!(texts(&running, OTHER).await[0], "Pears");
    assert_eq!(running.server.hub().live().len(), 2);
    // An ID that no session has is accepted.
    assert_eq!(turn(&running, &session).await, NEW);
    running.end().await;
    let log = log.end();
    let line = log.lines().find(|line| line.contains("is refused"));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains(&session) && line.contains(OTHER), "{line}");
}

#[tokio::test]
async fn a_page_that_is_opened_shows_exactly_its_session() {
    let running = Running::start(Script::new([reports(NEW)])).await;
    let session = running.session().await;
    assert_eq!(turn(&running, &session).await, NEW);
    let config = running.folder.path().join("config");
    transcript(&running, &config, &session, "Pears");
    let of = |id: &str| format!("event: moved\ndata: {{\"session\":\"{id}\"}}");
    // A page that connects again follows the conversation.
    let text = first(&running, &session, "").await;
    assert!(text.contains(&of(NEW)) && !text.contains("Pears"), "{text}");
    let text = first(&running, &session, "?exact=true").await;
    assert!(
        text.contains(&of(&session)) && text.contains("Pears"),
        "{text}"
    );
    running.end().await;
}
