//! The chain of a transcript's parts. A part is an object with a header and the lines of one batch. An append creates
//! the next part.

use claw_store::adapter::Deadline;
use claw_store::{Line, StoreError, StoreKey};
use futures::TryStreamExt as _;
use futures::future::join;
use object_store::path::Path;

use crate::Store;
use crate::part::{HEADER_LIMIT, Head, Header, Piece, Reader, length};
use crate::paths::{number_of, part};
use crate::requests::milliseconds;
use crate::uuids::Uuids;

/// The maximum number of parts of a transcript.
const MOST_PARTS: usize = 1 << 20;

/// The maximum number of new parts that are read one by one.
const FEW: usize = 8;

/// The number of bytes that are fetched for the header of a large part.
const BEGINNING: usize = 64 << 10;

/// The state of a transcript, as far as this host knows it.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// The number of the next part, as far as this host knows.
    pub(crate) next: u64,
    pub(crate) head: Head,
    /// Whether the transcript is registered in the session's object. A new claim closes each registered transcript to
    /// older epochs.
    pub(crate) is_registered: bool,
    /// The UUIDs of all lines. `None` if this host has not read all lines.
    pub(crate) uuids: Option<Uuids>,
}

/// A part as the bucket lists it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed {
    pub(crate) number: u64,
    pub(crate) size: u64,
    /// The time of the server's clock at which the part was written, in milliseconds since 1970.
    pub(crate) modified: i64,
}

impl Chain {
    /// Returns a chain without parts.
    fn empty() -> Self {
        Self {
            uuids: Some(Uuids::default()),
            ..Self::default()
        }
    }

    /// Returns the state of a transcript that ends with this part.
    fn at(number: u64, header: Header) -> Self {
        let mut chain = Self::default();
        chain.take(number, header);
        chain
    }

    /// Applies the header of the next part to this state.
    pub(crate) fn take(&mut self, number: u64, header: Header) {
        self.next = number + 1;
        self.is_registered = header.head.is_open;
        self.head = header.head;
        if self.head.lines == 0 {
            self.uuids = Some(Uuids::default());
        }
    }

    /// Applies the header of a part that another writer has created. `bytes` is the length of the part's lines.
    fn follow(&mut self, number: u64, header: Header, bytes: u64) -> Result<(), StoreError> {
        let is_next = header.is_end(number) || header.first == self.head.lines;
        if number != self.next || !is_next {
            return Err(StoreError::corrupt(format!(
                "part {number} begins with line {}, and {} lines are before part {}",
                header.first, self.head.lines, self.next
            )));
        }
        let counted = self.head.bytes().filter(|_| !header.is_end(number));
        self.take(number, header);
        let counted = counted.and_then(|counted| counted.checked_add(bytes));
        self.head.bytes = self.head.bytes.or(counted);
        Ok(())
    }

    /// Adds the UUID of a line of the applied part. The UUID may already be known.
    pub(crate) fn take_line(&mut self, line: &Line) {
        if let (Some(uuids), Some(uuid)) = (&mut self.uuids, line.uuid()) {
            uuids.insert(uuid);
            if uuids.are_too_many() {
                self.uuids = None;
            }
        }
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let writers = self.head.writers.keys().map(|id| id.len() + 64);
        let uuids = self.uuids.as_ref().map_or(0, Uuids::bytes);
        1024 + writers.sum::<usize>() + uuids
    }
}

