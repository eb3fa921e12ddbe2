use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::testing::{ONE, TWO, TestHome};

const THREE: &str = "33333333-3333-4333-8333-333333333333";

/// The time after which a test fails if a change has not arrived.
const LIMIT: Duration = Duration::from_mins(5);

fn say(place: &TestHome, project: &str, id: &str, text: &str, modified: u64) {
    let name = format!("{id}.jsonl");
    let cwd = format!("/home/user/{project}");
    let line = json!({"type": "user", "cwd": cwd, "message": {"content": text}});
    place.write(project, &name, &[line]);
    touch(place, project, id, modified);
}

fn touch(place: &TestHome, project: &str, id: &str, modified: u64) {
    let path = place.path(project, &format!("{id}.jsonl"));
    let time = std::time::UNIX_EPOCH + Duration::from_millis(modified);
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

fn index(place: &TestHome) -> Index {
    let named = |_: &Session, info: &SessionInfo| {
        let cwd = info.cwd.as_ref()?;
        let name = cwd.strip_prefix("/home/user/")?;
        (name != "other").then(|| name.to_owned())
    };
    place.sessions().index().project_of(named).run().unwrap()
}

fn ids(page: &Page) -> Vec<&str> {
    let ids = page
        .sessions
        .iter()
        .map(|found| found.info.session_id.as_str());
    ids.collect()
}

/// Waits until the index is in this state.
fn until(index: &Index, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    let mut seen = 0;
    while !is_so() {
        assert!(start.elapsed() < LIMIT, "{index:?}");
        seen = index.changed(seen, LIMIT);
    }
}

fn id(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

#[test]
fn pages_are_in_order_and_filtered() {
    let place = TestHome::new();
    say(&place, "a", ONE, "Apples", 1_000);
    say(&place, "b", TWO, "Pears", 3_000);
    say(&place, "a", THREE, "Nuts", 3_000);
    say(&place, "other", &id(1), "Nobody's", 2_000);
    let index = index(&place);
    assert_eq!(ids(&index.page(&PageQuery::new())), [THREE, TWO, ONE]);
    assert_eq!(index.len(), 3);
    let of = |query: PageQuery| {
        let page = index.page(&query);
        ids(&page)
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(PageQuery::new().project("a")), [THREE, ONE]);
    assert_eq!(of(PageQuery::new().text("PEAR")), [TWO]);
    let first = index.page(&PageQuery::new().project("a").limit(1));
    assert_eq!(ids(&first), [THREE]);
    let next = first.next.unwrap();
    assert_eq!(next.to_string(), format!("3000_{THREE}"));
    assert_eq!(next.to_string().parse(), Ok(next.clone()));
    let second = index.page(&PageQuery::new().project("a").limit(1).after(next));
    assert_eq!(ids(&second), [ONE]);
    assert_eq!(second.next, None);
    for wrong in ["", "3000", "x_y", &format!("_{ONE}"), "3_x"] {
        assert_eq!(wrong.parse::<Cursor>(), Err(NoCursor), "{wrong}");
    }
    assert_eq!(
        index.get(&ONE.into()).unwrap().project.as_deref(),
        Some("a")
    );
    assert!(index.get(&id(1).as_str().into()).is_none());
}

#[test]
fn what_changes_on_disk_changes_in_the_index() {
    let place = TestHome::new();
    let index = index(&place);
    assert!(index.is_empty());
    say(&place, "a", ONE, "Apples", 1_000);
    until(&index, || index.len() == 1);
    place.sessions().find(ONE).unwrap().archive().unwrap();
    let archived = |is| index.page(&PageQuery::new().archived(is)).sessions.len();
    // The transcript is unchanged. Only the file beside it has changed.
    until(&index, || archived(true) == 1);
    assert_eq!(archived(false), 0);
    place.sessions().find(ONE).unwrap().unarchive().unwrap();
    until(&index, || archived(false) == 1);
    // The session is in two projects. The copy that was changed last is shown, until it is removed.
    say(&place, "b", ONE, "Apples", 2_000);
    let project = || index.get(&ONE.into()).unwrap().project.clone().unwrap();
    until(&index, || project() == "b");
    assert_eq!(index.len(), 1);
    fs::remove_file(place.path("b", &format!("{ONE}.jsonl"))).unwrap();
    until(&index, || project() == "a");
    // A session that continues in another one is not shown while the other session exists.
    let goes_on = json!({"type": "continued-in", "continuedInSessionId": TWO});
    let path = place.transcript_of("a", ONE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}{goes_on}\n")).unwrap();
    let next = json!({"type": "user", "parentUuid": null, "cwd": "/home/user/a", "message": {"content": "On"}});
    place.write("a", &format!("{TWO}.jsonl"), &[next]);
    until(&index, || index.get(&TWO.into()).is_some());
    until(&index, || index.get(&ONE.into()).is_none());
    fs::remove_file(place.transcript_of("a", TWO)).unwrap();
    until(&index, || index.get(&ONE.into()).is_some());
    until(&index, || index.get(&TWO.into()).is_none());
    assert_eq!(index.problems(), [""; 0]);
}

#[test]
fn what_this_program_changed_is_there_at_once() {
    let place = TestHome::new();
    say(&place, "a", ONE, "Apples", 1_000);
    let index = index(&place);
    assert_eq!(index.len(), 1);
    let session = place.sessions().find(ONE).unwrap();
    for number in 0..50 {
        let title = format!("Title {number}");
        session.rename(&title).unwrap();
        index.refresh(&session);
        assert_eq!(index.get(&ONE.into()).unwrap().info.summary, title);
    }
    session.delete().unwrap();
    index.refresh(&session);
    assert!(index.is_empty());
}

/// Sessions change while a program reads pages: no unchanged session is left out or repeated.
#[test]
fn pages_neither_repeat_nor_skip_while_sessions_change() {
    let place = TestHome::new();
    for number in 0..100 {
        say(
            &place,
            "a",
            &id(number),
            "Apples",
            1_000 + number as u64 / 3,
        );
    }
    let index = index(&place);
    let mut seen = Vec::new();
    let mut query = PageQuery::new().limit(7);
    let mut moved = 0;
    loop {
        let page = index.page(&query);
        seen.extend(
            page.sessions
                .iter()
                .map(|found| found.info.session_id.clone()),
        );
        let Some(next) = page.next else { break };
        // One of the shown sessions becomes the newest, one session is new, and the session of the cursor is removed.
        let (shown, last) = (seen[seen.len() - 2].clone(), next.id.clone());
        touch(&place, "a", shown.as_str(), 9_000 + moved as u64);
        index.refresh(&place.sessions().find(shown.as_str()).unwrap());
        let new = id(1_000 + moved);
        say(&place, "a", &new, "Pears", 8_000);
        index.refresh(&place.sessions().find(&new).unwrap());
        if moved % 2 == 1 {
            let session = place.sessions().find(last.as_str()).unwrap();
            session.delete().unwrap();
            index.refresh(&session);
        }
        moved += 1;
        query = query.after(next);
    }
    let mut expected: Vec<_> = (0..100).map(id).collect();
    expected.reverse();
    let seen: Vec<_> = seen.iter().map(SessionId::as_str).collect();
    assert_eq!(seen, expected);
}

#[test]
fn the_thread_ends_with_the_last_clone() {
    let place = TestHome::new();
    say(&place, "a", ONE, "Apples", 1_000);
    // The thread holds this value as long as it may call the function.
    let asked = Arc::new(());
    let held = Arc::clone(&asked);
    let named = move |_: &Session, _: &SessionInfo| Some(format!("{}", Arc::strong_count(&held)));
    let index = place.sessions().index().project_of(named).run().unwrap();
    let clone = index.clone();
    assert_eq!(clone.len(), 1);
    drop(index);
    assert_eq!(Arc::strong_count(&asked), 2);
    drop(clone);
    let start = Instant::now();
    while Arc::strong_count(&asked) > 1 {
        assert!(start.elapsed() < LIMIT);
        std::thread::yield_now();
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let place = TestHome::new();
    say(&place, "a", ONE, "Apples", 1_000);
    fs::create_dir(place.0.path().join("not")).unwrap();
    // The path is not a folder.
    fs::write(place.0.path().join("not/projects"), "").unwrap();
    let index = Sessions::new(place.0.path().join("not"))
        .index()
        .run()
        .unwrap();
    assert_eq!(index.len(), 0);
    let problems = index.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("not"), "{problems:?}");
}

/// The measure is a copy of all sessions, which takes as long as a page that copies or sorts them.
#[test]
fn a_page_of_ten_thousand_sessions_copies_none_of_them() {
    let mut table = Table::default();
    let sessions = Sessions::new("/home/user/.claude");
    for number in 0..10_000 {
        let id = SessionId::from(id(number));
        let transcript = PathBuf::from(format!("/home/user/.claude/projects/p/{id}.jsonl"));
        let session = Session::at(&sessions, id.clone(), transcript.clone());
        let title = format!("Session {number} of the list");
        let mut info = SessionInfo::new(
            id.clone(),
            title,
            1_795_374_327_123 + i64::try_from(number).unwrap(),
        );
        info.archived = Some(number % 100 == 0);
        let project = Some(format!("project {}", number % 50));
        table.set(
            &id,
            0,
            &transcript,
            Some(Indexed::new(session, info, project)),
        );
    }
    let best = |work: &dyn Fn()| {
        let took = |_| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        // The shortest of several times is used, because other programs use the machine as well.
        (0..10).map(took).min().unwrap()
    };
    let every = table.page(&PageQuery::new()).sessions;
    let copy = best(&|| {
        let infos: Vec<_> = every.iter().map(|session| session.info.clone()).collect();
        drop(std::hint::black_box(infos));
    });
    println!("{copy:?} for a copy");
    let middle = Cursor::new(1_795_374_332_123, id(5_000).as_str().into());
    for query in [
        PageQuery::new().limit(500),
        PageQuery::new().limit(500).after(middle),
        PageQuery::new().archived(true).limit(500),
        PageQuery::new()
            .project("project 7")
            .archived(false)
            .limit(50),
    ] {
        let page = best(&|| drop(std::hint::black_box(table.page(&query))));
        println!("{page:?} {query:?}");
        assert!(page < copy, "{page:?}, a copy {copy:?}: {query:?}");
    }
}

#[test]
fn a_session_is_found_in_its_own_configuration_folder() {
    let places = [TestHome::new(), TestHome::new(), TestHome::new()];
    let folders = places.each_ref().map(|place| place.0.path());
    say(&places[0], "shop", ONE, "Apples", 1000);
    say(&places[1], "shop", ONE, "Pears", 3000);
    say(&places[1], "yard", ONE, "Plums", 2000);
    let sessions = Sessions::of_config_dirs(folders, |_| None).unwrap();
    let index = sessions.index().run().unwrap();
    let found = folders.map(|folder| {
        let found = index.get_in(folder, &ONE.into());
        found.map(|found| found.info.summary.clone())
    });
    assert_eq!(
        found,
        [Some("Apples".to_owned()), Some("Pears".to_owned()), None]
    );
    assert!(index.get_in(Path::new("/elsewhere"), &ONE.into()).is_none());
    assert_eq!(index.get(&ONE.into()).unwrap().info.summary, "Pears");
}
