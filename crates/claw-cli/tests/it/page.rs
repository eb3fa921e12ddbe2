//! `claw view`.

use std::fs;
use std::path::Path;

use crate::claw::{claw, fixtures, ran, text};
use crate::show::answer;

/// The page of a session.
fn page(file: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let ran = ran(claw(&["view", text(file), "-o", text(&page)])
        .output()
        .unwrap());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    fs::read_to_string(page).unwrap()
}

/// The names of all tags, which are claw's own.
fn tags(page: &str) -> Vec<&str> {
    let style = page.find("</style>").unwrap();
    let opened = page[style..].split('<').skip(1);
    opened
        .map(|tag| tag.split([' ', '>']).next().unwrap())
        .collect()
}

#[test]
fn a_page_has_what_was_said_and_asks_for_nothing() {
    let page = page(&fixtures().join("bash_denied"));
    for part in [
        "default-src 'none'; style-src 'unsafe-inline'",
        "width=device-width",
        "prefers-color-scheme: dark",
        "Write hello into greeting.txt.",
        "Bash(echo hello | tee greeting.txt)",
        "Not today.",
        "done: 2 turns",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for part in [
        "<script", "src=", "href=", "url(", "@import", "http:", "https:",
    ] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn every_recording_becomes_a_page_of_known_tags() {
    let known = [
        "/style",
        "title",
        "/title",
        "/head",
        "body",
        "/body",
        "h1",
        "/h1",
        "main",
        "/main",
        "section",
        "/section",
        "span",
        "/span",
        "div",
        "/div",
        "p",
        "/p",
        "small",
        "/small",
        "pre",
        "/pre",
        "details",
        "/details",
        "summary",
        "/summary",
        "b",
        "/b",
        "i",
        "/i",
        "/html",
        "br",
        "ul",
        "/ul",
        "ol",
        "/ol",
        "li",
        "/li",
        "a",
        "/a",
        "em",
        "/em",
        "strong",
        "/strong",
        "del",
        "/del",
        "code",
        "/code",
        "blockquote",
        "/blockquote",
        "table",
        "/table",
        "thead",
        "/thead",
        "tbody",
        "/tbody",
        "tr",
        "/tr",
        "th",
        "/th",
        "td",
        "/td",
        "hr",
        "h2",
        "/h2",
    ];
    let mut pages = 0;
    for folder in fs::read_dir(fixtures()).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.join("stdout.ndjson").is_file() {
            continue;
        }
        let page = page(&folder);
        for tag in tags(&page) {
            assert!(known.contains(&tag), "{tag} in {}", folder.display());
        }
        let closed = |tag: &str| tags(&page).iter().filter(|it| **it == tag).count();
        for tag in ["section", "div", "pre", "details", "span"] {
            assert_eq!(
                closed(tag),
                closed(&format!("/{tag}")),
                "{tag}, {}",
                folder.display()
            );
        }
        pages += 1;
    }
    assert!(pages > 100, "{pages}");
}

#[test]
fn hostile_text_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("<img src=x onerror=alert(1)>.ndjson");
    let hostile = "<script>alert(1)</script></pre>\"'&amp;\u{1b}[31m\u{202e}\u{0}\r";
    let long = format!("{hostile}{}{hostile}", "x".repeat(1 << 20));
    // NUL bytes at the end of a line are no part of it.
    let broken = format!("{hostile}.");
    let lines = [answer(1, hostile), answer(2, &long), broken];
    fs::write(&file, lines.join("\n")).unwrap();
    let page = page(&file);
    let shown = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;/pre&gt;&quot;&#39;&amp;amp;\\u{1b}[31m\\u{202e}\\u{0}";
    assert_eq!(page.matches(shown).count(), 3);
    // Markdown has entities in a paragraph, as which the end of the long text is read.
    let shown = shown.replace("&amp;amp;", "&amp;");
    assert_eq!(page.matches(&shown).count(), 1);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;.ndjson"));
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert!(!page.contains(|c: char| c.is_control() && c != '\n') && !page.contains('\u{202e}'));
}

#[test]
fn what_is_hidden_is_folded_and_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    let lines: Vec<_> = (1..=14).map(|line| format!("line {line}")).collect();
    let content = serde_json::to_string(&lines.join("\n")).unwrap();
    let result = format!(
        r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{content}}}]}},"parent_tool_use_id":null}}"#
    );
    fs::write(&file, result).unwrap();
    let expected =
        "line 10</pre><details><summary>4 more lines</summary><pre class=\"long\">\nline 11\n";
    assert!(page(&file).contains(expected));
}

#[test]
fn a_thought_of_three_lines_folds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    let thought = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"one\ntwo\nthree"}]}}"#;
    fs::write(&file, thought).unwrap();
    let expected = "<details class=\"thought\" open><summary><span class=\"head\">Thinking</span></summary>\
        <pre class=\"long\">\none\ntwo\nthree</pre></details>";
    let page = page(&file);
    assert!(page.contains(expected), "{page}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_takes_no_more_than_linear_work() {
    crate::show::assert_linear(&|file| {
        let args = ["view", "--html", text(file), "-o", "-"];
        args.map(str::to_owned).to_vec()
    });
}

#[test]
fn ends_have_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("no/such/folder/page.html");
    let recording = fixtures().join("text");
    for (file, page, code) in [("no/such/file", "-", 3), (text(&recording), text(&page), 4)] {
        let ran = ran(claw(&["view", "--html", file, "-o", page])
            .output()
            .unwrap());
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    }
}

/// It holds what was said.
#[cfg(unix)]
#[test]
fn a_page_is_for_its_owner_alone_and_follows_no_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let [page, link] = ["page.html", "link.html"].map(|name| folder.path().join(name));
    let session = fixtures().join("text");
    let write = |page: &Path| {
        let args = ["view", "--html", text(&session), "-o", text(page)];
        ran(claw(&args).output().unwrap())
    };
    let mode = || page.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(write(&page).code, Some(0));
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&page, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(write(&page).code, Some(0));
    assert_eq!(mode(), 0o600);

    fs::write(&page, "kept").unwrap();
    symlink(&page, &link).unwrap();
    let refused = write(&link);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("symbolic link"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read(&page).unwrap(), b"kept");
}

/// The command recognizes by the contents whether its argument is a transcript, the output of `claude`, or the folder of a
/// recording.
#[test]
fn without_a_page_a_session_of_any_form_is_shown() {
    let recording = fixtures().join("subagent");
    let transcript = recording.join("transcript.ndjson");
    for file in [
        recording.clone(),
        recording.join("stdout.ndjson"),
        transcript,
    ] {
        let view = ran(claw(&["view", text(&file)]).output().unwrap());
        assert_eq!((view.code, &*view.stderr), (Some(0), ""), "{file:?}");
        assert!(
            view.stdout.contains("There are two files."),
            "{}",
            view.stdout
        );
        let show = ran(claw(&["show", text(&file)]).output().unwrap());
        assert_eq!(view.stdout, show.stdout, "{file:?}");
    }
    // The former way to name the file.
    let page = ["view", "--html", text(&recording), "-o", "-"];
    assert_eq!(ran(claw(&page).output().unwrap()).code, Some(0));
    for wrong in [&["view"][..], &["view", "--html", text(&recording)]] {
        assert_eq!(
            ran(claw(wrong).output().unwrap()).code,
            Some(2),
            "{wrong:?}"
        );
    }
}
