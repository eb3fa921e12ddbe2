//! Tests of buckets in which another program has changed or removed objects.

use std::sync::Arc;

use claw_store::{
    Leftover, LeftoverState, Line, Owner, ReadSessions as _, SessionRef, SessionStore as _,
    StoreError, StoreKey, Subpath, WriterId,
};
use claw_store_bucket::Store;
use claw_testkit::store::faults;
use claw_testkit::store::samples::entries_are_read_alone;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{ObjectStore as _, ObjectStoreExt as _};

use crate::server::{self, Server};
use crate::{
    LONG, append, assert_stored, batch, client, fresh_name, note, session, texts, user_line,
};

/// A store with a session of three parts, and a client of the store's objects.
struct Filled {
    store: Store,
    objects: Arc<AmazonS3>,
    prefix: String,
    _server: Arc<Server>,
}

impl Filled {
    async fn new() -> Self {
        let server = server::shared();
        let (objects, prefix) = (client(server.address()), fresh_name());
        let filled = Self {
            store: open(&objects, &prefix).await,
            objects,
            prefix,
            _server: server,
        };
        let writer = WriterId::new("w");
        for (at, line) in [user_line("a"), note("b"), user_line("c")]
            .iter()
            .enumerate()
        {
            let lines = std::slice::from_ref(line);
            append(&filled.store, &session().main(), &writer, at as u64, lines).await;
        }
        filled
    }

    /// Opens the store again, as a newly started host does.
    async fn again(&self) -> Store {
        open(&self.objects, &self.prefix).await
    }

    fn path(&self, inner: &str) -> Path {
        Path::parse(format!("{}/{inner}", self.prefix)).expect("a name")
    }

    fn part(&self, number: u64) -> Path {
        self.path(&format!("parts/-work-project/s1/main/{number:016}"))
    }

    async fn remove(&self, number: u64) {
        let removed = self.objects.delete(&self.part(number)).await;
        removed.expect("a part that is there");
    }

    async fn put(&self, path: &Path, body: impl Into<Vec<u8>>) {
        let put = self.objects.put(path, body.into().into()).await;
        put.expect("an object");
    }

    async fn body(&self, number: u64) -> String {
        let got = self.objects.get(&self.part(number)).await.expect("a part");
        let bytes = got.bytes().await.expect("its bytes");
        String::from_utf8(bytes.to_vec()).expect("a text")
    }

    /// Returns the names of all objects of the store.
    async fn names(&self) -> Vec<String> {
        let prefix = Path::parse(&self.prefix).expect("a name");
        let mut names: Vec<_> = self
            .objects
            .list(Some(&prefix))
            .map_ok(|meta| meta.location.to_string().split_off(self.prefix.len() + 1))
            .try_collect()
            .await
            .expect("a list");
        names.sort();
        names
    }
}

async fn open(objects: &Arc<AmazonS3>, prefix: &str) -> Store {
    let settings = Store::builder(objects.clone()).prefix(prefix);
    let settings = settings.timeout(LONG).line_limit(1 << 20);
    settings.open().await.expect("a store")
}

#[tokio::test]
async fn the_objects_are_those_of_the_documentation() {
    let filled = Filled::new().await;
    let beside = session().at(Subpath::new("subagents/agent-a1").expect("a path"));
    let writer = WriterId::new("w");
    append(&filled.store, &beside, &writer, 0, &[note("x")]).await;
    assert_eq!(
        filled.names().await,
        [
            "parts/-work-project/s1/beside/subagents%2Fagent-a1/0000000000000000",
            "parts/-work-project/s1/main/0000000000000000",
            "parts/-work-project/s1/main/0000000000000001",
            "parts/-work-project/s1/main/0000000000000002",
            "sessions/-work-project/s1",
        ]
    );
    let body = filled.body(1).await;
    let (header, lines) = body.split_once('\n').expect("a header");
    assert_eq!(lines, format!("{}\n", note("b").as_str()));
    let header: serde_json::Value = serde_json::from_str(header).expect("JSON");
    assert_eq!(header["first"], 1);
    assert_eq!(header["head"]["lines"], 2);
    let bytes = user_line("a").as_str().len() + note("b").as_str().len() + 2;
    assert_eq!(header["head"]["bytes"], bytes);
    assert_eq!(header["head"]["writers"]["w"], 2);
}

