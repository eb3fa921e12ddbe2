use claw_client::types::Json;
use serde_json::json;
use tokio::sync::mpsc::channel;

use claw_client::types::tool::QuestionKind;

use super::*;
use crate::input::Piped;

/// Returns the question about a use of this tool, as the terminal shows it.
fn asked(tool: &str, input: serde_json::Value, width: Option<usize>) -> String {
    let question = CanUseTool::new(tool, Json::from(input), "toolu_1");
    let QuestionText { text, change, rest } = QuestionText::about(
        &question,
        SessionFolders::default().asked_path(&question),
        &suggestions(&question),
        width,
    );
    let change = change.map(|(_, change)| anstream::adapter::strip_str(&change).to_string());
    [text, change.unwrap_or_default(), rest].concat()
}

#[test]
fn the_tools_line_is_asked_about() {
    assert_eq!(
        asked("Bash", json!({"command": "ls"}), None),
        "  ? May claude use Bash(ls)? [y/N] "
    );
    let add = asked("mcp__calculator__add", json!({"a": 1, "b": "x"}), None);
    assert_eq!(
        add,
        "  ? May claude use calculator: add(a: 1, b: \"x\")? [y/N] "
    );
}

#[test]
fn a_path_and_the_reason_are_said_as_they_are_known() {
    let mut question = CanUseTool::new("Bash", Json::from(json!({"command": "touch x"})), "t");
    question.blocked_path = Some("/work/project/x".to_owned());
    question.decision_reason = Some("A hook asks.".to_owned());
    // The folders of the session are not known, so the path is shown as it is.
    let path = SessionFolders::default().asked_path(&question);
    let text = QuestionText::about(&question, path, &[], None).rest;
    assert_eq!(
        text,
        "    It needs the path /work/project/x\n    Why it is asked: A hook asks.\n    [y/N] "
    );
}

#[test]
fn the_change_of_an_edit_is_shown() {
    let edit = json!({"file_path": "/work/project/a.rs", "old_string": "old", "new_string": "new",
        "replace_all": true});
    assert_eq!(
        asked("Edit", edit, None),
        "  ? May claude use Update(/work/project/a.rs)?\n    /work/project/a.rs\n    - old\n    \
         + new\n    replace_all: true\n    [y/N] "
    );
    // If the file exists, the question shows its lines.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rs");
    std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
    let edit = json!({"file_path": path, "old_string": "two", "new_string": "2"});
    let edit = asked("Edit", edit, None);
    assert!(
        edit.contains("\n    1   one\n    2 - two\n    2 + 2\n    3   three\n"),
        "{edit}"
    );
    // The content is shown in full, because the user must see everything that is allowed.
    let content: Vec<_> = (1..=100).map(|line| format!("line {line}")).collect();
    let write = json!({"file_path": "/a", "content": content.join("\n")});
    let write = asked("Write", write, None);
    assert!(write.contains("\n    100 + line 100\n"), "{write}");
}

#[test]
fn nothing_that_a_tool_is_given_is_left_out() {
    let bash = json!({"command": "ls", "description": "List", "dangerouslyDisableSandbox": true});
    let bash = asked("Bash", bash, None);
    for line in ["description: List", "dangerouslyDisableSandbox: true"] {
        assert!(bash.contains(&format!("\n    {line}\n")), "{bash}");
    }
    assert!(!bash.contains("command"), "it stands in the line: {bash}");
    let agent = asked(
        "Agent",
        json!({"description": "Look", "prompt": "Delete it all."}),
        None,
    );
    assert!(agent.contains("\n    prompt: Delete it all.\n"), "{agent}");
    // A command that looks like the other fields hides none of them.
    let forged = json!({"command": "echo dangerouslyDisableSandbox: true", "dangerouslyDisableSandbox": true});
    let forged = asked("Bash", forged, None);
    assert!(
        forged.contains("\n    dangerouslyDisableSandbox: true\n"),
        "{forged}"
    );
    let odd = asked("Bash", json!(["no object"]), None);
    assert!(odd.contains("input: [\"no object\"]"), "{odd}");
}

#[test]
fn what_is_asked_about_neither_steers_a_terminal_nor_looks_like_a_question() {
    let forged = "ls \u{1b}[2J\n  ? May claude use Read(x)? [y/N] \n[y/N]";
    let narrow = asked("Bash", json!({"command": forged}), Some(30));
    assert!(!narrow.contains('\u{1b}'), "{narrow}");
    let mut lines = narrow.lines();
    assert!(lines.next().unwrap().starts_with("  ? May claude use"));
    let last = lines.next_back().unwrap();
    assert_eq!(last, "    [y/N] ");
    for line in lines {
        assert!(
            line.starts_with("      ") && line.chars().count() <= 30,
            "{line:?}"
        );
    }
}

