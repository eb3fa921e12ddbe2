//! Classifies words. The classes distinguish numbers that report progress from other numbers.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The class of a word. It is a set of the constants below. The class determines what the word means for a number near
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Class(u32);

impl Class {
    /// A word for a thing that is counted as work, or for a numbered piece of it, such as `test` or `file`.
    pub(super) const UNIT: Self = Self(1);
    /// A word for a unit of work. Its number alone can report progress, as in `step 3`.
    pub(super) const STEP: Self = Self(1 << 1);
    /// A word for work in progress, such as `building`.
    pub(super) const GOING: Self = Self(1 << 2);
    /// A word for work that is done, such as `converted` or `passed`.
    pub(super) const DONE: Self = Self(1 << 3);
    /// A word that ends in `-ed` and may mean work that is done.
    pub(super) const PAST: Self = Self(1 << 4);
    /// A word for a measurement, an attempt or a position in a list. A number with such a word reports no progress.
    pub(super) const MEASURE: Self = Self(1 << 5);
    /// A negation, which shows that the work is not done.
    pub(super) const UNDONE: Self = Self(1 << 6);
    /// A word that introduces a condition, a plan or a rule. The number near it is not the current progress.
    pub(super) const AHEAD: Self = Self(1 << 7);
    /// A word that begins another clause.
    pub(super) const CLAUSE: Self = Self(1 << 8);
    /// A word for the present moment, such as `now`.
    pub(super) const NOW: Self = Self(1 << 9);
    /// A noun for work, such as `migration`.
    pub(super) const WORK: Self = Self(1 << 10);
    /// A word that makes any number near it a report of progress, such as `progress`.
    pub(super) const PROGRESS: Self = Self(1 << 11);
    /// A function word that may be between a number and its verb.
    pub(super) const SMALL: Self = Self(1 << 12);
    /// A word for the outcome of a test.
    pub(super) const OUTCOME: Self = Self(1 << 13);
    /// A word that clearly means a sub-agent.
    pub(super) const SUBAGENT: Self = Self(1 << 14);
    /// A word for any kind of agent.
    pub(super) const AGENT: Self = Self(1 << 15);
    /// A word for the start of an agent, such as `launching`.
    pub(super) const LAUNCH: Self = Self(1 << 16);
    /// A word that refers to a text elsewhere, such as `see`.
    pub(super) const REFERENCE: Self = Self(1 << 17);
    /// A word for the share of tests that passed.
    pub(super) const RATE: Self = Self(1 << 18);

    const NONE: Self = Self(0);

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the class contains any of the constants in `any`.
    pub(super) const fn is(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Returns the class of a word. If the word is longer than all words of the table, it has no class.
    pub(super) fn of(word: &str) -> Self {
        let mut buffer = [0; 24];
        let Some(word) = lower(word, &mut buffer) else {
            return Self::NONE;
        };
        if let Some(class) = find(word) {
            return class;
        }
        if let Some(class) = plural(word) {
            let things = Self(class.0 & (Self::UNIT.0 | Self::STEP.0 | Self::WORK.0));
            if things != Self::NONE {
                return things;
            }
        }
        if word.len() >= 5 && word.ends_with("ing") {
            return Self::GOING;
        }
        if word.len() >= 5 && word.ends_with("ed") {
            return Self::PAST;
        }
        Self::NONE
    }
}

fn plural(word: &str) -> Option<Class> {
    let stem = word.strip_suffix('s')?;
    find(stem).or_else(|| find(stem.strip_suffix('e')?))
}

/// Returns the number that a word such as `three` means. Knows the numbers up to twelve.
pub(super) fn number(word: &str) -> Option<u64> {
    const NUMBERS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let at = NUMBERS.iter().position(|n| n.eq_ignore_ascii_case(word))?;
    u64::try_from(at + 1).ok()
}

/// Returns the word in lower case, with a plain apostrophe.
fn lower<'a>(word: &str, buffer: &'a mut [u8; 24]) -> Option<&'a str> {
    let mut len = 0;
    for c in word.chars() {
        let c = if c == '’' {
            '\''
        } else {
            c.to_ascii_lowercase()
        };
        let end = len + c.len_utf8();
        c.encode_utf8(buffer.get_mut(len..end)?);
        len = end;
    }
    std::str::from_utf8(&buffer[..len]).ok()
}

fn find(word: &str) -> Option<Class> {
    static WORDS: LazyLock<HashMap<&str, Class>> = LazyLock::new(|| {
        let mut words = HashMap::new();
        for (class, list) in TABLE {
            for word in list.split_whitespace() {
                let known: &mut Class = words.entry(word).or_default();
                *known = known.and(*class);
            }
        }
        words
    });
    WORDS.get(word).copied()
}

