//! A cache of highlighted code. It is useful because all viewers of a session see the same code, often several times.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// The maximum size of each of the two generations, in bytes. The last entry of a generation may exceed it.
const MOST: usize = 2 << 20;

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

/// Maps code to its HTML. A key consists of the name of a syntax and the text of the code.
type Generation = HashMap<(String, String), Arc<str>>;

/// A cache with two generations. When the young generation is full, it becomes the old one, and the previous old
/// generation is dropped. An entry of the old generation moves to the young one when it is used.
#[derive(Default)]
struct Cache {
    young: Generation,
    old: Generation,
    /// The size of the young generation, in bytes.
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

/// Returns the HTML of code from the cache. If the code is not cached, creates its HTML.
pub(super) fn get(syntax: &str, code: &str, make: impl FnOnce() -> String) -> Arc<str> {
    let key = (syntax.to_owned(), code.to_owned());
    let found = lock().get(&key);
    found.unwrap_or_else(|| {
        // The cache is not locked while the HTML is created. So two threads may create the HTML of the same code. This
        // does no harm, because the results are equal.
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
