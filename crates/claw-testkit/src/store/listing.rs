//! Checks of lists, of transcripts beside the main transcript, and of deletion.

use claw_store::{ListedSession, SessionRef, Summary};
use futures::TryStreamExt as _;

use super::checks;
use super::given::{
    Store, Writer, assert_stored, beside, line, note, session, session_in, store_lines, user_line,
};

checks![
    a_list_has_the_sessions_of_a_project,
    a_list_without_a_project_has_all,
    a_list_leaves_out_what_is_beside,
    a_list_has_the_time_of_the_last_write,
    a_summary_is_folded_from_the_lines,
    deleting_what_is_not_there_is_fine,
    deleting_a_session_deletes_what_is_beside,
    deleting_what_is_beside_deletes_only_that,
    a_deleted_session_can_begin_again,
    subkeys_are_those_of_the_session,
    subkeys_need_no_main_transcript,
];

async fn listed(store: &Store, project: Option<&str>) -> Option<Vec<ListedSession>> {
    let mut all: Vec<_> = store
        .lists()?
        .sessions(project)
        .try_collect()
        .await
        .expect("a list");
    all.sort_by(|a, b| a.session.cmp(&b.session));
    Some(all)
}

async fn names(store: &Store, project: Option<&str>) -> Option<Vec<String>> {
    let listed = listed(store, project).await?;
    Some(
        listed
            .iter()
            .map(|listed| listed.session.to_string())
            .collect(),
    )
}

async fn subkeys(store: &Store, session: &SessionRef) -> Option<Vec<String>> {
    let mut found = store.subkeys()?.subkeys(session).await.expect("subkeys");
    found.sort();
    Some(found.iter().map(ToString::to_string).collect())
}

async fn a_list_has_the_sessions_of_a_project(store: Store) -> bool {
    for (project, name) in [("p", "s1"), ("p", "s2"), ("q", "s3"), ("p2", "s4")] {
        store_lines(&store, &session_in(project, name).main(), &[user_line("a")]).await;
    }
    let Some(found) = names(&store, Some("p")).await else {
        return false;
    };
    assert_eq!(found, ["p/s1", "p/s2"]);
    assert_eq!(names(&store, Some("unknown")).await, Some(Vec::new()));
    true
}

async fn a_list_without_a_project_has_all(store: Store) -> bool {
    for project in ["p", "q"] {
        store_lines(&store, &session_in(project, "s1").main(), &[user_line("a")]).await;
    }
    let Some(found) = names(&store, None).await else {
        return false;
    };
    assert_eq!(found, ["p/s1", "q/s1"]);
    true
}

async fn a_list_leaves_out_what_is_beside(store: Store) -> bool {
    store_lines(
        &store,
        &beside(&session("s1"), "subagents/agent-1"),
        &[user_line("a")],
    )
    .await;
    store_lines(&store, &session("s2").main(), &[user_line("a")]).await;
    let Some(found) = names(&store, None).await else {
        return false;
    };
    assert_eq!(found, ["-work-project/s2"]);
    true
}

async fn a_list_has_the_time_of_the_last_write(store: Store) -> bool {
    let session = session("s1");
    let mut writer = Writer::new("w");
    writer
        .append(&store, &session.main(), &[user_line("a")])
        .await
        .expect("an append");
    let Some(first) = listed(&store, None).await else {
        return false;
    };
    // The time is in milliseconds, not in seconds.
    assert!(
        first[0].modified > 1_000_000_000_000,
        "{}",
        first[0].modified
    );
    writer
        .append(&store, &session.main(), &[user_line("b")])
        .await
        .expect("an append");
    let second = listed(&store, None).await.expect("lists");
    assert!(second[0].modified >= first[0].modified);
    store_lines(
        &store,
        &beside(&session, "subagents/agent-1"),
        &[user_line("a")],
    )
    .await;
    let third = listed(&store, None).await.expect("lists");
    assert_eq!(
        third, second,
        "what is beside does not change the session's place in the list"
    );
    true
}

