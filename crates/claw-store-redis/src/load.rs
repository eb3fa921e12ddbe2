//! Loads the lines of a transcript in pages.

use std::sync::LazyLock;

use claw_store::adapter::pages;
use claw_store::{Line, StoreError, StoreKey, StoredLine};
use futures::stream::BoxStream;
use redis::{Script, Value};

use crate::{Store, Text, number, read};

/// The number of bytes after which a page ends. The line that reaches this number is still part of the page.
pub(crate) const PAGE_BYTES: u64 = 1 << 20;

/// The maximum number of lines in a page.
pub(crate) const PAGE_LINES: u64 = 1000;

/// A function that reads lines from a position. The server knows the length of a line only after it has read the line.
/// So the function estimates how many further lines fill the page, from the length of the previous lines, and reads
/// this number at once. For a line over the limit, the function returns its length.
pub(crate) const READ: &str = "local function read(list, from, to, page, limit)
        local there = redis.call('LLEN', list)
        local lines, bytes, step = {}, 0, 1
        while from < math.min(to, there) and bytes < page do
            local part = redis.call('LRANGE', list, from, math.min(from + step, to) - 1)
            for _, line in ipairs(part) do
                if bytes >= page then break end
                bytes = bytes + #line
                if #line > limit then line = #line end
                lines[#lines + 1] = line
            end
            from = from + #part
            step = math.max(1, math.min(256, math.floor((page - bytes) * #lines / math.max(bytes, 1))))
        end
        return lines
    end";

/// Reads lines from a position. Also reads the transcript's ID and its numbers of lines and bytes, which show whether
/// the list of lines is complete.
static PAGE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(&format!(
        "{READ}
        local meta = redis.call('HMGET', KEYS[1], 'born', 'lines', 'bytes')
        for at = 1, 3 do meta[at] = meta[at] and string.sub(meta[at], 1, 1024) end
        local lines = read(KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]))
        return {{ meta, redis.call('LLEN', KEYS[2]), lines }}"
    ))
});

/// The read position of a load.
#[derive(Clone)]
struct Cursor {
    /// The ID of the transcript. If a transcript is deleted and created again, it gets another ID.
    born: Vec<u8>,
    next: u64,
    /// The number of lines when the load began.
    lines: u64,
    /// The number of bytes in the remaining lines when the load began.
    bytes: u64,
}

struct Page {
    born: Text,
    lines: u64,
    bytes: u64,
    /// The number of lines that are stored in the list of lines.
    there: u64,
    found: Vec<Value>,
}

impl Store {
    pub(crate) fn load_lines<'a>(
        &'a self,
        key: &'a StoreKey,
    ) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        pages(None, move |cursor| self.next_page(key, cursor))
    }

    /// Reads the page at a cursor. Without a cursor, reads the first page. Returns `None` at the end.
    async fn next_page(
        &self,
        key: &StoreKey,
        cursor: Option<Cursor>,
    ) -> Result<Option<(Vec<StoredLine>, Option<Cursor>)>, StoreError> {
        let incomplete = |what| {
            Err(StoreError::Incomplete {
                key: key.clone(),
                what,
            })
        };
        if let Some(cursor) = &cursor
            && cursor.next == cursor.lines
        {
            return match cursor.bytes {
                0 => Ok(None),
                missing => incomplete(format!("{missing} bytes of its lines are missing")),
            };
        }
        let page = self.page(key, cursor.as_ref()).await?;
        let there = page.there;
        let mut cursor = match (cursor, page.born) {
            (None, None) if there == 0 => return Ok(None),
            (None, None) => return incomplete("how many lines there were is missing".to_owned()),
            (None, Some(_)) if there != page.lines => {
                return incomplete(format!("{there} lines of {} are there", page.lines));
            }
            (None, Some(born)) => Cursor {
                born,
                next: 0,
                lines: page.lines,
                bytes: page.bytes,
            },
            (Some(cursor), Some(born)) if cursor.born == born && cursor.lines <= there => cursor,
            (Some(_), _) => return incomplete("it was deleted meanwhile".to_owned()),
        };
        if page.found.is_empty() {
            return incomplete(format!("line {} is missing", cursor.next));
        }
        let mut lines = Vec::with_capacity(page.found.len());
        for (found, position) in page.found.into_iter().zip(cursor.next..) {
            let line = read_line(found, position, self.line_limit)?;
            let Some(left) = cursor.bytes.checked_sub(line.as_str().len() as u64) else {
                return incomplete(format!("line {position} is longer than what was stored"));
            };
            cursor.bytes = left;
            lines.push(StoredLine::new(position, line));
        }
        cursor.next += lines.len() as u64;
        Ok(Some((lines, Some(cursor))))
    }

    /// Reads the lines from the cursor on.
    async fn page(&self, key: &StoreKey, cursor: Option<&Cursor>) -> Result<Page, StoreError> {
        let keys = self.transcript(key);
        let from = cursor.map_or(0, |cursor| cursor.next);
        let to = cursor.map_or(u64::MAX, |cursor| cursor.lines);
        let mut script = PAGE.prepare_invoke();
        script.key(&keys.meta).key(&keys.lines);
        script
            .arg(from)
            .arg(to.min(from + PAGE_LINES))
            .arg(PAGE_BYTES)
            .arg(self.line_limit);
        let answer = self.server.ask(self.server.deadline(), &script).await?;
        let ([born, lines, bytes], there, found): ([Text; 3], _, _) = read(answer)?;
        Ok(Page {
            born,
            lines: number(lines.as_deref())?,
            bytes: number(bytes.as_deref())?,
            there,
            found,
        })
    }
}

/// Parses the server's response for a line. The response is the line, or the length of a line that is longer than `limit`. In
/// the second case, this function fails.
pub(crate) fn read_line(found: Value, position: u64, limit: usize) -> Result<Line, StoreError> {
    let text = match found {
        Value::BulkString(text) => text,
        Value::Int(bytes) => {
            return Err(StoreError::corrupt(format!(
                "line {position} has {bytes} bytes, and the limit is {limit}"
            )));
        }
        _ => return Err(StoreError::corrupt(format!("line {position} is no text"))),
    };
    Line::from_bytes(&text)
        .map_err(|error| StoreError::corrupt(format!("line {position}: {error}")))
}
