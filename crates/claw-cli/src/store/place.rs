//! Derives the place of a store from its URL.

/// Returns the part of a URL that distinguishes the store from other stores, without the user and the password. It
/// contains the schema of a Postgres store, because stores in two schemas of a database are different stores.
pub(super) fn place(url: &str) -> String {
    let Some((scheme, rest)) = url
        .split_once("://")
        .filter(|(scheme, _)| *scheme != "file")
    else {
        let url = url.strip_prefix("file://").unwrap_or(url);
        let path = std::path::absolute(url);
        return path.map_or_else(|_| url.to_owned(), |path| path.display().to_string());
    };
    let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or_default();
    let mut options = options.split(['&', '#']);
    let part = options.rfind(|option| is_schema(option));
    let part = part.map(|option| format!("?{option}"));
    format!("{scheme}://{host}/{path}{}", part.unwrap_or_default())
}

/// Whether an option of a URL names the schema.
fn is_schema(option: &str) -> bool {
    option.starts_with("schema=")
}

/// Returns the [`place`] of a store with those options of its URL that select a part of the server, such as a schema.
/// The result contains no passwords and keys.
#[cfg(any(feature = "serve", feature = "terminal"))]
pub(super) fn part_of_place(url: &str) -> String {
    let mut place = place(url);
    let options = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('?'));
    for option in options.map_or("", |(_, options)| options).split(['&', '#']) {
        let name = option.split('=').next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let is_secret = ["pass", "secret", "key", "token"].iter();
        let is_new = !name.is_empty() && !is_schema(option);
        if is_new && !is_secret.into_iter().any(|part| name.contains(part)) {
            place.push('?');
            place.push_str(option);
        }
    }
    place
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
        // A copy and a synchronisation of another schema must not count as one of this schema.
        let one = place("postgres://claw:secret@db/claw?sslmode=require&schema=one");
        assert_eq!(one, "postgres://db/claw?schema=one");
        assert_eq!(place("postgres://db/claw?schema=one#x"), one);
        assert_eq!(place("file:///a"), place("/a"));
        assert!(place("./store").ends_with("store"));
    }

    #[cfg(any(feature = "serve", feature = "terminal"))]
    #[test]
    fn the_parts_of_a_server_are_different_places() {
        let part = |url: &str| part_of_place(url);
        let one = part("postgres://a:secret@db/claw?schema=one&password=secret");
        assert_eq!(one, "postgres://db/claw?schema=one");
        assert_ne!(one, part("postgres://db/claw?schema=two"));
        assert_eq!(part("/a/store"), place("/a/store"));
    }
}
