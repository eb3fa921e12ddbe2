use claw_view::{Change, Input, Timeline};

use super::markdown::{MarkdownStyler, Rendering};
use super::terminal::Terminal;
use super::wrap::Wrap;

/// Returns changes with every kind of element of a conversation, and with a task that fails.
pub(super) fn changes() -> Vec<Change> {
    let mut timeline = Timeline::default();
    let answer = |id: u32, block: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"msg_{id}","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":2}}}},"parent_tool_use_id":null,"uuid":"u-{id}","session_id":"s"}}"#
        )
    };
    let said = |content: &str| {
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":{content}}},"parent_tool_use_id":null}}"#
        )
    };
    let long: Vec<_> = (1..=14).map(|line| format!("line {line}")).collect();
    let long = long.join("\\n");
    let lines = [
        said(r#""Tidy <b>up</b>.""#),
        answer(1, r#"{"type":"thinking","thinking":"Where to begin?","signature":""}"#),
        answer(2, r#"{"type":"text","text":"I begin."}"#),
        answer(
            3,
            r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./..."}}"#,
        ),
        said(&format!(
            r#"[{{"type":"tool_result","tool_use_id":"t1","content":"{long}"}}]"#
        )),
        answer(
            4,
            r#"{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/a/b/c.rs","old_string":"one\ntwo\n","new_string":"one\nthree\n"}}"#,
        ),
        said(r#"[{"type":"tool_result","tool_use_id":"t2","content":"Done."}]"#),
        r#"{"type":"system","subtype":"task_started","task_id":"k","description":"Wait","task_type":"local_bash","uuid":"k1","session_id":"s"}"#.to_owned(),
        r#"{"type":"system","subtype":"task_notification","task_id":"k","status":"failed","output_file":"","summary":"No more.","uuid":"k2","session_id":"s"}"#.to_owned(),
        r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":100},"uuid":"c","session_id":"s"}"#.to_owned(),
    ];
    let mut changes: Vec<_> = lines
        .iter()
        .flat_map(|line| timeline.push(Input::Line(line)))
        .collect();
    changes.extend(timeline.push(Input::GitDiff(
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -7 +7 @@\n-old\n+new\n",
    )));
    changes.extend(timeline.push(Input::Interruption));
    changes
}

fn drawn(changes: impl IntoIterator<Item = Change>, width: Option<usize>) -> String {
    let mut out = Vec::new();
    let mut terminal = Terminal::new(&mut out, width);
    for change in changes {
        terminal.change(change).unwrap();
    }
    terminal.finish().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_kind_on_a_terminal() {
    let plain = anstream::adapter::strip_str(&drawn(changes(), None)).to_string();
    let expected = "\
> Tidy <b>up</b>.
✻ Thinking
  Where to begin?
I begin.
● Bash(go test ./...)
✓ line 1
  line 2
  line 3
  line 4
  line 5
  line 6
  line 7
  line 8
  line 9
  line 10
  … 4 more lines
● Update(.../c.rs)  (Added 1 line, removed 1 line)
  /a/b/c.rs
    one
  - two
  + three
✓ Done.
◇ Wait  (running)
◇ Wait  (failed)
  No more.
≡ Conversation compacted  (auto, 100 → ? tokens)
± Added 1 line, removed 1 line
  x
  7 - old
  7 + new
■ Interrupted
";
    assert_eq!(plain, expected);
}

#[test]
fn who_is_asked_sees_an_edit_before_it_is_done() {
    let edit = |change: &Change| match change {
        Change::Added(element) => element.kind() == "editDiff",
        _ => false,
    };
    let changes = changes();
    let up_to = changes.iter().position(edit).unwrap();
    let mut out = Vec::new();
    let mut terminal = Terminal::live(&mut out, None);
    for change in &changes[..=up_to] {
        terminal.change(change.clone()).unwrap();
    }
    let shown = String::from_utf8(out.clone()).unwrap();
    // The position of the edit in the file is not known, so no line number is drawn.
    assert!(
        shown.contains("- two") && !shown.contains("2 - two"),
        "{shown}"
    );
    // The edit is drawn only once.
    let mut terminal = Terminal::live(&mut out, None);
    for change in changes {
        terminal.change(change).unwrap();
    }
    terminal.finish().unwrap();
    out.drain(..shown.len());
    assert_eq!(String::from_utf8(out).unwrap().matches("- two").count(), 1);
}

#[test]
fn what_comes_and_goes_has_colours() {
    let drawn = drawn(changes(), None);
    assert!(drawn.contains("\u{1b}[31m7 - old"), "{drawn:?}");
    assert!(drawn.contains("\u{1b}[32m7 + new"), "{drawn:?}");
}

/// An edit waits for its line numbers, but only until the speaker's next message arrives.
#[test]
fn an_edit_without_its_result_stands_before_what_is_said_after_it() {
    let answer = |id: u32, parent: &str, block: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"msg_{id}","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":2}}}},"parent_tool_use_id":{parent},"uuid":"u-{id}","session_id":"s"}}"#
        )
    };
    let edit = |id: &str| {
        format!(
            r#"{{"type":"tool_use","id":"{id}","name":"Edit","input":{{"file_path":"/a/b/{id}.rs","old_string":"one","new_string":"two"}}}}"#
        )
    };
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let lines = [
        answer(1, "null", &edit("t1")),
        answer(2, "\"agent\"", &edit("t2")),
        answer(3, "null", &text("Later.")),
        answer(4, "\"agent\"", &text("Later still.")),
        answer(5, "null", &edit("t3")),
        answer(6, "null", &edit("t4")),
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t4","content":"Done."}]},"parent_tool_use_id":null,"uuid":"u-7","session_id":"s"}"#.to_owned(),
    ];
    let mut timeline = Timeline::default();
    let changes = lines
        .iter()
        .flat_map(|line| timeline.push(Input::Line(line)));
    let drawn = anstream::adapter::strip_str(&drawn(changes, None)).to_string();
    let heads = drawn.lines().map(str::trim_start);
    let heads: Vec<_> = heads
        .filter(|line| line.starts_with(['●', 'L', '✓']))
        .collect();
    let diff = |id: &str| format!("● Update(.../{id}.rs)  (Added 1 line, removed 1 line)");
    assert_eq!(
        heads,
        [
            &*diff("t1"),
            "Later.",
            &diff("t2"),
            "Later still.",
            &diff("t4"),
            "✓ Done.",
            &diff("t3")
        ]
    );
}

