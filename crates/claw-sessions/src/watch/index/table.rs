//! The sorted table of an index's sessions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_types::SessionId;

use super::page::{Cursor, Indexed, Page, PageQuery};

/// The contents of an index.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The listed sessions. If a configuration folder has several transcripts with the same ID, only the one that was
    /// changed last is listed.
    by_cursor: BTreeMap<Cursor, Arc<Indexed>>,
    /// The sessions by their IDs and the numbers of their configuration folders.
    ids: HashMap<SessionId, Vec<(usize, Copies)>>,
    /// For each transcript that another one continues, the path of the other one.
    next: HashMap<PathBuf, PathBuf>,
    /// For each transcript that continues others, the paths of these others: the reverse of `next`.
    before: HashMap<PathBuf, BTreeSet<PathBuf>>,
}

/// The transcripts with the same ID in a configuration folder. There are several if several projects have a session
/// with this ID.
#[derive(Debug, Default)]
struct Copies {
    all: Vec<Arc<Indexed>>,
    shown: Option<Cursor>,
}

impl Table {
    /// Sets the entry of a transcript. `None` means that the transcript is not listed.
    pub(super) fn set(
        &mut self,
        id: &SessionId,
        config_dir: usize,
        transcript: &Path,
        found: Option<Indexed>,
    ) {
        let of_id = self.ids.entry(id.clone()).or_default();
        let at = of_id.iter().position(|(number, _)| *number == config_dir);
        let at = at.unwrap_or_else(|| {
            of_id.push((config_dir, Copies::default()));
            of_id.len() - 1
        });
        let copies = &mut of_id[at].1;
        let is_other = |copy: &Arc<Indexed>| copy.session.transcript() != transcript;
        copies.all.retain(is_other);
        copies.all.extend(found.map(Arc::new));
        if let Some(shown) = copies.shown.take() {
            self.by_cursor.remove(&shown);
        }
        let place = |copy: &&Arc<Indexed>| (copy.cursor(), copy.session.transcript().to_owned());
        if let Some(newest) = copies.all.iter().max_by_key(place) {
            let cursor = newest.cursor();
            copies.shown = Some(cursor.clone());
            self.by_cursor.insert(cursor, Arc::clone(newest));
        } else {
            of_id.swap_remove(at);
            if of_id.is_empty() {
                self.ids.remove(id);
            }
        }
    }

    /// Sets the transcript that continues this one.
    pub(super) fn set_next(&mut self, transcript: &Path, next: Option<PathBuf>) {
        if let Some(was) = self.next.remove(transcript)
            && let Some(before) = self.before.get_mut(&was)
        {
            before.remove(transcript);
            if before.is_empty() {
                self.before.remove(&was);
            }
        }
        if let Some(next) = next {
            let before = self.before.entry(next.clone()).or_default();
            before.insert(transcript.to_owned());
            self.next.insert(transcript.to_owned(), next);
        }
    }

    /// Returns the transcripts that this one continues.
    pub(super) fn before(&self, transcript: &Path) -> Vec<PathBuf> {
        let before = self.before.get(transcript).into_iter().flatten();
        before.cloned().collect()
    }

    pub(super) fn get(&self, id: &SessionId) -> Option<Arc<Indexed>> {
        let of_id = self.ids.get(id)?.iter();
        let shown = of_id.filter_map(|(_, copies)| copies.shown.as_ref()).max();
        self.by_cursor.get(shown?).cloned()
    }

    pub(super) fn get_in(&self, config_dir: usize, id: &SessionId) -> Option<Arc<Indexed>> {
        let mut of_id = self.ids.get(id)?.iter();
        let (_, copies) = of_id.find(|(number, _)| *number == config_dir)?;
        self.by_cursor.get(copies.shown.as_ref()?).cloned()
    }

    pub(super) fn len(&self) -> usize {
        self.by_cursor.len()
    }

    pub(super) fn page(&self, query: &PageQuery) -> Page {
        let end = query.after.as_ref();
        let end = end.map_or(Bound::Unbounded, Bound::Excluded);
        let range = self.by_cursor.range((Bound::Unbounded, end)).rev();
        let mut found = range
            .map(|(_, session)| session)
            .filter(|session| query.takes(session));
        let limit = query.limit.unwrap_or(usize::MAX);
        let sessions: Vec<_> = found.by_ref().take(limit).cloned().collect();
        let next = found.next().and(sessions.last());
        let next = next.map(|last| last.cursor());
        Page { sessions, next }
    }
}
