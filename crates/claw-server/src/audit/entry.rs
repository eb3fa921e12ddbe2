//! A line of the audit log.

use serde::{Deserialize, Serialize};

use super::action::Action;
use crate::iso_time::now;

/// Maximum length of [`AuditEntry::what`], in characters.
const WHAT: usize = 1000;
/// Maximum length of every other text, in characters.
const SHORT: usize = 200;

/// How the sender of an action was identified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum AuditSender {
    /// By the server's token, or by a login that was created with this token.
    Token,
    /// By the token or a login of a user.
    User,
    /// By the server's socket. Only programs of the operating system's user who runs the server can connect to it.
    Socket,
    /// By a [`Person`](crate::Person) whom the program that embeds the server has set.
    Person,
    /// The sender had no valid credentials.
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
    /// How the sender was identified.
    pub by: AuditSender,
    /// The name of the user or person. `None` for every other sender.
    pub user: Option<String>,
    /// The address and port from which the connection came. For the server's socket it is the process at the other end,
    /// such as `process 4711`. `None` if the program that embeds the server does not pass on the address.
    pub from: Option<String>,
    /// The header `X-Forwarded-For` of the request. A proxy sets this header. A client that connects directly can set
    /// it to any text.
    pub forwarded: Option<String>,
    /// The address of the host that carried out the action. `None` if the server is not one of several hosts.
    pub host: Option<String>,
    /// The [name](crate::Action::name) of the action.
    pub action: String,
    /// The project. `None` if the action is not about a project, or if it was refused before the project was known.
    pub project: Option<String>,
    /// The ID of the session. `None` if the action is not about a session. For a fork, the ID of the copied session.
    pub session: Option<String>,
    /// What was done, with at most 1,000 characters: the text of a prompt, the decision about a request with the
    /// request itself, or the body of a change.
    pub what: Option<String>,
    /// The number of characters that were cut off at the end of `what`. `None` if `what` is complete.
    pub cut: Option<usize>,
    /// Why the action was refused or has failed. `None` if the server has begun to carry out the action.
    pub refused: Option<AuditRefusal>,
}

impl AuditEntry {
    /// Creates an entry with the current time, a new ID, the sender and the action.
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

/// Why an action was refused or has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditRefusal {
    /// The kind of the error, such as `role`. The body of the response has the same kind.
    pub kind: String,
    /// The error in words. At most 200 characters.
    pub message: String,
}

/// Returns the first [`WHAT`] characters of a text, and the number of characters after them.
pub(super) fn what(text: &str) -> (String, Option<usize>) {
    match text.char_indices().nth(WHAT) {
        None => (text.to_owned(), None),
        Some((at, _)) => (text[..at].to_owned(), Some(text[at..].chars().count())),
    }
}

/// Shortens a text to [`SHORT`] characters. Normal requests contain no longer texts.
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
