//! Pages, in a browser that is as wide as a phone.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::chromium::{Chromium, Loaded};
use crate::claw::{claw, fixtures, ran, text};
use crate::show::answer;

/// Writes the page of a session.
fn page(file: &Path, page: &Path) {
    let ran = ran(claw(&["view", "--html", text(file), "-o", text(page)])
        .output()
        .unwrap());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
}

/// The elements of a session.
fn elements(file: &Path) -> Vec<Value> {
    let shown = ran(claw(&["show", "--json", text(file)]).output().unwrap());
    let lines = shown.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What there is of a page: how wide it is, and its elements, with what is folded or without.
const LAID_OUT: &str = "(() => {
    const all = [...document.body.querySelectorAll('*')];
    const edges = all.map(it => it.getBoundingClientRect());
    return {
        inner: innerWidth,
        scroll: document.scrollingElement.scrollWidth,
        left: Math.min(...edges.map(it => it.left)),
        right: Math.max(...edges.map(it => it.right)),
        tags: [...new Set(all.map(it => it.localName))].sort(),
        attributes: [...new Set(all.flatMap(it => it.getAttributeNames()))].sort(),
        strays: all.filter(it => it.localName == 'section' && it.parentNode != document.querySelector('main') && !it.parentNode.closest('section.rewound')).length,
        sections: [...document.querySelectorAll('main > section')].map(it => [it.classList[0], it.innerText]),
        text: document.body.innerText,
    };
})()";

/// Unfolds everything, so that texts are in one piece.
const UNFOLD: &str = "document.querySelectorAll('details').forEach(it => {
    it.open = true;
    it.querySelector('summary').textContent = '';
})";

fn fits(laid_out: &Value, page: &Path) {
    let edge = |name: &str| laid_out[name].as_f64().unwrap();
    let page = page.display();
    assert_eq!(laid_out["inner"], 390, "{page}");
    assert!(edge("scroll") <= 390.0, "{page}: {}", edge("scroll"));
    assert!(
        edge("left") >= 0.0 && edge("right") <= 390.0,
        "{page}: from {} to {}",
        edge("left"),
        edge("right")
    );
}

/// A text without its white space, of which a page is free to make what it likes.
fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A text as it is shown, without white space.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else if !c.is_whitespace() {
            shown.push(c);
        }
    }
    shown
}

/// Whether somebody could hide something by that character; of those that turn the direction of writing around,
/// the ones that are tried here.
fn is_hidden(c: char) -> bool {
    let is_space = matches!(c, '\n' | '\t');
    (c.is_control() && !is_space)
        || matches!(
            c,
            '\u{202e}' | '\u{2028}' | '\u{2066}' | '\u{200b}' | '\u{feff}'
        )
}

/// The texts of an element that are to be seen; those of them that are folded, too.
fn texts(content: &Value, folded: bool, out: &mut Vec<String>) {
    let kind = content["type"].as_str();
    let is_whole = !matches!(
        kind,
        Some("thinking" | "toolResult" | "image" | "document" | "unknown")
    );
    // Of Markdown, the words that have no signs.
    if kind == Some("assistantText") {
        let text = content["text"].as_str().unwrap();
        let words = text.split_whitespace();
        let plain = words.filter(|word| word.chars().all(char::is_alphanumeric));
        return out.extend(plain.map(str::to_owned));
    }
    // Of a command's output, the text without its colours.
    if kind == Some("commandOutput") {
        let text = content["text"].as_str().unwrap();
        let mut parts = text.split("\u{1b}[");
        let first = parts.next().unwrap();
        let others = parts.map(|part| part.split_once('m').unwrap().1);
        return out.push(std::iter::once(first).chain(others).collect());
    }
    match content {
        Value::Object(keys) => {
            for (key, value) in keys {
                match (&**key, value) {
                    ("input" | "preview", _) => {}
                    // A page has what a person is to read of it, not the original.
                    ("text" | "summary", _) if content["shown"].is_string() => {}
                    ("shown", Value::String(text)) if folded => out.push(text.clone()),
                    ("text", Value::String(text)) if is_whole || folded => out.push(text.clone()),
                    ("title" | "feedback", Value::String(text)) => out.push(text.clone()),
                    ("summary" | "description" | "path", Value::String(text))
                        if folded || kind != Some("contextCompaction") =>
                    {
                        out.push(text.clone());
                    }
                    // A rewound branch is folded, too.
                    ("hunks" | "elements", _) if !folded => {}
                    (_, value) => texts(value, folded, out),
                }
            }
            if let Some(text) = content["preview"]["text"].as_str() {
                out.push(text.to_owned());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, folded, out)),
        _ => {}
    }
}

