//! Divides code into parts that get different colours.
//!
//! [`CodeLines`] divides code line by line, while it arrives.
//!
//! ```
//! use claw_view::code::{CodeClass, CodeLines};
//!
//! let mut lines = CodeLines::new("rust").unwrap();
//! assert_eq!(lines.line("let x\n")[0], (Some(CodeClass::Keyword), "let"));
//! assert!(CodeLines::new("no such language").is_none());
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// The maximum length of a line, in bytes. If a line is longer, it and the rest of the block have no classes.
const LONGEST_LINE: usize = 1 << 10;
/// The maximum number of parts with classes in a block. It is checked before each line. If it is reached, the rest of
/// the block has no classes.
const MOST_SPANS: usize = 600;
/// The maximum time for a block. It is checked before each line. If it has passed, the rest of the block has no
/// classes. Most blocks take a few milliseconds.
const LONGEST_TIME: Duration = Duration::from_secs(2);

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// Languages that are highlighted like another language. Each entry contains the name of a syntax, and the names of the
/// languages that use it.
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
#[non_exhaustive]
pub enum CodeClass {
    /// A comment.
    Comment,
    /// A string.
    Text,
    /// A number or another constant.
    Constant,
    /// A keyword, or a heading of a markup language.
    Keyword,
    /// The name of a function or of an attribute.
    Function,
    /// The name of a type, of a tag, or of something that the language's library defines.
    Type,
    /// A line that a diff adds.
    Inserted,
    /// A line that a diff removes.
    Deleted,
}

impl CodeClass {
    /// Returns the name of the class in style sheets.
    pub(crate) fn as_str(self) -> &'static str {
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

/// The class for each scope. The class of a part comes from its innermost scope that has an entry in this list. If
/// several entries match this scope, the first of them applies.
const CLASSES: [(&str, Option<CodeClass>); 17] = [
    ("comment", Some(CodeClass::Comment)),
    ("meta.interpolation", None),
    ("source", None),
    ("string", Some(CodeClass::Text)),
    ("constant", Some(CodeClass::Constant)),
    ("keyword.operator", None),
    ("keyword", Some(CodeClass::Keyword)),
    ("storage", Some(CodeClass::Keyword)),
    ("entity.name.function", Some(CodeClass::Function)),
    ("entity.other.attribute-name", Some(CodeClass::Function)),
    ("support.function", Some(CodeClass::Function)),
    ("variable.function", Some(CodeClass::Function)),
    ("entity.name", Some(CodeClass::Type)),
    ("support", Some(CodeClass::Type)),
    ("markup.inserted", Some(CodeClass::Inserted)),
    ("markup.deleted", Some(CodeClass::Deleted)),
    ("markup.heading", Some(CodeClass::Keyword)),
];

static SCOPES: LazyLock<Vec<(Scope, Option<CodeClass>)>> = LazyLock::new(|| {
    let scope = |(name, class): &(&str, _)| Some((Scope::new(name).ok()?, *class));
    CLASSES.iter().filter_map(scope).collect()
});

/// Returns the syntax of a language, or `None` if the language is unknown or has nothing to highlight.
pub(crate) fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    let name = language.to_ascii_lowercase();
    let like = LIKE.iter().find(|(_, names)| names.contains(&&*name));
    let name = like.map_or(&*name, |(like, _)| like);
    let syntax = SYNTAXES.find_syntax_by_token(name)?;
    (syntax.name != SYNTAXES.find_syntax_plain_text().name).then_some(syntax)
}

/// Splits code into parts. The parts together form the whole code.
pub(crate) fn spans<'a>(
    syntax: &SyntaxReference,
    code: &'a str,
) -> Vec<(Option<CodeClass>, &'a str)> {
    // Some syntax definitions can panic. The code is then returned without classes, so only its colours are lost.
    let divided = catch_unwind(AssertUnwindSafe(|| divide(syntax, code)));
    divided.unwrap_or_else(|_| vec![(None, code)])
}

fn divide<'a>(syntax: &SyntaxReference, code: &'a str) -> Vec<(Option<CodeClass>, &'a str)> {
    let began = Instant::now();
    let mut spans = Spans::new(code);
    let mut parser = Parser::new(syntax);
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let is_too_much = line.len() > LONGEST_LINE
            || spans.classed >= MOST_SPANS
            || began.elapsed() > LONGEST_TIME;
        if is_too_much || !parser.line(line, start, &mut spans) {
            break;
        }
        start += line.len();
    }
    spans.end()
}