fn event(uuid: usize, event: &str) -> String {
    format!(
        r#"{{"type":"stream_event","event":{event},"session_id":"s","parent_tool_use_id":null,"uuid":"e-{uuid}"}}"#
    )
}

#[test]
fn a_text_is_drawn_while_it_grows() {
    let mut timeline = Timeline::default();
    let mut out = Vec::new();
    let mut terminal = Terminal::new(&mut out, Some(20));
    let start = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}}}"#;
    let block =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let piece = |text: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#
        )
    };
    let mut push = |terminal: &mut Terminal<_>, line: &str| {
        for change in timeline.push(Input::Line(line)) {
            terminal.change(change).unwrap();
        }
    };
    for (number, line) in [start, block, &piece("There are se"), &piece("ven files")]
        .into_iter()
        .enumerate()
    {
        push(&mut terminal, &event(number, line));
    }
    // A notice in the middle of a text has a line of its own.
    push(
        &mut terminal,
        r#"{"type":"system","subtype":"informational","content":"Hear!","level":"info","uuid":"i","session_id":"s"}"#,
    );
    push(&mut terminal, &event(4, &piece(" in all.")));
    let whole = r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"There are seven files in all."}],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":2}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"}"#;
    push(&mut terminal, whole);
    terminal.finish().unwrap();
    let drawn = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
    assert_eq!(drawn, "There are seven\nfiles\n· Hear!\n in all.\n");
}

