//! The branches of a transcript that its conversation no longer contains.

use std::io::Read as _;
use std::path::Path;

use crate::chain::{self, Index, Left, Mode};
use crate::{Error, Session, file};

/// The branches of a transcript that were rewound: the conversation continued from an earlier message, so the CLI does
/// not resume them, and the model does not see them. Made by [`Session::rewound`].
///
/// Results of tools that ran in parallel, messages before a compaction, and a turn that was interrupted while a tool
/// ran are not such branches.
#[derive(Debug, Default)]
pub struct Rewound {
    index: Index,
    left: Left,
}

impl Session {
    /// Finds the branches of the transcript that were rewound. Reads the whole transcript once. If there are such
    /// branches, the result holds a few bytes for each line in memory.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read.
    pub fn rewound(&self) -> Result<Rewound, Error> {
        Rewound::open(self.transcript())
    }
}

impl Rewound {
    /// Finds the branches that were rewound in a transcript with this path. A file that is not a transcript has no such
    /// branches. A symbolic link is not followed.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mode = Mode {
            is_strict: false,
            skips_compacted: false,
            is_subagent: false,
        };
        let read = file::open(path).and_then(|file| {
            let length = file.metadata()?.len();
            Index::read(file.take(length), mode)
        });
        let index = read.map_err(|error| Error::io("cannot read", path, error))?;
        let left = chain::rewound(&index);
        if left.prompts.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self { index, left })
    }

    /// Whether nothing was rewound.
    pub fn is_empty(&self) -> bool {
        self.left.prompts.is_empty()
    }

    /// Returns the number of prompts in a branch. Returns 0 for a branch that has only answers.
    pub fn prompts(&self, branch: u32) -> u64 {
        self.left.prompts.get(&branch).copied().unwrap_or_default()
    }

    /// Returns the number of the branch to which the entry with this UUID belongs. Returns `None` if the entry was not
    /// rewound. Entries of one branch have one number. The numbers have no order.
    pub fn branch(&self, uuid: &str) -> Option<u32> {
        self.index.value_of(&self.left.of_name, uuid.as_bytes())
    }
}
