//! The server's token, and the creation and comparison of secrets.

use std::fmt;
use std::hint::black_box;

use uuid::Uuid;

/// A secret that gives access to a server. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Minimum length of a token, in characters.
const SHORTEST: usize = 16;

impl Token {
    /// Creates a token of 244 random bits.
    pub fn random() -> Self {
        Self(secret())
    }

    /// Creates a token from an existing text. Returns `None` if the text has fewer than 16 characters, or contains
    /// characters other than visible ASCII.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let is_fit = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_fit.then_some(Self(text))
    }

    /// Returns whether a text is the token. The duration does not depend on which characters differ.
    pub(crate) fn is(&self, given: &str) -> bool {
        is_same(&self.0, given)
    }

    /// Returns the secret as text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

/// Length of a secret, in characters.
pub(super) const SECRET: usize = 64;

/// Creates a random secret: 64 hexadecimal digits that contain 244 random bits from the operating system.
pub(super) fn secret() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// Returns whether two texts are equal. Compares every byte, so that the duration does not reveal where the texts
/// differ. The lengths are not secret.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let pairs = one.bytes().zip(other.bytes());
    let differing = pairs.fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
    black_box(differing) == 0
}
