//! What the users of a server may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The rights of a user. Each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a program that checks roles has to know all of them"
)]
pub enum Role {
    /// Reads sessions.
    View,
    /// Also begins and forks sessions, and sends prompts.
    Prompt,
    /// Also answers the requests of sessions, and stops turns and tasks.
    Answer,
    /// Also changes settings, titles and files, ends and deletes sessions, and reads what is about the whole server.
    Own,
}

impl Role {
    /// All roles, the least one first.
    pub const ALL: [Self; 4] = [Self::View, Self::Prompt, Self::Answer, Self::Own];

    /// Returns the name of the role, as in the file of users.
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
