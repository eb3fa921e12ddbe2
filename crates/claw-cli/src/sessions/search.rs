//! `claw sessions search`: searches for a text in sessions.

use std::ops::Range;

use anstyle::{Effects, Style};
use claw_sessions::{Hit, Sessions};
use unicode_width::UnicodeWidthStr as _;

use super::table::{end, fit, start};
use super::{Done, Failed, json_line, print, report_problems};
use crate::args::sessions::Scope;
use crate::escape::escape;
use crate::outcome::Outcome;
use crate::view::terminal_width;

const BOLD: Style = Style::new().effects(Effects::BOLD);

/// The options of a search, and of the output.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) ignore_case: bool,
    pub(super) everything: bool,
    pub(super) json: bool,
}

/// Refuses an empty text.
pub(super) fn check(text: &str) -> Done {
    if text.is_empty() {
        anstream::eprintln!("claw: an empty text stands everywhere: say what to search for");
        return Err(Failed::Reported(Outcome::Usage));
    }
    Ok(())
}

pub(super) fn search(sessions: &Sessions, scope: &Scope, text: &str, how: How) -> Done {
    check(text)?;
    let mut search = sessions.search(text);
    if let Some(directory) = scope.directory() {
        search = search.project(directory);
    }
    if how.ignore_case {
        search = search.ignore_case();
    }
    if how.everything {
        search = search.everything();
    }
    let width = terminal_width();
    let mut shown = None;
    for hit in search.run()? {
        let hit = match hit {
            Ok(hit) => hit,
            Err(problem) => {
                report_problems(&[problem]);
                continue;
            }
        };
        if how.json {
            json_line(&hit)?;
            continue;
        }
        if shown.as_ref() != Some(&hit.transcript) {
            print(&head_of(sessions, &hit).text(shown.is_some(), width))?;
            shown = Some(hit.transcript.clone());
        }
        let place = Place {
            line: hit.line,
            kind: &hit.kind,
            excerpt: &hit.excerpt,
            found: &hit.found,
        };
        print(&place.text(width))?;
    }
    if shown.is_none() && !how.json {
        print(NOTHING)?;
    }
    Ok(())
}

/// The text that is shown if nothing was found.
pub(super) const NOTHING: &str =
    "Nobody said that here. --all searches all projects, --everything what tools gave, too.\n";

/// A transcript in which something was found.
pub(super) struct Head<'a> {
    pub(super) session: &'a str,
    pub(super) subagent: Option<&'a str>,
    /// The short name of the configuration folder, if there are several.
    pub(super) folder: Option<String>,
    pub(super) title: String,
}

/// A found place in a transcript.
pub(super) struct Place<'a> {
    pub(super) line: u64,
    pub(super) kind: &'a str,
    pub(super) excerpt: &'a str,
    pub(super) found: &'a Range<usize>,
}

fn head_of<'a>(sessions: &Sessions, hit: &'a Hit) -> Head<'a> {
    let info = Sessions::new(&hit.config_dir).find(hit.session_id.as_str());
    let info = info.and_then(|session| session.info());
    let title = info
        .ok()
        .flatten()
        .map(|info| info.summary)
        .unwrap_or_default();
    Head {
        session: hit.session_id.as_str(),
        subagent: hit.subagent.as_deref(),
        folder: sessions.short_name(&hit.config_dir),
        title,
    }
}

impl Head<'_> {
    /// Returns the line about the session. It is shown above the hits in the session.
    pub(super) fn text(&self, is_next: bool, width: Option<usize>) -> String {
        let of = self.subagent;
        let of = of
            .map(|agent| format!(" sub-agent {agent}"))
            .unwrap_or_default();
        let folder = self.folder.as_ref();
        let folder = folder
            .map(|folder| format!(" in {folder}"))
            .unwrap_or_default();
        let blank = if is_next { "\n" } else { "" };
        let place = fit(&format!("{}{of}{folder}", self.session), 100);
        let room = width.unwrap_or(200).saturating_sub(place.width() + 2);
        let title = fit(&self.title, room);
        format!("{blank}{BOLD}{place}{BOLD:#}  {title}\n")
    }
}

impl Place<'_> {
    /// Returns the line about a hit: the position, the speaker, and as much of the surrounding text as fits.
    pub(super) fn text(&self, width: Option<usize>) -> String {
        let place = format!("{:>6} {:<9} ", self.line, fit(self.kind, 20));
        let flat = |text: &str| {
            let flat: String = text
                .chars()
                .map(|c| if c.is_whitespace() { ' ' } else { c })
                .collect();
            escape(&flat).into_owned()
        };
        let (before, found, after) = (
            flat(&self.excerpt[..self.found.start]),
            flat(&self.excerpt[self.found.clone()]),
            flat(&self.excerpt[self.found.end..]),
        );
        let room = width.unwrap_or(usize::MAX).saturating_sub(place.width());
        let found = start(&found, room.min(200));
        let left = room - found.width();
        let before = end(before.trim_start(), left / 3);
        let after = start(after.trim_end(), left - before.width());
        format!("{place}{before}{BOLD}{found}{BOLD:#}{after}\n")
    }
}
