use super::*;

fn html(text: &str) -> String {
    let html = Html::fragment(|html| html.markdown(text));
    html.replace("<div class=\"block\">", "")
        .replace(" dir=\"auto\"", "")
        .replace("</div>", "")
}

/// Checks the HTML of each text. The pairs are a text and the expected HTML.
fn assert_all(expected: &[(&str, &str)]) {
    for (text, expected) in expected {
        assert_eq!(html(text), *expected, "{text:?}");
    }
}

#[test]
fn markdown_is_rendered() {
    assert_all(&[
        ("", ""),
        (" \n\n", ""),
        ("# A *b*", "<h2 class=\"first\">A <em>b</em></h2>"),
        ("###### A", "<h2>A</h2>"),
        ("a\nb  \nc", "<p>a<br>b<br>c</p>"),
        ("~~a~~ **b**", "<p><del>a</del> <strong>b</strong></p>"),
        ("`a <b>`", "<p><code dir=\"ltr\">a &lt;b&gt;</code></p>"),
        ("> a", "<blockquote><p>a</p></blockquote>"),
        ("3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>"),
        (
            "- [x] a\n- [ ] b",
            "<ul><li><span role=\"img\" aria-label=\"Done\">☑</span> a</li><li><span role=\"img\" aria-label=\"To do\">☐</span> b</li></ul>",
        ),
        (
            "```mermaid,ignore\nlet a = 1 < 2;\n```",
            "<pre class=\"code\" dir=\"ltr\" data-language=\"mermaid\"><code class=\"language-mermaid\">let a = 1 &lt; 2;\n</code></pre>",
        ),
        (
            "    a",
            "<pre class=\"code\" dir=\"ltr\"><code>a</code></pre>",
        ),
        ("***", "<hr>"),
        (
            "| a | b |\n|---|--:|\n| 1 | `\\|` |",
            "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table><thead><tr><th>a</th><th class=\"right\">b</th></tr></thead><tbody><tr><td>1</td><td class=\"right\"><code dir=\"ltr\">|</code></td></tr></tbody></table>",
        ),
    ]);
}

#[test]
fn markup_is_text() {
    assert_all(&[
        (
            "<script>alert(1)</script>",
            "<pre class=\"text\">&lt;script&gt;alert(1)&lt;/script&gt;</pre>",
        ),
        (
            "a <img src=x onerror=alert(1)> b",
            "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>",
        ),
        ("<!-- a", "<pre class=\"text\">&lt;!-- a</pre>"),
        ("&lt;b&gt; &#60;", "<p>&lt;b&gt; &lt;</p>"),
        ("&#x202e;a\u{202e}", "<p>\\u{202e}a\\u{202e}</p>"),
        ("&#0;&#27;[2J", "<p>\u{fffd}\\u{1b}[2J</p>"),
        (
            "```\"><script>\n</code></pre><script>\n```",
            "<pre class=\"code\" dir=\"ltr\"><code>&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;\n</code></pre>",
        ),
        (
            "```a\"onclick=1\na\n```",
            "<pre class=\"code\" dir=\"ltr\"><code>a\n</code></pre>",
        ),
    ]);
}

#[test]
fn code_has_the_name_of_its_language_as_an_attribute() {
    let named = |language: &str| {
        format!(
            "<pre class=\"code\" dir=\"ltr\" data-language=\"{language}\"><code class=\"language-{language}\">"
        )
    };
    for (info, language) in [
        ("nosuch", "nosuch"),
        ("c++ title=a", "c++"),
        ("js{1,3}", "js"),
        ("objective-c,ignore", "objective-c"),
        ("a&#98;c", "abc"),
    ] {
        for fence in ["```", "~~~"] {
            let html = html(&format!("{fence}{info}\na\n{fence}"));
            assert!(html.starts_with(&named(language)), "{info}: {html}");
        }
    }
    let long = "a".repeat(40);
    for info in [
        "",
        "\"onclick=alert(1)",
        "a&quot;onclick=1",
        "<b>",
        "a\u{202e}b",
        "{.rust}",
        &long,
    ] {
        let html = html(&format!("~~~{info}\na\n~~~"));
        let plain = "<pre class=\"code\" dir=\"ltr\"><code>a\n</code></pre>";
        assert_eq!(html, plain, "{info}");
    }
    // A list has code, too.
    assert!(html("- a\n\n  ```nosuch\n  b\n  ```").contains(&named("nosuch")));
}

#[test]
fn a_page_shows_the_name_of_a_language_once_for_each_code_block() {
    let line = "a line of the code\n".repeat(1000);
    let html = Html::fragment(|html| html.markdown(&format!("```nosuch\n{line}```")));
    assert!(html.matches("data-language").count() > 1);
    assert_eq!(html.matches("<div class=\"block\">").count(), 1);
    let style = crate::html::STYLE;
    assert!(style.contains(".code[data-language]::before { content: attr(data-language);"));
    assert!(style.contains(".block.more > .code::before { content: none; }"));
}

