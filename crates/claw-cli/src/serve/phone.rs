//! The output of `claw serve --phone`.

use std::fmt::Write as _;

use claw_server::{CliInfo, Hub};
use qrcode::{Color, EcLevel, QrCode};

use crate::escape;

/// The maximum length of a line.
const LONGEST: usize = 400;

/// The width of the empty margin around a code, in modules. On a terminal, two are sufficient for readers.
const QUIET: usize = 2;

/// The space between two codes, in columns.
const GAP: usize = 4;

/// The style of a code: black on white, independent of the terminal's colours.
const STYLE: anstyle::Style = anstyle::Style::new()
    .fg_color(Some(anstyle::Color::Ansi(anstyle::AnsiColor::Black)))
    .bg_color(Some(anstyle::Color::Ansi(anstyle::AnsiColor::BrightWhite)));

/// Returns the text about the login, which is printed last: the token, the link as a QR code, and the link. For an
/// address in a local network, the code and the link need at most 22 lines with 80 columns. The code of `setup`, the page
/// that sets a new device up, is left of the link's code, if there is room for both.
pub(super) fn secrets(link: &str, token: Option<&str>, setup: Option<&str>) -> String {
    let token = token.map(|token| format!("Token for programs: {token}\n"));
    let codes = [setup.and_then(qr), qr(link)];
    let codes = fitting(codes.into_iter().flatten().collect());
    let new = setup.map(|setup| {
        if codes.len() > 1 {
            format!("A new device: scan the left code, or open {setup}, and follow the page. Then scan the right code.\n")
        } else {
            new_device(setup)
        }
    });
    format!(
        "{}{}{}Log in, once, with {link}\n",
        token.unwrap_or_default(),
        new.unwrap_or_default(),
        beside(&codes)
    )
}

/// Returns the text about the page for a new device, without codes.
pub(super) fn new_device(setup: &str) -> String {
    format!("A new device: open {setup}, and follow the page.\n")
}

/// The number of pairs of a fingerprint in a line, so that no terminal wraps a line within a pair.
const PAIRS: usize = 8;

/// Returns the text about the authority that signs the certificate: its name, and the fingerprint in lines of eight pairs.
/// If there is a reason why there is no certificate of Tailscale, the text begins with the reason.
pub(super) fn authority(authority: &str, fingerprint: &str, reason: Option<&str>) -> String {
    let reason =
        reason.map(|reason| format!("The certificate of Tailscale is not used: {reason}.\n"));
    let pairs: Vec<_> = fingerprint.split(':').collect();
    let lines = pairs.chunks(PAIRS).map(|line| line.join(":"));
    format!(
        "{}Certificate: {}, SHA-256\n  {}\n",
        reason.unwrap_or_default(),
        escape::one_line(authority, LONGEST),
        lines.collect::<Vec<_>>().join(":\n  ")
    )
}

/// The width of a terminal, in columns.
const COLUMNS: usize = 80;

fn width(code: &[String]) -> usize {
    code.first().map_or(0, |line| line.chars().count())
}

/// Returns the codes that fit beside one another: all, or only the last one.
fn fitting(mut codes: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let all: usize = codes.iter().map(|code| width(code) + GAP).sum();
    if all > COLUMNS + GAP {
        codes.drain(..codes.len() - 1);
    }
    codes
}

/// Draws codes beside one another.
fn beside(codes: &[Vec<String>]) -> String {
    let height = codes.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = String::new();
    for y in 0..height {
        for (at, code) in codes.iter().enumerate() {
            let is_last = at + 1 == codes.len();
            // Writing to a `String` cannot fail.
            let _ = match code.get(y) {
                Some(line) => write!(lines, "{STYLE}{line}{STYLE:#}"),
                None => write!(lines, "{:1$}", "", if is_last { 0 } else { width(code) }),
            };
            if !is_last {
                let _ = write!(lines, "{:GAP$}", "");
            }
        }
        lines.push('\n');
    }
    lines
}

