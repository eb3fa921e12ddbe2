use super::super::{GrowingMarkdown, Html};

fn html(markdown: &str) -> String {
    Html::fragment(|html| html.markdown(markdown))
}

/// Returns the text of some HTML, without its tags.
fn text(html: &str) -> String {
    let mut parts = html.split(['<', '>']);
    let mut text = String::new();
    while let Some(part) = parts.next() {
        text.push_str(part);
        parts.next();
    }
    text
}

#[test]
fn code_has_classes_for_its_parts_and_no_style() {
    let html = html("```rust\nlet now = \"1 < 2\"; // why\nfoo(7)\n```");
    for part in [
        "<span class=\"hk\">let</span>",
        "<span class=\"hs\">&quot;1 &lt; 2&quot;</span>",
        "<span class=\"hc\">// why\n</span>",
        "<span class=\"hf\">foo</span>",
        "<span class=\"hn\">7</span>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!html.contains("style"), "{html}");
}

#[test]
fn names_of_languages_that_people_write_are_known() {
    let known = "rust rs Rust ts typescript tsx jsx js json jsonc py python sh bash console zsh go c cpp c++ java cs \
        yaml yml toml html css sql diff ruby php xml lua";
    for name in known.split(' ') {
        assert!(crate::code::syntax(name).is_some(), "{name}");
    }
    for name in ["text", "txt", "nosuch", "mermaid", ""] {
        assert!(crate::code::syntax(name).is_none(), "{name}");
    }
}

#[test]
fn an_unknown_language_is_plain() {
    assert_eq!(
        html("```nosuch\nlet now = 1;\n```"),
        "<div class=\"block\"><pre class=\"code\" dir=\"ltr\" data-language=\"nosuch\"><code class=\"language-nosuch\">let now = 1;\n</code></pre></div>"
    );
}

#[test]
fn a_block_that_grows_is_plain_until_it_is_closed() {
    let mut growing = GrowingMarkdown::default();
    growing.push("```rust\nlet now = 1;\n");
    let open = growing.update().blocks.concat();
    assert!(
        open.contains("let now = 1;") && !open.contains("<span"),
        "{open}"
    );
    growing.push("```\n");
    let closed = growing.update();
    assert_eq!((closed.keep, closed.blocks.len()), (0, 1));
    assert_eq!(closed.blocks[0], html("```rust\nlet now = 1;\n```\n"));
    assert!(closed.blocks[0].contains("<span class=\"hk\">let<"));
}

#[test]
fn nothing_of_the_code_is_lost_and_its_markup_is_text() {
    let hostile = "</code><script>x</script>\" onload='x' \u{202e}&amp;\u{1b}[2J";
    for language in [
        "html", "js", "rust", "bash", "diff", "json", "toml", "nosuch",
    ] {
        let code = format!("<img src=x onerror=x>\n  \"{hostile}\n{hostile}\n\n\tend\n");
        let html = html(&format!("```{language}\n{code}```"));
        let (_, inner) = html.split_once("<code class").unwrap_or_default();
        let inner = inner.replace("</code></pre></div>", "");
        for tag in ["<script", "<img", "</code", "\u{202e}", "\u{1b}"] {
            assert!(!inner.contains(tag), "{language}: {html}");
        }
        let plain = Html::fragment(|html| html.text(&code));
        assert_eq!(text(&html), plain, "{language}");
    }
}

#[test]
fn long_code_has_a_bounded_number_of_parts_and_a_long_line_is_plain() {
    let code = "let a = 1; let b = 2; let c = 3;\n".repeat(240);
    let long = html(&format!("```rust\n{code}```"));
    let count = long.matches("<span").count();
    assert!((1..700).contains(&count), "{count}");
    assert_eq!(text(&long), code);
    let line = format!("let a = 1; // {}\nlet b = 2;\n", "x".repeat(3000));
    let long = html(&format!("```rust\n{line}```"));
    assert!(!long.contains("<span"), "{long}");
    assert_eq!(text(&long), line);
}
