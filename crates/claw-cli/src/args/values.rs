//! The values of options.

use std::net::Ipv6Addr;
use std::time::Duration;

use clap::ValueEnum;

/// The permission modes. Modes of a newer CLI can be set in the file of `--options`.
pub(crate) const MODES: [&str; 6] = [
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "auto",
    "bypassPermissions",
];

/// The form of a log.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// The maximum number of processes. It is the same as the default maximum of a server's live sessions.
const MOST_PROCESSES: u64 = 1000;

pub(super) fn processes() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..=MOST_PROCESSES)
}

/// A time in hours (`12h`), days (`90d`) or weeks (`8w`), of an hour or more.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    let units = [("h", 1), ("d", 24), ("w", 7 * 24)];
    let hours = units.iter().find_map(|(unit, hours)| {
        let number = text.strip_suffix(unit)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u64 = number.parse().ok().filter(|_| is_number)?;
        number.checked_mul(*hours)
    });
    // A hundred years, so that times in milliseconds fit everywhere.
    let hours = hours.filter(|hours| (1..=876_000).contains(hours));
    let expected = "a number with h, d or w for hours, days or weeks is wanted, such as 90d";
    hours
        .map(Duration::from_hours)
        .ok_or_else(|| expected.to_owned())
}

/// A number of bytes, alone or with kB, MB or GB (a thousand, a million or a billion of them).
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("", 1),
    ];
    let bytes = units.iter().find_map(|(unit, scale)| {
        let number = text.strip_suffix(unit)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u64 = number.parse().ok().filter(|_| is_number)?;
        number.checked_mul(*scale)
    });
    let expected = "a number of bytes is wanted, or one with kB, MB or GB, such as 10MB";
    bytes.ok_or_else(|| expected.to_owned())
}

/// A name in the header `Host`, which is compared without the port.
pub(super) fn host_name(text: &str) -> Result<String, String> {
    let address = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_name = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !text.is_empty() && text.bytes().all(is_in_name),
    };
    let expected =
        "a name without scheme and port is wanted, such as claw.example.org or [2001:db8::1]";
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_a_unit() {
        for (good, expected) in [("0", 0), ("512", 512), ("3kB", 3000), ("10MB", 10_000_000)] {
            assert_eq!(bytes(good), Ok(expected));
        }
        for bad in [
            "",
            "MB",
            "-1",
            "+1",
            "1.5MB",
            "1 MB",
            "1mb",
            "99999999999GB",
        ] {
            let error = bytes(bad).unwrap_err();
            assert!(error.contains("such as 10MB"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_host_has_neither_scheme_nor_port() {
        for good in [
            "claw.example.org",
            "Claw",
            "my_host",
            "10.0.0.7",
            "[2001:db8::1]",
        ] {
            assert_eq!(host_name(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "a b",
            " a",
            "https://claw.example.org",
            "claw:8443",
            "claw/",
            "a,b",
            "*",
            "::1",
            "[::1]:80",
            "[x]",
            "bücher.example",
        ] {
            let error = host_name(bad).unwrap_err();
            assert!(error.contains("without scheme and port"), "{bad}: {error}");
        }
    }
}
