//! The pictures in `docs/pictures`: what a person sees of `claw`.
//!
//! `cargo xtask pictures` draws them anew.
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use vt100::{Cell, Color, Parser, Screen};

use crate::chromium::{Chromium, Picture};
use crate::claw::{claw, fixtures, ran, text};

const COLUMNS: u16 = 76;
const ROWS: u16 = 24;

/// The picture as it is kept.
fn kept(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    folder.join(name)
}

/// Whether the pictures are to be drawn anew.
fn writes() -> bool {
    std::env::var_os("CLAW_WRITE_EXPECTED").is_some()
}

/// An empty screen.
fn screen() -> Parser {
    let [rows, columns] = [ROWS, COLUMNS].map(|size| NonZero::new(size).unwrap());
    Parser::new(rows, columns, 0)
}

/// What a terminal shows when `claw` with these arguments has ended.
fn terminal(args: &[&str]) -> Parser {
    let (mut ours, theirs) = claw_testkit::terminal::open(COLUMNS, ROWS).unwrap();
    let mut command = claw(args);
    let mut child = command
        .env("TERM", "xterm")
        .stdin(theirs.try_clone().unwrap())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs)
        .spawn()
        .unwrap();
    // Its copies of the terminal are closed, so that the program's end is the terminal's.
    drop(command);
    let mut terminal = screen();
    terminal.process(format!("$ claw {}\r\n", args.join(" ")).as_bytes());
    let mut chunk = [0; 4096];
    // An error is the end: nobody has the other end any more.
    while let Ok(length @ 1..) = ours.read(&mut chunk) {
        terminal.process(&chunk[..length]);
    }
    assert!(child.wait().unwrap().success());
    terminal
}

/// The size of a character, in pixels: that of the font is as wide as this, whichever it is.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 19.0;
/// What is left free at each side.
const MARGIN: f64 = 14.0;

/// A screen as a picture.
fn svg(screen: &Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let rows: Vec<u16> = (0..rows.get())
        .filter(|&row| !runs(screen, row).is_empty())
        .collect();
    let last = rows.last().copied().unwrap_or_default();
    let width = f64::from(columns.get()).mul_add(WIDTH, 2.0 * MARGIN);
    let height = f64::from(last + 1).mul_add(HEIGHT, 2.0 * MARGIN);
    let title = escaped(title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.1}\" \
         role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1b1e24\"/>\n\
         <g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n"
    );
    for row in rows {
        let y = f64::from(row + 1).mul_add(HEIGHT, MARGIN - 5.0);
        for run in runs(screen, row) {
            let x = f64::from(run.column).mul_add(WIDTH, MARGIN);
            let length = f64::from(run.columns) * WIDTH;
            let (style, text) = (&run.style, escaped(&run.text));
            writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" xml:space=\"preserve\"{style}>{text}</text>"
            )
            .unwrap();
        }
    }
    svg + "</g>\n</svg>\n"
}

/// Neighbours of one style and one width: fonts do not agree on how wide a wide character is.
struct Run {
    column: u16,
    columns: u16,
    is_wide: bool,
    style: String,
    text: String,
}

