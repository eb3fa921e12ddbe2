//! Sessions on disk: their list, and their conversation as updates.

use std::path::PathBuf;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo,
};
use claw_sessions::{Session, Sessions, on_pool};
use claw_types::store;
use claw_view::{Input, Timeline};

use crate::failure::{failed, invalid};
use crate::outbox::Disconnected;
use crate::peer::Peer;
use crate::updates::Updates;

/// The number of sessions in a page of the list.
const PAGE: usize = 100;

/// Lists sessions, the newest first. The cursor is the number of sessions before the page.
pub(crate) async fn list(
    sessions: Sessions,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse, Error> {
    let offset = match &request.cursor {
        Some(cursor) => cursor
            .parse()
            .map_err(|_| invalid("the cursor is none of this agent"))?,
        None => 0_usize,
    };
    let listing = on_pool::run(move || {
        let list = sessions.list().offset(offset).limit(PAGE + 1);
        match request.cwd {
            Some(cwd) => list.project(cwd).run(),
            None => list.run(),
        }
    });
    let listing = listing.await;
    let listing = listing.map_err(|error| failed("the sessions cannot be listed", &error))?;
    let has_more = listing.sessions.len() > PAGE;
    let page = listing.sessions.into_iter().take(PAGE).map(info);
    let response = ListSessionsResponse::new(page.collect());
    Ok(response.next_cursor(has_more.then(|| (offset + PAGE).to_string())))
}

fn info(session: store::SessionInfo) -> SessionInfo {
    // A session whose directory is unknown can be loaded from anywhere.
    let cwd = session.cwd.map(PathBuf::from).unwrap_or_else(|| "/".into());
    let info =
        SessionInfo::new(SessionId::new(session.session_id.as_str()), cwd).title(session.summary);
    info.updated_at(timestamp(session.last_modified.as_f64()))
}

/// A time in milliseconds since 1970 as ISO 8601, in UTC.
fn timestamp(milliseconds: f64) -> Option<String> {
    if !(0.0..253_402_300_800_000.0).contains(&milliseconds) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    let milliseconds = milliseconds as u64;
    let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, fraction) = (rest / 1000 % 60, rest % 1000);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z"
    ))
}

/// The date of a day, counted from 1 January 1970, in the Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the leap day is the last one. An era has 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let first = (153 * month + 2) / 5;
    let month_of_year = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month_of_year <= 2);
    (year, month_of_year, day - first + 1)
}

/// Sends the conversation of a stored session to the client. The transcript is read as the client takes the updates.
pub(crate) async fn replay(peer: &Peer, id: &SessionId, session: Session) -> Result<(), Error> {
    let entries = on_pool::run(move || session.entries()).await;
    let entries = entries.map_err(|error| failed("the transcript cannot be read", &error))?;
    let mut entries = on_pool::each(entries);
    let mut timeline = Timeline::default();
    let mut updates = Updates::history(peer.offer.clone());
    while let Some(line) = entries.next().await {
        let line = line.map_err(|error| failed("the transcript cannot be read", &error))?;
        if line.is_blank() {
            continue;
        }
        let entry = match line.entry() {
            Ok(entry) => entry,
            Err(error) => {
                let number = line.number();
                tracing::warn!(session = %id, number, %error, "a line of the transcript was skipped");
                continue;
            }
        };
        let changes = timeline.push(Input::Entry(&entry));
        let sent = peer.updates(id, updates.changes(changes)).await;
        sent.map_err(|Disconnected| Error::internal_error())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_of_the_gregorian_calendar() {
        let text = |milliseconds| timestamp(milliseconds).unwrap();
        assert_eq!(text(0.0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(951_782_400_000.0), "2000-02-29T00:00:00.000Z");
        assert_eq!(text(1_795_525_199_999.0), "2026-11-24T12:59:59.999Z");
        assert_eq!(timestamp(-1.0), None);
        assert_eq!(timestamp(f64::NAN), None);
    }
}
