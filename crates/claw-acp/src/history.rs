//! Sends the conversation of a stored session as updates.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::SessionId;
use claw_sessions::{Branches, EntryLine, on_pool};
use claw_view::{Input, Timeline};

use crate::failure::failed;
use crate::outbox::Disconnected;
use crate::peer::Peer;
use crate::stored::Opened;
use crate::updates::Updates;

/// Sends the conversation of a stored session to the client, without the branches that were rewound. The transcript is
/// read at the pace at which the client receives the updates.
pub(crate) async fn replay(peer: &Peer, id: &SessionId, opened: Opened) -> Result<(), Error> {
    let session = opened.session.clone();
    let read = on_pool::run(move || session.conversation(Branches::Current)).await;
    let items = read.map_err(|error| failed("the transcript cannot be read", &error))?;
    let mut items = on_pool::each(items);
    let mut timeline = Timeline::default();
    let mut updates = Updates::history(peer.offer.clone());
    #[cfg(feature = "v2-draft")]
    let peer = &peer.clone().for_replay();
    while let Some(item) = items.next().await {
        let item = item.map_err(|error| failed("the transcript cannot be read", &error))?;
        let changes = match item.entry() {
            Ok(entry) => timeline.push(Input::Entry(&entry)),
            Err(error) => {
                let number = item.line().map(EntryLine::number);
                tracing::warn!(session = %id, number, %error, "a line of the transcript cannot be read");
                // The timeline can still interpret a line in an older form of the protocol.
                let raw = item.line().and_then(EntryLine::raw).unwrap_or_default();
                timeline.push(Input::Line(&String::from_utf8_lossy(raw)))
            }
        };
        let sent = peer.updates(id, updates.changes(changes)).await;
        sent.map_err(|Disconnected| Error::internal_error())?;
    }
    Ok(())
}