/// A notice within a block of code does not end it.
#[test]
fn a_block_goes_on_below_a_notice() {
    let mut timeline = Timeline::default();
    let mut out = Vec::new();
    let mut terminal = Terminal::new(&mut out, Some(40)).with_rendering(Rendering::Styles);
    let start = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}}}"#;
    let block =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let piece = |text: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#
        )
    };
    let before = [start, block, &piece(r"```\na\n")].map(str::to_owned);
    for (number, line) in before.into_iter().enumerate() {
        for change in timeline.push(Input::Line(&event(number, &line))) {
            terminal.change(change).unwrap();
        }
    }
    terminal.notice("Hear!\n").unwrap();
    let rest = event(3, &piece(r"**b**\n```\n**c**\n"));
    for change in timeline.push(Input::Line(&rest)) {
        terminal.change(change).unwrap();
    }
    terminal.finish().unwrap();
    let drawn = String::from_utf8(out).unwrap();
    assert_eq!(plain(&drawn), "  a\nHear!\n  **b**\nc\n");
}

#[test]
fn a_text_that_was_cut_off_says_so_at_its_end() {
    let line = r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Once upon a"}],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":2}},"aborted":true,"parent_tool_use_id":null,"uuid":"u","session_id":"s"}"#;
    let changes = Timeline::default().push(Input::Line(line));
    assert_eq!(drawn(changes, None), "Once upon a\n(cut off)\n");
}