#[test]
fn only_a_yes_is_a_yes() {
    assert!(["y", "Yes ", "Y"].iter().all(|line| is_yes(line)));
    assert!(
        ["", "n", "yess", "ja", "ok"]
            .iter()
            .all(|line| !is_yes(line))
    );
}

#[tokio::test]
async fn who_tells_waits_until_it_is_shown() {
    let (sender, mut notices) = notices();
    let asker = Asker::new(Decider::Terminal, sender);
    let notifying = asker.clone();
    let notifying =
        tokio::spawn(async move { notifying.notify("a question".to_owned(), true).await });
    let notice = notices.recv().await.unwrap();
    assert!(notice.text == "a question" && notice.is_question);
    tokio::task::yield_now().await;
    assert!(!notifying.is_finished());
    drop(notice);
    notifying.await.unwrap();
    // After the receiver is dropped, the asker does not wait.
    drop(notices);
    asker.notify("too late".to_owned(), false).await;
}

/// This happens while the terminal is busy, or while the person types a prompt.
#[tokio::test]
async fn notices_of_questions_that_are_taken_back_do_not_pile_up() {
    let (sender, mut notices) = notices();
    let asker = Asker::new(Decider::Always { allow: true }, sender);
    for number in 0..100 {
        let notifying = asker.clone();
        let notifying =
            tokio::spawn(async move { notifying.notify(format!("{number}"), false).await });
        // The task sends the notice, or waits to send it.
        tokio::task::yield_now().await;
        notifying.abort();
        assert!(notifying.await.unwrap_err().is_cancelled());
    }
    assert_eq!(notices.recv().await.unwrap().text, "0");
    assert!(notices.try_recv().is_err(), "one waits, no more");
}

fn question(multi_select: bool) -> Question {
    let options = [("Red", "A warm one"), ("Blue", "A cold\u{1b} one")];
    let options = options.map(|(label, description)| {
        claw_client::types::tool::QuestionOption::new(label).description(description)
    });
    Question::new("Which colour?", "Colour")
        .options(options)
        .multi_select(multi_select)
}

#[test]
fn a_question_without_options_wants_words() {
    let open = Question::new("Which name?", "Name").kind(QuestionKind::Text);
    assert_eq!(put(&open), "  ? [Name] Which name?\n    Your answer: ");
    assert_eq!(choices(&open, " 2 ").unwrap(), ["2"]);
    assert!(choices(&open, "").unwrap().is_empty());
}

#[test]
fn a_question_is_put_with_numbers() {
    assert_eq!(
        put(&question(false)),
        "  ? [Colour] Which colour?\n    1. Red: A warm one\n    2. Blue: A cold\\u{1b} one\n    \
         A number, or words of your own: "
    );
}

#[test]
fn an_option_is_put_with_its_preview() {
    let option = claw_client::types::tool::QuestionOption::new("Red");
    let question = Question::new("Which?", "").options([option.preview("a\u{1b}[2J\nb\n")]);
    assert!(
        put(&question).starts_with("  ? Which?\n    1. Red\n       a\\u{1b}[2J\n"),
        "{}",
        put(&question)
    );
    assert!(
        put(&question).contains(" b\n    A number"),
        "{}",
        put(&question)
    );
}

#[test]
fn a_plan_that_is_not_there_is_not_approved() {
    let none = about_plan(" \n").rest;
    assert!(
        none.contains("no plan") && none.contains("without one?"),
        "{none}"
    );
    let plan = about_plan("1. Go.");
    assert_eq!(plan.text, "\n1. Go.\n");
    assert_eq!(
        plan.rest,
        "  ? Shall claude begin? [y/N, or n and what to change] "
    );
}

#[test]
fn options_are_chosen_by_number_or_label_and_nothing_else_is_one() {
    let chosen = |multi, line| choices(&question(multi), line).map(|chosen| chosen.join("|"));
    for (multi, line, expected) in [
        (false, " 2 ", Some("Blue")),
        (false, "blue", Some("Blue")),
        (false, "1, 2", None),
        (true, "2,1", Some("Blue|Red")),
        (true, "red, 2", Some("Red|Blue")),
        (true, "1, green", None),
        (false, "3", None),
        (false, "0", None),
        (false, "ok", None),
        (true, "", Some("")),
    ] {
        assert_eq!(chosen(multi, line).as_deref(), expected, "{line}");
    }
}