/// Looks at the page of a session, which has to be good: what it did while it was loaded, how wide it is,
/// and that what there is to see is there.
fn looked_at(browser: &mut Chromium, session: &Path, page: &Path) -> Value {
    assert_eq!(
        browser.load(page),
        Loaded::default(),
        "{}",
        session.display()
    );
    let elements = elements(session);
    for folded in [false, true] {
        if folded {
            browser.value(UNFOLD);
        }
        let laid_out = browser.value(LAID_OUT);
        fits(&laid_out, session);
        let sections = laid_out["sections"].as_array().unwrap();
        assert_eq!(sections.len(), elements.len(), "{}", session.display());
        for (section, element) in sections.iter().zip(&elements) {
            assert_eq!(section[0], element["content"]["type"]);
            let mut texts_there = Vec::new();
            texts(&element["content"], folded, &mut texts_there);
            let there = dense(section[1].as_str().unwrap());
            for text in texts_there {
                let is_there = there.contains(&shown(&text));
                assert!(is_there, "{}: {text:?} in {element}", session.display());
            }
        }
    }
    browser.value(LAID_OUT)
}

#[test]
fn the_browser_tells_of_what_a_page_must_not_do() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let html = "<!doctype html><meta name=viewport content='width=device-width'><main>\
        <script>window.ran = 1; console.log('here')</script><img src=http://example.invalid/x.png>\
        <div style='width: 500px'>x</div></main>";
    fs::write(&page, html).unwrap();
    let mut browser = Chromium::start();
    let loaded = browser.load(&page);
    assert_eq!(loaded.requests, ["http://example.invalid/x.png"]);
    assert!(loaded.said.concat().contains("here"), "{loaded:?}");
    assert_eq!(browser.value("window.ran"), 1);
    let laid_out = browser.value(LAID_OUT);
    assert!(laid_out["scroll"].as_f64().unwrap() > 390.0, "{laid_out}");
    assert!(laid_out["right"].as_f64().unwrap() > 390.0, "{laid_out}");
}

#[test]
fn every_recording_fits_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let mut browser = Chromium::start();
    let mut looked = 0;
    for recorded in fs::read_dir(fixtures()).unwrap() {
        let recorded = recorded.unwrap().path();
        for name in ["", "transcript.ndjson"] {
            let session = recorded.join(name);
            if !session.join("stdout.ndjson").is_file() && !session.is_file() {
                continue;
            }
            page(&session, &file);
            looked_at(&mut browser, &session, &file);
            looked += 1;
        }
    }
    assert!(looked > 150, "{looked}");
}

