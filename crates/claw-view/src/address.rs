//! Web addresses that may be offered to a person.

/// Returns whether an address may be offered to a person as a link. The address must begin with `https://` or
/// `http://`, contain a host, and contain only characters that are allowed in addresses. An address with a user name
/// before its host is refused, because a person would mistake the user name for the host:
/// `https://github.com@evil.example` leads to `evil.example`.
pub fn is_web_address(address: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let Some((scheme, rest)) = address.split_once("://") else {
        return false;
    };
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    is_web && is_authority(authority) && address.bytes().all(is_allowed)
}

/// Whether a text consists of a host, optionally followed by a port.
fn is_authority(authority: &str) -> bool {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let Some((host, port)) = rest.split_once(']') else {
            return false;
        };
        let is_address = |byte: u8| byte.is_ascii_hexdigit() || b":.".contains(&byte);
        if !host.bytes().all(is_address) {
            return false;
        }
        (host, port)
    } else {
        let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if !host.bytes().all(is_name) {
            return false;
        }
        (host, port)
    };
    let is_port = match port.strip_prefix(':') {
        Some(digits) => digits.is_empty() || digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    !host.is_empty() && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_without_a_user_are_links() {
        for address in [
            "https://example.com",
            "https://example.com/login?a=b@c#d@e",
            "HTTP://127.0.0.1:8080",
            "https://[::1]:443/",
            "http://localhost?x",
        ] {
            assert!(is_web_address(address), "{address}");
        }
        for address in [
            "",
            "https:",
            "https://",
            "https:///a",
            "https://:80/",
            "https://a:b",
            "https://a:99999",
            "https://[::1",
            "https://[]/",
            "https://github.com@evil.example",
            "https://github.com:443@evil.example/",
            "https://github.com%2f@evil.example/",
            "https://@evil.example/",
            "https://a%2eb/",
            "ftp://a/",
            "javascript://a/%0aalert(1)",
            "https://a\\b",
            "https://a/\u{202e}",
            "https://a b/",
        ] {
            assert!(!is_web_address(address), "{address}");
        }
    }
}
