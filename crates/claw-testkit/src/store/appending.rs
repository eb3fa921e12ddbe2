//! Checks that lines are loaded unchanged, only once, and in the order in which they were stored.

use super::checks;
use super::given::{
    Store, Writer, assert_stored, beside, note, session, session_in, store_lines, user_line,
};

checks![
    lines_come_back_in_their_order,
    an_unknown_transcript_is_empty,
    batches_keep_their_order,
    an_empty_batch_stores_nothing,
    a_transcript_beside_is_apart,
    projects_are_apart,
    a_repeat_is_stored_once,
    a_repeat_that_goes_further_stores_the_rest,
    a_gap_is_refused,
    a_uuid_is_stored_once_by_all_writers,
    notes_of_two_writers_are_stored_twice,
    a_writer_can_ask_where_it_is,
];

async fn lines_come_back_in_their_order(store: Store) -> bool {
    let key = session("s1").main();
    let lines = [user_line("b"), note("x"), user_line("a")];
    store_lines(&store, &key, &lines).await;
    assert_stored(&store, &key, &lines).await;
    true
}

async fn an_unknown_transcript_is_empty(store: Store) -> bool {
    assert_stored(&store, &session("unknown").main(), &[]).await;
    store_lines(&store, &session("s1").main(), &[user_line("a")]).await;
    assert_stored(&store, &beside(&session("s1"), "subagents/agent-1"), &[]).await;
    true
}

async fn batches_keep_their_order(store: Store) -> bool {
    let key = session("s1").main();
    let mut writer = Writer::new("w");
    let lines = ["z", "a", "m", "b"].map(user_line);
    for (at, line) in lines.iter().enumerate() {
        let appended = writer
            .append(&store, &key, std::slice::from_ref(line))
            .await
            .expect("an append");
        assert_eq!((appended.new, appended.total), (1, at as u64 + 1));
    }
    assert_stored(&store, &key, &lines).await;
    true
}

async fn an_empty_batch_stores_nothing(store: Store) -> bool {
    let key = session("s1").main();
    let mut writer = Writer::new("w");
    let appended = writer
        .append(&store, &key, &[])
        .await
        .expect("an empty batch");
    assert_eq!((appended.new, appended.total), (0, 0));
    assert_stored(&store, &key, &[]).await;
    true
}

async fn a_transcript_beside_is_apart(store: Store) -> bool {
    let session = session("s1");
    let agent = beside(&session, "subagents/agent-1");
    store_lines(&store, &session.main(), &[user_line("a")]).await;
    store_lines(&store, &agent, &[user_line("a"), user_line("b")]).await;
    assert_stored(&store, &session.main(), &[user_line("a")]).await;
    assert_stored(&store, &agent, &[user_line("a"), user_line("b")]).await;
    true
}

async fn projects_are_apart(store: Store) -> bool {
    let (one, other) = (
        session_in("one", "s1").main(),
        session_in("other", "s1").main(),
    );
    store_lines(&store, &one, &[user_line("a")]).await;
    store_lines(&store, &other, &[user_line("b")]).await;
    assert_stored(&store, &one, &[user_line("a")]).await;
    assert_stored(&store, &other, &[user_line("b")]).await;
    true
}

async fn a_repeat_is_stored_once(store: Store) -> bool {
    let key = session("s1").main();
    let lines = [note("x"), user_line("a"), note("x")];
    let writer = Writer::new("w");
    for new in [3, 0, 0] {
        let appended = store
            .append(&key, writer.batch(&lines))
            .await
            .expect("an append");
        assert_eq!((appended.new, appended.total), (new, 3));
    }
    assert_stored(&store, &key, &lines).await;
    true
}

async fn a_repeat_that_goes_further_stores_the_rest(store: Store) -> bool {
    let key = session("s1").main();
    let lines = [note("x"), note("y"), user_line("a"), note("z")];
    let writer = Writer::new("w");
    for (count, new) in [(2, 2), (4, 2), (3, 0)] {
        let appended = store
            .append(&key, writer.batch(&lines[..count]))
            .await
            .expect("an append");
        assert_eq!(appended.new, new);
    }
    assert_stored(&store, &key, &lines).await;
    true
}

async fn a_gap_is_refused(store: Store) -> bool {
    let key = session("s1").main();
    let mut writer = Writer::new("w");
    writer
        .append(&store, &key, &[note("x")])
        .await
        .expect("an append");
    writer.number = 2;
    let error = store
        .append(&key, writer.batch(&[note("z")]))
        .await
        .expect_err("a gap");
    assert!(
        matches!(
            error,
            claw_store::StoreError::Gap {
                expected: 1,
                number: 2,
                ..
            }
        ),
        "{error:?}"
    );
    assert_stored(&store, &key, &[note("x")]).await;
    true
}

async fn a_uuid_is_stored_once_by_all_writers(store: Store) -> bool {
    let key = session("s1").main();
    let (mut one, mut other) = (Writer::new("one"), Writer::new("other"));
    one.append(&store, &key, &[user_line("a"), user_line("b")])
        .await
        .expect("an append");
    let appended = other
        .append(
            &store,
            &key,
            &[user_line("b"), user_line("c"), user_line("c")],
        )
        .await
        .expect("an append");
    assert_eq!((appended.new, appended.total), (1, 3));
    assert_stored(&store, &key, &["a", "b", "c"].map(user_line)).await;
    // The number of a writer counts all lines that it has sent, even lines that the store already had.
    let appended = other
        .append(&store, &key, &[user_line("d")])
        .await
        .expect("an append");
    assert_eq!((appended.new, appended.total), (1, 4));
    true
}

async fn notes_of_two_writers_are_stored_twice(store: Store) -> bool {
    let key = session("s1").main();
    let (mut one, mut other) = (Writer::new("one"), Writer::new("other"));
    one.append(&store, &key, &[note("x")])
        .await
        .expect("an append");
    other
        .append(&store, &key, &[note("x")])
        .await
        .expect("an append");
    assert_stored(&store, &key, &[note("x"), note("x")]).await;
    true
}

async fn a_writer_can_ask_where_it_is(store: Store) -> bool {
    let key = session("s1").main();
    let mut writer = Writer::new("w");
    assert_eq!(
        store
            .next_number(&key, &writer.id)
            .await
            .expect("an answer"),
        0
    );
    writer
        .append(&store, &key, &[note("x"), user_line("a")])
        .await
        .expect("an append");
    assert_eq!(
        store
            .next_number(&key, &writer.id)
            .await
            .expect("an answer"),
        2
    );
    let other = Writer::new("other");
    assert_eq!(
        store.next_number(&key, &other.id).await.expect("an answer"),
        0
    );
    true
}