async fn a_summary_is_folded_from_the_lines(store: Store) -> bool {
    let (one, other) = (session("s1"), session("s2"));
    let lines = [
        line(
            r#"{"type":"user","uuid":"u1","timestamp":"2026-11-22T04:05:58.960Z","cwd":"/work/project","gitBranch":"main","message":{"role":"user","content":"How many apples?"}}"#,
        ),
        line(r#"{"type":"custom-title","customTitle":"Apples","sessionId":"s1"}"#),
        line(r#"{"type":"tag","tag":"fruit","sessionId":"s1"}"#),
    ];
    let mut writer = Writer::new("w");
    writer
        .append(&store, &one.main(), &lines[..1])
        .await
        .expect("an append");
    writer
        .append(&store, &one.main(), &lines[1..])
        .await
        .expect("an append");
    // A repeated line is not folded again, and lines of transcripts beside the main transcript are
    // not folded.
    let repeat = Writer::new("w");
    store
        .append(&one.main(), repeat.batch(&lines[..1]))
        .await
        .expect("a repeat");
    store_lines(&store, &beside(&one, "subagents/agent-1"), &[note("z")]).await;
    store_lines(&store, &other.main(), &[note("x")]).await;
    let Some(found) = listed(&store, None).await else {
        return false;
    };
    if found[0].summary.is_none() {
        return false;
    }
    let mut expected = Summary::default();
    for line in &lines {
        expected.fold(line);
    }
    assert_eq!(found[0].summary.as_ref(), Some(&expected));
    let mut expected = Summary::default();
    expected.fold(&note("x"));
    assert_eq!(found[1].summary.as_ref(), Some(&expected));
    true
}

async fn deleting_what_is_not_there_is_fine(store: Store) -> bool {
    let Some(deletes) = store.deletes() else {
        return false;
    };
    deletes
        .delete(&session("unknown").main())
        .await
        .expect("a delete");
    deletes
        .delete(&beside(&session("unknown"), "subagents/agent-1"))
        .await
        .expect("a delete");
    true
}

async fn deleting_a_session_deletes_what_is_beside(store: Store) -> bool {
    let Some(deletes) = store.deletes() else {
        return false;
    };
    let (gone, kept, elsewhere) = (session("s1"), session("s2"), session_in("other", "s1"));
    for session in [&gone, &kept, &elsewhere] {
        store_lines(&store, &session.main(), &[user_line("a")]).await;
        store_lines(
            &store,
            &beside(session, "subagents/agent-1"),
            &[user_line("b")],
        )
        .await;
    }
    deletes.delete(&gone.main()).await.expect("a delete");
    assert_stored(&store, &gone.main(), &[]).await;
    assert_stored(&store, &beside(&gone, "subagents/agent-1"), &[]).await;
    for session in [&kept, &elsewhere] {
        assert_stored(&store, &session.main(), &[user_line("a")]).await;
        assert_stored(
            &store,
            &beside(session, "subagents/agent-1"),
            &[user_line("b")],
        )
        .await;
    }
    if let Some(names) = names(&store, None).await {
        assert_eq!(names, ["-work-project/s2", "other/s1"]);
    }
    if let Some(subkeys) = subkeys(&store, &gone).await {
        assert_eq!(subkeys, [""; 0]);
    }
    true
}

async fn deleting_what_is_beside_deletes_only_that(store: Store) -> bool {
    let Some(deletes) = store.deletes() else {
        return false;
    };
    let session = session("s1");
    let (gone, kept) = (
        beside(&session, "subagents/agent-1"),
        beside(&session, "subagents/agent-12"),
    );
    for key in [&session.main(), &gone, &kept] {
        store_lines(&store, key, &[user_line("a")]).await;
    }
    deletes.delete(&gone).await.expect("a delete");
    assert_stored(&store, &gone, &[]).await;
    assert_stored(&store, &kept, &[user_line("a")]).await;
    assert_stored(&store, &session.main(), &[user_line("a")]).await;
    true
}

async fn a_deleted_session_can_begin_again(store: Store) -> bool {
    let Some(deletes) = store.deletes() else {
        return false;
    };
    let key = session("s1").main();
    store_lines(&store, &key, &[user_line("a"), note("x")]).await;
    deletes.delete(&key).await.expect("a delete");
    // The store has forgotten everything: the UUIDs, and what the writer had stored.
    store_lines(&store, &key, &[user_line("a"), note("y")]).await;
    assert_stored(&store, &key, &[user_line("a"), note("y")]).await;
    true
}

async fn subkeys_are_those_of_the_session(store: Store) -> bool {
    let (one, other) = (session("s1"), session("s12"));
    for path in ["subagents/agent-1", "subagents/workflows/w/agent-2"] {
        store_lines(&store, &beside(&one, path), &[user_line("a")]).await;
        store_lines(&store, &beside(&one, path), &[user_line("b")]).await;
    }
    store_lines(&store, &one.main(), &[user_line("a")]).await;
    store_lines(
        &store,
        &beside(&other, "subagents/agent-3"),
        &[user_line("a")],
    )
    .await;
    let Some(found) = subkeys(&store, &one).await else {
        return false;
    };
    assert_eq!(
        found,
        ["subagents/agent-1", "subagents/workflows/w/agent-2"]
    );
    true
}

async fn subkeys_need_no_main_transcript(store: Store) -> bool {
    store_lines(
        &store,
        &beside(&session("s1"), "subagents/agent-1"),
        &[user_line("a")],
    )
    .await;
    let Some(found) = subkeys(&store, &session("s1")).await else {
        return false;
    };
    assert_eq!(found, ["subagents/agent-1"]);
    assert_eq!(subkeys(&store, &session("unknown")).await, Some(Vec::new()));
    true
}
