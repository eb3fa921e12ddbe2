//! Checks with input that causes failures in real stores: unusual texts, unusual keys, many concurrent operations, and
//! large amounts of data.

use claw_store::Line;
use futures::future::join_all;

use super::checks;
use super::given::{
    Store, Writer, assert_stored, beside, line, note, session, session_in, store_lines, texts,
    user_line,
};

checks![
    odd_texts_come_back_byte_for_byte,
    a_line_of_ten_megabytes_comes_back,
    odd_keys_are_apart,
    many_writers_of_one_transcript_lose_nothing,
    many_transcripts_at_once_lose_nothing,
    a_thousand_batches_come_back,
    a_repeat_at_the_same_time_is_stored_once,
    an_uuid_of_any_text_is_a_uuid,
];

async fn odd_texts_come_back_byte_for_byte(store: Store) -> bool {
    let key = session("s1").main();
    let nested = format!(r#"{{"a":{}1{}}}"#, "[".repeat(2000), "]".repeat(2000));
    let lines: Vec<Line> = [
        r#"{"z":1,"a":2,"z":3}"#,
        r#"{"lone":"\ud800","other":"\udc00x"}"#,
        r#"{"nul":"a\u0000b"}"#,
        r#"{"big":123456789012345678901234567890,"exact":1.0000000000000000001,"e":1E400}"#,
        r#" { "spaces" : [ 1 , 2 ] } "#,
        r#"{"escapes":"\/\u00e9é\"\\","emoji":"😀","bidi":"\u202e"}"#,
        r#"{"sql":"'; DROP TABLE x; --","glob":"*?[","percent":"%s%00"}"#,
        "{}",
        nested.as_str(),
    ]
    .map(line)
    .to_vec();
    store_lines(&store, &key, &lines).await;
    assert_stored(&store, &key, &lines).await;
    true
}

async fn a_line_of_ten_megabytes_comes_back(store: Store) -> bool {
    let key = session("s1").main();
    let large = line(&format!(
        r#"{{"uuid":"large","text":"{}"}}"#,
        "é".repeat(5_000_000)
    ));
    let lines = [user_line("a"), large, user_line("b")];
    store_lines(&store, &key, &lines).await;
    // `assert_eq` would print the large line if the check fails.
    let stored = texts(&store, &key).await;
    assert!(
        stored.iter().eq(lines.iter().map(Line::as_str)),
        "a large line is not the same"
    );
    true
}

async fn odd_keys_are_apart(store: Store) -> bool {
    let projects = [
        "a", "a/b", "a:b", "a%2Fb", "a%", "A", "..", ".", "a b", "ä", "a*", "C:\\x", "'", "a_",
        "~", "a}b", "{a}",
    ];
    let mut keys: Vec<_> = projects
        .iter()
        .map(|project| session_in(project, "s1").main())
        .collect();
    keys.extend(["s/1", "s:1", "s%2F1", "S1", "../s1"].map(|name| session_in("a", name).main()));
    keys.extend(
        ["main", "a b/c", "ü/%2F", "%", "a_", "a/b/c/d"]
            .map(|path| beside(&session_in("a", "s1"), path)),
    );
    for (at, key) in keys.iter().enumerate() {
        store_lines(&store, key, &[note(&at.to_string())]).await;
    }
    for (at, key) in keys.iter().enumerate() {
        assert_stored(&store, key, &[note(&at.to_string())]).await;
    }
    true
}

async fn many_writers_of_one_transcript_lose_nothing(store: Store) -> bool {
    let key = &session("s1").main();
    let store = &store;
    join_all((0..8).map(|writer| async move {
        let mut id = Writer::new(&writer.to_string());
        for batch in 0..10 {
            let lines = [
                user_line(&format!("{writer}-{batch}")),
                note(&format!("{writer}-{batch}")),
            ];
            id.append(store, key, &lines).await.expect("an append");
        }
    }))
    .await;
    let stored = texts(store, key).await;
    assert_eq!(stored.len(), 160);
    for writer in 0..8 {
        let of_writer: Vec<_> = stored
            .iter()
            .filter(|text| text.contains(&format!("\"{writer}-")))
            .collect();
        let expected = (0..10).flat_map(|batch| {
            let name = format!("{writer}-{batch}");
            [
                user_line(&name).as_str().to_owned(),
                note(&name).as_str().to_owned(),
            ]
        });
        assert!(
            of_writer.into_iter().cloned().eq(expected),
            "the lines of a writer keep their order"
        );
    }
    true
}

async fn many_transcripts_at_once_lose_nothing(store: Store) -> bool {
    let store = &store;
    let keys: Vec<_> = (0..20).map(|n| session(&format!("s{n}")).main()).collect();
    join_all(keys.iter().map(|key| async move {
        let mut writer = Writer::new("w");
        for batch in 0..5 {
            writer
                .append(store, key, &[user_line(&batch.to_string())])
                .await
                .expect("an append");
        }
    }))
    .await;
    for key in &keys {
        assert_stored(store, key, &["0", "1", "2", "3", "4"].map(user_line)).await;
    }
    true
}

async fn a_thousand_batches_come_back(store: Store) -> bool {
    let key = session("s1").main();
    let mut writer = Writer::new("w");
    let lines: Vec<_> = (0..1000).map(|n| user_line(&n.to_string())).collect();
    for line in &lines {
        writer
            .append(&store, &key, std::slice::from_ref(line))
            .await
            .expect("an append");
    }
    assert_stored(&store, &key, &lines).await;
    true
}

async fn a_repeat_at_the_same_time_is_stored_once(store: Store) -> bool {
    let key = session("s1").main();
    let writer = Writer::new("w");
    let lines = [note("x"), user_line("a"), note("y")];
    let appended = join_all((0..8).map(|_| store.append(&key, writer.batch(&lines)))).await;
    let new: u64 = appended
        .into_iter()
        .map(|done| done.expect("an append").new)
        .sum();
    assert_eq!(new, 3);
    assert_stored(&store, &key, &lines).await;
    true
}

async fn an_uuid_of_any_text_is_a_uuid(store: Store) -> bool {
    let key = session("s1").main();
    let odd = [
        "",
        "not a uuid",
        "A0000000-0000-4000-8000-000000000001",
        "a0000000-0000-4000-8000-000000000001",
    ];
    let lines = odd.map(user_line);
    store_lines(&store, &key, &lines).await;
    let mut other = Writer::new("other");
    other.append(&store, &key, &lines).await.expect("an append");
    assert_stored(&store, &key, &lines).await;
    true
}
