//! Maps errors of the server and of connections to [`StoreError`].

use claw_store::adapter::{Failure, FailureKind as Kind};
use redis::{ErrorKind, RedisError};

/// Maps the error of a call. If the server reports an error, nothing was stored: a script reads all its keys before its
/// first write, and the server can refuse only the first write.
#[expect(clippy::needless_pass_by_value, reason = "the argument of `map_err`")]
pub(crate) fn failure(error: RedisError) -> Failure {
    let mut text = error.to_string();
    let kind = match error.kind() {
        ErrorKind::Server(_) | ErrorKind::Extension => {
            let code = error.code().unwrap_or_default();
            // The text is the error as the server reports it.
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
    Failure { kind, text }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_of_the_server_has_a_kind() {
        for (message, expected) in [
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
            let code = message.split(' ').next().unwrap();
            assert_eq!(kind(code, message), expected, "{message}");
        }
    }
}