/// Draws a QR code as lines for a terminal, with two modules in each character. Returns `None` if the text is too long
/// for a code.
fn qr(text: &str) -> Option<Vec<String>> {
    // The lowest level of error correction results in the smallest code. It suffices, because a code on a screen is not
    // damaged.
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let width = code.width();
    let modules = code.to_colors();
    let is_dark = |x: usize, y: usize| {
        let (Some(x), Some(y)) = (x.checked_sub(QUIET), y.checked_sub(QUIET)) else {
            return false;
        };
        x < width && y < width && modules[y * width + x] == Color::Dark
    };
    let side = width + 2 * QUIET;
    let lines = (0..side).step_by(2).map(|y| {
        let line = (0..side).map(|x| match (is_dark(x, y), is_dark(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        });
        line.collect()
    });
    Some(lines.collect())
}

/// Lists the projects, one per line.
pub(super) fn projects(hub: &Hub) -> String {
    let each = hub.projects().iter().map(|project| {
        let line = format!("  {}  {}", project.name, project.folder.display());
        escape::one_line(&line, LONGEST) + "\n"
    });
    format!("Projects:\n{}", each.collect::<String>())
}

/// Describes the CLI and its logged-in account. If there is a problem, describes the problem and its solution instead.
pub(super) fn cli(info: &CliInfo) -> String {
    if let Some(problem) = &info.problem {
        let remedy = problem.command.as_deref();
        let remedy = remedy.map(|command| format!(" To mend it: {command}"));
        let line = format!("{}{}", problem.text, remedy.unwrap_or_default());
        return escape::one_line(&line, LONGEST) + "\n";
    }
    let Some(version) = &info.version else {
        return String::new();
    };
    let account = info.account.as_deref();
    let account = account.map(|account| format!(", logged in: {account}"));
    let line = format!("Claude Code {version}{}", account.unwrap_or_default());
    escape::one_line(&line, LONGEST) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of a login code and of a token.
    const CODE: usize = 64;

    #[test]
    fn the_code_and_the_link_are_on_a_screen_of_80_by_24() {
        let setup = "http://192.168.100.100:65535";
        let link = format!("https://192.168.100.100:65535/login/{}", "a".repeat(CODE));
        let token = "t".repeat(CODE);
        let text = secrets(&link, Some(&token), Some(setup));
        let text = anstream::adapter::strip_str(&text).to_string();
        let (_, seen) = text.split_once('\n').unwrap();
        // Both codes are shown. If the link is too long for that, only the code of the login is
        // shown.
        assert!(seen.contains("scan the left code"), "{seen}");
        let first = seen.lines().nth(2).unwrap();
        assert_eq!(first.matches("█▀▀▀▀▀█").count(), 4, "{seen}");
        let (_, seen) = seen.split_once('\n').unwrap();
        let long = secrets(&format!("https://{}/", "a".repeat(200)), None, Some(setup));
        let long = anstream::adapter::strip_str(&long).to_string();
        assert!(
            !long.contains("left code") && long.contains(setup),
            "{long}"
        );
        assert_eq!(long.lines().nth(2).unwrap().matches("█▀▀▀▀▀█").count(), 2);
        let rows = |line: &str| line.chars().count().div_ceil(80).max(1);
        // The cursor needs the last of the 24 lines, so the output must have fewer.
        assert!(seen.lines().map(rows).sum::<usize>() < 24, "{seen}");
        assert!(text.ends_with(&format!("{link}\n")) && text.starts_with("Token"));
    }

    #[test]
    fn a_fingerprint_is_wrapped_between_its_pairs() {
        let fingerprint = ["AB"; 32].join(":");
        let text = authority("claw on desk, 2026-11-29", &fingerprint, None);
        let (name, lines) = text.split_once('\n').unwrap();
        assert_eq!(name, "Certificate: claw on desk, 2026-11-29, SHA-256");
        assert!(lines.lines().all(|line| line.len() <= 30), "{lines}");
        assert_eq!(lines.replace(char::is_whitespace, ""), fingerprint);
    }

    #[test]
    fn a_code_on_a_terminal_has_its_three_squares() {
        let drawn = qr("http://192.168.1.5:8000/login/x").unwrap();
        let plain = drawn.join("\n");
        let lines: Vec<Vec<char>> = drawn.iter().map(|line| line.chars().collect()).collect();
        let width = lines[0].len();
        assert!(lines.iter().all(|line| line.len() == width), "{plain}");
        assert!(lines[0].iter().all(|it| *it == ' '), "{plain}");
        // Compares the upper edges of the two squares at the top, and the rows in their middle.
        for left in [2, width - 9] {
            assert_eq!(
                lines[1][left..left + 7].iter().collect::<String>(),
                "█▀▀▀▀▀█"
            );
        }
        assert_eq!(qr(&"a".repeat(10_000)), None);
    }
}
