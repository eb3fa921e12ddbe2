//! The roles of a server's users.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The rights of a user. Each role includes the rights of the roles before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a program that checks roles has to know all of them"
)]
pub enum Role {
    /// The user may read sessions.
    View,
    /// The user may also begin and fork sessions, and send prompts.
    Prompt,
    /// The user may also answer the requests of sessions, and stop turns and tasks.
    Answer,
    /// The user may also change settings, titles and files, end and delete sessions, and read information about the
    /// whole server.
    Own,
}

impl Role {
    /// All roles. The role with the fewest rights is the first.
    pub const ALL: [Self; 4] = [Self::View, Self::Prompt, Self::Answer, Self::Own];

    /// Returns the name that the role has in the file of users.
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::Own => "own",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|role| role.name() == text);
        found.ok_or("a role is one of view, prompt, answer and own")
    }
}