/// The state of the parser at the end of a line.
#[derive(Debug, Clone)]
struct Parser {
    state: ParseState,
    stack: ScopeStack,
}

impl Parser {
    fn new(syntax: &SyntaxReference) -> Self {
        Self {
            state: ParseState::new(syntax),
            stack: ScopeStack::new(),
        }
    }

    /// Divides the next line, which starts at byte `start` of the code. Returns `false` if the line cannot be parsed.
    fn line(&mut self, line: &str, start: usize, spans: &mut Spans<'_>) -> bool {
        let Ok(changes) = self.state.parse_line(line, &SYNTAXES) else {
            return false;
        };
        for (at, change) in changes {
            spans.push(class(&self.stack), start + at);
            if self.stack.apply(&change).is_err() {
                return false;
            }
        }
        spans.push(class(&self.stack), start + line.len());
        true
    }
}

/// Divides the lines of a block of code into parts, one line after the other.
///
/// A block has limits. After a line of more than 1 KiB, 600 parts with classes, or two seconds of work, the rest of the
/// block has no classes.
#[derive(Debug, Clone)]
pub struct CodeLines {
    parser: Parser,
    /// The number of parts with a class so far.
    classed: usize,
    spent: Duration,
    /// Whether a limit was reached, so that the rest of the block has no classes.
    is_exhausted: bool,
}

impl CodeLines {
    /// Begins a block of code in a language, such as `rust` or `ts`. Returns `None` if the language is unknown or has
    /// nothing to highlight.
    #[must_use]
    pub fn new(language: &str) -> Option<Self> {
        Some(Self {
            parser: Parser::new(syntax(language)?),
            classed: 0,
            spent: Duration::ZERO,
            is_exhausted: false,
        })
    }

    /// Divides the next line, which must end with `\n`. The returned parts together form the line.
    pub fn line<'a>(&mut self, line: &'a str) -> Vec<(Option<CodeClass>, &'a str)> {
        self.is_exhausted |=
            line.len() > LONGEST_LINE || self.classed >= MOST_SPANS || self.spent > LONGEST_TIME;
        if self.is_exhausted {
            return vec![(None, line)];
        }
        let began = Instant::now();
        let mut spans = Spans::new(line);
        // Some syntax definitions can panic. The rest of the block then has no classes, so only its colours are lost.
        let parsed = catch_unwind(AssertUnwindSafe(|| self.parser.line(line, 0, &mut spans)));
        self.is_exhausted = !matches!(parsed, Ok(true));
        self.spent += began.elapsed();
        let spans = spans.end();
        self.classed += spans.iter().filter(|(class, _)| class.is_some()).count();
        spans
    }
}

fn class(stack: &ScopeStack) -> Option<CodeClass> {
    let of = |scope: &Scope| {
        let known = SCOPES.iter().find(|(known, _)| known.is_prefix_of(*scope));
        known.map(|(_, class)| *class)
    };
    stack.scopes.iter().rev().find_map(of).flatten()
}

/// Consecutive parts of code. Neighbouring parts have different classes.
struct Spans<'a> {
    code: &'a str,
    all: Vec<(Option<CodeClass>, &'a str)>,
    /// The class of the last part, which may still grow, and its start and end.
    last: (Option<CodeClass>, usize, usize),
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
    fn push(&mut self, class: Option<CodeClass>, to: usize) {
        let (last, start, end) = self.last;
        if to <= end {
            return;
        }
        // White space has no visible colour, so it is added to the previous part.
        if class == last || self.code[end..to].trim().is_empty() {
            self.last.2 = to;
            return;
        }
        self.keep(last, start, end);
        self.last = (class, end, to);
    }

    fn keep(&mut self, class: Option<CodeClass>, start: usize, end: usize) {
        if start < end {
            self.classed += usize::from(class.is_some());
            self.all.push((class, &self.code[start..end]));
        }
    }

    /// Returns all parts. Code that was not classified has no class.
    fn end(mut self) -> Vec<(Option<CodeClass>, &'a str)> {
        let (class, start, end) = self.last;
        self.keep(class, start, end);
        if end < self.code.len() {
            self.all.push((None, &self.code[end..]));
        }
        self.all
    }
}