#[test]
fn links_lead_to_the_web_and_to_mail_only() {
    let link = |to: &str, text: &str| {
        format!(
            "<a href=\"{to}\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">{text}</a>"
        )
    };
    let to = "https://a.example/?a=1&amp;b=&quot;";
    assert_eq!(
        html("[a](https://a.example/?a=1&b=\")"),
        format!("<p>{}</p>", link(to, "a"))
    );
    for address in [
        "http://a.example",
        "HTTPS://a.example",
        "mailto:a@b.example",
    ] {
        assert_eq!(
            html(&format!("<{address}>")),
            format!("<p>{}</p>", link(address, address))
        );
    }
    assert_eq!(
        html("![a *b*](https://a.example)"),
        format!("<p>{}</p>", link("https://a.example", "a <em>b</em>"))
    );
    for hostile in [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](java&#115;cript&colon;alert(1))",
        "[a](<java\tscript:alert(1)>)",
        "[a](\u{1}javascript:alert(1))",
        "[a](vbscript:x)",
        "[a](data:text/html;base64,PHNjcmlwdD4=)",
        "[a](file:///etc/passwd)",
        "[a](//a.example)",
        "[a](/api/sessions)",
        "[a](https:alert(1))",
        "[a](<https://a.example\u{202e}b>)",
        "[a](https://a.example\\@b.example)",
        "[a](https://a.example@b.example)",
        "[a](https://a.example\\\\b)",
        "[a](<https://a.example/ b>)",
        "![a](javascript:alert(1))",
        "![a](data:image/svg+xml,<svg/onload=alert(1)>)",
        "<javascript:alert(1)>",
        "<data:text/html,a>",
        "[a][b]\n\n[b]: javascript:alert(1)",
        "[a][b]\n[b]: javascript:alert(1)",
    ] {
        let html = html(hostile);
        assert!(
            !html.contains("<a") && !html.contains("href=\""),
            "{hostile}: {html}"
        );
        assert!(html.contains('a'), "{hostile}: {html}");
    }
    assert_eq!(
        html("[a](javascript:b)"),
        "<p>a <small>(javascript:b)</small></p>"
    );
}

#[test]
fn the_outermost_elements_have_the_direction_of_their_text() {
    let html = |text: &str| Html::fragment(|html| html.rendered(text, true));
    for (text, expected) in [
        ("a", "<p dir=\"auto\">a</p>"),
        ("# a", "<h2 class=\"first\" dir=\"auto\">a</h2>"),
        ("> a", "<blockquote dir=\"auto\"><p>a</p></blockquote>"),
        (
            "- a\n\n  b",
            "<ul dir=\"auto\"><li><p>a</p><p>b</p></li></ul>",
        ),
        (
            "2. a\n   - b",
            "<ol start=\"2\" dir=\"auto\"><li>a<ul><li>b</li></ul></li></ol>",
        ),
        (
            "```\na\n```",
            "<pre class=\"code\" dir=\"ltr\"><code>a\n</code></pre>",
        ),
    ] {
        assert_eq!(html(text), expected, "{text}");
    }
    let table = html("|a|\n|-|\n|b|");
    assert!(
        table.contains(" dir=\"auto\"><table>") && table.matches("dir=").count() == 1,
        "{table}"
    );
}

