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
