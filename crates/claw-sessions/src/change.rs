//! Changes several properties of a session together.

use claw_types::SessionId;

use crate::tag::{clean_tag_line, tag_line};
use crate::title::title_line;
use crate::{Error, Session};

/// Changes to a session, for [`Session::change`]. Values that are not set here stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Changes {
    title: Option<String>,
    tag: Option<String>,
    archived: Option<bool>,
}

impl Changes {
    /// Creates an empty set of changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title, as [`Session::rename`] does.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the tag, as [`Session::tag`] does. An empty text removes the tag, as [`Session::untag`] does.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Sets whether the session is archived, as [`Session::archive`] and [`Session::unarchive`] do.
    pub fn archived(mut self, archived: bool) -> Self {
        self.archived = Some(archived);
        self
    }

    /// Returns the lines that [`Session::change`] appends to the transcript for these changes. Use this method for a
    /// transcript that is stored elsewhere. The setting [`archived`](Self::archived) is not part of a transcript, so no
    /// line contains it.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::EmptyTitle`] if the title is only white space, and with [`Error::EmptyTag`] if the tag is
    /// not empty but has no visible characters.
    pub fn lines(&self, id: &SessionId) -> Result<Vec<String>, Error> {
        let title = self.title.as_ref().map(|title| title_line(id, title));
        let tag = self.tag.as_ref().map(|tag| match &**tag {
            "" => Ok(tag_line(id, "")),
            tag => clean_tag_line(id, tag),
        });
        title.into_iter().chain(tag).collect()
    }

    /// Whether [`archived`](Self::archived) was called.
    pub fn has_archived(&self) -> bool {
        self.archived.is_some()
    }
}

impl Session {
    /// Changes the session. All values are checked before anything is written. The title and the tag are written
    /// together, in one write operation.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::EmptyTitle`] or [`Error::EmptyTag`] if a value is not valid, with [`Error::NotFound`] if
    /// the session was deleted meanwhile, and with [`Error::Io`] if a file cannot be read or written. After these
    /// errors, nothing was changed. Fails with [`Error::PartlyChanged`] if only a part of the changes could be
    /// written.
    pub fn change(&self, changes: &Changes) -> Result<(), Error> {
        let lines = changes.lines(self.id())?;
        if !lines.is_empty() {
            self.can_append()?;
        }
        // The change that can fail for more reasons comes first.
        if let Some(archived) = changes.archived {
            self.set_archived(archived)?;
        }
        if lines.is_empty() {
            return Ok(());
        }
        let appended = self.append(&lines.join("\n"));
        let Some(archived) = changes.archived else {
            return appended;
        };
        let written = if archived { "archived" } else { "unarchived" };
        appended.map_err(|error| Error::PartlyChanged {
            written: written.to_owned(),
            source: Box::new(error),
        })
    }
}
