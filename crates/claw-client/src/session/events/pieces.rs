//! The parts of an answer that were reported in pieces, so that the whole block is not reported
//! again.

use claw_types::{Count, ToolUseId};

use super::Withdrawn;

/// The highest number of answers that are tracked at a time, and the highest number of bytes in them. A forgotten
/// answer is reported by its whole blocks. An answer that is longer than the limit of a line has no whole blocks.
const MOST: usize = 32;
const MOST_BYTES: usize = 64 << 20;

/// The highest number of blocks of an answer that are tracked, because each piece and each whole
/// block is looked up among them. Further blocks are reported as a whole.
const MOST_BLOCKS: usize = 256;

/// The number of bytes that count toward the limit for each block, in addition to its text.
const OVERHEAD: usize = 64;

/// The content of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thinking,
}

/// The blocks that were begun in pieces and have not arrived as a whole.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    answers: Vec<Answer>,
    bytes: usize,
}

/// An answer that is being written in the main conversation or in a sub-agent.
#[derive(Debug)]
struct Answer {
    parent: Option<ToolUseId>,
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    index: Count,
    kind: Kind,
    text: String,
    /// Whether the CLI has abandoned the block and will not complete it.
    is_abandoned: bool,
}

impl Pieces {
    /// Starts a new answer and forgets the previous one.
    pub(super) fn begin(&mut self, parent: Option<&ToolUseId>) {
        self.answers
            .retain(|answer| answer.parent.as_ref() != parent);
        if self.answers.len() == MOST {
            self.answers.remove(0);
        }
        self.answers.push(Answer {
            parent: parent.cloned(),
            blocks: Vec::new(),
        });
        let blocks = self.answers.iter().flat_map(|answer| &answer.blocks);
        self.bytes = blocks.map(Block::bytes).sum();
    }

    /// Starts a block. A block whose start was not seen is reported when it arrives as a whole.
    pub(super) fn start(&mut self, parent: Option<&ToolUseId>, index: Count, kind: Kind) {
        if let Some(answer) = self.answer(parent)
            && answer.blocks.len() < MOST_BLOCKS
        {
            answer.blocks.push(Block {
                index,
                kind,
                text: String::new(),
                is_abandoned: false,
            });
            self.count(OVERHEAD);
        }
    }

    /// Adds a piece to a block. Returns false if the block's start is not known.
    pub(super) fn append(
        &mut self,
        parent: Option<&ToolUseId>,
        index: Count,
        kind: Kind,
        piece: &str,
    ) -> bool {
        let answer = self.answer(parent);
        let mut blocks = answer
            .into_iter()
            .flat_map(|answer| answer.blocks.iter_mut().rev());
        let Some(block) = blocks.find(|block| block.index == index && block.kind == kind) else {
            return false;
        };
        block.text.push_str(piece);
        self.count(piece.len());
        true
    }

