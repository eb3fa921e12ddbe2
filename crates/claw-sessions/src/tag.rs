//! A session's tag.

use claw_types::SessionId;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

use crate::title::{note, trim};
use crate::{Error, Session};

impl Session {
    /// Sets the session's tag: a word that lists show, and by which programs find sessions. The new tag replaces an
    /// earlier one.
    ///
    /// The tag is normalized (NFKC), and invisible characters are removed, so that tags that look the same are equal.
    /// The call appends a line to the transcript, so the session becomes the newest one.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::EmptyTag`] if the tag has no visible characters, with [`Error::NotFound`] if the session
    /// was deleted meanwhile, and with [`Error::Io`] if a file cannot be read or written.
    pub fn tag(&self, tag: &str) -> Result<(), Error> {
        self.append(&clean_tag_line(self.id(), tag)?)
    }

    /// Removes the session's tag, if it has one.
    ///
    /// The call appends a line to the transcript, so the session becomes the newest one.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile, and with [`Error::Io`] if a file cannot be
    /// read or written.
    pub fn untag(&self) -> Result<(), Error> {
        self.append(&tag_line(self.id(), ""))
    }
}

/// Returns the line that sets a session's tag. The tag is cleaned first.
pub(crate) fn clean_tag_line(id: &SessionId, tag: &str) -> Result<String, Error> {
    let tag = clean(tag);
    if tag.is_empty() {
        return Err(Error::EmptyTag);
    }
    Ok(tag_line(id, &tag))
}

/// Returns the line that sets a session's tag. An empty tag removes the session's tag.
pub(crate) fn tag_line(id: &SessionId, tag: &str) -> String {
    note(id, "tag", "tag", tag)
}

fn clean(tag: &str) -> String {
    let mut tag = tag.to_owned();
    loop {
        // When a character is removed, its neighbours may compose to one character. No step adds a character, so the
        // loop ends.
        let cleaned: String = tag.nfkc().filter(|c| !is_hidden(*c)).collect();
        if cleaned == tag {
            return trim(&cleaned).to_owned();
        }
        tag = cleaned;
    }
}

fn is_hidden(c: char) -> bool {
    use GeneralCategory::{Format, PrivateUse, Unassigned};
    matches!(get_general_category(c), Format | PrivateUse | Unassigned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_equal_appearance_are_equal() {
        assert_eq!(clean("a\u{200b}b"), "ab");
        assert_eq!(clean("  \u{feff}ﬁx\u{202e} "), "fix");
        assert_eq!(clean("Ｎｅｗ\u{e000}\u{10ffff}\u{378}"), "New");
        // The mark is beside its letter once the joiner between them is removed.
        assert_eq!(clean("e\u{200d}\u{301}"), "\u{e9}");
        assert_eq!(clean("\u{200b}\u{2060}\u{ad}"), "");
        assert_eq!(clean("日本 é"), "日本 é");
    }
}
