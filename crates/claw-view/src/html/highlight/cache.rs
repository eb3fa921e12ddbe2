//! Code that was highlighted before: each viewer of a session is shown the same code, and often more than once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// How many bytes each of the two generations has at most, and one entry more.
const MOST: usize = 2 << 20;

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

/// By the name of the syntax, and the code.
type Generation = HashMap<(String, String), Arc<str>>;

/// What was used since the last change of generations, and what was used before it. What no generation uses is dropped.
#[derive(Default)]
struct Cache {
    young: Generation,
    old: Generation,
    /// The size of what is young, in bytes.
    size: usize,
}

impl Cache {
    fn get(&mut self, key: &(String, String)) -> Option<Arc<str>> {
        if let Some(html) = self.young.get(key) {
            return Some(html.clone());
        }
        let (key, html) = self.old.remove_entry(key)?;
        self.put(key, html.clone());
        Some(html)
    }

    fn put(&mut self, key: (String, String), html: Arc<str>) {
        if self.size > MOST {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        self.size += key.0.len() + key.1.len() + html.len();
        self.young.insert(key, html);
    }
}

/// The HTML of code, which is made if it is not there yet.
pub(super) fn get(syntax: &str, code: &str, make: impl FnOnce() -> String) -> Arc<str> {
    let key = (syntax.to_owned(), code.to_owned());
    let found = lock().get(&key);
    found.unwrap_or_else(|| {
        // Nobody waits for it meanwhile. Made twice, it is the same.
        let html: Arc<str> = make().into();
        lock().put(key, html.clone());
        html
    })
}

fn lock() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_size_has_a_bound() {
        let mut cache = Cache::default();
        let key = |number: usize| (String::new(), number.to_string());
        let html: Arc<str> = "x".repeat(MOST / 10).into();
        cache.put(key(0), html.clone());
        for number in 1..100 {
            cache.put(key(number), html.clone());
            assert!(cache.get(&key(0)).is_some(), "{number}");
            assert!(cache.young.len() + cache.old.len() <= 24, "{number}");
        }
        assert!(cache.get(&key(1)).is_none());
    }
}