#[test]
fn urls_in_text_are_links() {
    let link = |to: &str| {
        format!("<a href=\"{to}\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">{to}</a>")
    };
    for (text, expected) in [
        (
            "See https://a.example/b_c?d=*e&f=1.",
            format!("<p>See {}.</p>", link("https://a.example/b_c?d=*e&amp;f=1")),
        ),
        (
            "**https://a.example** and <https://b.example>",
            format!(
                "<p><strong>{}</strong> and {}</p>",
                link("https://a.example"),
                link("https://b.example")
            ),
        ),
        (
            "- http://a.example/\n- b",
            format!("<ul><li>{}</li><li>b</li></ul>", link("http://a.example/")),
        ),
        // A URL in the text of a link does not become another link inside it.
        (
            "[https://b.example](https://a.example)",
            format!(
                "<p>{}</p>",
                link("https://a.example").replace(">https://a", ">https://b")
            ),
        ),
        (
            "[https://b.example](javascript:c)",
            "<p>https://b.example <small>(javascript:c)</small></p>".to_owned(),
        ),
        // A URL in code does not become a link.
        (
            "`https://a.example`",
            "<p><code dir=\"ltr\">https://a.example</code></p>".to_owned(),
        ),
        (
            "    https://a.example",
            "<pre class=\"code\" dir=\"ltr\"><code>https://a.example</code></pre>".to_owned(),
        ),
        (
            "```\nhttps://a.example\n```",
            "<pre class=\"code\" dir=\"ltr\"><code>https://a.example\n</code></pre>".to_owned(),
        ),
        // A URL in the text is checked by the same rules as the destination of a link.
        (
            "https://known.example@other.example",
            "<p>https://known.example@other.example</p>".to_owned(),
        ),
        (
            "https://a.example/\u{202e}b",
            "<p>https://a.example/\\u{202e}b</p>".to_owned(),
        ),
        (
            "https://a.example/\"onmouseover=alert(1)",
            format!(
                "<p>{}&quot;onmouseover=alert(1)</p>",
                link("https://a.example/")
            ),
        ),
        (
            "https://a.example/'onmouseover=alert(1)",
            format!(
                "<p>{}</p>",
                link("https://a.example/&#39;onmouseover=alert(1)")
            ),
        ),
    ] {
        assert_eq!(html(text), expected, "{text}");
    }
}

#[test]
fn no_attribute_can_be_left() {
    for hostile in [
        "[a](https://a.example/\"onmouseover=alert(1))",
        "[a](https://a.example/'onmouseover=alert(1))",
        "<https://a.example/\"onmouseover=alert(1)>",
        "[a](https://a.example \"\\\" onmouseover=alert(1) \\\"\")",
        "[a](<https://a.example/&quot;onmouseover=alert(1)>)",
    ] {
        let html = html(hostile);
        let start = html.find("href=\"").unwrap() + "href=\"".len();
        let end = start + html[start..].find('"').unwrap();
        assert!(
            html[end..].starts_with("\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">"),
            "{hostile}: {html}"
        );
    }
}

#[test]
fn links_are_not_nested() {
    for nested in [
        "[![a](https://a.example)](https://b.example)",
        "![[a](https://a.example)](https://b.example)",
        "![a ![b [c](https://c.example) ](https://b.example) ](https://a.example)",
    ] {
        let html = html(nested);
        assert_eq!(html.matches("<a ").count(), 1, "{html}");
        assert_eq!(html.matches("</a>").count(), 1, "{html}");
        assert!(html.contains("<small>(https://"), "{html}");
    }
}

#[test]
fn depth_has_a_limit() {
    for (deep, tag) in [
        (">".repeat(100_000), "<blockquote>"),
        ("- ".repeat(50_000), "<hr>"),
        ("- ".repeat(50_000) + "a", "<ul>"),
        ("*a ".repeat(30_000) + &"a* ".repeat(30_000), "<em>"),
        (
            "![".repeat(20_000) + &"](https://a.example)".repeat(20_000),
            "<a ",
        ),
    ] {
        let html = html(&deep);
        let (mut depth, mut deepest) = (0_usize, 0);
        for part in html.split('<').skip(1) {
            if part.starts_with('/') {
                depth -= 1;
            } else if !part.starts_with("br") && !part.starts_with("hr") {
                depth += 1;
                deepest = deepest.max(depth);
            }
        }
        assert!(deepest <= DEEPEST + 2, "{tag}: {deepest}");
        assert_eq!(depth, 0);
    }
}

/// The HTML of all blocks together equals the HTML of the whole text.
#[test]
fn usual_markdown_looks_the_same_in_blocks() {
    for text in [
        "# A\n\nB\n\n- c\n- d\n\n1. e\n\n   f\n2. g\n\nh\n",
        "A:\n\n* b\n\n  ```\n  c\n\n  d\n  ```\n\n* e\n\n> f\n> g\n\nh\n",
        "| a |\n|---|\n| b |\n\n```\n\n\nc\n```\nd\n\n    e\n\n    f\n\ng\n===\n",
        "A\n- b\n- c\n\n  d\n\n***\n\nE\n```\nf\n```\n",
    ] {
        let whole = Html::fragment(|html| html.rendered(text, true));
        let whole = whole.replace("</div>", "").replace(" dir=\"auto\"", "");
        assert_eq!(html(text), whole, "{text}");
    }
}

#[test]
fn a_diagram_is_drawn_when_its_block_is_closed() {
    let code = "<pre class=\"code\" dir=\"ltr\" data-language=\"mermaid\"><code class=\"language-mermaid\">graph TD\nA--&gt;B\n</code></pre>";
    let open = "```mermaid\ngraph TD\nA-->B\n";
    // The text has ended before the block, so the rest of the diagram is missing.
    assert_eq!(html(open), code);
    for (closed, end) in [
        (format!("{open}```"), ""),
        (format!("{open}````\n\nb"), "<p>b</p>"),
        ("~~~mermaid\ngraph TD\nA-->B\n ~~~  \n".to_owned(), ""),
    ] {
        let html = html(&closed);
        assert!(
            html.starts_with("<div class=\"diagram\" dir=\"ltr\">"),
            "{html}"
        );
        let folded = format!("</svg><details><summary>Source</summary>{code}</details>{end}");
        assert!(html.ends_with(&folded), "{html}");
    }
    // In a list, too. In a quote, each line has a sign that is no part of the diagram.
    let indented = |sign: &str| format!("{open}```").replace('\n', &format!("\n{sign}"));
    assert!(html(&format!("- {}", indented("  "))).contains("<svg"));
    assert!(!html(&format!("> {}", indented("> "))).contains("<svg"));
    // A block of more than 8 KiB is divided, so no part of it is drawn.
    let long = format!("{}```", open.replacen('A', &"C-->D\n".repeat(1_500), 1));
    assert!(!html(&long).contains("<svg"));
}