fn wrapped(pieces: &[&str], width: usize, margin: usize) -> String {
    let mut out = Vec::new();
    let mut wrap = Wrap::new(Some(width), margin, margin);
    for piece in pieces {
        wrap.write(&mut out, piece).unwrap();
    }
    wrap.close(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn lines_end_before_the_terminal_does() {
    for (pieces, width, margin, expected) in [
        (&["one two three"][..], 10, 0, "one two\nthree\n"),
        (&["one tw", "o thr", "ee"], 10, 0, "one two\nthree\n"),
        (&["one two three"], 10, 2, "one two\n  three\n"),
        (&["0123456789abc"], 10, 0, "0123456789\nabc\n"),
        (&["a 0123456789abc"], 10, 0, "a\n0123456789\nabc\n"),
        (&["  let x;\n\n  done\r\n"], 20, 1, "  let x;\n\n   done\n"),
        (&["日本語日本語"], 8, 0, "日本語日\n本語\n"),
        (&["a\tb"], 20, 0, "a    b\n"),
        (&["a\u{1b}b"], 20, 0, "a\\u{1b}b\n"),
        (&[""], 20, 0, "\n"),
    ] {
        assert_eq!(wrapped(pieces, width, margin), expected, "{pieces:?}");
    }
}

#[test]
fn no_width_and_no_text_is_too_odd() {
    let spaces = " ".repeat(1 << 20);
    assert_eq!(wrapped(&[&spaces, "x"], 10, 0), "x\n");
    let marks = "\u{301}".repeat(1 << 16);
    assert_eq!(wrapped(&[&marks], 10, 0).len(), 2 * (1 << 16) + 1);
    assert_eq!(wrapped(&["one two"], 0, 4), "one two\n");
}

/// Draws Markdown that arrives in pieces of this size.
fn styled(text: &str, rendering: Rendering, width: usize, piece: usize) -> String {
    let mut out = Vec::new();
    let mut wrap = Wrap::new(Some(width), 0, 0);
    let mut styler = MarkdownStyler::new(rendering);
    let mut rest = text;
    while !rest.is_empty() {
        let (now, after) = rest.split_at(rest.ceil_char_boundary(piece));
        styler.write(&mut out, &mut wrap, now).unwrap();
        rest = after;
    }
    styler.end(&mut out, &mut wrap).unwrap();
    wrap.close(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Replaces the escape sequences of styles by names.
fn named(text: &str) -> String {
    let names = [
        ("\u{1b}[1m", "<b>"),
        ("\u{1b}[3m", "<i>"),
        ("\u{1b}[2m", "<d>"),
        ("\u{1b}[4m", "<u>"),
        ("\u{1b}[9m", "<s>"),
        ("\u{1b}[36m", "<c>"),
        ("\u{1b}[35m", "<k>"),
        ("\u{1b}[32m", "<t>"),
        ("\u{1b}[0m", "<>"),
    ];
    names
        .iter()
        .fold(text.to_owned(), |text, (sequence, name)| {
            text.replace(sequence, name)
        })
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn the_source_of_markdown_is_unchanged() {
    for (text, expected) in [
        ("# A b", "<b># A b<>\n"),
        ("#a ##", "#a ##\n"),
        ("a **b c** d", "a <b>**b c**<> d\n"),
        ("*a* 2 * 3 * 4", "<i>*a*<> 2 * 3 * 4\n"),
        ("- a\n* b\n1. c", "- a\n* b\n1. c\n"),
        ("a `b **c` d", "a <d>`b **c`<> d\n"),
        (
            "```sh\n# a\n  **b\n```\nc",
            "<d>```sh<>\n<d># a<>\n<d>  **b<>\n<d>```<>\nc\n",
        ),
        (
            "~~~\n```\n~~~\n**c**",
            "<d>~~~<>\n<d>```<>\n<d>~~~<>\n<b>**c**<>\n",
        ),
        ("**a\nb", "**a\nb\n"),
        ("| a |\n|---|\n| b |", "| a |\n|---|\n| b |\n"),
        ("\u{1b}[2J **\u{202e}**", "\\u{1b}[2J <b>**\\u{202e}**<>\n"),
    ] {
        for piece in [1, 2, 100] {
            let lit = styled(text, Rendering::Source, 40, piece);
            assert_eq!(named(&lit), expected, "{text:?} by {piece}");
            // The text itself is unchanged.
            assert_eq!(plain(&lit), format!("{}\n", crate::escape::escape(text)));
        }
    }
}

#[test]
fn styles_replace_the_signs_of_markdown() {
    for (text, expected) in [
        ("# A b\n### C", "<b><u>A b<>\n<b>C<>\n"),
        ("a **b c** d ***e***", "a <b>b c<> d <b><i>e<>\n"),
        (
            "*a* _b_ ~~c~~ 2 * 3 * 4",
            "<i>a<> <i>b<> <s>c<> 2 * 3 * 4\n",
        ),
        ("**a *b* c**", "<b>a <><b><i>b<><b> c<>\n"),
        ("a `b **c` ``d`e``", "a <c>b **c<> <c>d`e<>\n"),
        ("- a\n  * [ ] b\n- [x] c\n1. d", "• a\n  ☐ b\n☑ c\n1. d\n"),
        (
            "> a\n\n---\nb",
            "<d>│ <>a\n\n<d>────────────────────────────────────────<>\nb\n",
        ),
        // Signs remain if they enclose nothing.
        ("**a\nb", "**a\nb\n"),
        ("*args and **kwargs", "*args and **kwargs\n"),
        ("a_b_c snake_case_ 2**3**4", "a_b_c snake_case_ 2**3**4\n"),
        (r"\*a\* C:\x", "*a* C:\\x\n"),
        (
            "https://a.example/_b_/*c* *d*",
            "https://a.example/_b_/*c* <i>d<>\n",
        ),
        ("- \n-", "-\n-\n"),
        // Signs in a block of code remain.
        (
            "```rust\nlet a = \"b\";\n```\nc",
            "<d>rust<>\n  <k>let<> a = <t>\"b\"<>;\nc\n",
        ),
        ("```\n**a**\n\n| b\n```", "  **a**\n\n  | b\n"),
        ("~~~ no such\n```\n# a", "<d>no such<>\n  ```\n  # a\n"),
        // Escape sequences in the text are escaped.
        (
            "**\u{1b}[2J** `\u{9b}1m`",
            "<b>\\u{1b}[2J<> <c>\\u{9b}1m<>\n",
        ),
    ] {
        for piece in [1, 2, 3, 100] {
            let drawn = styled(text, Rendering::Styles, 40, piece);
            assert_eq!(named(&drawn), expected, "{text:?} by {piece}");
        }
    }
}

const TABLE: &str = "| Name | Price | Note |\n|:--|--:|:-:|\n| **Apple** | 110 | a \\| b |\n| Plum\u{1b} | 8 | `|` |\nend";

#[test]
fn a_table_is_laid_out() {
    let expected = "\
Name       │ Price │ Note
───────────┼───────┼──────
Apple      │   110 │ a | b
Plum\\u{1b} │     8 │   |
";
    let wide = styled(TABLE, Rendering::Styles, 60, 1);
    assert!(plain(&wide).starts_with(expected), "{}", plain(&wide));
    assert!(wide.contains("\u{1b}[1mApple\u{1b}[0m"), "{wide:?}");
    for piece in [2, 7, 1000] {
        assert_eq!(styled(TABLE, Rendering::Styles, 60, piece), wide, "{piece}");
    }
    // Without colours, the signs of strong text remain.
    let signs = styled(TABLE, Rendering::Signs, 60, 5);
    assert!(
        plain(&signs).contains("\n**Apple**  │   110 │ a | b\n"),
        "{signs}"
    );
}

#[test]
fn a_table_fits_into_a_narrow_terminal() {
    let long = "one two three four five six seven eight";
    let table = format!("| Key | Text | More |\n|---|---|---|\n| a | {long} | {long} |\n");
    let narrow = plain(&styled(&table, Rendering::Styles, 40, 9));
    for line in narrow.lines() {
        assert!(
            unicode_width::UnicodeWidthStr::width(line) <= 40,
            "{narrow}"
        );
    }
    assert!(narrow.starts_with("Key │ Text"), "{narrow}");
    assert!(narrow.contains("a   │ one two"), "{narrow}");
    // If the columns do not fit, each cell is on a line of its own.
    let list = plain(&styled(&table, Rendering::Styles, 24, 9));
    assert!(
        list.starts_with("Key: a\nText: one two three four\n  five six seven eight\n"),
        "{list}"
    );
}

/// The rows of a long table are drawn before its end, and none is lost.
#[test]
fn a_long_table_is_drawn_while_it_arrives() {
    let mut out = Vec::new();
    let mut wrap = Wrap::new(Some(40), 0, 0);
    let mut styler = MarkdownStyler::new(Rendering::Styles);
    let head = "| Number | Text |\n|---|---|\n";
    styler.write(&mut out, &mut wrap, head).unwrap();
    let mut late = 0;
    for number in 0..1000 {
        let row = format!("| {number} | a longer text than before {number} | more |\n");
        styler.write(&mut out, &mut wrap, &row).unwrap();
        let drawn = String::from_utf8_lossy(&out).into_owned();
        let is_there = drawn.contains(&format!("{number} "));
        late += usize::from(!is_there);
        out.drain(..out.len().saturating_sub(400));
    }
    assert!((1..100).contains(&late), "{late}");
}

/// Emphasis that is never closed, and lines without an end, are held back up to a bound.
#[test]
fn what_is_held_back_has_a_bound() {
    for text in ["**a ", "`a ", "| a ", "- - ", "```a\n", "https://a"] {
        let mut written = Vec::new();
        let mut wrap = Wrap::new(Some(40), 0, 0);
        let mut styler = MarkdownStyler::new(Rendering::Styles);
        styler.write(&mut written, &mut wrap, text).unwrap();
        for _ in 0..10_000 {
            styler.write(&mut written, &mut wrap, "x ").unwrap();
        }
        assert!(
            written.len() > 20_000 - 5_000,
            "{text:?}: {}",
            written.len()
        );
    }
}

/// The result is the same however a text is cut, and no character is lost.
#[test]
fn pieces_make_no_difference() {
    let parts = [
        "*",
        "**",
        "`",
        "_",
        "~~",
        "|",
        "\n",
        "\r\n",
        "\r",
        " ",
        "a",
        "é界",
        "#",
        "- ",
        "1. ",
        "> ",
        "```",
        "|---|",
        "\\",
        "https://x/",
        "[x] ",
        "\t",
        "\u{1b}",
    ];
    let mut seed = 7_u64;
    for _ in 0..2_000 {
        let mut text = String::new();
        for _ in 0..24 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text += parts[usize::try_from(seed >> 33).unwrap() % parts.len()];
        }
        for rendering in [Rendering::Source, Rendering::Signs, Rendering::Styles] {
            let whole = styled(&text, rendering, 30, 10_000);
            for piece in [1, 2, 5] {
                assert_eq!(
                    styled(&text, rendering, 30, piece),
                    whole,
                    "{text:?} by {piece}"
                );
            }
            let letters = |text: &str| text.matches(['a', 'é', '界']).count();
            let shown = plain(&whole).replace("\\u{1b}", "");
            assert!(letters(&shown) >= letters(&text), "{text:?}: {shown:?}");
            assert!(!plain(&whole).contains('\u{1b}'), "{text:?}");
        }
    }
}
