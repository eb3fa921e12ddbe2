//! Decides which lines of a conversation the fork contains.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::survey::{Boundary, Kind, Link, Name, Survey};
use crate::chain::{self, Index, Mode};
use crate::{Error, Session};

/// The lines of the conversation that the fork contains.
#[derive(Debug)]
pub(super) struct Kept {
    /// The fork contains only lines before this one.
    end: usize,
    /// The lines before `end` that the fork does not contain.
    left_out: HashSet<Name>,
    /// Compactions whose list of kept lines is removed, because those lines come after the end.
    emptied: HashSet<usize>,
}

impl Kept {
    pub(super) fn all(survey: &Survey) -> Self {
        Self {
            end: survey.links.len(),
            left_out: HashSet::new(),
            emptied: HashSet::new(),
        }
    }

    /// Selects all lines up to a message. Leaves out the branches that would compete with the message to continue the
    /// conversation.
    pub(super) fn up_to(
        message: &str,
        survey: &Survey,
        file: &mut File,
        length: u64,
        source: &Session,
    ) -> Result<Self, Error> {
        let last = survey.find(message).ok_or_else(|| Error::NoSuchMessage {
            id: source.id().as_str().to_owned(),
            message: message.to_owned(),
        })?;
        let last_name = survey.links[last].name;
        let end = end(survey, last + 1);
        let emptied = survey.boundaries.iter().filter(|boundary| {
            boundary.link < end && !boundary.is_instant && boundary.anchor == Some(last_name)
        });
        let emptied = emptied.map(|boundary| boundary.link).collect();
        let left_out = competing_lines(survey, end, file, length);
        let left_out =
            left_out.map_err(|error| Error::io("cannot read", source.transcript(), error))?;
        let kept = Self {
            end,
            left_out,
            emptied,
        };
        let mut links = survey.links.iter().enumerate();
        if !links.any(|(at, link)| link.kind != Kind::Progress && kept.has(at, link)) {
            return Err(Error::NothingToFork {
                id: source.id().as_str().to_owned(),
            });
        }
        Ok(kept)
    }

    pub(super) fn has(&self, at: usize, link: &Link) -> bool {
        at < self.end && !self.left_out.contains(&link.name)
    }

    pub(super) fn is_emptied(&self, link: usize) -> bool {
        self.emptied.contains(&link)
    }
}

/// Returns the lines before the end that the fork must not contain.
fn competing_lines(
    survey: &Survey,
    end: usize,
    file: &mut File,
    length: u64,
) -> io::Result<HashSet<Name>> {
    let links = &survey.links;
    let length = links.get(end).map_or(length, |next| next.offset);
    let mode = Mode {
        is_strict: true,
        skips_compacted: false,
        is_subagent: false,
    };
    file.seek(SeekFrom::Start(0))?;
    let index = Index::read(file.take(length), mode)?;
    let boundaries: Vec<u64> = survey
        .boundaries
        .iter()
        .map(|boundary| links[boundary.link].offset)
        .collect();
    let competing_lines = chain::competing_lines(index, &boundaries).into_iter();
    let place = |offset| links.binary_search_by_key(&offset, |link| link.offset).ok();
    Ok(competing_lines
        .filter_map(place)
        .map(|at| links[at].name)
        .collect())
}

impl Survey {
    /// Returns the line with this UUID, or the line that contains the queued prompt with this ID.
    fn find(&self, message: &str) -> Option<usize> {
        let name = self.name(message)?;
        let by_uuid = self.links.iter().position(|link| link.name == name);
        let prompts = &self.prompts;
        by_uuid.or_else(|| Some(prompts.iter().find(|(prompt, _)| *prompt == name)?.1))
    }
}

/// Returns the actual end of a fork that should end here. If the fork would contain a compaction without its summary,
/// the fork ends before that compaction. It then ends directly after the lines that the compaction kept, because only
/// the summary covers the later lines.
fn end(survey: &Survey, end: usize) -> usize {
    let links = &survey.links;
    let turn = links[..end]
        .iter()
        .rposition(|link| link.kind == Kind::Turn);
    let cut = survey.boundaries.iter().find(|boundary| {
        boundary.link < end && turn.is_none_or(|turn| boundary.link > turn) && !boundary.is_instant
    });
    let Some(cut) = cut else {
        return end;
    };
    let before = &links[..cut.link];
    let last_of =
        |names: &HashSet<Name>| before.iter().rposition(|link| names.contains(&link.name));
    let is_own_anchor = cut.anchor == Some(links[cut.link].name);
    let kept: HashSet<Name> = if is_own_anchor {
        HashSet::new()
    } else {
        cut.preserved().chain(cut.logical_parent).collect()
    };
    let kept = last_of(&kept);
    // If the compaction before it kept this line too, the summary of that compaction comes after the line in the file.
    // The fork must contain that summary.
    let earlier = survey
        .boundaries
        .iter()
        .rfind(|boundary| boundary.link < cut.link);
    let earlier = earlier.filter(|boundary: &&Boundary| {
        let name = kept.map(|kept| links[kept].name);
        !boundary.is_instant && name.is_some_and(|name| boundary.preserved().any(|it| it == name))
    });
    let summary = earlier.and_then(|boundary| boundary.anchor);
    let summary = summary.and_then(|anchor| before.iter().rposition(|link| link.name == anchor));
    let end_of_kept = kept.max(summary).map_or(cut.link, |last| last + 1);
    let is_something = links[..end_of_kept]
        .iter()
        .any(|link| link.kind != Kind::Progress);
    if is_something { end_of_kept } else { end }
}
