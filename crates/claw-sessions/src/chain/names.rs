//! Maps names from transcripts to small numbers, so that all other data can be stored in arrays.

use std::collections::HashMap;

/// The number of a name: a UUID, or the ID of an answer or a tool use.
pub(super) type Name = u32;

/// The number that means that there is no name.
pub(super) const NONE: Name = Name::MAX;

/// Assigns a number to each name. Almost all names are UUIDs, which take 16 bytes.
#[derive(Debug, Default)]
pub(super) struct Names {
    uuids: HashMap<u128, Name>,
    others: HashMap<Box<[u8]>, Name>,
    count: Name,
    /// The last requested UUID and its number. The next line usually names this UUID as its parent, so the number is
    /// often needed again.
    last: Option<(u128, Name)>,
}

impl Names {
    pub(super) fn number(&mut self, name: &[u8]) -> Name {
        let count = self.count;
        let number = match uuid(name) {
            Some(uuid) => match self.last {
                Some((last, number)) if last == uuid => number,
                _ => {
                    let number = *self.uuids.entry(uuid).or_insert(count);
                    self.last = Some((uuid, number));
                    number
                }
            },
            None => match self.others.get(name) {
                Some(number) => *number,
                None => *self.others.entry(name.into()).or_insert(count),
            },
        };
        self.count += Name::from(number == count);
        number
    }

    /// Returns the number of a name that has occurred.
    pub(super) fn get(&self, name: &[u8]) -> Option<Name> {
        match uuid(name) {
            Some(uuid) => self.uuids.get(&uuid).copied(),
            None => self.others.get(name).copied(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count as usize
    }
}

/// Returns the value of a UUID in claude's spelling, which is lower case. Any other spelling is a different name.
fn uuid(name: &[u8]) -> Option<u128> {
    if name.len() != 36 {
        return None;
    }
    let mut value = 0;
    for (at, byte) in name.iter().enumerate() {
        let digit = match (at, byte) {
            (8 | 13 | 18 | 23, b'-') => continue,
            (8 | 13 | 18 | 23, _) => return None,
            (_, b'0'..=b'9') => byte - b'0',
            (_, b'a'..=b'f') => byte - b'a' + 10,
            _ => return None,
        };
        value = value << 4 | u128::from(digit);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_spelling_is_the_same_name() {
        let mut names = Names::default();
        let a = "0123abcd-0000-4000-8000-000000000000";
        let spellings = [a, "x", "0123ABCD-0000-4000-8000-000000000000", "", a, "x"];
        let numbers: Vec<_> = spellings.map(|name| names.number(name.as_bytes())).into();
        assert_eq!(numbers, [0, 1, 2, 3, 0, 1]);
        assert_eq!(names.count(), 4);
    }
}
