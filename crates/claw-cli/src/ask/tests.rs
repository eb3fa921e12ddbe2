use tokio::sync::mpsc::unbounded_channel;

use claw_client::types::tool::QuestionKind;

use super::*;

#[test]
fn only_a_yes_is_a_yes() {
    assert!(["y", "Yes ", "Y"].iter().all(|line| is_yes(line)));
    assert!(["", "n", "yess", "ja"].iter().all(|line| !is_yes(line)));
}

#[tokio::test]
async fn who_tells_waits_until_it_is_shown() {
    let (sender, mut notices) = unbounded_channel();
    let asker = Asker::new(Decider::Terminal, sender);
    let telling = asker.clone();
    let telling = tokio::spawn(async move { telling.tell("a question".to_owned(), true).await });
    let notice = notices.recv().await.unwrap();
    assert!(notice.text == "a question" && notice.is_question);
    tokio::task::yield_now().await;
    assert!(!telling.is_finished());
    drop(notice);
    telling.await.unwrap();
    // Nobody shows anything any more.
    drop(notices);
    asker.tell("too late".to_owned(), false).await;
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
    assert_eq!(put(&open), "  ? Which name?\n    Your answer: ");
    assert_eq!(choices(&open, " 2 "), ["2"]);
    assert!(choices(&open, "").is_empty());
}

#[test]
fn a_question_is_put_with_numbers() {
    assert_eq!(
        put(&question(false)),
        "  ? Which colour?\n    1. Red: A warm one\n    2. Blue: A cold\\u{1b} one\n    \
         A number, or words of your own: "
    );
}

#[test]
fn options_are_chosen_by_number_and_anything_else_is_an_answer() {
    let chosen = |multi, line| choices(&question(multi), line).join("|");
    for (multi, line, expected) in [
        (false, " 2 ", "Blue"),
        (false, "1, 2", "1, 2"),
        (true, "2,1", "Blue|Red"),
        (true, "1, green", "1, green"),
        (false, "3", "3"),
        (false, "0", "0"),
        (false, "green", "green"),
        (true, "", ""),
    ] {
        assert_eq!(chosen(multi, line), expected, "{line}");
    }
}

#[tokio::test]
async fn questions_are_answered_by_what_is_typed() {
    let (sender, mut notices) = unbounded_channel();
    let asker = Asker::new(Decider::Terminal, sender);
    let (keyboard, typed) = unbounded_channel();
    let mut input = Input::Plain(typed);
    let questions = AskUserQuestionInput::new(vec![question(false)]);
    keyboard.send("before it stands there".to_owned()).unwrap();
    let putting = tokio::spawn(async move { asker.put(questions, &mut input).await });
    let notice = notices.recv().await.unwrap();
    assert!(notice.is_question && notice.text.contains("Which colour?"));
    drop(notice);
    keyboard.send("2".to_owned()).unwrap();
    let PermissionResult::Allow(allow) = putting.await.unwrap() else {
        panic!("it was answered")
    };
    let input = allow.updated_input.unwrap().to_value().unwrap();
    assert_eq!(input["answers"]["Which colour?"], "Blue");
}
