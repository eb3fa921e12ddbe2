//! The stderr of a process: a bounded tail, and lines for a callback.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, mpsc};

use crate::mask::Mask;

/// The size of the stderr tail, and the maximum length of a line for the callback, in bytes.
const TAIL: usize = 64 * 1024;
/// The maximum number of bytes of lines that wait for a slow callback. Further lines are dropped.
const WAITING: usize = 4 << 20;
/// The number of bytes that are added to the length of each waiting line, as an estimate of its overhead.
const OVERHEAD: usize = 128;

/// A callback for each line of stderr.
pub(crate) type Callback = Arc<dyn Fn(&str) + Send + Sync>;

/// Processes the bytes of one process's stderr as they arrive.
#[derive(Default)]
pub(crate) struct Stderr {
    /// The last bytes of the stream. It contains more bytes than are shown, because the mask needs the bytes before a
    /// passage to recognise secrets in it.
    tail: VecDeque<u8>,
    mask: Mask,
    lines: Option<Lines>,
}

impl Stderr {
    pub(crate) fn new(mask: Mask, callback: Option<Callback>) -> Self {
        Self {
            tail: VecDeque::new(),
            mask,
            lines: callback.map(Lines::new),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.tail.extend(bytes);
        let excess = self.tail.len().saturating_sub(TAIL + self.mask.margin());
        self.tail.drain(..excess);
        if let Some(lines) = &mut self.lines {
            lines.push(bytes, &self.mask);
        }
    }

    /// Handles the end of the stream. A last line without a line ending is delivered too.
    pub(crate) fn end(&mut self) {
        if let Some(mut lines) = self.lines.take() {
            lines.flush(&self.mask);
            lines.deliver_left_out();
        }
    }

    /// Returns the end of the stream, from the start of a line, with secrets masked.
    pub(crate) fn tail(&self) -> String {
        let (a, b) = self.tail.as_slices();
        let bytes = [a, b].concat();
        let text = String::from_utf8_lossy(&bytes);
        let mut start = text.ceil_char_boundary(text.len().saturating_sub(TAIL));
        if start > 0 {
            // The shown text must not begin inside a word: the mask would not recognise a secret of which only a part
            // is left.
            let shown = &text[start..];
            let end = shown.find('\n').or_else(|| shown.find(char::is_whitespace));
            // A white space character may be longer than one byte.
            start = end.map_or(text.len(), |end| text.ceil_char_boundary(start + end + 1));
        }
        self.mask.apply_to(&text, start..text.len())
    }
}

/// Splits the stream into lines and passes them to the callback thread.
struct Lines {
    partial: Vec<u8>,
    overlong: bool,
    callback: Callback,
    /// The number of bytes that wait for the callback, including the overhead of each line.
    waiting: Arc<AtomicUsize>,
    /// The number of lines that were dropped since a line was last delivered.
    left_out: u64,
}

impl Lines {
    fn new(callback: Callback) -> Self {
        Self {
            partial: Vec::new(),
            overlong: false,
            callback,
            waiting: Arc::default(),
            left_out: 0,
        }
    }

    fn push(&mut self, bytes: &[u8], mask: &Mask) {
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            let (text, ended) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            if !self.overlong {
                let room = TAIL + mask.margin() - self.partial.len();
                self.partial
                    .extend_from_slice(&text[..text.len().min(room)]);
                if text.len() > room {
                    self.flush(mask);
                    self.overlong = true;
                }
            }
            if ended && !std::mem::take(&mut self.overlong) {
                self.send(mask);
            }
        }
    }

    fn flush(&mut self, mask: &Mask) {
        if !self.partial.is_empty() {
            self.send(mask);
        }
    }

    fn send(&mut self, mask: &Mask) {
        let bytes = std::mem::take(&mut self.partial);
        if self.waiting.load(Ordering::Relaxed) >= WAITING {
            self.left_out += 1;
            return;
        }
        self.deliver_left_out();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        let line = mask.apply_to(text, 0..text.floor_char_boundary(TAIL));
        self.deliver(line);
    }

    /// If lines were dropped, delivers a line that reports their number.
    fn deliver_left_out(&mut self) {
        match std::mem::take(&mut self.left_out) {
            0 => {}
            1 => self.deliver("[claw: 1 line left out]".to_owned()),
            lines => self.deliver(format!("[claw: {lines} lines left out]")),
        }
    }

    fn deliver(&self, line: String) {
        let weight = line.len() + OVERHEAD;
        self.waiting.fetch_add(weight, Ordering::Relaxed);
        deliver(Delivery {
            line,
            callback: self.callback.clone(),
            waiting: self.waiting.clone(),
        });
    }
}

struct Delivery {
    line: String,
    callback: Callback,
    waiting: Arc<AtomicUsize>,
}

/// Passes a line to the callback thread. Callbacks run on a separate thread, because a callback that blocks must not
/// block the supervisor. The thread starts when the first line is delivered.
fn deliver(delivery: Delivery) {
    static THREAD: LazyLock<Option<mpsc::Sender<Delivery>>> = LazyLock::new(|| {
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::Builder::new().name("claw-stderr".into());
        thread
            .spawn(move || run_callbacks(receiver))
            .ok()
            .map(|_| sender)
    });
    if let Some(thread) = &*THREAD {
        // The result is ignored, because the thread never ends. It owns the only receiver and catches panics of
        // callbacks.
        let _ = thread.send(delivery);
    }
}

fn run_callbacks(deliveries: mpsc::Receiver<Delivery>) {
    for Delivery {
        line,
        callback,
        waiting,
    } in deliveries
    {
        if catch_unwind(AssertUnwindSafe(|| callback(&line))).is_err() {
            tracing::warn!("a stderr callback panicked");
        }
        waiting.fetch_sub(line.len() + OVERHEAD, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
