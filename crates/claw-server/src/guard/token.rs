//! Secrets: the server's token, and the logins of browsers.

use std::collections::VecDeque;
use std::fmt;
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// A secret that opens a server. Not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The shortest token.
const SHORTEST: usize = 16;

impl Token {
    /// A new token: 244 random bits.
    pub fn random() -> Self {
        Self(secret())
    }

    /// A token that was made elsewhere. `None` if it is too short to be a secret (less than 16 characters), or cannot
    /// stand in a header.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let is_fit = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_fit.then_some(Self(text))
    }

    /// Whether this is the token. Takes as long whatever is wrong.
    pub(crate) fn is(&self, given: &str) -> bool {
        is_same(&self.0, given)
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

/// 244 random bits of the system.
fn secret() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// Compares every byte, so that the time says nothing about where they differ. Lengths are no secret.
fn is_same(one: &str, other: &str) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let pairs = one.bytes().zip(other.bytes());
    let differing = pairs.fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
    black_box(differing) == 0
}

/// How long a login link works.
const LINK: Duration = Duration::from_mins(15);
/// How many links and logins there are at once. The oldest makes room.
const MOST: usize = 64;

/// The links that work once, and the browsers that have used one.
#[derive(Default)]
pub(crate) struct Logins {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    codes: VecDeque<(String, Instant)>,
    cookies: VecDeque<String>,
}

impl Logins {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A code that works once.
    pub(crate) fn code(&self) -> String {
        let code = secret();
        let mut known = self.known();
        known.codes.push_back((code.clone(), Instant::now()));
        if known.codes.len() > MOST {
            known.codes.pop_front();
        }
        code
    }

    /// Takes a code, and gives a cookie for it. `None` if there is no such code, or no more.
    pub(crate) fn login(&self, given: &str) -> Option<String> {
        let mut known = self.known();
        known.codes.retain(|(_, made)| made.elapsed() < LINK);
        let at = known
            .codes
            .iter()
            .position(|(code, _)| is_same(code, given))?;
        known.codes.remove(at);
        let cookie = secret();
        known.cookies.push_back(cookie.clone());
        if known.cookies.len() > MOST {
            known.cookies.pop_front();
        }
        Some(cookie)
    }

    /// Whether a browser with this cookie has logged in.
    pub(crate) fn knows(&self, given: &str) -> bool {
        let known = self.known();
        // All of them, so that the time does not say which one.
        known
            .cookies
            .iter()
            .fold(false, |found, cookie| found | is_same(cookie, given))
    }

    /// Forgets a cookie.
    pub(crate) fn logout(&self, given: &str) {
        self.known()
            .cookies
            .retain(|cookie| !is_same(cookie, given));
    }
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logins(***)")
    }
}