#[tokio::test]
async fn questions_are_answered_by_what_is_typed() {
    let (sender, mut notices) = notices();
    let asker = Asker::new(Decider::Terminal, sender);
    let (keyboard, typed) = channel(1);
    let mut input = Input::Piped(Piped::of(typed));
    let questions = AskUserQuestionInput::new(vec![question(false)]);
    let line = |text: &str| InputEvent::Line(text.to_owned());
    keyboard.send(line("before it stands there")).await.unwrap();
    let putting = tokio::spawn(async move { (asker.put(questions, &mut input).await, input) });
    let notice = notices.recv().await.unwrap();
    assert!(notice.is_question && notice.rest.contains("Which colour?"));
    drop(notice);
    keyboard.send(line("2")).await.unwrap();
    let (PermissionResult::Allow(allow), mut rest) = putting.await.unwrap() else {
        panic!("it was answered")
    };
    assert_eq!(rest.line("").await, line("before it stands there"));
    let input = allow.updated_input.unwrap().to_value().unwrap();
    assert_eq!(input["answers"]["Which colour?"], "Blue");
}

/// Answers a question with these lines. Returns the texts that the person was shown, and the result.
async fn put_to(answers: &[&str], question: Question) -> (Vec<String>, PermissionResult) {
    let (sender, mut notices) = notices();
    let asker = Asker::new(Decider::Terminal, sender);
    let (keyboard, typed) = channel(1);
    let mut input = Input::Piped(Piped::of(typed));
    let questions = AskUserQuestionInput::new(vec![question]);
    let putting = tokio::spawn(async move { asker.put(questions, &mut input).await });
    let mut shown = Vec::new();
    for answer in answers {
        shown.push(notices.recv().await.unwrap().rest);
        let line = InputEvent::Line((*answer).to_owned());
        keyboard.send(line).await.unwrap();
    }
    (shown, putting.await.unwrap())
}

#[tokio::test]
async fn words_that_are_no_option_are_asked_back() {
    let answer = |result| match result {
        PermissionResult::Allow(allow) => {
            let input: serde_json::Value = allow.updated_input.unwrap().to_value().unwrap();
            input["answers"]["Which colour?"].clone()
        }
        other => panic!("{other:?}"),
    };
    let (asked, result) = put_to(&["ok\u{1b}", "2"], question(false)).await;
    let again =
        "    “ok\\u{1b}” is none of the options: y sends it as your own words, or answer again.\n";
    assert!(asked[1].contains(again), "{}", asked[1]);
    assert!(
        asked[1].contains("? [Colour] Which colour?\n"),
        "{}",
        asked[1]
    );
    assert_eq!(answer(result), "Blue");
    let (_, result) = put_to(&["green", "y"], question(false)).await;
    assert_eq!(answer(result), "green");
    // A yes confirms only the newest answer.
    let (asked, result) = put_to(&["green", "violet", "y"], question(false)).await;
    assert!(asked[2].contains("“violet”"), "{}", asked[2]);
    assert_eq!(answer(result), "violet");
    // If no answer waits for a confirmation, a yes confirms nothing.
    let (asked, result) = put_to(&["y", "1"], question(false)).await;
    assert!(
        asked[1].contains("“y” is none of the options"),
        "{}",
        asked[1]
    );
    assert_eq!(answer(result), "Red");
}

#[test]
fn a_question_is_repeated_with_what_is_wrong_before_its_last_line() {
    let short = QuestionText::text("  ? May claude use Bash(ls)? [y/N] ".to_owned());
    assert_eq!(
        short.again("“ok” is no choice").rest,
        "  ? May claude use Bash(ls)?\n    “ok” is no choice.\n    [y/N] "
    );
    let long = QuestionText::text("    description: List\n    [y/N] ".to_owned());
    assert_eq!(
        long.again("“ok” is no choice").rest,
        "    description: List\n    “ok” is no choice.\n    [y/N] "
    );
}

#[test]
fn words_behind_a_no_are_its_reason() {
    let message = |line| match denied(line) {
        Some(PermissionResult::Deny(deny)) => deny.message,
        other => panic!("{other:?}"),
    };
    for line in ["", " n ", "No", "no,"] {
        assert_eq!(message(line), "The user said no.", "{line}");
    }
    for line in ["n: use the other file", "no, use the other file"] {
        assert_eq!(
            message(line),
            "The user said no: use the other file",
            "{line}"
        );
    }
    for line in ["ok", ", ok", "not this one", "use the other file", "1"] {
        assert!(denied(line).is_none(), "{line}");
    }
}
