//! Tests of Markdown that grows.

use claw_view::html::{GrowingMarkdown, Html};
use proptest::prelude::*;

/// A page that applies the updates of a growing text.
#[derive(Default)]
struct Page {
    growing: GrowingMarkdown,
    blocks: Vec<String>,
}

impl Page {
    fn update(&mut self) {
        let update = self.growing.update();
        assert!(update.keep <= self.blocks.len());
        self.blocks.truncate(update.keep);
        self.blocks.extend(update.blocks);
    }
}

fn whole(text: &str) -> String {
    Html::fragment(|html| html.markdown(text))
}

/// Returns the HTML without the colours of code. A colour is a `span` that contains only text.
fn without_colours(html: &str) -> String {
    let mut parts = html.split("<span class=\"h");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_class, rest) = part.split_once("\">").unwrap();
        let (text, after) = rest.split_once("</span>").unwrap();
        plain += text;
        plain += after;
    }
    plain
}

fn pieces() -> impl Strategy<Value = Vec<(String, bool)>> {
    let piece = prop_oneof![
        4 => "[a-z <>&\"'\u{202e}🦀]{0,12}",
        6 => prop::sample::select(vec![
            "\n", "\n\n", "\r\n", "# ", "- ", "1. ", "> ", "```", "~~~", "`", "*", "**", "_", "[a](", ")", "|",
            "|---|", "---", "    ", "  ", "![", "](https://a.example)", "<b>", "<!--", "-->", "&amp;", "&#x202e;",
            "- [x] ", "===", "\t", "\\", "[b]: /c", "\n```rust\nlet a = 'b';\n",
        ]).prop_map(str::to_owned),
        1 => (prop::sample::select(vec!["a ", "- a\n", "> ", "`", "a\n\n", "|a|b|\n", "🦀"]), 0..3_000_usize)
            .prop_map(|(text, count)| text.repeat(count)),
    ];
    prop::collection::vec((piece, any::<bool>()), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_updates_together_are_the_whole_text(pieces in pieces()) {
        let (mut page, mut text) = (Page::default(), String::new());
        for (piece, updated) in pieces {
            page.growing.push(&piece);
            text += &piece;
            if updated {
                page.update();
            }
        }
        page.update();
        // The last block may still grow, so its code has no colours yet.
        let finished = page.growing.update().keep;
        let (finished, open) = page.blocks.split_at(finished);
        let expected = whole(&text);
        let rest = expected.strip_prefix(&finished.concat());
        prop_assert!(rest.is_some(), "{:?} does not begin with {:?}", expected, finished);
        prop_assert_eq!(open.concat(), without_colours(rest.unwrap()));
        // The HTML contains only the tags that claw writes.
        for tag in page.blocks.concat().split('<').skip(1) {
            let name = tag.split([' ', '>']).next().unwrap_or_default();
            let name = name.strip_prefix('/').unwrap_or(name);
            let known = ["div", "p", "br", "h2", "ul", "ol", "li", "a", "em", "strong", "del",
                "code", "pre", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "small", "span", "hr"];
            prop_assert!(known.contains(&name), "{}", tag);
        }
        let has_hidden = page.blocks.concat().contains('\u{202e}');
        prop_assert!(!has_hidden);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_that_grows_takes_linear_work() {
    use claw_testkit::cost::{Row, is_linear};

    type OfSize = fn(usize) -> String;
    let texts: [(&str, OfSize); 8] = [
        ("an endless paragraph", |size| "word ".repeat(size / 5)),
        ("an endless word", |size| "w".repeat(size)),
        ("paragraphs", |size| {
            "A *few* `words`.\n\n".repeat(size / 18)
        }),
        ("nested quotes", |size| ">".repeat(size)),
        ("quotes in lines", |size| "> > > > a\n".repeat(size / 10)),
        ("a table", |size| {
            format!("| a | b |\n|---|---|\n{}", "| 1 | 2 |\n".repeat(size / 10))
        }),
        ("a list", |size| "- an item\n".repeat(size / 10)),
        ("an open fence", |size| {
            format!("```rust\n{}", "let a = 1;\n".repeat(size / 11))
        }),
    ];
    let rows = texts.map(|(what, text)| {
        // Code has colors up to the first place where it is divided, so that place is in the smallest text.
        let size = if what == "an open fence" {
            32_768
        } else {
            16_384
        };
        Row::new(what, size, move |size| {
            let text = text(size);
            Box::new(move || {
                let mut page = Page::default();
                // The text arrives in pieces of 2,000 bytes.
                let mut rest = &*text;
                while !rest.is_empty() {
                    let (piece, after) = rest.split_at(rest.floor_char_boundary(2_000));
                    page.growing.push(piece);
                    page.update();
                    rest = after;
                }
            })
        })
    });
    is_linear("markdown::a_text_that_grows_takes_linear_work", &rows);
}

/// Texts of signs that may begin markup take linear work.
#[cfg(target_os = "linux")]
#[test]
fn a_hostile_text_takes_linear_work() {
    use claw_testkit::cost::{Row, is_linear};

    let signs = [
        "*a ", "[a](", "![a", "<a ", "&", "> - ", "~~a", "|a\n|-\n", "[a]: b\n",
    ];
    let rows: Vec<_> = signs
        .iter()
        .map(|sign| {
            Row::new(*sign, 16_384, move |size| {
                let text = sign.repeat(size / sign.len());
                Box::new(move || _ = whole(&text))
            })
        })
        .collect();
    is_linear("markdown::a_hostile_text_takes_linear_work", &rows);
}
