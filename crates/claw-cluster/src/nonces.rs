//! The nonces of signed requests that were recently accepted. Each request is accepted only once.

use std::collections::{HashSet, VecDeque};

/// Maximum number of remembered nonces. Over this limit, requests are refused until the oldest nonces expire.
const MOST: usize = 200_000;

/// The reason why a request is not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The request was accepted before.
    Replay,
    /// Too many requests were recently accepted.
    Full,
}

/// The nonces of requests that are still valid, each with its expiry time in seconds.
#[derive(Debug, Default)]
pub(crate) struct Nonces {
    known: HashSet<u128>,
    in_order: VecDeque<(u64, u128)>,
}

impl Nonces {
    /// Accepts a request and remembers its nonce. The request remains valid for at most `valid` more seconds.
    pub(crate) fn take(&mut self, nonce: u128, now: u64, valid: u64) -> Result<(), Refused> {
        while let Some(&(until, old)) = self.in_order.front()
            && until < now
        {
            self.in_order.pop_front();
            self.known.remove(&old);
        }
        if self.known.contains(&nonce) {
            return Err(Refused::Replay);
        }
        if self.in_order.len() >= MOST {
            return Err(Refused::Full);
        }
        self.known.insert(nonce);
        self.in_order.push_back((now + valid, nonce));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_once_while_it_is_valid() {
        let mut nonces = Nonces::default();
        assert_eq!(nonces.take(1, 100, 60), Ok(()));
        assert_eq!(nonces.take(1, 160, 60), Err(Refused::Replay));
        assert_eq!(nonces.take(2, 160, 60), Ok(()));
        // The first request with this nonce has expired, so the nonce is no longer remembered.
        assert_eq!(nonces.take(1, 161, 60), Ok(()));
        assert_eq!(nonces.in_order.len(), 2);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut nonces = Nonces::default();
        for nonce in 0..MOST as u128 {
            assert_eq!(nonces.take(nonce, 100, 60), Ok(()));
        }
        assert_eq!(nonces.take(u128::MAX, 160, 60), Err(Refused::Full));
        assert_eq!(nonces.take(u128::MAX, 161, 60), Ok(()));
        assert_eq!(nonces.known.len(), 1);
    }
}