/// An older version of claw writes a header without the length of the lines. After a host that has
/// read all lines appends, the length is reported again.
#[tokio::test]
async fn the_size_is_known_again_after_parts_of_an_older_claw() {
    let filled = Filled::new().await;
    let (key, writer) = (session().main(), WriterId::new("w"));
    let size = async |store: &Store| {
        let listed = store.lists().expect("lists").sessions(None);
        let listed: Vec<_> = listed.try_collect().await.expect("a list");
        listed[0].size
    };
    let length = |lines: &[Line]| -> u64 {
        let lengths = lines.iter().map(|line| line.as_str().len() as u64 + 1);
        lengths.sum()
    };
    let mut lines = vec![user_line("a"), note("b"), user_line("c")];
    assert_eq!(size(&filled.store).await, Some(length(&lines)));
    let other = filled.again().await;
    // The first host has the transcript in its cache, and the second one has not.
    for (number, host) in [(3, &filled.store), (5, &other)] {
        // Writes the part that a host with an older version of claw would append.
        let body = filled.body(number - 1).await;
        let header = body.lines().next().expect("a header");
        let mut header: serde_json::Value = serde_json::from_str(header).expect("JSON");
        let stored = lines.len() as u64;
        let old = note(&format!("old {number}"));
        header["id"] = format!("old {number}").into();
        (header["first"], header["count"]) = (stored.into(), 1.into());
        let head = header["head"].as_object_mut().expect("a head");
        assert_eq!(head.remove("bytes"), Some(length(&lines).into()));
        head.insert("lines".into(), (stored + 1).into());
        head.insert("written".into(), number.into());
        let body = format!("{header}\n{}\n", old.as_str());
        filled.put(&filled.part(number), body).await;
        lines.push(old);
        assert_eq!(size(&other).await, None);
        let new = [user_line(&format!("new {number}"))];
        let at = host.next_number(&key, &writer).await.expect("a number");
        append(host, &key, &writer, at, &new).await;
        lines.extend(new);
        assert_eq!(size(&other).await, Some(length(&lines)));
    }
    let expected: Vec<_> = lines.iter().map(|line| line.as_str().to_owned()).collect();
    assert_eq!(texts(&filled.store, &key).await.expect("a load"), expected);
}