    /// Returns the part of a whole block that was not reported in pieces.
    pub(super) fn unreported<'a>(
        &mut self,
        parent: Option<&ToolUseId>,
        kind: Kind,
        whole: &'a str,
    ) -> &'a str {
        let Some(answer) = self.answer(parent) else {
            return whole;
        };
        let Some(at) = answer.find(kind, whole) else {
            return whole;
        };
        let mut rest = whole;
        let mut removed = 0;
        // The CLI may join neighbouring blocks of text, so one whole block can consist of several
        // begun blocks.
        while let Some(block) = answer.blocks.get(at)
            && block.kind == kind
            && (removed == 0 || (!block.text.is_empty() && rest.starts_with(&block.text)))
        {
            rest = rest.get(block.text.len()..).unwrap_or_default();
            removed += answer.blocks.remove(at).bytes();
        }
        self.bytes = self.bytes.saturating_sub(removed);
        rest
    }

    /// Whether this whole block was begun in pieces.
    pub(super) fn has(&self, parent: Option<&ToolUseId>, kind: Kind, whole: &str) -> bool {
        let mut answers = self.answers.iter();
        let answer = answers.find(|answer| answer.parent.as_ref() == parent);
        answer.is_some_and(|answer| answer.find(kind, whole).is_some())
    }

    /// Marks the blocks from this index on as abandoned: the CLI will not complete them, unless it sends them as a
    /// whole.
    pub(super) fn abandon(&mut self, parent: Option<&ToolUseId>, from: Count) {
        self.mark(parent, |block| block.index.get() >= from.get());
    }

    /// Marks all blocks of text as abandoned.
    pub(super) fn abandon_texts(&mut self, parent: Option<&ToolUseId>) {
        self.mark(parent, |block| block.kind == Kind::Text);
    }

    fn mark(&mut self, parent: Option<&ToolUseId>, which: impl Fn(&Block) -> bool) {
        let answer = self.answer(parent);
        for block in answer.into_iter().flat_map(|answer| &mut answer.blocks) {
            block.is_abandoned |= which(block);
        }
    }

    /// Removes the abandoned blocks, and returns the parts of them that were reported.
    pub(super) fn take_abandoned(&mut self, parent: Option<&ToolUseId>) -> Withdrawn {
        let mut withdrawn = Withdrawn::default();
        let mut removed = 0;
        if let Some(answer) = self.answer(parent) {
            answer.blocks.retain(|block| {
                if block.is_abandoned {
                    removed += block.bytes();
                    match block.kind {
                        Kind::Text => withdrawn.text.push_str(&block.text),
                        Kind::Thinking => withdrawn.thinking.push_str(&block.text),
                    }
                }
                !block.is_abandoned
            });
        }
        self.bytes = self.bytes.saturating_sub(removed);
        withdrawn
    }

    fn answer(&mut self, parent: Option<&ToolUseId>) -> Option<&mut Answer> {
        let mut answers = self.answers.iter_mut();
        answers.find(|answer| answer.parent.as_ref() == parent)
    }

    fn count(&mut self, more: usize) {
        self.bytes += more;
        if self.bytes > MOST_BYTES {
            *self = Self::default();
        }
    }
}

impl Answer {
    /// Finds the begun block that this whole block completes.
    fn find(&self, kind: Kind, whole: &str) -> Option<usize> {
        let is_one = |block: &Block| block.kind == kind && !block.text.is_empty();
        let mut blocks = self.blocks.iter();
        let exact = blocks.position(|block| is_one(block) && block.text == whole);
        exact.or_else(|| {
            let blocks = self.blocks.iter().enumerate();
            let alike = blocks.filter(|(_, block)| {
                // An answer that was cut off may be shorter than the pieces that arrived.
                is_one(block) && (whole.starts_with(&block.text) || block.text.starts_with(whole))
            });
            let longest = alike.max_by_key(|(_, block)| block.text.len());
            longest.map(|(at, _)| at)
        })
    }
}

impl Block {
    fn bytes(&self) -> usize {
        self.text.len() + OVERHEAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many blocks an answer begins, with one index or with many, the work on each block is bounded, and each
    /// block is reported once.
    #[test]
    fn blocks_behind_the_bound_are_reported_whole() {
        for index in [|n: usize| Count::from(n), |_| Count::from(0_u8)] {
            let mut pieces = Pieces::default();
            pieces.begin(None);
            for n in 0..8000 {
                pieces.start(None, index(n), Kind::Text);
                pieces.append(None, index(n), Kind::Text, "same");
            }
            assert_eq!(pieces.answers[0].blocks.len(), MOST_BLOCKS);
            let reported =
                (0..8000).filter(|_| pieces.unreported(None, Kind::Text, "same") == "same");
            assert!(reported.count() >= 8000 - MOST_BLOCKS);
        }
    }

    #[test]
    fn the_same_text_goes_before_a_beginning_of_it() {
        let mut pieces = Pieces::default();
        pieces.begin(None);
        for (n, text) in ["one two three", "one", "one two"].into_iter().enumerate() {
            pieces.start(None, Count::from(n), Kind::Text);
            assert!(pieces.append(None, Count::from(n), Kind::Text, text));
        }
        assert_eq!(pieces.unreported(None, Kind::Text, "one"), "");
        assert_eq!(pieces.unreported(None, Kind::Text, "one two and"), " and");
        assert_eq!(
            pieces.unreported(None, Kind::Thinking, "one two three"),
            "one two three"
        );
        assert_eq!(pieces.unreported(None, Kind::Text, "one two three"), "");
    }
}
