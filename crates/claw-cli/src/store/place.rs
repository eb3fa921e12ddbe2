//! The place of a store.

/// The part of a URL that distinguishes the store from others, without the user and the password.
pub(super) fn place(url: &str) -> String {
    let Some((scheme, rest)) = url
        .split_once("://")
        .filter(|(scheme, _)| *scheme != "file")
    else {
        let url = url.strip_prefix("file://").unwrap_or(url);
        let path = std::path::absolute(url);
        return path.map_or_else(|_| url.to_owned(), |path| path.display().to_string());
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_by_any_user() {
        for url in [
            "postgres://claw:se@cret@db:5432/claw",
            "postgres://db:5432/claw?password=x",
            "postgres://other@db:5432/claw",
        ] {
            assert_eq!(place(url), "postgres://db:5432/claw");
        }
        assert_eq!(place("s3://bucket/a"), "s3://bucket/a");
        assert_eq!(place("file:///a"), place("/a"));
        assert!(place("./store").ends_with("store"));
    }
}
