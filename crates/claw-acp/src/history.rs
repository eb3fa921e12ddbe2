//! Sends the conversation of a stored session as updates.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::SessionId;
use claw_sessions::on_pool;
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
    let entries = on_pool::run(move || Ok((session.entries()?, session.rewound()?))).await;
    let read: Result<_, claw_sessions::Error> = entries;
    let (entries, rewound) =
        read.map_err(|error| failed("the transcript cannot be read", &error))?;
    let mut entries = on_pool::each(entries);
    let mut timeline = Timeline::default();
    let mut updates = Updates::history(peer.offer.clone());
    #[cfg(feature = "v2-draft")]
    let peer = &peer.clone().for_replay();
    while let Some(line) = entries.next().await {
        let line = line.map_err(|error| failed("the transcript cannot be read", &error))?;
        if line.is_blank() {
            continue;
        }
        let entry = match line.entry() {
            Ok(entry) => entry,
            Err(error) => {
                let number = line.number();
                tracing::warn!(session = %id, number, %error, "a line of the transcript cannot be read");
                // The timeline can still interpret a line in an older form.
                let raw = String::from_utf8_lossy(line.raw().unwrap_or_default());
                let changes = timeline.push(Input::Line(&raw));
                let sent = peer.updates(id, updates.changes(changes)).await;
                sent.map_err(|Disconnected| Error::internal_error())?;
                continue;
            }
        };
        let is_rewound = |uuid: &claw_types::MessageUuid| rewound.branch(uuid.as_str()).is_some();
        // The model does not have rewound entries.
        if entry.uuid().is_some_and(is_rewound) {
            continue;
        }
        let changes = timeline.push(Input::Entry(&entry));
        let sent = peer.updates(id, updates.changes(changes)).await;
        sent.map_err(|Disconnected| Error::internal_error())?;
    }
    Ok(())
}
