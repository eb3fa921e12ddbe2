//! Splits code into parts with classes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// The maximum length of a line, in bytes. After a longer line, the rest of the block has no classes.
const LONGEST_LINE: usize = 1 << 10;
/// The maximum number of parts with classes in a block, checked before each line. The rest of the block has no classes.
const MOST_SPANS: usize = 600;
/// The maximum time for a block, checked before each line. The rest of the block has no classes. Most blocks take a few
/// milliseconds.
const LONGEST_TIME: Duration = Duration::from_secs(2);

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Names of languages that are highlighted like another language.
const LIKE: [(&str, &[&str]); 9] = [
    ("bash", &["console", "shell", "shellscript", "zsh"]),
    ("cpp", &["c++"]),
    ("cs", &["csharp"]),
    ("go", &["golang"]),
    ("html", &["svelte", "vue"]),
    (
        "js",
        &["cjs", "jsx", "mjs", "node", "ts", "tsx", "typescript"],
    ),
    ("json", &["json5", "jsonc", "jsonl"]),
    ("properties", &["conf", "ini", "toml"]),
    ("py", &["py3", "python3"]),
];

/// The class of a part of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Comment,
    Text,
    Constant,
    Keyword,
    Function,
    Type,
    Inserted,
    Deleted,
}

impl Class {
    /// Returns the name of the class in style sheets.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "hc",
            Self::Text => "hs",
            Self::Constant => "hn",
            Self::Keyword => "hk",
            Self::Function => "hf",
            Self::Type => "ht",
            Self::Inserted => "hi",
            Self::Deleted => "hd",
        }
    }
}

/// The class for each scope. For a part, the innermost scope in this list counts, and for that scope the first matching
/// entry.
const CLASSES: [(&str, Option<Class>); 17] = [
    ("comment", Some(Class::Comment)),
    ("meta.interpolation", None),
    ("source", None),
    ("string", Some(Class::Text)),
    ("constant", Some(Class::Constant)),
    ("keyword.operator", None),
    ("keyword", Some(Class::Keyword)),
    ("storage", Some(Class::Keyword)),
    ("entity.name.function", Some(Class::Function)),
    ("entity.other.attribute-name", Some(Class::Function)),
    ("support.function", Some(Class::Function)),
    ("variable.function", Some(Class::Function)),
    ("entity.name", Some(Class::Type)),
    ("support", Some(Class::Type)),
    ("markup.inserted", Some(Class::Inserted)),
    ("markup.deleted", Some(Class::Deleted)),
    ("markup.heading", Some(Class::Keyword)),
];

static SCOPES: LazyLock<Vec<(Scope, Option<Class>)>> = LazyLock::new(|| {
    let scope = |(name, class): &(&str, _)| Some((Scope::new(name).ok()?, *class));
    CLASSES.iter().filter_map(scope).collect()
});

/// Returns the syntax of a language, or `None` if the language is unknown or has nothing to highlight.
pub(super) fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    let name = language.to_ascii_lowercase();
    let like = LIKE.iter().find(|(_, names)| names.contains(&&*name));
    let name = like.map_or(&*name, |(like, _)| like);
    let syntax = SYNTAXES.find_syntax_by_token(name)?;
    (syntax.name != SYNTAXES.find_syntax_plain_text().name).then_some(syntax)
}

/// Splits code into parts. The parts together form the whole code.
pub(super) fn spans<'a>(syntax: &SyntaxReference, code: &'a str) -> Vec<(Option<Class>, &'a str)> {
    // If a syntax definition panics, only the colours are lost.
    let divided = catch_unwind(AssertUnwindSafe(|| divide(syntax, code)));
    divided.unwrap_or_else(|_| vec![(None, code)])
}

fn divide<'a>(syntax: &SyntaxReference, code: &'a str) -> Vec<(Option<Class>, &'a str)> {
    let began = Instant::now();
    let mut spans = Spans::new(code);
    let (mut state, mut stack) = (ParseState::new(syntax), ScopeStack::new());
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let is_too_much = line.len() > LONGEST_LINE
            || spans.classed >= MOST_SPANS
            || began.elapsed() > LONGEST_TIME;
        if is_too_much {
            break;
        }
        let Ok(changes) = state.parse_line(line, &SYNTAXES) else {
            break;
        };
        for (at, change) in changes {
            spans.push(class(&stack), start + at);
            if stack.apply(&change).is_err() {
                return spans.end();
            }
        }
        start += line.len();
        spans.push(class(&stack), start);
    }
    spans.end()
}

fn class(stack: &ScopeStack) -> Option<Class> {
    let of = |scope: &Scope| {
        let known = SCOPES.iter().find(|(known, _)| known.is_prefix_of(*scope));
        known.map(|(_, class)| *class)
    };
    stack.scopes.iter().rev().find_map(of).flatten()
}

/// Consecutive parts of code. Neighbouring parts have different classes.
struct Spans<'a> {
    code: &'a str,
    all: Vec<(Option<Class>, &'a str)>,
    /// The class of the last part, which may still grow, and its start and end.
    last: (Option<Class>, usize, usize),
    /// The number of parts with a class.
    classed: usize,
}

impl<'a> Spans<'a> {
    fn new(code: &'a str) -> Self {
        Self {
            code,
            all: Vec::new(),
            last: (None, 0, 0),
            classed: 0,
        }
    }

    /// Sets the class of the code up to this offset.
    fn push(&mut self, class: Option<Class>, to: usize) {
        let (last, start, end) = self.last;
        if to <= end {
            return;
        }
        // White space has no colour and is added to the part before it.
        if class == last || self.code[end..to].trim().is_empty() {
            self.last.2 = to;
            return;
        }
        self.keep(last, start, end);
        self.last = (class, end, to);
    }

    fn keep(&mut self, class: Option<Class>, start: usize, end: usize) {
        if start < end {
            self.classed += usize::from(class.is_some());
            self.all.push((class, &self.code[start..end]));
        }
    }

    /// Returns all parts. Code that was not classified has no class.
    fn end(mut self) -> Vec<(Option<Class>, &'a str)> {
        let (class, start, end) = self.last;
        self.keep(class, start, end);
        if end < self.code.len() {
            self.all.push((None, &self.code[end..]));
        }
        self.all
    }
}