/// What stands in a row, without the spaces at its end.
fn runs(screen: &Screen, row: u16) -> Vec<Run> {
    let (_, columns) = screen.size();
    let cells = (0..columns.get()).filter_map(|column| Some((column, screen.cell(row, column)?)));
    let mut runs: Vec<Run> = Vec::new();
    for (column, cell) in cells {
        if cell.is_wide_continuation() {
            if let Some(run) = runs.last_mut() {
                run.columns += 1;
            }
            continue;
        }
        let content = if cell.has_contents() {
            cell.contents()
        } else {
            " "
        };
        let style = style(cell);
        match runs.last_mut() {
            Some(run) if run.style == style && run.is_wide == cell.is_wide() => {
                run.columns += 1;
                run.text.push_str(content);
            }
            _ => runs.push(Run {
                column,
                columns: 1,
                is_wide: cell.is_wide(),
                style,
                text: content.to_owned(),
            }),
        }
    }
    for run in &mut runs {
        let kept = run.text.trim_end().len();
        run.columns -= u16::try_from(run.text.len() - kept).unwrap();
        run.text.truncate(kept);
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}

/// How a character looks, as attributes.
fn style(cell: &Cell) -> String {
    let colour = match cell.fgcolor() {
        Color::Idx(1 | 9) => "#ff7b72",
        Color::Idx(2 | 10) => "#7ee787",
        Color::Idx(3 | 11) => "#e3b341",
        Color::Idx(4 | 12) => "#79c0ff",
        Color::Idx(6 | 14) => "#76e3ea",
        Color::Default if cell.dim() => "#8b949e",
        Color::Default => "#e6edf3",
        other => panic!("the picture has no colour for {other:?}"),
    };
    let mut style = format!(" fill=\"{colour}\"");
    if cell.bold() {
        style += " font-weight=\"bold\"";
    }
    style
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[test]
fn the_terminal_looks_as_pictured() {
    let terminal = terminal(&["demo"]);
    is_pictured(terminal.screen(), "A terminal after claw demo", "demo.svg");
}

/// A conversation with a plan that is accepted, a change as a diff, and the question about it.
#[cfg(feature = "terminal")]
#[test]
fn a_conversation_looks_as_pictured() {
    use claw_testkit::Block;
    use claw_testkit::agent::Step;
    use serde_json::json;

    use crate::screen::{Person, Stage};

    let plan = "1. Find where the price is written.\n2. Raise it by 10 %.";
    let edit = json!({"file_path": "price.toml", "old_string": "apple = 100", "new_string": "apple = 110"});
    let turn = vec![
        Step::message([
            Block::text("I know what to do. **Here is my plan:**\n"),
            Block::tool_use("ExitPlanMode", json!({"plan": plan})),
        ]),
        Step::permission([Step::tool_result("Begin.")], []),
        Step::message([
            Block::text("The price is in `price.toml`.\n"),
            Block::tool_use("Edit", edit),
        ]),
        Step::permission([], []),
    ];
    let stage = Stage::new([Step::Turn(turn)]);
    let prices = "# In cents.\napple = 100\nplum = 80\n";
    fs::write(stage.work().join("price.toml"), prices).unwrap();
    let mut person = Person::at(&stage.chat(), 84, 34);
    person.sees("claude 2.");
    person.press("Apples cost 10 % more from today on.\r");
    person.sees("[y/N, or n and what to change]");
    person.press("y\r");
    person.sees("/N]");
    person.press("n, plums too");
    person.sees("n, plums too");
    is_pictured(
        person.parser.screen(),
        "A terminal with claw chat",
        "chat.svg",
    );
}

/// What a person sees who types the next prompt: wide characters, and names that are offered.
#[cfg(feature = "terminal")]
#[test]
fn a_prompt_that_is_typed_looks_as_pictured() {
    use claw_testkit::Block;
    use claw_testkit::agent::Step;
    use serde_json::json;

    use crate::screen::{Person, Stage};

    let turn = vec![
        Step::message([
            Block::text("🎉 りんごは **110 円** になりました。\n"),
            Block::tool_use(
                "Bash",
                json!({"command": "cargo test", "description": "Test it"}),
            ),
        ]),
        Step::tool_result("12 tests passed"),
        Step::message([Block::text("値段のテストも通りました。\n")]),
    ];
    let stage = Stage::new([Step::Turn(turn)]);
    for name in ["price.toml", "printer.toml", "plum.md"] {
        fs::write(stage.work().join(name), "").unwrap();
    }
    let mut person = Person::at(&stage.chat(), 84, 24);
    person.sees("claude 2.");
    person.press("りんごを 10 % 値上げして。\r");
    person.sees("— done:");
    person.is_ready();
    person.press("すもも 🍑 も同じように。 @pri");
    person.until("names", |rows| {
        rows.iter()
            .rfind(|row| !row.is_empty())
            .is_some_and(|row| row.contains("@printer.toml"))
    });
    is_pictured(
        person.parser.screen(),
        "A terminal with claw chat, in which the next prompt is typed",
        "chat-typing.svg",
    );
}

/// Compares the screen with the picture that is kept.
fn is_pictured(screen: &Screen, title: &str, name: &str) {
    let drawn = svg(screen, title);
    let file = kept(name);
    if writes() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap();
    assert_eq!(kept, drawn, "`cargo xtask pictures` draws it anew");
}

#[test]
fn what_stands_on_the_screen_is_text_in_the_picture() {
    let mut terminal = screen();
    terminal.process("\x1b[31m<b>\x1b[0m & \"x\"  \r\n界a\r\n\x1b[1mlast\x1b[0m".as_bytes());
    let drawn = svg(terminal.screen(), "<&>");
    for part in [
        " fill=\"#ff7b72\">&lt;b&gt;</text>",
        "> &amp; &quot;x&quot;</text>",
        " font-weight=\"bold\">last</text>",
        "<title>&lt;&amp;&gt;</title>",
        // A wide character has two columns.
        " textLength=\"16.8\" xml:space=\"preserve\" fill=\"#e6edf3\">界</text>",
        "<text x=\"30.8\" y=\"47.0\" textLength=\"8.4\" xml:space=\"preserve\" fill=\"#e6edf3\">a</text>",
    ] {
        assert!(drawn.contains(part), "{part} in {drawn}");
    }
    assert_eq!(drawn.matches("<text ").count(), 5, "{drawn}");
}

/// Chromium draws no two machines' letters alike: whether the kept picture still is what the page looks like, a
/// person sees.
#[test]
fn the_page_is_pictured() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let ran = ran(claw(&[
        "view",
        "--html",
        text(&fixtures().join("write_edit")),
        "-o",
        text(&page),
    ])
    .output()
    .unwrap());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let mut browser = Chromium::start();
    browser.load(&page);
    browser.scheme("light");
    let drawn = browser.png(614);
    let file = kept("page.png");
    if writes() {
        fs::write(&file, &drawn).unwrap();
    }
    let (kept, drawn) = (
        Picture::read(&fs::read(&file).unwrap()),
        Picture::read(&drawn),
    );
    assert_eq!(
        kept.width, drawn.width,
        "`cargo xtask pictures` draws it anew"
    );
    assert!(
        kept.colours(|_| true).len() > 2,
        "nothing is on the picture"
    );
}
