//! A line of the audit log.

use serde::{Deserialize, Serialize};

use super::action::Action;
use crate::iso_time::now;

/// Maximum length of what was done, in characters.
const WHAT: usize = 1000;
/// Maximum length of every other text, in characters.
const SHORT: usize = 200;

/// What the sender of an action has shown of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum AuditSender {
    /// The token of the server, or a login that was made with it.
    Token,
    /// The token or a login of a user.
    User,
    /// The socket of the server's user: a program that runs as this user.
    Socket,
    /// A name that the program around the server has given, see [`Person`](crate::Person).
    Person,
    /// Nothing that is valid.
    Unknown,
}

/// An entry of an [`Audit`](crate::Audit) log: an action, or the refusal of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditEntry {
    /// The time in UTC, such as `2026-11-29T04:05:06.789Z`.
    pub time: String,
    /// The ID of the action: 32 hexadecimal digits. An action that was recorded and then failed has a second entry with the
    /// same ID and a refusal.
    pub id: String,
    /// What the sender has shown of itself.
    pub by: AuditSender,
    /// The name of the user or person. `None` for others.
    pub user: Option<String>,
    /// The address and port from which the connection came, or the process at the other end of the server's socket, such as
    /// `process 4711`. `None` if the program around the server does not pass them on.
    pub from: Option<String>,
    /// The header `X-Forwarded-For` of the request. A proxy sets it, and so can any client that needs no proxy.
    pub forwarded: Option<String>,
    /// The address of the host that has carried out the action, if it is one of several.
    pub host: Option<String>,
    /// The [name](crate::Action::name) of the action.
    pub action: String,
    /// The project. `None` if the action is about none, or if it was refused before the project was known.
    pub project: Option<String>,
    /// The ID of the session. `None` if the action is about none. For a fork it is the session that is copied.
    pub session: Option<String>,
    /// What was done: the text of a prompt, the decision about a request with what was asked, or the body of a change. At
    /// most 1,000 characters.
    pub what: Option<String>,
    /// The number of characters that `what` lacks at its end. `None` if it is whole.
    pub cut: Option<usize>,
    /// Why the action was refused or has failed. `None` for an action that the server has begun to carry out.
    pub refused: Option<AuditRefusal>,
}

impl AuditEntry {
    /// Creates an entry of now, with nothing but the sender and the action.
    pub(super) fn new(by: AuditSender, action: Action) -> Self {
        Self {
            time: now(),
            id: uuid::Uuid::new_v4().simple().to_string(),
            by,
            user: None,
            from: None,
            forwarded: None,
            host: None,
            action: action.name().to_owned(),
            project: None,
            session: None,
            what: None,
            cut: None,
            refused: None,
        }
    }
}

/// Why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditRefusal {
    /// The kind of the error, as in the body of the response, such as `role`.
    pub kind: String,
    /// The error in words. At most 200 characters.
    pub message: String,
}

/// The beginning of what was done, and the number of characters after it.
pub(super) fn what(text: &str) -> (String, Option<usize>) {
    match text.char_indices().nth(WHAT) {
        None => (text.to_owned(), None),
        Some((at, _)) => (text[..at].to_owned(), Some(text[at..].chars().count())),
    }
}

/// The beginning of a text that is shorter in any honest request.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_the_rest_is_counted() {
        let long = "é".repeat(WHAT);
        assert_eq!(what(&long), (long.clone(), None));
        assert_eq!(what(&format!("{long}ab")), (long, Some(2)));
        assert_eq!(what(""), (String::new(), None));
        assert_eq!(short(&"é".repeat(SHORT + 2)).chars().count(), SHORT + 1);
    }
}
