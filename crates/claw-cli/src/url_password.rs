//! Finds passwords in the URLs of stores.

/// Returns whether a URL contains a password, either after the user's name or in the parameters.
pub(crate) fn has_password(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else {
        return false;
    };
    let (before, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let user = before
        .split('/')
        .next()
        .and_then(|authority| authority.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':'))
        || parameters
            .to_ascii_lowercase()
            .split('&')
            .any(|parameter| parameter.starts_with("password="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_seen() {
        for url in [
            "postgres://claw:secret@db/claw",
            "redis://:secret@db",
            "postgres://db/claw?sslmode=require&password=secret",
            "postgres://claw:se@cret@db/claw",
        ] {
            assert!(has_password(url), "{url}");
        }
        for url in [
            "postgres://claw@db:5432/claw",
            "postgres://db:5432/claw?application_name=a:b@c",
            "/srv/a:b@c",
            "file:///srv/a:b@c",
        ] {
            assert!(!has_password(url), "{url}");
        }
    }
}