/// The words of each class.
const TABLE: &[(Class, &str)] = &[
    (
        Class::DONE.and(Class::OUTCOME).and(Class::RATE),
        "pass passed passes passing",
    ),
    (
        Class::UNDONE.and(Class::OUTCOME),
        "errored failed ignored pending skipped todo",
    ),
    (Class::OUTCOME, "flaky xfailed xpassed"),
    (Class::UNIT.and(Class::STEP), "phase stage step"),
    (
        Class::UNIT,
        "asset batch benchmark case chapter chunk class commit component crate dataset \
         dependency document endpoint entry epoch error example failure file fold frame \
         function goal group host image issue item iter iteration job layer library message \
         milestone module mutant node object package part partition patch point record repo \
         repository resource round route row scenario section segment service shard spec \
         subtask suite table target task test testcase ticket unit wave worker",
    ),
    (
        Class::WORK,
        "analysis backfill backup bootstrap build clean-up cleanup compilation conversion \
         copy crawl deploy deployment download execution export generation implementation \
         import indexing install installation migration port processing refactor refactoring \
         rewrite scan setup sync training transfer translation update upgrade upload work",
    ),
    (Class::WORK.and(Class::DONE), "run"),
    (Class::PROGRESS, "eta overall percent progress"),
    (
        Class::DONE,
        "adapted added addressed adjusted analysed analyzed annotated applied archived \
         audited backfilled built bundled checked cleaned cleared closed collected compiled \
         complete completed configured converted copied crawled created decoded deleted \
         deployed done downloaded encoded evaluated examined executed exported extracted \
         fetched finalised finalized finished fixed formatted generated handled hashed \
         implemented imported indexed inspected installed landed linked linted loaded merged \
         migrated minified moved optimised optimized ordered parsed patched ported processed \
         provisioned published pulled pushed ran read ready rebased rebuilt received \
         refactored removed renamed rendered replaced replayed replicated resolved restored \
         reviewed reworked rewritten rewrote scanned searched seeded sent signed solved split \
         succeeded switched synced tackled tested ticked trained transferred transformed \
         translated unpacked updated upgraded uploaded validated verified visited wired \
         written wrote",
    ),
    (
        Class::UNDONE,
        "aren't blocked broken can't cannot couldn't didn't doesn't don't errors fail failing \
         fails failures hasn't haven't isn't lack lacks left missing never not open \
         outstanding remain remaining remains unresolved untouched wasn't weren't without \
         won't",
    ),
    (
        Class::MEASURE,
        "budget context token tokens above accuracy allocated alpha approximation assert attempt attempts available \
         average battery below better bigger brightness capacity chance change changed \
         changes charge cheaper compression confidence consumed coverage covered cpu critical \
         deflated discount disk displaying drop duplicated duplication expected fast faster \
         fewer flex fraction free full gpu grade growth gzip health heap height higher hit \
         hits humidity idle improvement increase inode inodes larger latency less likelihood \
         load loss lower margin maximum mem memory minimum miss misses more occupied odds off \
         opacity overhead owned packet padding page peak percentile polling precision \
         probability quality quota ram rate rated rating ratio recall reconnect reconnecting \
         reduction regression retries retry retrying save saved savings score scored scores \
         scoring severity share showing similarity size slower smaller speed speedup star \
         stars statements swap swapping tax temperature threshold tolerance traffic tries try \
         usage use used users using utilisation utilization volume vote votes vulnerable \
         warning warnings weight width worse zoom",
    ),
    (
        Class::AHEAD,
        "always before could each every he'll i'd i'll if it'll may might must need needs \
         next often per plan planned planning plans propose recommend require requires she'll \
         should sometimes suggest they'll tomorrow typically unless until usually want wants \
         we'd we'll whenever will would you'd you'll",
    ),
    (Class::AHEAD, "once when whether"),
    (
        Class::CLAUSE,
        "although because but since so that though where which while who",
    ),
    (
        Class::REFERENCE,
        "as described documented mentioned refer see unlike",
    ),
    (Class::NOW.and(Class::SMALL), "already currently now still"),
    (
        Class::SMALL,
        "a about all also am an and are at been being far for fully going had has have i'm \
         i've in is it it's just most of on or our roughly successfully the them these to was \
         we're we've were with",
    ),
    (Class::SUBAGENT, "sub-agent sub-agents subagent subagents"),
    (Class::AGENT, "agent agents"),
    (
        Class::LAUNCH,
        "asked delegated delegating dispatched dispatching kicked kicking launched launching \
         spawned spawning started starting",
    ),
];
