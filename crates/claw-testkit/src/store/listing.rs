//! Checks lists of sessions, transcripts beside the main transcript, and deletions.

use std::time::Duration;

use claw_store::{Batch, ListedSession, Owner, Retry, SessionRef, Summary, WriterId};
use futures::TryStreamExt as _;
use futures::future::{join, join_all};

use super::checks;
use super::given::{
    Store, Writer, assert_stored, beside, line, note, session, session_in, store_lines, user_line,
};

checks![
    a_list_has_the_sessions_of_a_project,
    a_list_without_a_project_has_all,
    a_list_leaves_out_what_is_beside,
    an_entry_is_that_of_the_list,
    a_list_has_the_time_of_the_last_write,
    a_size_is_that_of_the_lines,
    a_summary_is_folded_from_the_lines,
    a_revision_changes_with_every_transcript,
    deleting_what_is_not_there_is_fine,
    deleting_a_session_deletes_what_is_beside,
    deleting_what_is_beside_deletes_only_that,
    a_deleted_session_can_begin_again,
    a_session_with_a_tombstone_takes_no_lines,
    a_deletion_leaves_no_line_of_concurrent_writers,
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

/// The entry of one session equals its entry in the list. A session that is not in the list has no entry.
async fn an_entry_is_that_of_the_list(store: Store) -> bool {
    let (one, other, elsewhere) = (session("s1"), session("s2"), session_in("other", "s1"));
    let alone = session("s3");
    for (session, uuid) in [(&one, "a"), (&other, "b"), (&elsewhere, "c")] {
        store_lines(&store, &session.main(), &[user_line(uuid), note(uuid)]).await;
    }
    for session in [&one, &alone] {
        let agent = beside(session, "subagents/agent-1");
        store_lines(&store, &agent, &[user_line("d")]).await;
    }
    let Some(all) = listed(&store, None).await else {
        return false;
    };
    let entry = async |session: &SessionRef| {
        let lists = store.lists().expect("lists");
        lists.listed(session).await.expect("an entry")
    };
    assert_eq!(all.len(), 3);
    for listed in &all {
        assert_eq!(entry(&listed.session).await.as_ref(), Some(listed));
    }
    for absent in [&alone, &session("unknown"), &session_in("unknown", "s1")] {
        assert_eq!(entry(absent).await, None, "{absent}");
    }
    if let Some(deletes) = store.deletes() {
        deletes.delete(&one.main()).await.expect("a deletion");
        let deleted = deletes.delete_session(&other).await;
        deleted.expect("a deletion");
        assert_eq!(entry(&one).await, None);
        assert_eq!(entry(&other).await, None);
        assert!(entry(&elsewhere).await.is_some());
    }
    true
}

/// The size counts lines of two writers, text that is not ASCII, and no line twice. It stays right after a claim and
/// after the session begins again.
async fn a_size_is_that_of_the_lines(store: Store) -> bool {
    let session = session("s1");
    let (key, owner) = (session.main(), Owner::new("host"));
    let mut expected = 0;
    for round in ["first", "second"] {
        let mut writers = [round, "other"].map(Writer::new);
        for (at, uuid) in ["a", "ä", "c", "a"].into_iter().enumerate() {
            let lines = [user_line(uuid), note(uuid)];
            let is_new = at < 3;
            let lengths = lines.iter().map(|line| line.as_str().len() as u64 + 1);
            expected += lengths.skip(usize::from(!is_new)).sum::<u64>();
            let writer = &mut writers[at % 2];
            if let Some(claims) = store.claims().filter(|_| at == 1) {
                let claim = claims.claim(&session, &owner, Duration::from_mins(1));
                let claim = claim.await.expect("a claim");
                writer.epoch = Some(claim.epoch);
            }
            let appended = writer.append(&store, &key, &lines).await;
            appended.expect("an append");
            let agent = beside(&session, "subagents/agent-1");
            store_lines(&store, &agent, &[user_line(uuid)]).await;
            let Some(listed) = listed(&store, None).await else {
                return false;
            };
            let Some(size) = listed[0].size else {
                return false;
            };
            assert_eq!(size, expected, "after append {at} of the {round} round");
        }
        let Some(deletes) = store.deletes() else {
            return true;
        };
        deletes.delete(&key).await.expect("a deletion");
        expected = 0;
    }
    true
}

/// A store need not report revisions. If it reports one, the revision must change with every transcript.
async fn a_revision_changes_with_every_transcript(store: Store) -> bool {
    let session = session("s1");
    let (main, agent) = (session.main(), beside(&session, "subagents/agent-1"));
    store_lines(
        &store,
        &session_in("-work-project", "s2").main(),
        &[user_line("a")],
    )
    .await;
    let mut known = Vec::new();
    let (mut first, mut second) = (Writer::new("w"), Writer::new("w"));
    for (at, uuid) in ["a", "b", "c", "d", "e", "f"].into_iter().enumerate() {
        let (key, writer) = if at < 2 || at % 2 == 0 {
            (&main, &mut first)
        } else {
            (&agent, &mut second)
        };
        let appended = writer.append(&store, key, &[user_line(uuid)]).await;
        appended.expect("an append");
        let Some(listed) = listed(&store, None).await else {
            return false;
        };
        let Some(revision) = listed[0].revision.clone() else {
            return true;
        };
        let again = self::listed(&store, None).await.expect("lists");
        assert_eq!(again[0].revision.as_ref(), Some(&revision));
        assert!(!known.contains(&revision), "{known:?} {revision}");
        known.push(revision);
    }
    if let Some(deletes) = store.deletes() {
        deletes.delete(&agent).await.expect("a deletion");
        let listed = listed(&store, None).await.expect("lists");
        assert_ne!(listed[0].revision.as_ref(), known.last());
    }
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
    let place = |all: Vec<ListedSession>| -> Vec<_> {
        all.into_iter()
            .map(|listed| listed.revision(None))
            .collect()
    };
    assert_eq!(
        place(third),
        place(second),
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
    // A line that is sent a second time does not change the summary again. Lines of transcripts beside the main
    // transcript do not change it either.
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
    // After the deletion, the store must know neither the UUIDs nor the numbers of the writer's lines.
    store_lines(&store, &key, &[user_line("a"), note("y")]).await;
    assert_stored(&store, &key, &[user_line("a"), note("y")]).await;
    true
}

async fn a_session_with_a_tombstone_takes_no_lines(store: Store) -> bool {
    let Some(deletes) = store.deletes() else {
        return false;
    };
    let (gone, kept, unknown) = (session("s1"), session("s2"), session("s3"));
    let agent = beside(&gone, "subagents/agent-1");
    for key in [&gone.main(), &agent, &kept.main()] {
        store_lines(&store, key, &[user_line("a")]).await;
    }
    for session in [&gone, &unknown] {
        assert!(!deletes.is_deleted(session).await.expect("an answer"));
        deletes.delete_session(session).await.expect("a deletion");
        if !deletes.is_deleted(session).await.expect("an answer") {
            return false;
        }
    }
    let new_agent = beside(&gone, "subagents/agent-2");
    // These are the same line again, another line, lines in other transcripts, and a session of which the store never
    // had a line.
    for (key, text) in [
        (&gone.main(), "a"),
        (&gone.main(), "b"),
        (&agent, "a"),
        (&new_agent, "a"),
        (&unknown.main(), "a"),
    ] {
        let mut writer = Writer::new("late");
        let refused = writer.append(&store, key, &[user_line(text)]).await;
        let error = refused.expect_err("a deleted session took a line");
        assert!(error.is_deleted(), "{error}");
        assert_eq!(error.retry(), Retry::No);
        assert_stored(&store, key, &[]).await;
    }
    if let Some(claims) = store.claims() {
        // A claim does not restore the session either.
        let owner = Owner::new("late");
        let claim = claims.claim(&gone, &owner, Duration::from_mins(1)).await;
        let claim = claim.expect("a claim");
        let writer = WriterId::new("claimed");
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines: &[user_line("c")],
            epoch: Some(claim.epoch),
        };
        let refused = store.append(&gone.main(), batch).await;
        assert!(refused.expect_err("an append").is_deleted());
        claims.release(&claim).await.expect("a release");
    }
    deletes.delete_session(&gone).await.expect("a deletion");
    assert!(!deletes.is_deleted(&kept).await.expect("an answer"));
    let mut next = Writer::new("next");
    let appended = next.append(&store, &kept.main(), &[user_line("b")]).await;
    appended.expect("an append");
    assert_stored(&store, &kept.main(), &[user_line("a"), user_line("b")]).await;
    if let Some(names) = names(&store, None).await {
        assert_eq!(names, ["-work-project/s2"]);
    }
    true
}

async fn a_deletion_leaves_no_line_of_concurrent_writers(store: Store) -> bool {
    let Some(deletes) = store.deletes() else {
        return false;
    };
    let session = session("s1");
    store_lines(&store, &session.main(), &[user_line("first")]).await;
    // Half of the writers write to the existing transcript, and the other half create new transcripts.
    let keys: Vec<_> = (0..8)
        .map(|number| match number % 2 {
            0 => session.main(),
            _ => beside(&session, &format!("subagents/agent-{number}")),
        })
        .collect();
    let writes = keys.iter().enumerate().map(async |(number, key)| {
        let mut writer = Writer::new(&format!("writer-{number}"));
        let line = user_line(&format!("line-{number}"));
        match writer.append(&store, key, &[line]).await {
            Ok(_) => {}
            Err(error) => assert!(error.is_deleted(), "{error}"),
        }
    });
    let (_, outcome) = join(join_all(writes), deletes.delete_session(&session)).await;
    outcome.expect("a deletion");
    if !deletes.is_deleted(&session).await.expect("an answer") {
        return false;
    }
    for key in &keys {
        assert_stored(&store, key, &[]).await;
    }
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
