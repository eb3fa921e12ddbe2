//! Maps errors of the server and of connections to [`StoreError`].

use redis::{ErrorKind, RedisError};

use crate::StoreError;

/// The error of a call.
#[derive(Debug)]
pub(super) struct Failure {
    kind: Kind,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// The server refused the request, and would refuse it again.
    Refused,
    /// The server refused the request for a temporary reason.
    Busy,
    /// The server holds invalid data.
    Corrupt,
    /// No response arrived.
    Silent,
}

impl Failure {
    /// Returns the failure of a call whose response did not arrive in time.
    pub(super) fn silent(text: String) -> Self {
        Self {
            kind: Kind::Silent,
            text,
        }
    }

    /// Maps the failure of a call that stores nothing.
    pub(super) fn storing_nothing(self) -> StoreError {
        match self.kind {
            Kind::Refused => StoreError::refused(self.text),
            Kind::Corrupt => StoreError::corrupt(self.text),
            Kind::Busy | Kind::Silent => StoreError::unavailable(self.text),
        }
    }

    /// Maps the failure of a script that stores. If the server reports an error, the script stored nothing: it reads
    /// all its keys before its first write, and the server can refuse only the first write.
    pub(super) fn storing(self) -> StoreError {
        match self.kind {
            Kind::Silent => StoreError::uncertain(self.text),
            _ => self.storing_nothing(),
        }
    }
}

impl From<RedisError> for Failure {
    fn from(error: RedisError) -> Self {
        let mut text = error.to_string();
        let kind = match error.kind() {
            ErrorKind::Server(_) | ErrorKind::Extension => {
                let code = error.code().unwrap_or_default();
                // The error in the server's words.
                text = format!("{code} {}", error.detail().unwrap_or_default());
                kind(code, &text)
            }
            ErrorKind::AuthenticationFailed
            | ErrorKind::InvalidClientConfig
            | ErrorKind::Client
            | ErrorKind::RESP3NotSupported => Kind::Refused,
            _ => Kind::Silent,
        };
        let text = text.chars().take(300).collect();
        Self { kind, text }
    }
}

/// Returns the kind of an error, given its code and its text.
fn kind(code: &str, text: &str) -> Kind {
    match code {
        "LOADING" | "BUSY" | "OOM" | "MISCONF" | "READONLY" | "NOREPLICAS" | "MASTERDOWN"
        | "CLUSTERDOWN" | "TRYAGAIN" | "NOSCRIPT" | "UNBLOCKED" => Kind::Busy,
        "ERR" if text.contains("max number of clients") => Kind::Busy,
        "WRONGTYPE" => Kind::Corrupt,
        _ => Kind::Refused,
    }
}

/// Returns the error for data that cannot be parsed.
pub(super) fn corrupt(what: impl Into<String>) -> StoreError {
    StoreError::corrupt(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_says_has_a_kind() {
        for (said, expected) in [
            ("LOADING Redis is loading the dataset in memory", Kind::Busy),
            ("BUSY Redis is busy running a script", Kind::Busy),
            (
                "OOM command not allowed when used memory > 'maxmemory'",
                Kind::Busy,
            ),
            ("MISCONF Errors writing to the AOF file", Kind::Busy),
            (
                "READONLY You can't write against a read only replica",
                Kind::Busy,
            ),
            ("CLUSTERDOWN The cluster is down", Kind::Busy),
            (
                "TRYAGAIN Multiple keys request during rehashing of slot",
                Kind::Busy,
            ),
            ("ERR max number of clients reached", Kind::Busy),
            ("ERR unknown command 'EVALSHA'", Kind::Refused),
            ("NOAUTH Authentication required.", Kind::Refused),
            ("WRONGPASS invalid username-password pair", Kind::Refused),
            ("NOPERM this user has no permissions", Kind::Refused),
            ("MOVED 3999 127.0.0.1:6381", Kind::Refused),
            (
                "CROSSSLOT Keys in request don't hash to the same slot",
                Kind::Refused,
            ),
            ("WRONGTYPE Operation against a key", Kind::Corrupt),
        ] {
            let code = said.split(' ').next().unwrap();
            assert_eq!(kind(code, said), expected, "{said}");
        }
    }
}