impl Store {
    /// Returns the parts of a transcript in order.
    pub(crate) async fn list_parts(
        &self,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<Vec<Listed>, StoreError> {
        let mut listed = Vec::new();
        let mut objects = self.requests.list(folder);
        let list = async {
            while let Some(meta) = objects.try_next().await? {
                listed.push(Listed {
                    number: number_of(&meta.location)?,
                    size: meta.size,
                    modified: milliseconds(&meta),
                });
                if listed.len() > MOST_PARTS {
                    return Err(StoreError::corrupt(format!(
                        "a transcript has more than {MOST_PARTS} parts"
                    )));
                }
            }
            Ok(())
        };
        deadline.storing_nothing(list).await?;
        // Some object stores do not list objects in the order of their names, so the parts are sorted here.
        listed.sort_unstable_by_key(|part| part.number);
        Ok(listed)
    }

    /// Returns the state of a transcript according to the newest of these parts.
    pub(crate) async fn open_chain(
        &self,
        folder: &Path,
        listed: &[Listed],
        deadline: Deadline,
    ) -> Result<Chain, StoreError> {
        let Some(newest) = listed.last() else {
            return Ok(Chain::empty());
        };
        let number = newest.number;
        let path = part(folder, number);
        let size = usize::try_from(newest.size)
            .unwrap_or(usize::MAX)
            .min(BEGINNING);
        let beginning = if size == BEGINNING {
            self.requests.beginning(&path, size, deadline).await?
        } else {
            let object = self.requests.get(&path, BEGINNING, deadline).await?;
            object.map(|object| object.body)
        };
        let beginning = beginning.ok_or_else(|| gone(number))?;
        let header = match first_line(&beginning) {
            Some(header) => Header::read(number, header)?,
            None => self.long_header(&path, number, deadline).await?,
        };
        Ok(Chain::at(number, header))
    }

    async fn long_header(
        &self,
        path: &Path,
        number: u64,
        deadline: Deadline,
    ) -> Result<Header, StoreError> {
        let read = async {
            let chunks = self.requests.stream(path).await?;
            let mut chunks = chunks.ok_or_else(|| gone(number))?;
            let mut begun = Vec::new();
            while let Some(chunk) = chunks.try_next().await? {
                begun.extend_from_slice(&chunk);
                if let Some(header) = first_line(&begun) {
                    return Header::read(number, header);
                }
                if begun.len() > HEADER_LIMIT {
                    break;
                }
            }
            Header::read(number, &begun)
        };
        deadline.storing_nothing(read).await
    }

    /// Applies all parts that other writers have created after this state was read.
    pub(crate) async fn catch_up(
        &self,
        folder: &Path,
        key: &StoreKey,
        chain: &mut Chain,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        if !self.stands(folder, chain, deadline).await? {
            *chain = self.reopen(folder, deadline).await?;
            return Ok(());
        }
        for _ in 0..FEW {
            if self.take_next(folder, chain, deadline).await?.is_none() {
                return Ok(());
            }
        }
        // There are many new parts. Fetching some of them ahead is faster than reading one after another.
        let listed = self.list_parts(folder, deadline).await?;
        let rest: Vec<_> = listed
            .into_iter()
            .filter(|part| part.number >= chain.next)
            .collect();
        let mut pieces = self.pieces(folder, key, rest);
        let read = async {
            // A part is applied only after it was read completely.
            let (mut read, mut bytes) = (None, 0);
            while let Some(piece) = pieces.try_next().await? {
                match piece {
                    Piece::Header(number, header) => {
                        if let Some((number, header)) = read.replace((number, *header)) {
                            chain.follow(number, header, std::mem::take(&mut bytes))?;
                        }
                    }
                    Piece::Line(line) => {
                        bytes += length(&line);
                        chain.take_line(&line);
                    }
                }
            }
            match read {
                Some((number, header)) => chain.follow(number, header, bytes),
                None => Ok(()),
            }
        };
        deadline.storing_nothing(read).await
    }

    /// Whether the known parts still exist. Checks only the first of them, because a deletion removes it like all
    /// others.
    async fn stands(
        &self,
        folder: &Path,
        chain: &Chain,
        deadline: Deadline,
    ) -> Result<bool, StoreError> {
        let from = chain.head.from;
        let witness = if from < chain.next {
            from
        } else {
            match from.checked_sub(1) {
                Some(end) => end,
                // There is no known part. Such a state is not cached, so it was read just now, and is up to date.
                None => return Ok(true),
            }
        };
        self.requests.exists(&part(folder, witness), deadline).await
    }

    /// Reads the state of a transcript from its newest part.
    pub(crate) async fn reopen(
        &self,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<Chain, StoreError> {
        let listed = self.list_parts(folder, deadline).await?;
        self.open_chain(folder, &listed, deadline).await
    }

    /// Reads the next part, adds it to the known state, and returns its ID. Returns `None` if there is no next part
    /// yet.
    pub(crate) async fn take_next(
        &self,
        folder: &Path,
        chain: &mut Chain,
        deadline: Deadline,
    ) -> Result<Option<String>, StoreError> {
        let number = chain.next;
        let path = part(folder, number);
        let read = async {
            let Some(mut chunks) = self.requests.stream(&path).await? else {
                return Ok(None);
            };
            let (mut reader, mut read) = (Reader::new(number, self.line_limit), None);
            let mut bytes = 0;
            while let Some(chunk) = chunks.try_next().await? {
                for piece in reader.push(&chunk)? {
                    match piece {
                        Piece::Header(_, header) => read = Some(*header),
                        Piece::Line(line) => {
                            bytes += length(&line);
                            chain.take_line(&line);
                        }
                    }
                }
            }
            reader.finish()?;
            Ok(read.map(|header| (header, bytes)))
        };
        let Some((header, bytes)) = deadline.storing_nothing(read).await? else {
            return Ok(None);
        };
        let id = header.id.clone();
        chain.follow(number, header, bytes)?;
        Ok(Some(id))
    }

    /// Creates the next part. Returns `false` if another writer has created a part with this number first. That part is
    /// then applied.
    pub(crate) async fn put_next(
        &self,
        folder: &Path,
        chain: &mut Chain,
        header: Header,
        lines: &[&Line],
        deadline: Deadline,
    ) -> Result<bool, StoreError> {
        let (number, body) = (chain.next, header.with(lines)?);
        let path = part(folder, number);
        // The transcript may have been deleted without this host's knowledge. Then the new part must not follow the
        // deleted parts.
        let (created, stands) = join(
            self.requests.create(&path, body, deadline),
            self.stands(folder, chain, deadline),
        )
        .await;
        let created = created?;
        let after = async {
            if !stands? {
                *chain = self.reopen(folder, deadline).await?;
                let counts = number >= chain.head.from;
                if created && !counts {
                    self.requests.delete(vec![path], deadline).await?;
                }
                return Ok(created && counts);
            }
            if created {
                chain.take(number, header);
                for line in lines {
                    chain.take_line(line);
                }
                return Ok(true);
            }
            // The part exists, but this request may have created it: the client repeats a request whose response it did
            // not receive. The ID shows who created the part.
            let taken = self.take_next(folder, chain, deadline).await?;
            Ok(taken.as_ref() == Some(&header.id))
        };
        after.await.map_err(StoreError::maybe_stored)
    }
}

/// Returns the listed parts that contain the transcript's lines. Leaves out deleted parts.
///
/// # Errors
///
/// Fails with [`StoreError::Incomplete`] if one of them is missing.
pub(crate) fn counted(
    key: &StoreKey,
    chain: &Chain,
    listed: Vec<Listed>,
) -> Result<Vec<Listed>, StoreError> {
    let mut expected = chain.head.from;
    let mut parts = listed;
    parts.retain(|part| part.number >= chain.head.from && part.number < chain.next);
    for part in &parts {
        if part.number != expected {
            return Err(missing(key, expected));
        }
        expected += 1;
    }
    if expected != chain.next {
        return Err(missing(key, expected));
    }
    Ok(parts)
}

pub(crate) fn missing(key: &StoreKey, number: u64) -> StoreError {
    StoreError::Incomplete {
        key: key.clone(),
        what: format!("part {number} is missing"),
    }
}

/// Returns the error for a part that is in the list but does not exist any more.
fn gone(number: u64) -> StoreError {
    StoreError::unavailable(format!("part {number} was deleted while it was read"))
}

fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    bytes.get(..end)
}