/// A session of many kinds of elements: what several recordings say, one after the other.
fn rich(folder: &Path) -> PathBuf {
    let names = [
        "bash_denied",
        "todo_write",
        "subagent",
        "write_edit",
        "compact",
        "web_search",
        "images_and_documents",
        "overloaded_once",
        "interrupt",
    ];
    let mut lines = String::new();
    for name in names {
        let recorded = fixtures().join(name);
        for file in ["stdin.ndjson", "stdout.ndjson"] {
            lines +=
                &fs::read_to_string(recorded.join(file)).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
    let file = folder.join("a session of many kinds.ndjson");
    fs::write(&file, lines).unwrap();
    file
}

#[test]
fn a_page_is_drawn_within_its_margins_in_light_and_in_dark() {
    let folder = tempfile::tempdir().unwrap();
    let (session, file) = (rich(folder.path()), folder.path().join("page.html"));
    page(&session, &file);
    let mut browser = Chromium::start();
    looked_at(&mut browser, &session, &file);
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        browser.scheme(scheme);
        let picture = browser.screenshot(20_000);
        assert_eq!(picture.width, 390);
        assert!(picture.height > 2_000, "{}", picture.height);
        // Text, cards, marks, lines that come and go.
        let colours = picture.colours(|_| true).len();
        assert!(colours > 100, "{scheme}: {colours} colours");
        let margins = picture.colours(|x| !(12..390 - 12).contains(&x));
        assert_eq!(margins.len(), 1, "{scheme}: {margins:?}");
        papers.push(margins);
    }
    assert_ne!(papers[0], papers[1]);
}

/// Markup, escapes and characters that somebody would try.
const HOSTILE: &[&str] = &[
    "<script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "</pre></div></section></main><svg onload=window.ran=1>",
    "\"><iframe srcdoc='<script>parent.ran = 1</script>'>",
    "' onmouseover='window.ran = 1' autofocus onfocus='window.ran = 1",
    "</title></style><link rel=stylesheet href=http://example.invalid/a.css>",
    "<meta http-equiv=refresh content='0;url=http://example.invalid/'><base href=//example.invalid>",
    "<style>* { display: none } body { background: url(http://example.invalid/b.png) }</style>",
    "<!-- <plaintext> <![CDATA[ <textarea> <template>",
    "&lt;b&gt; &#x202e;gnp.exe &amp;amp;",
    "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{0}\u{8}\r",
    "\u{202e}gnp.exe\u{2066}\u{200b}\u{feff}",
];

/// A session in which all texts are those, wherever a text may stand.
fn hostile(folder: &Path) -> PathBuf {
    let mut lines = Vec::new();
    let say = |lines: &mut Vec<String>, content: Value| {
        let line = json!({"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null});
        lines.push(line.to_string());
    };
    let mut texts: Vec<_> = HOSTILE.iter().map(|&text| text.to_owned()).collect();
    texts.push("a\u{301}\u{302}\u{303}\u{304}".repeat(20) + &"\u{30d}".repeat(500));
    texts.push("W".repeat(5_000));
    for it in &texts {
        let number = lines.len();
        say(&mut lines, json!(it));
        let tool = |name: &str, input: Value| json!({"type": "tool_use", "id": format!("{name}-{number}"), "name": name, "input": input});
        let tools = [
            tool(it, json!({it.as_str(): it})),
            tool("Bash", json!({"command": it, "description": it})),
            tool("Write", json!({"file_path": it, "content": it})),
            tool(
                "Edit",
                json!({"file_path": it, "old_string": "a", "new_string": it}),
            ),
        ];
        let said = [
            json!({"type": "text", "text": it}),
            json!({"type": "thinking", "thinking": it, "signature": ""}),
            json!({"type": it, "text": it}),
        ];
        for block in said.iter().chain(&tools) {
            let line = answer(lines.len(), "");
            let line = line.replace(r#"{"type":"text","text":""}"#, &block.to_string());
            lines.push(line);
        }
        for tool in &tools {
            say(
                &mut lines,
                json!([{"type": "tool_result", "tool_use_id": tool["id"], "content": it}]),
            );
        }
        say(
            &mut lines,
            json!([{"type": "document", "title": it, "source": {"type": "text", "media_type": "text/plain", "data": it}}]),
        );
        say(
            &mut lines,
            json!([{"type": "image", "source": {"type": "url", "url": it}}]),
        );
        lines.push(json!({"type": "system", "subtype": "informational", "content": it, "level": "info", "uuid": format!("n-{number}"), "session_id": "s"}).to_string());
        lines.push(it.clone());
    }
    let long = HOSTILE.concat() + &"x".repeat(1 << 20) + HOSTILE[0];
    say(&mut lines, json!(long));
    say(
        &mut lines,
        json!([{"type": "tool_result", "tool_use_id": "long", "content": long}]),
    );
    lines.push(answer(lines.len(), &long));
    lines.push(long);
    let file = folder.join("<img src=x onerror=window.ran=1>.ndjson");
    fs::write(&file, lines.join("\n")).unwrap();
    file
}

#[test]
fn hostile_content_is_text_on_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let (session, file) = (hostile(folder.path()), folder.path().join("page.html"));
    page(&session, &file);
    let mut browser = Chromium::start();
    // What the page forbids the browser is the second lock: the first one holds without it.
    let html = fs::read_to_string(&file).unwrap();
    let policy = html.find("<meta http-equiv").unwrap();
    let policy = policy..policy + html[policy..].find('\n').unwrap();
    assert!(html[policy.clone()].contains("default-src 'none'"));
    let mut open = html.clone();
    open.replace_range(policy, "");
    let unlocked = folder.path().join("unlocked.html");
    fs::write(&unlocked, open).unwrap();
    for page in [&unlocked, &file] {
        let laid_out = looked_at(&mut browser, &session, page);
        assert_eq!(browser.value("typeof window.ran"), "undefined");
        let tags = [
            "b", "details", "div", "h1", "i", "main", "p", "pre", "section", "small", "span",
            "summary",
        ];
        assert_eq!(laid_out["tags"], json!(tags));
        assert_eq!(
            laid_out["attributes"],
            json!(["aria-hidden", "class", "dir", "open"])
        );
        assert_eq!(laid_out["strays"], 0);
        let shown = laid_out["text"].as_str().unwrap();
        for part in [
            "\\u{202e}gnp.exe\\u{2066}",
            "&#x202e;gnp.exe",
            "\\u{1b}[2J",
            "<!-- <plaintext>",
        ] {
            assert!(shown.contains(part), "{part}");
        }
        assert!(!shown.contains(is_hidden));
    }
    let picture = browser.screenshot(4_000);
    let margins = picture.colours(|x| !(12..390 - 12).contains(&x));
    assert_eq!((picture.width, margins.len()), (390, 1), "{margins:?}");
}

#[test]
fn marks_piled_upon_a_letter_cover_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (session, file) = (
        folder.path().join("session.ndjson"),
        folder.path().join("page.html"),
    );
    let mut browser = Chromium::start();
    let mut drawn = |last: &str| {
        let mut lines: Vec<_> = (0..10)
            .map(|number| answer(number, "Good morning."))
            .collect();
        lines.push(answer(10, last));
        fs::write(&session, lines.join("\n")).unwrap();
        page(&session, &file);
        looked_at(&mut browser, &session, &file);
        let end =
            "Math.floor(document.querySelectorAll('section')[9].getBoundingClientRect().bottom)";
        let end = browser.value(end).as_u64().unwrap();
        browser.screenshot(end)
    };
    let piled = "a\u{301}\u{302}\u{303}".to_owned() + &"\u{30d}".repeat(500);
    let (plain, piled) = (drawn("a"), drawn(&piled));
    assert!(plain.colours(|_| true).len() > 20 && plain == piled);
}
