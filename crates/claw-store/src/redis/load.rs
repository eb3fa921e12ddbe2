//! The lines of a transcript, a page at a time.

use std::sync::LazyLock;

use futures::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use redis::{Script, Value};

use super::failure::corrupt;
use super::{RedisStore, Text, number, read};
use crate::{Line, StoreError, StoreKey, StoredLine};

/// After how many bytes a page ends, with the line that goes beyond.
pub(super) const PAGE_BYTES: u64 = 1 << 20;

/// How many lines a page has at most.
pub(super) const PAGE_LINES: u64 = 1000;

/// A function that reads lines from a place on. As the server does not know how long a line is before it has read it, it
/// reads as many at once as would fill the page if they were like those before. Of a line over the limit, its length is
/// returned.
pub(super) const READ: &str = "local function read(list, from, to, page, limit)
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

/// Lines from a place on, and what there should be.
static PAGE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(&format!(
        "{READ}
        local meta = redis.call('HMGET', KEYS[1], 'born', 'lines', 'bytes')
        for at = 1, 3 do meta[at] = meta[at] and string.sub(meta[at], 1, 1024) end
        local lines = read(KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]))
        return {{ meta, redis.call('LLEN', KEYS[2]), lines }}"
    ))
});

/// Where a load is.
#[derive(Clone)]
struct Cursor {
    /// What no other transcript under this key has.
    born: Vec<u8>,
    next: u64,
    /// How many lines there were when the load began.
    lines: u64,
    /// How many bytes the lines from here on had when the load began.
    bytes: u64,
}

struct Page {
    born: Text,
    lines: u64,
    bytes: u64,
    /// How many lines are there, whatever there should be.
    there: u64,
    found: Vec<Value>,
}

impl RedisStore {
    pub(super) fn load_lines<'a>(
        &'a self,
        key: &'a StoreKey,
    ) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        let pages = stream::try_unfold(None, move |cursor| self.next_page(key, cursor));
        pages
            .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
            .try_flatten()
            .boxed()
    }

    /// The page at a cursor, or the first one. `None` at the end.
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

    /// The lines from the cursor on.
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

/// A line, or the length of one that is over the limit.
pub(super) fn read_line(found: Value, position: u64, limit: usize) -> Result<Line, StoreError> {
    let text = match found {
        Value::BulkString(text) => text,
        Value::Int(bytes) => {
            return Err(corrupt(format!(
                "line {position} has {bytes} bytes, and the limit is {limit}"
            )));
        }
        _ => return Err(corrupt(format!("line {position} is no text"))),
    };
    Line::from_bytes(&text).map_err(|error| corrupt(format!("line {position}: {error}")))
}