#[tokio::test]
async fn parts_that_were_removed_are_missed() {
    for gone in [&[0][..], &[1], &[0, 1]] {
        let filled = Filled::new().await;
        for number in gone {
            filled.remove(*number).await;
        }
        // The host that wrote the parts reports the missing part, and so does another host.
        for store in [&filled.store, &filled.again().await] {
            let loaded = texts(store, &session().main()).await;
            let Err(StoreError::Incomplete { key, what, .. }) = loaded else {
                panic!("{gone:?}: {loaded:?}");
            };
            assert_eq!(key, session().main());
            assert!(what.contains(&format!("part {}", gone[0])), "{what}");
        }
        // A newly started host cannot know which UUIDs are stored.
        let (store, writer) = (filled.again().await, WriterId::new("w"));
        let error = store
            .append(
                &session().main(),
                batch(&writer, 3, &[user_line("d")], None),
            )
            .await
            .expect_err("it is not complete");
        assert!(matches!(error, StoreError::Incomplete { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_part_that_is_none_is_an_error() {
    let filled = Filled::new().await;
    let sound = filled.body(1).await;
    let header = sound.lines().next().expect("a header").to_owned();
    let long = "x".repeat(5 << 20);
    for body in [
        String::new(),
        "no JSON\n".to_owned(),
        "[1]\n".to_owned(),
        "{}\n".to_owned(),
        long.clone(),
        format!("{header}\n"),
        format!("{header}\nno JSON\n"),
        format!("{header}\n[1]\n"),
        format!("{header}\n{{\r}}\n"),
        format!("{header}\n{{}}\n{{}}\n"),
        format!("{header}\n{{}}"),
        format!("{header}\n{long}\n"),
        sound.replace(r#""first":1"#, r#""first":0"#),
        sound.replace(r#""lines":2"#, r#""lines":7"#),
        sound.replace(r#""from":0"#, r#""from":9"#),
        sound.replace(r#""count":1"#, r#""count":18446744073709551615"#),
        // The first and the third part of the transcript are not valid as its second part.
        filled.body(0).await,
        filled.body(2).await,
    ] {
        filled.put(&filled.part(1), body.clone()).await;
        let loaded = texts(&filled.store, &session().main()).await;
        assert!(
            matches!(
                loaded,
                Err(StoreError::Corrupt(_) | StoreError::Incomplete { .. })
            ),
            "{:?}: {loaded:?}",
            &body[..body.len().min(300)]
        );
        // The object is the newest part of the transcript.
        filled.put(&filled.part(3), body.clone()).await;
        let store = filled.again().await;
        let loaded = texts(&store, &session().main()).await;
        assert!(loaded.is_err(), "{:?}", &body[..body.len().min(300)]);
        filled.remove(3).await;
    }
    let newer = sound.replace(r#""format":1"#, r#""format":2"#);
    filled.put(&filled.part(1), newer).await;
    let loaded = texts(&filled.store, &session().main()).await;
    assert!(matches!(loaded, Err(StoreError::Refused(_))), "{loaded:?}");
}

#[tokio::test]
async fn an_object_with_another_name_is_an_error() {
    for name in [
        "x",
        "1",
        "00000000000000000",
        "0000000000000000/x",
        "..%2F..%2Fx",
    ] {
        let filled = Filled::new().await;
        let path = filled.path(&format!("parts/-work-project/s1/main/{name}"));
        filled.put(&path, "x").await;
        let loaded = texts(&filled.store, &session().main()).await;
        assert!(
            matches!(loaded, Err(StoreError::Corrupt(_))),
            "{name}: {loaded:?}"
        );
    }
    for name in ["x", "a/b/c", "-work-project/%2f", "-work-project/%"] {
        let filled = Filled::new().await;
        filled
            .put(&filled.path(&format!("sessions/{name}")), "x")
            .await;
        let listed: Vec<_> = filled
            .store
            .lists()
            .expect("lists")
            .sessions(None)
            .collect()
            .await;
        let error = listed.iter().find_map(|listed| listed.as_ref().err());
        assert!(
            matches!(error, Some(StoreError::Corrupt(_))),
            "{name}: {listed:?}"
        );
    }
}

#[tokio::test]
async fn a_session_that_is_none_is_an_error() {
    let filled = Filled::new().await;
    let path = filled.path("sessions/-work-project/s1");
    let got = filled.objects.get(&path).await.expect("a session");
    let sound = String::from_utf8(got.bytes().await.expect("bytes").to_vec()).expect("a text");
    let session = session();
    let mut bodies = vec![String::new(), "[1]".to_owned(), "x".repeat(17 << 20)];
    for subpath in ["../../x", "/x", "C:x", "a/../../b"] {
        bodies.push(sound.replace(r#"{"":"#, &format!(r#"{{"{subpath}":"#)));
    }
    bodies.push(sound.replace(r#""epoch":0"#, r#""epoch":18446744073709551615"#));
    for body in bodies {
        assert_ne!(body, sound);
        filled.put(&path, body.clone()).await;
        let begin = &body[..body.len().min(300)];
        let claims = filled.store.claims().expect("claims");
        let claim = claims.claim(&session, &Owner::new("o"), LONG).await;
        assert!(
            matches!(claim, Err(StoreError::Corrupt(_))),
            "{begin}: {claim:?}"
        );
    }
    let subkeys = filled.store.subkeys().expect("subkeys");
    filled
        .put(&path, sound.replace(r#"{"":"#, r#"{"../x":"#))
        .await;
    let found = subkeys.subkeys(&session).await;
    assert!(matches!(found, Err(StoreError::Corrupt(_))), "{found:?}");
}

#[tokio::test]
async fn a_too_long_line_is_not_stored() {
    let filled = Filled::new().await;
    faults::too_long_line_is_not_stored(&filled.store).await;
    let writer = WriterId::new("w");
    let long = SessionRef::new("p".repeat(500), "s").expect("a key");
    let error = filled
        .store
        .append(&long.main(), batch(&writer, 0, &[note("d")], None))
        .await
        .expect_err("its name is too long");
    assert!(matches!(error, StoreError::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn a_session_that_is_deleted_during_a_load_is_no_shorter_session() {
    let filled = Filled::new().await;
    let (store, key, writer) = (&filled.store, session().main(), WriterId::new("many"));
    let fill = async || {
        // These are more parts than a load fetches ahead.
        for number in 0..120 {
            let lines = [note(&number.to_string())];
            append(&filled.store, &key, &writer, number, &lines).await;
        }
    };
    fill().await;
    let mut load = store.load(&key);
    load.try_next().await.expect("a line").expect("a line");
    store
        .deletes()
        .expect("deletes")
        .delete(&key)
        .await
        .expect("a delete");
    // The transcript is created again, with the same number of lines.
    fill().await;
    let rest: Result<Vec<_>, _> = load.try_collect().await;
    assert!(
        matches!(rest, Err(StoreError::Incomplete { .. })),
        "{rest:?}"
    );
}

#[tokio::test]
async fn a_host_that_did_not_see_a_deletion_begins_again() {
    let filled = Filled::new().await;
    let (key, writer) = (session().main(), WriterId::new("w"));
    let other = filled.again().await;
    let deletes = other.deletes().expect("deletes");
    deletes.delete(&key).await.expect("a delete");
    // The part that records the deletion, and the session's object with the newest epoch, stay.
    let left = [
        "parts/-work-project/s1/main/0000000000000003",
        "sessions/-work-project/s1",
    ];
    assert_eq!(filled.names().await, left);
    let error = filled
        .store
        .append(&key, batch(&writer, 3, &[note("d")], None))
        .await
        .expect_err("nothing of the writer is there");
    assert!(
        matches!(error, StoreError::Gap { expected: 0, .. }),
        "{error:?}"
    );
    let lines = [user_line("a"), note("d")];
    let appended = filled.store.append(&key, batch(&writer, 0, &lines, None));
    assert_eq!(appended.await.expect("an append").total, 2);
    assert_stored(&other, &key, &lines).await;
    deletes.delete(&key).await.expect("a delete");
    deletes.delete(&key).await.expect("a delete");
    assert_stored(&filled.store, &key, &[]).await;
}

fn leftover(place: &StoreKey, what: &str, size: (usize, usize)) -> Leftover {
    let leftover = Leftover::unexplained(place.to_string(), what, "object");
    leftover.of_size(size.0 as u64, Some(size.1 as u64))
}

#[tokio::test]
async fn the_entry_of_a_session_is_read_without_other_sessions() {
    let filled = Filled::new().await;
    filled.put(&filled.part(3), "no part").await;
    entries_are_read_alone(&filled.store).await;
}

/// A deletion ended after it had left its record, and before it had removed the parts. No list has the session.
#[tokio::test]
async fn parts_that_a_deletion_has_left_are_found_and_removed() {
    let filled = Filled::new().await;
    let (key, store) = (session().main(), &filled.store);
    let mut old = Vec::new();
    for number in 0..3 {
        old.push(filled.body(number).await);
    }
    let deletes = store.deletes().expect("deletes");
    deletes.delete_session(&session()).await.expect("a delete");
    let records = filled.names().await;
    for (number, body) in (0..).zip(&old) {
        filled.put(&filled.part(number), body.clone()).await;
    }
    let lists = store.lists().expect("lists");
    let listed: Vec<_> = lists.sessions(None).collect().await;
    assert!(listed.is_empty(), "{listed:?}");
    let (leftovers, claims) = (store.leftovers().expect("it"), store.claims().expect("it"));
    let size = (3, old.iter().map(String::len).sum());
    let found = leftover(&key, "parts of a deleted transcript", size);
    let removable = found.clone().state(LeftoverState::Removable);
    assert_eq!(
        leftovers.leftovers(false).await.expect("a list"),
        [removable]
    );
    assert_eq!(filled.names().await.len(), records.len() + 3);
    // A host that has claimed the session may still look for these parts.
    let owner = Owner::new("another host");
    let claim = claims
        .claim(&session(), &owner, LONG)
        .await
        .expect("a claim");
    let claimed = found.clone().state(LeftoverState::Claimed(owner));
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), [claimed]);
    claims.release(&claim).await.expect("a release");
    let removed = found.state(LeftoverState::Removed);
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), [removed]);
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), []);
    assert_eq!(filled.names().await, records);
    assert!(deletes.is_deleted(&session()).await.expect("an answer"));
}

/// The transcripts of a session are deleted at once, and the process may end between two of them.
#[tokio::test]
async fn a_transcript_whose_deletion_was_interrupted_is_found_and_deleted() {
    let filled = Filled::new().await;
    let store = &filled.store;
    let beside = session().at(Subpath::new("subagents/agent-a1").expect("a path"));
    append(store, &beside, &WriterId::new("w"), 0, &[note("x")]).await;
    let object = filled.path("sessions/-work-project/s1");
    let got = filled.objects.get(&object).await.expect("a session");
    let record = String::from_utf8(got.bytes().await.expect("bytes").to_vec()).expect("a text");
    let deleting = record.replace(r#"agent-a1":"live""#, r#"agent-a1":"deleting""#);
    assert_ne!(deleting, record);
    filled.put(&object, deleting).await;
    let leftovers = store.leftovers().expect("it");
    let [found] = &leftovers.leftovers(true).await.expect("a list")[..] else {
        panic!("{:?}", filled.names().await)
    };
    let what = "a transcript whose deletion was interrupted";
    assert_eq!((&*found.place, &*found.what), (&*beside.to_string(), what));
    assert_eq!((found.count, &found.state), (1, &LeftoverState::Removed));
    assert_eq!(leftovers.leftovers(true).await.expect("a list"), []);
    let other = filled.again().await;
    assert_stored(&other, &beside, &[]).await;
    let lines = [user_line("a"), note("b"), user_line("c")];
    assert_stored(&other, &session().main(), &lines).await;
}

#[tokio::test]
async fn what_no_session_explains_is_named_and_stays() {
    let filled = Filled::new().await;
    let (store, prefix) = (&filled.store, &filled.prefix);
    let alone = SessionRef::new("-work-project", "s2").expect("a key");
    let alone = alone.at(Subpath::new("subagents/agent-a1").expect("a path"));
    append(store, &alone, &WriterId::new("w"), 0, &[note("x")]).await;
    for name in [
        "notes.txt",
        "probe/x",
        "parts/-work-project/s1/0",
        "sessions/a/b/c",
    ] {
        filled.put(&filled.path(name), "four").await;
    }
    let object = filled.path("sessions/-work-project/s1");
    filled.objects.delete(&object).await.expect("a session");
    let names = filled.names().await;
    let leftovers = store.leftovers().expect("it");
    let found = leftovers.leftovers(true).await.expect("a list");
    assert_eq!(filled.names().await, names);
    let is_unexplained = |found: &Leftover| found.state == LeftoverState::Unexplained;
    assert!(found.iter().all(is_unexplained), "{found:?}");
    let mut found: Vec<_> = found
        .into_iter()
        .map(|it| (it.place, it.what, it.count))
        .collect();
    found.sort();
    let unknown = |name: &str| {
        (
            format!("{prefix}/{name}"),
            "claw knows no such object".to_owned(),
            1,
        )
    };
    let lost = "a transcript that the object of its session does not name";
    let without = "a transcript of a session that has no main transcript";
    let mut expected = vec![
        unknown("notes.txt"),
        unknown("parts/-work-project/s1/0"),
        unknown("probe/x"),
        unknown("sessions/a/b/c"),
        (session().main().to_string(), lost.to_owned(), 3),
        (alone.to_string(), without.to_owned(), 1),
    ];
    expected.sort();
    assert_eq!(found, expected);
}

/// The number that the host would use for its next part belongs to a deleted part.
#[tokio::test]
async fn a_host_that_is_long_behind_a_deletion_begins_again() {
    for (more, begins_again) in [(5, false), (5, true), (1, true), (0, true), (4, true)] {
        let filled = Filled::new().await;
        let (key, writer) = (session().main(), WriterId::new("w"));
        let (other, far) = (filled.again().await, WriterId::new("far"));
        for number in 0..more {
            append(&other, &key, &far, number, &[note("far")]).await;
        }
        let deletes = other.deletes().expect("deletes");
        deletes.delete(&key).await.expect("a delete");
        let mut expected = Vec::new();
        if begins_again {
            expected = vec![user_line("x"), note("y")];
            append(&other, &key, &WriterId::new("new"), 0, &expected).await;
            // The second deletion also deletes the part that recorded the first one.
            deletes.delete(&key).await.expect("a delete");
            append(&other, &key, &WriterId::new("new"), 0, &expected).await;
        }
        let lines = [user_line("a")];
        if more % 2 == 1 {
            // The host appends without reading the state of the transcript.
            let stale = filled.store.append(&key, batch(&writer, 3, &lines, None));
            let error = stale.await.expect_err("nothing of the writer is there");
            assert!(
                matches!(error, StoreError::Gap { expected: 0, .. }),
                "{error:?}"
            );
        }
        let next = filled.store.next_number(&key, &writer).await;
        assert_eq!(next.expect("an answer"), 0);
        let lines = [user_line("a"), note("d")];
        append(&filled.store, &key, &writer, 0, &lines).await;
        expected.extend(lines);
        assert_stored(&other, &key, &expected).await;
        assert_stored(&filled.again().await, &key, &expected).await;
    }
}

/// The host lacks more parts than are read one by one.
#[tokio::test]
async fn a_host_that_is_far_behind_catches_up() {
    let filled = Filled::new().await;
    let (key, writer, far) = (session().main(), WriterId::new("w"), WriterId::new("far"));
    let other = filled.again().await;
    let mut expected = vec![user_line("a"), note("b"), user_line("c")];
    for number in 0..40 {
        let line = user_line(&format!("far {number}"));
        append(&other, &key, &far, number, std::slice::from_ref(&line)).await;
        expected.push(line);
    }
    // The batch has a line that the host knew, a line of another host, and a new line. Only the new
    // line is stored.
    let lines = [user_line("a"), user_line("far 39"), user_line("d")];
    append(&filled.store, &key, &writer, 3, &lines).await;
    expected.push(user_line("d"));
    assert_stored(&other, &key, &expected).await;
}

/// A part is larger than the parts that are fetched ahead, and the header of a part is larger than one fetch.
#[tokio::test]
async fn large_parts_and_headers_come_back() {
    let filled = Filled::new().await;
    let key = session().main();
    let mut expected = vec![user_line("a"), note("b"), user_line("c")];
    for number in 0..1000 {
        let writer = WriterId::new(&format!("{number:0128}"));
        let lines = [note(&"x".repeat(number))];
        if number % 100 == 0 {
            append(&filled.store, &key, &writer, 0, &lines).await;
            expected.extend(lines);
        }
    }
    let writer = WriterId::new("large");
    let lines: Vec<_> = (0..1500).map(|n| note(&format!("{n:01000}"))).collect();
    append(&filled.store, &key, &writer, 0, &lines).await;
    expected.extend(lines);
    assert_stored(&filled.again().await, &key, &expected).await;
    // The header of the newest part is longer than the bytes that are fetched first.
    let body = filled.body(13).await;
    let writers: Vec<_> = (0..2000).map(|n| format!(r#""{n:064}":1,"#)).collect();
    let writers = format!(r#""writers":{{{}"#, writers.concat());
    filled
        .put(&filled.part(13), body.replace(r#""writers":{"#, &writers))
        .await;
    let again = filled.again().await;
    let next = again.next_number(&key, &writer).await;
    assert_eq!(next.expect("an answer"), 1500);
    assert_stored(&again, &key, &expected).await;
}
