//! The supported versions of the CLI.

use claw_codec::LineItem;
use claw_types::members;

/// The version of the oldest CLI that claw is tested with. If the CLI is older, claw ends the session as soon as it
/// learns the CLI's version: from the response to `initialize`, or when the first turn begins. For the error,
/// [`Error::is_cli_too_old`](crate::Error::is_cli_too_old) is true. claw never refuses a CLI for being too new.
pub const OLDEST_CLI: &str = "2.1.200";

/// Whether this version of the CLI is older than [`OLDEST_CLI`]. A version that cannot be parsed is not considered too
/// old.
pub fn is_too_old(found: &str) -> bool {
    matches!((parse(found), parse(OLDEST_CLI)), (Some(found), Some(oldest)) if found < oldest)
}

/// Whether this text is a version of the CLI: three numbers, such as `2.1.330`, optionally followed by other text. A
/// program with any other output for `--version` is not the CLI.
pub fn is_version(text: &str) -> bool {
    parse(text).is_some()
}

/// Returns the three numbers of `2.1.200`, `2.1.200-beta.1` or `2.1.200 (Claude Code)`.
fn parse(version: &str) -> Option<[u32; 3]> {
    let core = version.trim().split(['-', '+', ' ']).next()?;
    let mut numbers = core.split('.').map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?])
}

/// Returns the version in the line that begins a turn.
pub(crate) fn of_line(item: &LineItem) -> Option<String> {
    let LineItem::Line(line) = item else {
        return None;
    };
    let [version] = members(&line.raw, ["claude_code_version"])?;
    Some(version?.as_str()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_is_older_and_newer_is_never_refused() {
        for old in [
            "2.1.199",
            "2.0.999",
            "1.99.300",
            "2.1.199 (Claude Code)",
            "2.1.199-beta.1",
        ] {
            assert!(is_too_old(old) && is_version(old), "{old}");
        }
        for good in [
            OLDEST_CLI,
            "2.1.201",
            "2.1.1000",
            "2.2.0",
            "10.0.0",
            "2.1.200-dev",
            "2.1",
            "tomorrow",
            "",
        ] {
            assert!(!is_too_old(good), "{good}");
        }
        for other in ["2.1", "tomorrow", "", "ls (GNU coreutils) 9.1", "2.1.x"] {
            assert!(!is_version(other), "{other}");
        }
        assert!(is_version("2.1.330 (Claude Code)") && is_version("2.1.200-dev"));
    }
}
